"""The page: sections, sentences, what is left out, and that the same tables give the same bytes."""

import hashlib
import re
from base64 import b64encode
from pathlib import Path
from string import Template

import pytest

from assets.analysis import figures
from assets.analysis.report import accounts, page, sentences
from assets.analysis.report.page import FILES, Stored, build
from assets.analysis.report.sections import SECTIONS, of_evaluations
from assets.images import Pictures
from assets.schema.faults import Fault
from assets.schema.tables import TABLES
from tests.assets.analysis.report.report_tables import DRAWN, HOSTILE, LEADERS, QUESTION, contents


@pytest.fixture(scope="module")
def made() -> page.Page:
    return build(contents(), 5)


@pytest.fixture(scope="module")
def text(made: page.Page) -> str:
    return made.html.decode()


def section(text: str, name: str) -> str:
    return text.partition(f'<section id="{name}"')[2].partition("</section>")[0]


def test_the_same_tables_give_the_same_bytes(made: page.Page) -> None:
    assert build(contents(), 5).html == made.html


def test_a_section_whose_table_is_there_has_a_figure_and_a_table(text: str) -> None:
    shown = section(text, "leaderboard")
    assert shown.count("<svg ") == 1
    assert "analysis/leaderboard: 3 rows" in shown
    assert shown.count("<tr>") == 4


def test_a_section_whose_table_is_not_there_says_how_to_make_it(text: str) -> None:
    assert "analysis/pairs: not made yet: cotline materialize analysis/pairs</p>" in section(text, "pairs")
    assert text.count("not made yet: cotline materialize") == len(SECTIONS) - 1


def test_a_table_that_failed_its_checks_is_not_shown() -> None:
    refused = {("analysis", "items"): Stored(None, None, "failed its check x: cotline materialize analysis/items")}
    shown = section(build(contents(tables=refused), 5).html.decode(), "items")
    assert "analysis/items: failed its check x" in shown


def test_nothing_of_the_network_and_one_script_that_the_policy_names(text: str) -> None:
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert len(scripts) == 1
    assert policy is not None
    assert f"default-src 'none'; script-src 'sha256-{digest}'" in policy.group(1)
    assert "innerHTML" not in scripts[0]


def test_what_a_reply_says_stands_nowhere_in_the_page_but_packed(text: str) -> None:
    assert HOSTILE not in text
    assert "onerror" not in text


def test_the_page_ends_with_the_md5s_of_its_tables_and_its_profile(text: str) -> None:
    end = section(text, "made-from")
    assert "Profile small." in end
    assert "<td>analysis/leaderboard</td><td class=number>3</td><td><code>0123456789abcdef</code></td>" in end


def test_the_page_says_what_it_holds_and_what_no_table_has(made: page.Page, text: str) -> None:
    assert made[1:-1] == (4, 0, 5, 0, 2, 0, 1, 0)
    assert "4 samples, 5 replies and 2 pictures (longest side at most 320 pixels)." in text
    assert "Not on the page: 1 of 6 stored replies (1 to no sample of the split), " in text
    assert ", 1 pictures that no table has.</p>" in text


def test_a_bound_that_tables_and_figures_pass_alone_is_refused() -> None:
    with pytest.raises(Fault, match=r"^--most-mb 0.01: tables and figures alone need (\d.\d) MB: give") as raised:
        build(contents(), 0.01)
    least = re.findall(r"give --most-mb (\S+) or more$", str(raised.value))[0]
    assert len(build(contents(), float(least)).html) <= 1e6 * float(least)


def test_the_number_of_megabytes_that_is_told_is_enough_wherever_the_bound_lies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fixed = {"title": "", "lead": ""}
    monkeypatch.setattr(page, "_parts", lambda contents, told: fixed)
    monkeypatch.setattr(page, "_template", lambda name: Template("$lead"))
    for size in (2_349_000, 2_350_000, 2_399_999, 2_400_001):
        fixed["lead"] = "x" * size
        with pytest.raises(Fault) as raised:
            build(contents(), 1)
        assert build(contents(), float(str(raised.value).split()[-3])).html


def test_each_evaluations_replies_are_accounted_for_on_the_page(text: str) -> None:
    said = text.partition('<details id="accounts">')[2].partition("</details>")[0]
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", said.partition("<tbody>")[2]) == [
        *("first_cot", "3", "2", "1 to no sample of the split"),
        *("second_cot", "3", "3", ""),
    ]


def test_replies_that_do_not_fit_are_accounted_for_by_evaluation(made: page.Page) -> None:
    kept = page.fitting(contents(), len(element(made, "t0")))
    found = accounts.fitted(contents().browser.accounts(), kept.dialogues)
    assert [(one.shown, dict(one.others)) for one in found] == [
        (0, {"to no sample of the split": 1, "for the page's bound": 2}),
        (0, {"for the page's bound": 3}),
    ]


def test_an_evaluation_without_replies_says_why() -> None:
    why = "not readable: cotline materialize evaluation/recorded"
    assert f"<td class=number>–</td><td class=number>0</td><td>{why}</td>" in accounts.table(
        [accounts.Account("x", None, 0, {}, why)]
    )
    assert accounts.table([]) == ""


def test_a_figure_or_a_table_that_cannot_be_made_is_a_sentence_and_the_page_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(rows: object) -> bytes:
        raise ValueError("of\nno use <b>")

    key = ("m3cot", "flow")
    rows = {**contents().rows, key: [], ("analysis", "gaps"): [{"no": "column"}]}
    monkeypatch.setattr(figures, "leaderboard", fails)
    found = build(contents(rows=rows, flows={key: fails}), 5).html.decode()
    sentence = '<p class="unmade">figure could not be drawn: ValueError of no use &lt;b&gt;</p>'
    for name in ("leaderboard", "m3cot-flow"):
        assert sentence in section(found, name)
        assert "<table" in section(found, name)
    assert "analysis/gaps: table could not be shown: KeyError" in section(found, "gaps")
    assert "4 samples, 5 replies" in found


def test_an_id_of_maths_or_control_characters_stands_in_the_figure() -> None:
    key = ("analysis", "leaderboard")
    rows = [LEADERS[0] | {"evaluation": "$\\frac$ a\x01b"}]
    shown = section(build(contents(rows={key: rows}), 5).html.decode(), "leaderboard")
    assert ">$\\frac$ ab  (n=3)</text>" in shown


def test_pictures_are_left_out_before_replies_and_these_before_texts(made: page.Page) -> None:
    texts, dialogues, picture = (len(element(made, name)) for name in ("t0", "d0", "p0"))
    rooms = (texts - 1, texts, texts + dialogues - 1, texts + dialogues, texts + dialogues + picture + 64)
    held = [page.fitting(contents(), room) for room in rooms]
    assert [(one.samples, one.dialogues.total(), one.pictures) for one in held] == [
        (0, 0, 0),
        (4, 0, 0),
        (4, 0, 0),
        (4, 5, 0),
        (4, 5, 1),
    ]


def element(made: page.Page, name: str) -> bytes:
    start = made.html.index(f'<script type="text/plain" id="{name}">'.encode())
    return made.html[start : made.html.index(b"</script>\n", start) + 10]


def test_rows_are_limited_to_evaluations() -> None:
    rows = [{"evaluation": "x"}, {"evaluation": "y"}, {"evaluation": None}, {"a": "x", "b": "y"}, {"kind": "z"}]
    assert of_evaluations(rows, ["x"]) == [rows[0], rows[2], rows[4]]
    assert of_evaluations(rows, None) is rows


def test_sections_name_columns_that_their_tables_have() -> None:
    for one in SECTIONS:
        names = [name for word in (*one.columns, *one.percent) for name in word.split("..")]
        assert set(names) <= set(TABLES[one.kind].names), one.name
    assert len({one.name for one in SECTIONS}) == len(SECTIONS)


@pytest.mark.parametrize("one", [one for one in SECTIONS if one.draw], ids=lambda one: one.name)
def test_each_figure_can_be_drawn_of_no_rows(one: object) -> None:
    assert one.draw([]).axes  # type: ignore[attr-defined]


def test_the_files_of_the_page_are_those_that_the_closure_sees() -> None:
    folder = Path(page.__file__).parent / "page"
    assert {f"page/{path.name}" for path in folder.iterdir()} == set(FILES)


def pair(a: str, b: str, difference: float, p: float) -> dict[str, object]:
    split = {"benchmark": "m3cot", "edition": "built", "split": "test"}
    return {**split, "a": a, "b": b, "difference": difference, "p": p, "p_adjusted": p, "n": 9}


def test_the_matrix_has_the_best_first_and_a_star_where_holms_p_is_below_5_per_cent() -> None:
    rows = [pair("x", "y", 0.1, 0.5), pair("z", "x", 0.2, 0.01), pair("z", "y", 0.3, 0.001)]
    found = sentences.matrices(rows, 0.95)
    assert re.findall(r'scope="row">(\w)', found) == ["z", "x", "y"]
    assert re.findall(r">([+-]\d+\.\d\*?)<", found) == ["+20.0*", "+30.0*", "-20.0*", "+10.0", "-30.0*", "-10.0"]


def test_gaps_are_told_by_evaluation_the_largest_first_and_the_whole_before_its_shapes() -> None:
    def gap(evaluation: str, shape: str, moved: float | None, n: int = 1) -> dict[str, object]:
        return {"evaluation": evaluation, "shape": shape, "moved": moved, "n": n, "sentence": f"{evaluation} {shape}"}

    rows = [gap("x", "empty", 0.01), gap("x", "total", 0.01), gap("y", "total", -0.2), gap("z", "total", 0.0, 0)]
    assert sentences.gaps(rows) == ("<h3>y</h3><p>y total</p><h3>x</h3><p>x total</p><ul><li>x empty</li></ul>")
    assert "read every reply alike" in sentences.gaps(rows[3:])


def test_compared_cells_are_counted_by_extractor_and_labels() -> None:
    rows = [{"extractor": "paper", "labels": "paper", "equal": equal} for equal in (True, False, None)]
    assert sentences.compared(rows) == "<ul><li>paper extractor, labels paper: 1 of 2 cells equal</li></ul>"
    assert sentences.compared(rows[2:]) == "<p>No evaluation here repeats a published row.</p>"


def test_the_words_about_intervals_and_stars_are_those_of_the_level_of_the_profile() -> None:
    rows = [pair("x", "y", 0.1, 0.04)]
    assert "+10.0*<" in sentences.matrices(rows, 0.95)
    assert "adjusted p &lt; 0.05<" in sentences.matrices(rows, 0.95)
    assert "+10.0<" in sentences.matrices(rows, 0.99)
    assert "adjusted p &lt; 0.01<" in sentences.matrices(rows, 0.99)
    shown = build(contents(level=0.9), 5).html.decode()
    assert "intervals are Wilson's at 90 per cent" in section(shown, "leaderboard").replace("&#x27;", "'")


def test_an_empty_table_of_suspects_says_when_a_sample_is_one() -> None:
    key = ("analysis", "consensus")
    shown = section(build(contents(rows={key: []}), 5).html.decode(), "consensus")
    assert "No sample: nowhere did three models or more answer" in shown
    assert sentences.consensus([{}]) == ""


def test_a_picture_that_cannot_be_read_is_counted_and_told() -> None:
    tables = [Pictures.of([QUESTION._replace(png=b"no picture"), DRAWN])]
    made = build(contents(pictures=tables), 5)
    assert (made.pictures, made.pictures_left_out, made.pictures_absent, made.pictures_unreadable) == (1, 0, 1, 1)
    assert page.left_out(made).endswith("1 pictures that no table has, 1 pictures that could not be read")
