"""`cotline report`: the command, and its page in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assets import params
from assets.analysis.report.browser import Browser, Edition
from assets.analysis.report.page import build
from assets.images import batches
from assets.schema.tables import as_table
from orchestration import cli, report, storage, verdicts
from tests.assets.analysis.report import report_tables as small
from tests.orchestration.test_ui import CHROMIUM, browser  # noqa: F401 (fixture)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: Debian's package is `chromium`")
DEFAULT = Path(report.__file__).resolve().parents[1] / "profiles" / "default.yaml"


def settings() -> params.Settings:
    """The default's, with two evaluations of the released items."""
    tree = params.parse(DEFAULT.read_text(encoding="utf-8"))
    one = next(iter(tree["evaluations"].values()))
    tree["evaluations"] = {name: one for name in small.PREDICTIONS}
    tree["trainings"] = {}
    tree["models"].pop("small")
    return params.validate(tree)


def store(root: Path) -> None:
    """The small tables as storage keeps them."""
    storage.write_table(small.table(), "sample", storage.table_file(("sources", "m3cot_released")))
    pictures = storage.table_file(("sources", "m3cot_released_images"))
    storage.write_groups(batches([small.QUESTION, small.DRAWN]), "image", pictures)
    for name, rows in small.PREDICTIONS.items():
        target = storage.table_file(("evaluation", "recorded"), name)
        storage.write_table(as_table("prediction", rows), "prediction", target)
    storage.write_table(as_table("answer", small.ANSWERS), "answer", storage.table_file(("evaluation", "answers")))
    leaders = as_table("leaderboard", small.LEADERS)
    storage.write_table(leaders, "leaderboard", storage.table_file(("analysis", "leaderboard")))
    finding = {
        **{"benchmark": "m3cot", "edition": "released", "split": "test", "sample_id": "s-2", "finding": "x"},
        **{"label": "B", "other": None, "detail": "<i>said</i>", "evaluation": "second_cot"},
    }
    storage.write_table(as_table("finding", [finding]), "finding", storage.table_file(("analysis", "label_audit")))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkout's folder with the small tables, and the command as `cotline` knows it."""
    folder = tmp_path_factory.mktemp("checkout")
    found = settings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "ROOT", folder)
        patch.setattr(verdicts, "VERDICTS", folder / "var" / "verdicts")
        patch.setattr(params, "load", lambda: found)
        patch.setitem(cli.COMMANDS, "report", ("report", "add_arguments", "run", "write one HTML page"))
        store(folder)
        yield folder


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["report", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_page_is_written_and_its_size_and_place_are_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "-o", str(root / "out"))
    file = root / "out" / "report.html"
    assert status == 0
    assert out.splitlines() == [
        f"{file}: {len(file.read_bytes()) / 1e6:.1f} MB, 4 samples, 5 replies, 2 pictures",
        "not on the page: 1 of 6 stored replies (1 to no sample of the split), 1 pictures that no table has",
    ]
    assert "report: Leaderboard\n" in err
    assert "report: 5 of 5 replies\n" in err
    assert [path.name for path in file.parent.iterdir()] == ["report.html"]
    first = file.read_bytes()
    assert said(capsys, "-o", str(root / "out"))[0] == 0
    assert file.read_bytes() == first


def test_it_is_limited_to_evaluations_that_are_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = said(capsys, "-o", str(root / "out"), "--evaluations", "first_cot,nobody")
    assert (status, err) == (
        1,
        "cotline report: --evaluations: params.yaml has no nobody: name some of first_cot, second_cot\n",
    )
    assert "2 replies" in said(capsys, "-o", str(root / "out"), "--evaluations", "first_cot")[1]
    page = (root / "out/report.html").read_text(encoding="utf-8")
    assert "Limited to the evaluations first_cot." in page
    index = json.loads(page.partition('id="index">')[2].partition("</script>")[0])
    assert [one["name"] for one in index["evaluations"]] == ["first_cot"]
    assert '<td data-by="second_cot">' not in page


def test_what_a_person_gets_wrong_is_one_sentence(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = said(capsys, "-o", str(root / "small"), "--most-mb", "0.05")
    assert err.splitlines()[-1].endswith(" MB: give --most-mb 0.1 or more")
    assert not (root / "small").exists()
    _, _, err = said(capsys, "--most-mb", "nan")
    assert err == "cotline report: --most-mb nan: is no size of a page: give megabytes, such as 40\n"
    _, _, err = said(capsys, "--evaluations", " ,")
    assert err == "cotline report: --evaluations: it names none: name some of first_cot, second_cot\n"
    taken = root / "taken"
    taken.touch()
    assert said(capsys, "-o", str(taken))[2] == f"cotline report: {taken}: is a file: name a folder for report.html\n"
    _, _, err = said(capsys, "-o", str(taken / "x"))
    assert err.splitlines()[-1] == (
        f"cotline report: {taken / 'x'}: cannot be written (Not a directory): name another folder with -o"
    )


def test_tables_that_are_missing_or_failed_their_checks_are_sentences(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ("evaluation", "recorded")
    verdicts.record("evaluation-recorded@first_cot", storage.md5_of(storage.table_file(key, "first_cot")), ["x"])
    verdicts.record("evaluation-answers", storage.md5_of(storage.table_file(("evaluation", "answers"))), ["y"])
    try:
        assert "3 replies" in said(capsys, "-o", str(root / "poor"))[1]
    finally:
        for file in verdicts.VERDICTS.iterdir():
            file.unlink()
    page = (root / "poor/report.html").read_text(encoding="utf-8")
    assert "The replies of first_cot are not shown: failed its check x" in page
    assert "evaluation/answers: failed its check y" in page
    monkeypatch.setattr(storage, "ROOT", root / "nowhere")
    _, out, _ = said(capsys, "-o", str(root / "empty"))
    assert "0 samples, 0 replies, 0 pictures\nnot on the page: 2 evaluations whose replies cannot be had" in out
    page = (root / "empty/report.html").read_text(encoding="utf-8")
    assert "No replies yet of first_cot, second_cot: cotline materialize --all." in page


def test_help_teaches(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    with pytest.raises(SystemExit):
        cli.main(["report", "--help"])
    told = capsys.readouterr().out
    assert "--most-mb" in told
    assert "cotline report --most-mb 10" in told


class Opened:
    """A page in the browser, with what it logged and asked for."""

    def __init__(self, page: Any) -> None:
        self.page, self.logged, self.asked = page, [], []
        page.on("console", lambda message: self.logged.append(message.text))
        page.on("pageerror", lambda error: self.logged.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture(scope="module")
def file(root: Path) -> Path:
    report.report(root / "shown")
    return root / "shown" / "report.html"


@pytest.fixture
def opened(browser: Any, file: Path) -> Iterator[Opened]:  # noqa: F811
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    found = Opened(context.new_page())
    found.page.set_default_timeout(20_000)
    found.page.goto(file.as_uri())
    on(found, "s-1")
    yield found
    outside = [url for url in found.asked if not url.startswith(("data:", "blob:", file.as_uri()))]
    assert (found.logged, outside) == ([], [])
    context.close()


def on(found: Opened, sample: str) -> None:
    found.page.locator(f"#sample[data-sample='{sample}']").wait_for()


def listed(found: Opened) -> list[str]:
    return [row.inner_text() for row in found.page.locator("#list .row b").all()]


@needs_chromium
def test_a_heading_sorts_by_click_and_by_key_and_what_has_no_value_stays_last(opened: Opened) -> None:
    table = opened.page.locator("#leaderboard table")

    def order() -> list[str]:
        return [row.inner_text() for row in table.locator("tbody td:nth-child(2)").all()]

    heading = table.get_by_role("columnheader", name="accuracy, %", exact=True)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert order() == ["first_cot", "second_cot", "third_cot"]
    opened.page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert order() == ["second_cot", "first_cot", "third_cot"]
    name = table.get_by_role("columnheader", name="evaluation")
    name.get_by_role("button").focus()
    opened.page.keyboard.press("Space")
    opened.page.keyboard.press("Space")
    assert (name.get_attribute("aria-sort"), heading.get_attribute("aria-sort")) == ("descending", "none")
    assert order() == ["third_cot", "second_cot", "first_cot"]


@needs_chromium
def test_a_sample_shows_its_picture_label_rationale_and_two_dialogues(opened: Opened) -> None:
    pane = opened.page.locator("#sample")
    pictures = pane.locator("img")
    assert pictures.count() == 3
    assert pictures.first.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [320, 40]
    assert pane.locator(".options .label").inner_text().startswith("(A) one")
    assert pane.locator(".gold .said").inner_text().startswith("First this.")
    assert pane.locator(".said").first.inner_text() == "A <b>context</b>."
    first, second = pane.locator(".side").all()
    assert first.locator("mark").all_inner_texts() == ["A"]
    assert first.locator("mark").get_attribute("class") == "paper strict"
    assert "published rule: A, right by rule paper_rule" in first.inner_text()
    assert "strict grammar: B, wrong by rule strict_rule" in second.inner_text()
    assert second.locator("img").count() == 1


@needs_chromium
def test_a_reply_that_would_be_markup_does_nothing(opened: Opened, file: Path) -> None:
    opened.page.goto(f"{file.as_uri()}#sample/m3cot/released/s-2")
    on(opened, "s-2")
    said = opened.page.locator(".side").first.locator(".turn.model .said")
    assert said.text_content() == small.HOSTILE
    assert said.locator("mark").text_content() == "B"
    assert "asked with other options: (A) two (B) one (C) three" in opened.page.locator(".side").first.inner_text()
    assert opened.page.title() == "Cotline report"
    assert opened.page.locator("script").count() == opened.page.evaluate("document.scripts.length")
    assert opened.page.locator("img[src='x']").count() == 0
    assert opened.page.locator("#label-audit i").count() == 0
    assert "[a picture that is not on this page]" in opened.page.locator("#sample").inner_text()


@needs_chromium
def test_keys_go_to_the_next_and_the_last_sample_and_the_address_follows(opened: Opened) -> None:
    page = opened.page
    page.locator("#list").focus()
    for key, sample in (("j", "s-2"), ("ArrowDown", "s-3"), ("k", "s-2"), ("ArrowUp", "s-1"), ("End", "s-4")):
        page.keyboard.press(key)
        on(opened, sample)
        assert page.evaluate("location.hash") == f"#sample/m3cot/released/{sample}"
        assert page.locator("#list [aria-selected=true]").get_attribute("id") == page.locator("#list").get_attribute(
            "aria-activedescendant"
        )
    page.keyboard.press("/")
    page.keyboard.type("jk")
    page.get_by_text("0 of 4 samples").wait_for()
    assert page.locator("[name=words]").input_value() == "jk"
    assert page.locator(":focus").evaluate("field => getComputedStyle(field).outlineStyle") == "solid"


FILTERS = [
    ({"group": "m3cot released train (1)"}, ["s-4"]),
    ({"topic": "algebra"}, ["s-1", "s-3"]),
    ({"status": "refusal"}, ["s-2"]),
    ({"status": "missing"}, ["s-3"]),
    ({"right": "right (strict)"}, ["s-1", "s-3"]),
    ({"right": "wrong (strict)", "evaluation": "first_cot"}, ["s-2", "s-3"]),
    ({"right": "right by the published rule alone"}, ["s-1", "s-2"]),
    ({"models": "no majority"}, ["s-1"]),
    ({"models": "all agree"}, []),
    ({"evaluation": "second_cot", "status": "ok"}, ["s-1", "s-3"]),
]


@needs_chromium
def test_filters_leave_the_samples_that_fit(opened: Opened) -> None:
    for chosen, found in FILTERS:
        for name, label in chosen.items():
            opened.page.select_option(f"[name={name}]", label=label)
        assert (chosen, listed(opened)) == (chosen, found)
        assert opened.page.locator("#found").inner_text() == f"{len(found)} of 4 samples"
        opened.page.get_by_role("button", name="Clear").click()
        opened.page.get_by_text("4 of 4 samples").wait_for()


@needs_chromium
def test_after_a_filter_the_address_names_the_sample_that_is_shown(opened: Opened) -> None:
    page = opened.page
    page.select_option("[name=topic]", label="geometry")
    on(opened, "s-2")
    assert page.evaluate("location.hash") == "#sample/m3cot/released/s-2"
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("4 of 4 samples").wait_for()
    assert page.evaluate("location.hash") == "#sample/m3cot/released/s-2"


@needs_chromium
def test_where_no_sample_fits_the_pane_says_so_and_there_is_no_next_one(opened: Opened) -> None:
    page, pane = opened.page, opened.page.locator("#sample")
    page.select_option("[name=models]", label="all agree")
    pane.get_by_text("No sample fits.").wait_for()
    assert page.locator("#sample h3").count() == 0
    assert [page.get_by_role("button", name=name).is_disabled() for name in ("Previous", "Next")] == [True, True]
    assert page.evaluate("location.hash") in ("", "#samples")
    page.get_by_role("button", name="Clear").click()
    on(opened, "s-1")
    assert page.get_by_role("button", name="Next").is_enabled()


@needs_chromium
@pytest.mark.parametrize("place", ["m3cot/released/nobody", "m3cot/built/s-1", "m3cot", "%E0%A4%A", "a/b/c/d"])
def test_an_address_of_no_sample_is_told_and_the_list_goes_on(opened: Opened, place: str) -> None:
    page = opened.page
    page.evaluate(f"location.hash = '#sample/{place}'")
    page.locator("#sample").get_by_text(f"There is no such sample here: #sample/{place}", exact=True).wait_for()
    assert page.locator("#list [aria-selected=true]").count() == 0
    page.get_by_role("button", name="Next").click()
    on(opened, "s-1")


@needs_chromium
def test_a_long_id_is_cut_in_its_row_and_no_text_turns_the_words_beside_it(
    browser: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    turned = "\u202eABC"
    rows = [
        small.sample(1, id="long " * 300, topic="wide" * 100, choices=(turned, "two"), category=turned),
        small.sample(2, id="x" * 3000),
    ]
    data = Browser([Edition("m3cot", "released", small.table(rows))], [], "small")
    file = tmp_path / "report.html"
    file.write_bytes(build(small.contents(browser=data), 5).html)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    page.locator("#sample h3").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    for row in page.locator("#list .row").all():
        name, beside = row.locator("b"), row.locator("i")
        assert name.get_attribute("title") == name.text_content()
        assert name.evaluate("one => [getComputedStyle(one).textOverflow, one.scrollWidth > one.clientWidth]") == [
            *("ellipsis", True),
        ]
        assert name.evaluate("one => one.getBoundingClientRect().width") > 100
        assert beside.evaluate("one => one.getBoundingClientRect().width") < 180
    assert page.locator(".options bdi").first.text_content() == turned
    assert page.locator(".options bdi").first.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"
    assert turned in page.locator("#sample .who bdi").all_text_contents()
    page.close()


@needs_chromium
def test_samples_whose_extractors_disagree_and_texts_are_found(opened: Opened) -> None:
    page = opened.page
    page.get_by_label("extractors disagree").check()
    assert listed(opened) == ["s-1", "s-2"]
    page.get_by_label("extractors disagree").uncheck()
    page.get_by_label("Text").fill("NUMBER three")
    page.get_by_text("4 of 4 samples").wait_for()
    page.get_by_label("Text").fill("number 3")
    page.get_by_text("1 of 4 samples").wait_for()
    assert listed(opened) == ["s-3"]
    page.get_by_label("Text").fill("cannot say")
    page.get_by_text("0 of 4 samples").wait_for()
    page.select_option("[name=where]", "replies")
    page.get_by_text("1 of 4 samples").wait_for()
    assert listed(opened) == ["s-2"]


@needs_chromium
def test_an_audits_row_leads_to_its_sample_beside_the_evaluation_that_it_names(opened: Opened) -> None:
    page = opened.page
    page.select_option("[name=topic]", label="algebra")
    page.locator("#label-audit summary").click()
    page.locator("#label-audit a").click()
    on(opened, "s-2")
    page.get_by_text("4 of 4 samples").wait_for()
    assert page.get_by_label("Evaluation A", exact=True).input_value() == "second_cot"
    page.get_by_role("button", name="first_cot as B").click()
    page.get_by_label("Evaluation B", exact=True).wait_for()
    assert page.get_by_label("Evaluation B", exact=True).input_value() == "first_cot"
    assert page.locator(":focus").get_attribute("aria-label") == "first_cot as B"


@needs_chromium
def test_it_fits_a_narrow_screen_and_prints_figures_without_the_browser(opened: Opened) -> None:
    page = opened.page
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.emulate_media(media="print")
    assert page.locator("#leaderboard svg").is_visible()
    assert not page.locator("#browser").is_visible()


@needs_chromium
def test_a_browser_that_cannot_inflate_says_so(browser: Any, file: Path) -> None:  # noqa: F811
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(file.as_uri())
    page.locator("#sample").get_by_text("This browser cannot inflate what the page holds").wait_for()
    assert page.locator("#list .row").count() == 4
    page.close()
