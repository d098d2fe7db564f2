"""`cotline annotate` at the command: what a stage shows, lists, exports and imports."""

import csv
import json
import sys
from pathlib import Path

import pytest

from assets import annotation_files
from assets.annotation import of_record
from tests.orchestration.annotation_project import checkout, line, log, sample, write
from tests.orchestration.conftest import Project

STAGES = ("image_needed", "image_steps", "quality", "recheck", "audit")
"""Those of M3CoT."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return checkout(tmp_path)


def shown(project: Project, stage: str, round: int = 1) -> list[str]:
    """The ids that a stage's page would show, in their order."""
    script = f"from orchestration import annotate; print(' '.join(annotate.own_desk({stage!r}, {round}).samples))"
    return project.good(project.call(sys.executable, "-c", script)).split()


def test_help_teaches_with_examples(project: Project) -> None:
    told = project.good(project.cotline("annotate", "--help"))
    assert "cotline annotate image_needed  " in told
    assert "cotline annotate recheck --round 2" in told
    assert all(f"\n  {stage} " in told for stage in STAGES)


SHOWN = {
    "image_needed": ["scienceqa-1", "scienceqa-2", "scienceqa-10"],
    "image_steps": ["scienceqa-1", "scienceqa-2", "scienceqa-4"],
    "quality": ["scienceqa-1", "scienceqa-2", "scienceqa-4", "scienceqa-10"],
    "recheck": ["scienceqa-1", "scienceqa-2", "scienceqa-4", "scienceqa-10"],
}


def test_a_stage_shows_what_the_step_before_it_kept(tmp_path: Path) -> None:
    rows = [sample(10).with_text("One step."), sample(2), sample(1), sample(4, images=()), sample(5, dropped="empty")]
    project = checkout(tmp_path, rows)
    assert {stage: shown(project, stage) for stage in SHOWN} == SHOWN


def test_the_second_recheck_shows_what_passed_the_first(project: Project) -> None:
    own = project.root / "data/annotations/m3cot/recheck.jsonl"
    votes = [(1, "yes", "yes"), (2, "yes", "no"), (4, "no", "no")]
    write(own, [line(n, who, v, "recheck") for n, *both in votes for who, v in zip(("ada", "ben"), both, strict=True)])
    assert shown(project, "recheck", 2) == ["scienceqa-1"]


def test_the_audit_shows_what_is_drawn_by_the_settings(tmp_path: Path) -> None:
    project = checkout(tmp_path, [sample(n) for n in range(1, 11)], audit={"seed": 4, "share": 0.5})
    drawn = shown(project, "audit")
    assert len(drawn) == 5
    script = (
        "from assets import samples; from assets.m3cot import judged; from orchestration import storage; "
        "rows = samples.kept(storage.read_table(storage.table_file(('sources', 'scienceqa')))); "
        "print(' '.join(judged.audit(rows, (), fraction=0.5, seed=4).drawn))"
    )
    assert sorted(drawn) == sorted(project.good(project.call(sys.executable, "-c", script)).split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("quality", "--no-browser"), "m3cot/deduplicated: not made yet: cotline materialize m3cot/deduplicated"),
        ((), "name the stage to judge: image_needed, image_steps, quality, recheck, audit (or --list)"),
        (("audit", "--round", "2"), "audit has one round: leave --round out"),
        (("audit", "--annotator", " "), "Say who judges: write your name."),
        (
            ("image_needed", "--export", "xml", "out"),
            "form: 'xml' is none of jsonl, csv, label_studio: write one of these",
        ),
        (("image_needed", "--import", "csv", "none.csv"), "none.csv: cannot be read (No such file or directory)"),
        (("image_needed", "--onboarding", "experts.jsonl"), "experts.jsonl: has no agreed verdict on a sample that"),
        (("image_needed", "--port", "70000"), "port 70000 of 127.0.0.1 is not to be had"),
    ],
    ids=lambda value: "-".join(value) or "nothing" if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_one_sentence(project: Project, arguments: tuple[str, ...], sentence: str) -> None:
    (project.root / "data/m3cot/deduplicated.parquet").unlink()
    write(project.root / "experts.jsonl", [line(77, "expert")])
    done = project.cotline("annotate", *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(f"cotline annotate: {sentence}")
    assert len(done.stderr.splitlines()) == 1


def test_recorded_judgements_that_are_not_there_are_missed(project: Project) -> None:
    project.edit("params.yaml", "recorded: null", "recorded: votes.jsonl")
    done = project.cotline("annotate", "--list")
    assert "sources.m3cot_annotations.recorded: votes.jsonl is not there" in done.stderr


def test_list_says_how_far_each_stage_has_got(project: Project) -> None:
    project.edit("params.yaml", "recorded: null", "recorded: votes.jsonl")
    write(project.root / "votes.jsonl", [line(n, who) for n in (1, 2) for who in ("ada", "ben")])
    own = [line(10, "ada"), line(10, "ben", "no"), line(10, "ada", "no"), line(99, "ada")]
    write(project.root / "data/annotations/m3cot/image_needed.jsonl", own)
    (project.root / "data/m3cot/annotated.parquet").unlink()
    rows = project.good(project.cotline("annotate", "--list")).splitlines()
    assert rows[0].split() == ["stage", "round", "samples", "judged", "annotators", "pending", "kappa"]
    assert rows[1].split() == ["image_needed", "1", "3", "3", "2", "0", "1.00"]
    assert rows[2].split() == ["image_steps", "1", "4", "0", "0", "4", "n/a"]
    assert rows[4].split() == ["recheck", "1", "-", "0", "0", "-", "n/a"]
    assert rows[7:] == ["m3cot/annotated: not made yet: cotline materialize m3cot/annotated"]


def test_export_holds_recorded_and_own_judgements_of_the_stage_alone(project: Project) -> None:
    project.edit("params.yaml", "recorded: null", "recorded: votes.jsonl")
    write(project.root / "votes.jsonl", [line(1, "ada"), line(1, "ada", "no", "image_steps")])
    own = project.root / "data/annotations/m3cot/image_needed.jsonl"
    write(own, [line(1, "ada", "no", note="=1+1", at="2026-01-01T00:00:00+00:00", seconds=2.0), line(2, "ben")])
    said = project.good(project.cotline("annotate", "image_needed", "--export", "csv", "out.csv"))
    assert said == "out.csv: 2 judgements of image_needed, and 1 that were judged again\n"
    with (project.root / "out.csv").open(newline="", encoding="utf-8") as file:
        found = [(row["sample_id"], row["annotator"], row["verdict"], row["note"]) for row in csv.DictReader(file)]
    assert found == [
        ("scienceqa-1", "ada", "yes", ""),
        ("scienceqa-1", "ada", "no", "=1+1"),
        ("scienceqa-2", "ben", "yes", ""),
    ]


def test_an_export_for_label_studio_shows_the_question(project: Project) -> None:
    write(project.root / "data/annotations/m3cot/quality.jsonl", [line(1, "ada", "accept", "quality")])
    project.good(project.cotline("annotate", "quality", "--export", "label_studio", "out.json"))
    task = json.loads((project.root / "out.json").read_text(encoding="utf-8"))[0]
    assert task["data"]["question"] == "What does the train of line 1 do?"
    assert task["data"]["rationale"].startswith("The square is red.")


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_an_export_is_imported_as_the_same_judgements_once(tmp_path: Path, form: str) -> None:
    project = checkout(tmp_path)
    lines = [
        line(1, "ada", "accept", "quality", edits=[{"step": 1, "text": "x"}]),
        line(2, "ben", "discard", "quality"),
    ]
    text = annotation_files.exported([of_record(each, "x") for each in lines], form)
    (project.root / "in").write_text(text, encoding="utf-8")
    said = project.good(project.cotline("annotate", "quality", "--import", form, "in"))
    assert said == "in: 2 judgements added to quality.jsonl\n"
    assert log(project, "quality") == lines
    again = project.cotline("annotate", "quality", "--import", form, "in")
    assert again.stdout == "in: 0 judgements added to quality.jsonl, 2 not: known_already 2\n"
    assert log(project, "quality") == lines


def test_an_import_lists_what_it_refuses_and_why(project: Project) -> None:
    beyond = [{"step": 9, "text": "x"}]
    lines = [
        line(1, "ada", "discard", "quality"),
        line(1, "ada", "accept", "quality"),
        line(2, "ada", "maybe", "quality"),
        line(2, "ada"),
        line(2, "ben", "accept", "quality", edits=beyond),
    ]
    write(project.root / "in.jsonl", lines)
    done = project.cotline("annotate", "quality", "--import", "jsonl", "in.jsonl")
    assert done.stdout == (
        "in.jsonl: 1 judgements added to quality.jsonl, "
        "4 not: another_stage 1, edits_of_no_step 1, superseded 1, unknown_verdict 1\n"
    )
    assert done.stderr.splitlines() == [
        "  in.jsonl: superseded scienceqa-1 by ada",
        "  in.jsonl:3: unknown_verdict scienceqa-2 by ada",
        "  in.jsonl: another_stage scienceqa-2 by ada",
        "  in.jsonl: edits_of_no_step scienceqa-2 by ben",
    ]
    assert log(project, "quality") == lines[1:2]


def test_an_annotators_onboarding_file_leads_nowhere_else_and_is_nobody_elses() -> None:
    from orchestration.annotate import file_name

    names = ["ada", "../ada", "Ada/..", "..", "a" * 300, "a" * 299, "Zoë"]
    files = [file_name(name) for name in names]
    assert files[0] == "ada"
    assert len(set(files)) == len(names)
    assert not any("/" in file or ".." in file or len(file) > 100 for file in files)


def test_gradio_is_not_imported_before_the_page(project: Project) -> None:
    script = "import sys; from orchestration import annotate, annotation_page; print('gradio' in sys.modules)"
    assert project.good(project.call(sys.executable, "-c", script)) == "False\n"
