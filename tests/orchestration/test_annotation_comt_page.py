"""CoMT's annotation page in a real browser: questions completed beside their picture, rationales among pictures."""

import os
import signal
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.orchestration.annotation_comt_project import QUESTION, comt_checkout, line, log, triangle
from tests.orchestration.annotation_project import write
from tests.orchestration.conftest import Project
from tests.orchestration.test_annotation_page import begin, page, press, serving  # noqa: F401 (fixture)
from tests.orchestration.test_ui import CHROMIUM, browser  # noqa: F401 (fixture)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: Debian's package is `chromium`")
FULL = "In triangle ABC, AB = AC and angle A is 40 degrees; D lies on BC beyond C. How large is angle ACD?"
LOADED = "images => images.length > 0 && images.every(image => image.complete && image.naturalWidth > 0)"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return comt_checkout(tmp_path)


def on_sample(page: Any, sample: str) -> None:  # noqa: F811
    page.locator(f"#cot-sheet[data-sample='{sample}']").wait_for()
    page.locator("#cot-save").wait_for()
    page.wait_for_function("() => window.cotline.busy === 0")
    page.wait_for_load_state("networkidle")


def keep(page: Any, name: str, tmp_path: Path) -> None:  # noqa: F811
    page.screenshot(path=Path(os.environ.get("COTLINE_SCREENSHOTS", tmp_path)) / f"annotate-comt-{name}.png")


def test_a_question_is_completed_beside_its_picture_and_a_restart_goes_on(
    project: Project,
    page: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    with serving(project, "quality", "--benchmark", "comt") as served:
        begin(page, served)
        on_sample(page, "geoqa-2")
        picture = page.locator("#cot-picture img")
        assert picture.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [360, 260]
        box = page.locator("textarea[data-step='0']")
        assert box.input_value() == QUESTION
        assert page.locator(".cot-right").inner_text().startswith("B\n110 degrees")

        # A question that would break the template is refused in words, and stays in its box.
        box.fill("[IMAGE0] How large is angle ACD?")
        press(page, "Escape", "y", "Enter")
        page.get_by_text("its question shows a picture").wait_for()
        page.wait_for_function("() => window.cotline.busy === 0")
        assert log(project, "quality") == []
        box.fill(FULL)
        keep(page, "quality", tmp_path)
        press(page, "Escape", "Enter")
        on_sample(page, "geoqa-12")
        assert box.input_value() == QUESTION
        served.end(signal.SIGKILL)
        [saved] = log(project, "quality")
        assert saved.pop("seconds") > 0
        assert saved.pop("at").endswith("+00:00")
        assert saved == line("geoqa-2", "ada", edits=[{"step": 0, "text": FULL}])

        served.start()
        page.reload()
        on_sample(page, "geoqa-12")
        press(page, "b")
        on_sample(page, "geoqa-2")
        assert box.input_value() == FULL
        press(page, "d", "Enter")
        on_sample(page, "geoqa-12")
        press(page, "y", "Enter")
        page.get_by_text("All 2 samples are judged").wait_for()
    assert [(each["sample_id"], each["verdict"]) for each in log(project, "quality")] == [
        ("geoqa-2", "accept"),
        ("geoqa-2", "discard"),
        ("geoqa-12", "accept"),
    ]


def test_a_rationale_is_rechecked_among_its_pictures_which_can_be_seen_large(
    project: Project,
    page: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    write(
        project.root / "data/annotations/comt/quality.jsonl",
        [line("geoqa-2", "ben", edits=[{"step": 0, "text": FULL}]), line("geoqa-12", "ben", "discard")],
    )
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    with serving(project, "recheck", "--benchmark", "comt", "--annotator", "ada") as served:
        begin(page, served, None)
        on_sample(page, "geoqa-2")
        assert page.locator(".cot-question").inner_text() == FULL
        press(page, "y", "Enter")
        on_sample(page, "jhu_crowd-3")
        assert page.locator("#cot-sheet img").evaluate_all(LOADED)
        assert page.locator(".cot-question").inner_text().split("\n") == ["[IMAGE0]", "How many people are there?"]
        turns = page.locator(".cot-steps li").evaluate_all(
            "steps => steps.map(step => step.querySelector('img') ? step.querySelector('img').alt : step.innerText)"
        )
        assert turns == [
            "Ten are on the left.",
            "picture 1 of the sample",
            "Ten more are on the right.",
            "picture 2 of the sample",
            "No head is left.",
            "So there are 20.",
        ]
        assert "Visual deletion" in page.locator("#cot-picture").inner_text()
        keep(page, "recheck", tmp_path)

        page.locator("#cot-sheet img").nth(1).click()
        large = page.locator("#cot-whole[open] img")
        large.wait_for()
        assert large.evaluate("image => image.width > 900")
        # What is pressed while a picture is large judges nothing.
        press(page, "n", "Enter")
        page.locator("#cot-whole img").click()
        assert page.locator("#cot-whole[open]").count() == 0
        assert page.locator("input:checked").count() == 0
        press(page, "PageDown")
        page.wait_for_function("() => document.querySelector('#cot-left').scrollTop > 0")
        press(page, "n", "Enter")
        on_sample(page, "kilogram-page1-0-3")
        assert page.locator("#cot-left").evaluate("left => left.scrollTop") == 0
        press(page, "y", "Enter")
        on_sample(page, "spot_diff-a")
        press(page, "y", "Enter")
        page.get_by_text("All 4 samples are judged").wait_for()
    found = [(each["sample_id"], each["verdict"], "visual_steps" in each) for each in log(project, "recheck")]
    assert found == [
        ("geoqa-2", "yes", False),
        ("jhu_crowd-3", "no", False),
        ("kilogram-page1-0-3", "yes", False),
        ("spot_diff-a", "yes", False),
    ]
    assert [url for url in asked_for if not url.startswith((served.address, "data:", "blob:"))] == []


def test_an_onboarding_test_of_comt_asks_for_85_of_100_and_writes_no_annotation(
    project: Project,
    page: Any,  # noqa: F811
) -> None:
    write(project.root / "experts.jsonl", [line("geoqa-2", "x"), line("geoqa-12", "x", "discard")])
    arguments = ("quality", "--benchmark", "comt", "--onboarding", "experts.jsonl", "--annotator", "ada")
    with serving(project, *arguments) as served:
        begin(page, served, None)
        for sample in ("geoqa-2", "geoqa-12"):
            on_sample(page, sample)
            press(page, "y", "Enter")
        page.get_by_text("Onboarding test: not passed").wait_for()
        told = page.locator("#cot-sheet").inner_text()
    assert "1 of 2 as the experts judged, 50.0 %; 85 % are asked for." in told
    assert log(project, "quality") == []
    assert (project.root / "var/onboarding/comt/onboarding-ada.jsonl").exists()


def test_pictures_are_answered_by_their_id_and_to_this_machine_alone(project: Project) -> None:
    with serving(project, "quality", "--benchmark", "comt") as served:
        address = f"{served.address}/pictures/{triangle().image_id}"
        answer = urllib.request.urlopen(address)
        assert (answer.headers["content-type"], answer.read()) == ("image/png", triangle().png)
        for url, headers, status in (
            (f"{served.address}/pictures/{'0' * 64}", {}, "404"),
            (f"{served.address}/pictures/..%2F..%2Fparams.yaml", {}, "404"),
            (address, {"Host": "evil.example"}, "403"),
        ):
            with pytest.raises(urllib.error.HTTPError, match=status):
                urllib.request.urlopen(urllib.request.Request(url, headers=headers))
