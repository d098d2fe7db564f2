"""`cotline annotate picture_quality`: which replies are asked, what the page shows of them, what is saved."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from assets.annotation import Log, of_record
from orchestration import annotation_interleaved as interleaved
from orchestration.annotation_session import Desk, is_decided
from orchestration.annotation_view import form
from tests.orchestration.annotation_pictures_project import ASKED, pictures_checkout, score, sketch
from tests.orchestration.annotation_project import write
from tests.orchestration.conftest import Project
from tests.orchestration.test_annotation_comt_page import LOADED, on_sample
from tests.orchestration.test_annotation_page import begin, page, press, serving  # noqa: F401 (fixture)
from tests.orchestration.test_ui import CHROMIUM, browser  # noqa: F401 (fixture)

in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: Debian's package is `chromium`")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return pictures_checkout(tmp_path)


def own(project: Project) -> list[dict[str, Any]]:
    path = project.root / "data/annotations/pictures/picture_quality.jsonl"
    return [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def keep(page: Any, name: str, tmp_path: Path) -> None:  # noqa: F811
    page.screenshot(path=Path(os.environ.get("COTLINE_SCREENSHOTS", tmp_path)) / f"annotate-pictures-{name}.png")


def give(page: Any, score: str) -> None:  # noqa: F811
    press(page, score)
    page.locator(f"input[value='{score}']:checked").wait_for(state="attached")
    press(page, "Enter")


@in_browser
def test_a_reply_is_scored_by_keys_among_its_pictures_and_a_restart_goes_on(
    project: Project,
    page: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    with serving(project, "picture_quality") as served:
        begin(page, served)
        on_sample(page, ASKED[0])
        turns = page.locator(".cot-reply > *").evaluate_all(
            "parts => parts.map(part => part.querySelector('img') ? part.querySelector('img').alt : part.innerText)"
        )
        assert turns[0].endswith("I draw it.")
        assert turns[1:] == ["picture 1 of the reply", "So it follows.", "picture 2 of the reply", "ANSWER: (B)"]
        page.wait_for_function(f"() => ({LOADED})([...document.querySelectorAll('.cot-reply img')])")
        assert page.title() != "broken"
        # Neither the answer nor whose reply it is may lead the eye.
        assert page.locator(".cot-right").count() == 0
        assert "draws_cot" not in page.locator("#cot-work").inner_text()
        guide = page.locator("#cot-picture").inner_text()
        assert "Visual creation" in guide and "geometric shapes" in guide
        assert "score the pictures" in (page.locator("#cot-help").text_content() or "")
        keep(page, "creation", tmp_path)

        press(page, "Enter")
        page.get_by_text("Choose a verdict first: 0, 1, 2, 3, 4.").wait_for()
        page.wait_for_function("() => window.cotline.busy === 0")
        press(page, "1")
        give(page, "3")
        on_sample(page, ASKED[1])
        [saved] = own(project)
        assert saved.pop("seconds") > 0 and saved.pop("at").endswith("+00:00")
        assert saved == score(ASKED[0], "ada", 3)
        assert page.locator("input:checked").count() == 0
        keep(page, "deletion", tmp_path)
        served.end(signal.SIGKILL)

        served.start()
        page.reload()
        on_sample(page, ASKED[1])
        give(page, "0")
        on_sample(page, ASKED[2])
        press(page, "b")
        on_sample(page, ASKED[1])
        assert page.locator("input:checked").get_attribute("value") == "0"
        give(page, "1")
        on_sample(page, ASKED[2])
        give(page, "4")
        on_sample(page, ASKED[3])
        give(page, "2")
        page.get_by_text("All 4 samples are judged").wait_for()
    verdicts = [(each["sample_id"], each["verdict"]) for each in own(project)]
    assert verdicts == list(zip([ASKED[0], ASKED[1], ASKED[1], *ASKED[2:]], "30142", strict=True))
    assert [url for url in asked_for if not url.startswith((served.address, "data:", "blob:"))] == []


def test_only_the_replies_that_were_drawn_are_asked_with_their_pictures(tmp_path: Path) -> None:
    project = pictures_checkout(tmp_path, per_task=2)
    script = (
        "import json; from orchestration import annotate; desk = annotate.own_desk('picture_quality', 1, 'comt'); "
        "print(json.dumps([desk.needed, {key: [part.image_id for part in one.rationale if part.kind == 'image']"
        " for key, one in desk.samples.items()}]))"
    )
    needed, found = json.loads(project.good(project.call(sys.executable, "-c", script)))
    # Of creation two of three, one a strategy; direct drew once in twelve, and is left out.
    assert needed == 3
    assert found["draws_cot:geoqa-2"] == [sketch(1).image_id, sketch(2).image_id]
    assert sorted(key.partition("-")[0] for key in found) == [
        "draws_cot:geoqa",
        "draws_cot:jhu_crowd",
        "draws_vot:geoqa",
    ]


def test_progress_imports_and_exports_are_of_its_own_source(project: Project) -> None:
    names = ("ada", "ben", "cy")
    votes = [score(ASKED[0], who, 3) for who in names] + [score(ASKED[1], who, 2 + (who == "cy")) for who in names]
    write(project.root / "in.jsonl", [*votes, score("geoqa-2", "ada", 1), score(ASKED[0], "ada", 3)])
    said = project.cotline("annotate", "picture_quality", "--import", "jsonl", "in.jsonl")
    assert project.good(said) == (
        "in.jsonl: 6 judgements added to picture_quality.jsonl, 2 not: names_no_reply 1, superseded 1\n"
    )
    assert {each["sample_id"] for each in own(project)} == {ASKED[0], ASKED[1]}
    rows = project.good(project.cotline("annotate", "--list", "--benchmark", "comt")).splitlines()
    # Fleiss: (2/3 - 5/9) / (4/9), for the shares of agreeing pairs are 1 and 1/3, and those of the scores 4/6 and 2/6.
    assert rows[-1].split() == ["picture_quality", "1", "4", "2", "3", "3", "0.25"]
    out = ("annotate", "picture_quality", "--export", "label_studio", "out.json")
    project.good(project.cotline(*out))
    first = json.loads((project.root / "out.json").read_text(encoding="utf-8"))[0]
    assert first["data"]["rationale"].endswith("[picture 1]So it follows.[picture 2]\nANSWER: (B)")


@pytest.mark.parametrize(
    ("gone", "sentence"),
    [
        ("evaluation/recorded", "evaluation/recorded: no evaluation has replies yet: cotline materialize evaluation"),
        ("sources/comt_released", "sources/comt_released: not made yet: cotline materialize sources/comt_released"),
        ("evaluation/pictures", "evaluation/pictures: not made yet: cotline materialize evaluation/pictures"),
    ],
)
def test_what_is_not_made_yet_is_one_sentence(project: Project, gone: str, sentence: str) -> None:
    path = project.root / "data" / gone
    for file in [path.with_suffix(".parquet"), *path.glob("*.parquet")]:
        file.unlink(missing_ok=True)
    done = project.cotline("annotate", "picture_quality", "--no-browser")
    assert (done.returncode, done.stderr) == (1, f"cotline annotate: {sentence}\n")


def test_where_no_reply_is_drawn_there_is_nothing_to_judge(project: Project) -> None:
    for name in ("draws_cot", "draws_vot"):
        (project.root / f"data/evaluation/recorded/{name}.parquet").unlink()
    done = project.cotline("annotate", "picture_quality", "--no-browser")
    assert done.stderr.startswith("cotline annotate: picture_quality: no reply of 1 evaluations holds a picture")


def test_a_missing_file_of_judgements_stops_no_list_of_the_other_stages(project: Project) -> None:
    project.edit(
        "params.yaml", "picture_judgements:\n    recorded: null", "picture_judgements:\n    recorded: no.jsonl"
    )
    said = project.good(project.cotline("annotate", "--list", "--benchmark", "comt"))
    assert "recheck" in said and said.endswith("no.jsonl is not there: put it there, or set it to null\n")
    assert project.cotline("annotate", "picture_quality").stderr.startswith(
        "cotline annotate: sources.picture_judgements.recorded: no.jsonl is not there"
    )


def test_a_reply_is_decided_when_as_many_annotators_give_one_score(tmp_path: Path) -> None:
    votes = [of_record(score("a:b", who, verdict), "x") for who, verdict in zip("pqrs", (2, 2, 1, 2), strict=True)]
    assert not is_decided("picture_quality", votes[:3], 3)
    assert is_decided("picture_quality", votes, 3)


def test_scores_have_their_keys_and_a_lost_picture_says_so(tmp_path: Path) -> None:
    from assets.schema.sample import Part, Sample

    kept = Log(tmp_path / "log.jsonl")
    told = (Part("text", "See.", None), Part("image", "[picture 1]", None))
    sample = Sample(
        "a:m-1", "m3cot", "s", "m-1", "p", question="Why?", choices=("x", "y"), answer="B", images=("7" * 64,)
    )._replace(rationale=told)
    desk = Desk(
        "picture_quality",
        [sample],
        steps_profile="roscoe",
        judgements=lambda _: [],
        log=lambda _: kept,
        benchmark="comt",
    )
    page = interleaved.sheet(desk, "ada", sample, 1) + interleaved.pane(desk, sample, 1)  # noqa: F811
    assert "Picture 1 of the reply cannot be shown." in page
    assert f"/pictures/{'7' * 64}" in page
    assert "cot-right" not in page and "Answer:" not in page
    assert [f'data-key="{number}"' in form(desk, 1) for number in range(6)] == [True] * 5 + [False]
