"""`cotline annotate --benchmark comt` without a page: what a stage shows, asks, saves, lists, exports and imports."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assets import annotation_files, images
from assets.annotation import AnnotationError, Edit, Judgement, Log, of_record
from assets.comt import template
from orchestration import annotation_interleaved as interleaved
from orchestration import annotation_view as view
from orchestration.annotation_session import Desk, Entry
from tests.orchestration.annotation_comt_project import (
    QUESTION,
    comt_checkout,
    creation,
    line,
    log,
    pair,
    samples_of_comt,
)
from tests.orchestration.annotation_project import write
from tests.orchestration.conftest import Project

NOW = "2026-01-02T03:04:05+00:00"
FULL = "In triangle ABC, AB = AC and angle A is 40 degrees; D lies on BC beyond C. How large is angle ACD?"
ALL = ["geoqa-2", "geoqa-12", "jhu_crowd-3", "kilogram-page1-0-3", "spot_diff-a"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return comt_checkout(tmp_path)


def shown(project: Project, stage: str, round: int = 1) -> dict[str, str]:
    """The questions that a stage's page would show, by the ids of their samples, in their order."""
    script = (
        "import json; from orchestration import annotate; "
        f"desk = annotate.own_desk({stage!r}, {round}, 'comt'); "
        "print(json.dumps({key: sample.question for key, sample in desk.samples.items()}))"
    )
    return json.loads(project.good(project.call(sys.executable, "-c", script)))


def own(project: Project, stage: str, *lines: dict[str, Any]) -> None:
    write(project.root / f"data/annotations/comt/{stage}.jsonl", lines)


def edits(text: str, step: int = 0) -> list[dict[str, Any]]:
    return [{"step": step, "text": text}]


def test_quality_shows_creation_and_recheck_all_four_tasks_as_completed(project: Project) -> None:
    own(project, "quality", line("geoqa-2", "ada", edits=edits(FULL)), line("geoqa-12", "ada", "discard"))
    assert shown(project, "quality") == {"geoqa-2": QUESTION, "geoqa-12": QUESTION}
    rechecked = shown(project, "recheck")
    assert list(rechecked) == [key for key in ALL if key != "geoqa-12"]
    assert rechecked["geoqa-2"] == FULL


def test_what_nobody_described_waits_where_the_policy_is_to_hold(tmp_path: Path) -> None:
    project = comt_checkout(tmp_path, votes={"needed": 2, "pending": "hold"})
    own(project, "quality", line("geoqa-2", "ada"))
    assert list(shown(project, "recheck")) == ["geoqa-2", "jhu_crowd-3", "kilogram-page1-0-3", "spot_diff-a"]


def test_the_second_recheck_shows_what_passed_the_first(project: Project) -> None:
    votes = [(key, who, "recheck") for key in ("geoqa-2", "spot_diff-a") for who in ("ada", "ben")]
    given = [line(key, who, "no" if (key, who) == ("geoqa-2", "ben") else "yes", stage) for key, who, stage in votes]
    own(project, "recheck", *given)
    assert list(shown(project, "recheck", 2)) == ["spot_diff-a"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("image_needed",), "image_needed is no stage of comt: judge quality, recheck, picture_quality, or another"),
        (
            ("picture_quality",),
            "sources.picture_judgements.recorded: data/sources/generated_released/picture_judgements",
        ),
        ((), "name the stage to judge: quality, recheck, picture_quality (or --list)"),
        (("recheck", "--no-browser"), "comt/update: not made yet: cotline materialize comt/update"),
        (("quality", "--onboarding", "experts.jsonl"), "experts.jsonl: has no agreed verdict on a sample that quality"),
    ],
    ids=lambda value: "-".join(value) or "nothing" if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_one_sentence(project: Project, arguments: tuple[str, ...], sentence: str) -> None:
    (project.root / "data/comt/update.parquet").unlink()
    write(project.root / "experts.jsonl", [line("geoqa-77", "expert")])
    done = project.cotline("annotate", *arguments, "--benchmark", "comt")
    assert done.returncode == 1
    assert done.stderr.startswith(f"cotline annotate: {sentence}")
    assert len(done.stderr.splitlines()) == 1


def test_recorded_judgements_are_those_of_comts_setting(project: Project) -> None:
    text = "comt_annotations:\n    recorded: null"
    project.edit("params.yaml", text, text.replace("null", "votes.jsonl"))
    missing = project.cotline("annotate", "--list", "--benchmark", "comt")
    assert missing.stderr.startswith("cotline annotate: sources.comt_annotations.recorded: votes.jsonl is not there")
    (project.root / "votes.jsonl").write_text('{"question": "Why?"}\n', encoding="utf-8")
    wrong = project.cotline("annotate", "--list", "--benchmark", "comt")
    assert wrong.stderr.rstrip().endswith("name a file of JSON lines in sources.comt_annotations.recorded")
    write(project.root / "votes.jsonl", [line("geoqa-2", "ada"), line("geoqa-12", "ada", "discard")])
    own(project, "recheck", *(line(key, who, "yes", "recheck") for key in ALL for who in ("ada", "ben")))
    rows = project.good(project.cotline("annotate", "--list", "--benchmark", "comt")).splitlines()
    # The discarded sample is rechecked by nobody; in the second round are the four that passed the first.
    assert [row.split() for row in rows[1:4]] == [
        ["quality", "1", "2", "2", "1", "0", "n/a"],
        ["recheck", "1", "4", "4", "2", "0", "n/a"],
        ["recheck", "2", "4", "0", "0", "4", "n/a"],
    ]


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_an_edited_question_goes_through_every_form_of_file(project: Project, form: str) -> None:
    lines = [line("geoqa-2", "ada", edits=edits(FULL)), line("geoqa-12", "ben", "discard")]
    text = annotation_files.exported([of_record(each, "x") for each in lines], form)
    (project.root / "in").write_text(text, encoding="utf-8")
    said = project.good(project.cotline("annotate", "quality", "--benchmark", "comt", "--import", form, "in"))
    assert said == "in: 2 judgements added to quality.jsonl\n"
    assert log(project, "quality") == lines
    project.good(project.cotline("annotate", "quality", "--benchmark", "comt", "--export", form, "out"))
    read = annotation_files.imported(project.root / "out", form)
    assert [(row.sample_id, row.edits) for row in read] == [("geoqa-2", (Edit(0, FULL),)), ("geoqa-12", None)]


def test_an_import_refuses_edits_that_would_stop_the_chain(project: Project) -> None:
    wrong = [line("geoqa-2", "ada", edits=edits("x", 1)), line("geoqa-12", "ada", edits=edits("[IMAGE0] How large?"))]
    write(project.root / "in.jsonl", wrong)
    done = project.cotline("annotate", "quality", "--benchmark", "comt", "--import", "jsonl", "in.jsonl")
    assert done.stdout == "in.jsonl: 0 judgements added to quality.jsonl, 2 not: edits_do_not_fit 2\n"
    assert log(project, "quality") == []


def test_an_export_for_label_studio_has_the_pictures_places(project: Project) -> None:
    own(project, "recheck", line("kilogram-page1-0-3", "ada", "yes", "recheck"))
    project.good(project.cotline("annotate", "recheck", "--benchmark", "comt", "--export", "label_studio", "out.json"))
    [task] = json.loads((project.root / "out.json").read_text(encoding="utf-8"))
    assert task["data"]["rationale"].startswith("The upper piece is the head. [IMAGE1] The lower one is the tail.")


def desk_of(tmp_path: Path, stage: str, **more: Any) -> Desk:
    kept = Log(tmp_path / f"{stage}.jsonl")
    found = [sample for rows in samples_of_comt().values() for sample in rows if sample.dropped is None]
    if stage == "quality":
        found = [sample for sample in found if sample.task == "creation"]
    return Desk(
        stage,
        found,
        steps_profile="roscoe",
        judgements=lambda _: kept.judgements(),
        log=lambda _: kept,
        benchmark="comt",
        **more,
    )


def entry(text: str, verdict: str = "accept", **more: Any) -> Entry:
    return Entry("ada", "geoqa-2", verdict, texts=(Edit(0, text),), shown=True, **more)


def test_the_question_is_saved_as_step_0_where_it_was_changed(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, "quality")
    assert desk.record(entry(FULL), NOW)["edits"] == edits(FULL)
    assert desk.record(entry(f" {QUESTION}\r\n"), NOW).keys() == {*line("", ""), "at"}


REFUSED = {
    "no question": (entry(" "), "leaves no question"),
    "a picture in the question": (entry("[IMAGE0] Why?"), "its question shows a picture"),
    "a step of the rationale": (entry(FULL)._replace(texts=(Edit(1, "x"),)), "shows no step 1 to edit"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_question_that_cannot_be_is_refused_and_nothing_is_written(tmp_path: Path, case: str) -> None:
    given, sentence = REFUSED[case]
    with pytest.raises(AnnotationError, match=sentence):
        desk_of(tmp_path, "quality").save(given, NOW)
    assert not (tmp_path / "quality.jsonl").exists()


def test_whoever_discards_may_leave_the_question_as_it_came_to_be(tmp_path: Path) -> None:
    assert desk_of(tmp_path, "quality").record(entry(" ", "discard"), NOW)["edits"] == edits("")


def test_a_recheck_asks_for_no_steps_and_takes_a_yes_at_once(tmp_path: Path) -> None:
    record = desk_of(tmp_path, "recheck", round=2).record(Entry("ada", "spot_diff-a", "yes", shown=True), NOW)
    assert record == {**line("spot_diff-a", "ada", "yes", "recheck"), "round": 2, "at": NOW}


@pytest.mark.parametrize(
    ("benchmark", "right", "passed"), [("comt", 85, True), ("comt", 84, False), ("m3cot", 80, True)]
)
def test_an_onboarding_test_is_passed_at_the_share_of_its_benchmark(
    tmp_path: Path, benchmark: str, right: int, passed: bool
) -> None:
    made = [creation(number) for number in range(100)]
    said = [
        Judgement(str(one.id), "recheck", 1, "ada", "yes" if place < right else "no", None, None, None, "f")
        for place, one in enumerate(made)
    ]
    desk = Desk(
        "recheck",
        made,
        steps_profile="roscoe",
        judgements=lambda _: said,
        log=lambda _: Log(tmp_path / "none"),
        reference={str(one.id): "yes" for one in made},
        benchmark=benchmark,
    )
    outcome = desk.outcome("ada")
    assert outcome is not None and (outcome.right, outcome.passed) == (right, passed)
    told = view.finished(desk, "ada", 1, outcome)
    assert f"Onboarding test: {'passed' if passed else 'not passed'}" in told
    assert f"{'85' if benchmark == 'comt' else '80'} % are asked for" in told


def test_words_and_pictures_of_a_rationale_stand_in_their_order(tmp_path: Path) -> None:
    sample = samples_of_comt()["deletion"][0]
    told = interleaved.sheet(desk_of(tmp_path, "recheck"), "ada", sample, 1)
    places = [
        *(told.index(f"/pictures/{sample.images[0]}"), told.index("How many people"), told.index('class="cot-right"')),
        *(told.index("Ten are on the left."), told.index(f"/pictures/{sample.images[1]}")),
        *(told.index("Ten more are"), told.index(f"/pictures/{sample.images[2]}"), told.index("So there are 20.")),
    ]
    assert places == sorted(places)
    assert told.count("<img ") == 3
    assert "masking" in interleaved.pane(desk_of(tmp_path, "recheck"), sample, 1)


def test_hostile_words_and_pictures_are_text(tmp_path: Path) -> None:
    bad = '"><img src=x onerror=alert(1)>'
    told = template.parts(f"{bad} [IMAGE0] So.", [bad])
    sample = creation(2)._replace(question=f"{bad} [IMAGE7]", rationale=told, images=(bad,), task=bad)
    for stage in ("quality", "recheck"):
        desk = desk_of(tmp_path, stage)
        told = interleaved.sheet(desk, bad, sample, 1) + interleaved.pane(desk, sample, 1)
        assert "<img src=x" not in told
        assert "[IMAGE7]" in told


def test_a_picture_that_is_made_smaller_keeps_its_see_through_gap() -> None:
    large = images.decode(pair(0).png or b"").resize((3600, 2000))
    sent = images.decode(view.reduced(images.of_pixels(large, "a")))
    assert sent.size == (1600, 889)
    assert sent.getpixel((800, 400))[3] == 0
    assert sent.getpixel((50, 50))[3] == 255
