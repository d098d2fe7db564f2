"""The annotation page in a real browser: what an annotator sees, presses and finds again after a crash."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.orchestration.annotation_project import HOSTILE, checkout, line, log, write
from tests.orchestration.conftest import Project, environment
from tests.orchestration.test_ui import CHROMIUM, browser, free_port, wait_for  # noqa: F401 (fixture)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: Debian's package is `chromium`")
STOP_S = 20


class Served:
    """The command, with its page, in a checkout."""

    def __init__(self, project: Project, *arguments: str) -> None:
        self.project, self.port = project, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._arguments = [*arguments, "--port", str(self.port), "--no-browser"]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "orchestration", "annotate", *self._arguments],
            cwd=self.project.root,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(self.address, self.process)

    def end(self, number: int) -> tuple[int, str, str]:
        """The exit status, and what was printed, after this signal."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=STOP_S)
        return self.process.returncode, out, err


@contextmanager
def serving(project: Project, *arguments: str) -> Iterator[Served]:
    served = Served(project, *arguments)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.end(signal.SIGINT)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return checkout(tmp_path)


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:  # noqa: F811
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(90_000)
    yield opened
    context.close()


def begin(page: Any, served: Served, name: str | None = "ada") -> None:
    page.goto(served.address)
    if name is not None:
        page.get_by_label("Your name").fill(name)
        page.keyboard.press("Enter")
    page.locator("#cot-sheet").wait_for()


def on_sample(page: Any, number: int) -> None:
    page.locator(f"#cot-sheet[data-sample='scienceqa-{number}']").wait_for()


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def seen(page: Any) -> None:
    page.locator("#cot-shown").wait_for()
    page.locator("#cot-save").wait_for()


def verdicts(project: Project, stage: str) -> list[tuple[str, str, str]]:
    return [(each["annotator"], each["sample_id"], each["verdict"]) for each in log(project, stage)]


def keep(page: Any, name: str, tmp_path: Path) -> None:
    page.screenshot(path=Path(os.environ.get("COTLINE_SCREENSHOTS", tmp_path)) / f"annotate-{name}.png")


def test_the_picture_is_masked_until_the_text_is_judged_and_a_judgement_outlives_the_process(
    project: Project, page: Any, tmp_path: Path
) -> None:
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    with serving(project, "image_needed") as served:
        begin(page, served)
        on_sample(page, 1)
        assert "data:image/png" not in page.content()
        page.get_by_text("From the text alone").wait_for()
        press(page, "s")
        page.get_by_text("Judge the text alone first").wait_for()
        assert page.locator("#cot-shown").count() == 0
        keep(page, "masked", tmp_path)

        press(page, "n", "s")
        seen(page)
        picture = page.locator("#cot-shown img")
        assert picture.get_attribute("src").startswith("data:image/png;base64,")
        assert picture.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [120, 120]
        page.get_by_text("With the picture").wait_for()
        page.locator("#cot-note").fill("the colour stands nowhere else")
        keep(page, "seen", tmp_path)
        press(page, "Escape", "y", "Enter")
        on_sample(page, 2)
        served.end(signal.SIGKILL)

        [saved] = log(project, "image_needed")
        assert saved.pop("seconds") > 0
        assert saved.pop("at").endswith("+00:00")
        assert saved == line(1, "ada", note="[text alone: no] the colour stands nowhere else")

        served.start()
        page.reload()
        on_sample(page, 2)
        assert page.locator("#cot-facts").inner_text().startswith("1 of 3 judged by you")
        press(page, "b")
        on_sample(page, 1)
        assert page.locator("input[name=cot-verdict]:checked").get_attribute("value") == "yes"
        assert page.locator("#cot-note").input_value() == "the colour stands nowhere else"
        seen(page)
        press(page, "d", "Enter")
        on_sample(page, 2)
        assert verdicts(project, "image_needed")[1:] == [("ada", "scienceqa-1", "discard")]
        status, out, err = served.end(signal.SIGINT)
    assert (status, err) == (130, "cotline: stopped\n")
    assert out == f"Annotation page, image_needed, 3 samples: {served.address} (Ctrl-C ends it)\n"
    assert [url for url in asked_for if not url.startswith((served.address, "data:", "blob:"))] == []


def test_a_page_that_was_open_while_the_process_died_loses_nothing(project: Project, page: Any) -> None:
    with serving(project, "image_needed", "--annotator", "ada") as served:
        begin(page, served, None)
        press(page, "y", "s")
        seen(page)
        served.end(signal.SIGKILL)
        served.start()
        press(page, "Enter")
        on_sample(page, 2)
    assert verdicts(project, "image_needed") == [("ada", "scienceqa-1", "yes")]


def test_keys_judge_tick_show_save_and_help_but_not_within_a_text_box(project: Project, page: Any) -> None:
    with serving(project, "image_steps") as served:
        begin(page, served)
        press(page, "1", "2", "3", "3", "y", "Enter")
        seen(page)
        page.locator("#cot-note").click()
        page.keyboard.type("y n 3 s?")
        press(page, "Escape", "?")
        page.locator("#cot-help[open]").get_by_text("How to judge").wait_for()
        press(page, "n", "?")
        assert page.locator("#cot-help[open]").count() == 0
        # Gradio drops what is pressed while it still ends what was pressed before.
        page.wait_for_function("() => window.cotline.busy === 0")
        page.wait_for_load_state("networkidle")
        press(page, " ")
        on_sample(page, 2)
        # Nothing of the sample before is left on this one.
        assert page.locator("input:checked").count() == 0
        assert page.locator("#cot-note").input_value() == ""
        page.locator("input[name=cot-step]").nth(2).click()
        page.locator(".cot-verdicts label").first.click()
        press(page, "Enter")
        seen(page)
        press(page, "Enter")
        page.get_by_text("tick those that need the picture").wait_for()
        press(page, "1", "Enter")
        on_sample(page, 4)
    found = [(each["verdict"], each["visual_steps"], each.get("note")) for each in log(project, "image_steps")]
    assert found == [("yes", [1, 2], "y n 3 s?"), ("yes", [1, 3], None)]


def test_two_annotators_judge_at_once_and_see_how_far_they_agree(
    project: Project,
    page: Any,
    browser: Any,  # noqa: F811
) -> None:
    with serving(project, "image_needed") as served:
        other = browser.new_context().new_page()
        begin(page, served, "ada")
        begin(other, served, "ben")
        for number, following in ((1, 2), (2, 10)):
            for each, key in ((page, "y"), (other, "y" if number == 1 else "n")):
                on_sample(each, number)
                press(each, key, "s")
                seen(each)
            for each in (page, other):
                press(each, "Enter")
            for each in (page, other):
                on_sample(each, following)
        page.reload()
        on_sample(page, 10)
        facts = page.locator("#cot-facts").inner_text()
        other.context.close()
    # Sample 1 is decided (both say yes), sample 2 is not, sample 10 nobody has seen.
    assert facts == "2 of 3 judged by you · by others: ben 2 · kappa: all -0.33 (n 2), ben 0.00 (n 2) · undecided: 2"
    assert sorted(verdicts(project, "image_needed")) == [
        ("ada", "scienceqa-1", "yes"),
        ("ada", "scienceqa-2", "yes"),
        ("ben", "scienceqa-1", "yes"),
        ("ben", "scienceqa-2", "no"),
    ]


def test_steps_are_edited_removed_and_added_and_only_these_are_saved(
    project: Project, page: Any, tmp_path: Path
) -> None:
    with serving(project, "quality") as served:
        begin(page, served)
        boxes = page.locator("textarea[data-step]")
        assert [boxes.nth(place).input_value() for place in range(4)] == [
            "The square is red.",
            "A square of that colour means stop.",
            "So the train stops.",
            "",
        ]
        press(page, "s")
        seen(page)
        boxes.nth(0).fill("The square on the signal is red.")
        boxes.nth(1).fill("")
        boxes.nth(3).fill("The answer is A.")
        keep(page, "quality", tmp_path)
        press(page, "Escape", "y", "Enter")
        on_sample(page, 2)
        assert boxes.nth(0).input_value() == "The square is green."
        assert boxes.nth(3).input_value() == ""
        press(page, "b")
        on_sample(page, 1)
        assert [boxes.nth(place).input_value() for place in (0, 1, 3)] == [
            "The square on the signal is red.",
            "",
            "The answer is A.",
        ]
    [saved] = log(project, "quality")
    assert saved["edits"] == [
        {"step": 1, "text": "The square on the signal is red."},
        {"step": 2, "text": ""},
        {"step": 4, "text": "The answer is A."},
    ]
    assert (saved["verdict"], "note" in saved) == ("accept", False)


def test_hostile_text_is_shown_as_text_and_is_no_edit(project: Project, page: Any, tmp_path: Path) -> None:
    done = [line(number, "ada", "accept", "quality") for number in (1, 2, 4)]
    write(project.root / "data/annotations/m3cot/quality.jsonl", done)
    with serving(project, "quality") as served:
        begin(page, served)
        on_sample(page, 10)
        assert page.locator(".cot-question").inner_text() == HOSTILE
        assert page.locator(".cot-options li span").first.inner_text() == HOSTILE
        assert page.locator("#cot-sheet img, #cot-sheet script").count() == 0
        press(page, "y", "Enter")
        seen(page)
        keep(page, "hostile", tmp_path)
        press(page, "Enter")
        page.get_by_text("All 4 samples are judged").wait_for()
        assert page.title() == "cotline annotate"
    assert "edits" not in log(project, "quality")[-1]


def test_an_onboarding_test_ends_with_its_result_and_writes_no_annotation(project: Project, page: Any) -> None:
    experts = [line(n, who) for n in (1, 2, 10) for who in ("x", "y", "z")]
    write(project.root / "experts.jsonl", experts)
    with serving(project, "image_needed", "--onboarding", "experts.jsonl", "--annotator", "../ada") as served:
        begin(page, served, None)
        for place in range(3):
            page.get_by_text(f"{place} of 3 judged by you").wait_for()
            press(page, "n" if place == 0 else "y", "s")
            seen(page)
            press(page, "Enter")
        page.get_by_text("Onboarding test: not passed").wait_for()
        assert "2 of 3 as the experts judged, 66.7 %" in page.locator("#cot-sheet").inner_text()
    assert log(project, "image_needed") == []
    [written] = (project.root / "var/onboarding").glob("*.jsonl")
    assert len(written.read_text(encoding="utf-8").splitlines()) == 3


def test_the_page_answers_its_own_machine_alone(project: Project) -> None:
    with serving(project, "image_needed") as served:
        answer = urllib.request.urlopen(served.address)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        for name, value in (("Host", "evil.example"), ("Origin", "https://evil.example")):
            request = urllib.request.Request(served.address, headers={name: value})
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(request)
        taken = project.cotline("annotate", "image_needed", "--no-browser", "--port", str(served.port))
        config = json.loads(urllib.request.urlopen(f"{served.address}/config").read())
    assert taken.stderr.startswith(f"cotline annotate: port {served.port} of 127.0.0.1 is not to be had (")
    assert config["analytics_enabled"] is False
