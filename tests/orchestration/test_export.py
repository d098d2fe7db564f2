"""`cotline export`: from stored tables to a folder, and what it says where it cannot."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assets import samples
from assets.comt.template import filled
from assets.images import batches, of_pixels, once
from assets.samples import Sample
from assets.schema.tables import as_table
from orchestration import cli, export, storage, verdicts
from tests.exported import benchmark


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout's folder without tables, and the command as `cotline` knows it."""
    monkeypatch.setattr(storage, "ROOT", tmp_path)
    monkeypatch.setattr(verdicts, "VERDICTS", tmp_path / "var" / "verdicts")
    monkeypatch.setitem(cli.COMMANDS, "export", ("export", "add_arguments", "run", "write a benchmark as released"))
    return tmp_path


def picture(number: int) -> Any:
    return of_pixels(Image.new("RGB", (4, 4), (number, 0, 0)), f"creation/geo-{number}-0.png")


def sample(number: int, **changes: Any) -> Sample:
    made = filled(
        sample_id=f"geo-{number}",
        source="geo",
        source_id=str(number),
        provenance="generated > split by rules",
        task="creation",
        question="What is the angle?",
        choices=("1", "2", "3", "4"),
        right=0,
        rationale="It is drawn. [IMAGE0] So it is 1.",
        images=[str(picture(number).image_id)],
        annotations={},
    )
    return made._replace(**{"split": "test"} | changes)


def store(group: str, name: str, images: str, rows: list[Sample], pictures: int) -> None:
    storage.write_table(samples.to_table(rows), "sample", storage.table_file((group, name)))
    found = batches(once(picture(number) for number in range(pictures)))
    storage.write_groups(found, "image", storage.table_file((group, images)))


def built(rows: list[Sample] | None = None) -> None:
    default = [sample(0), sample(1), sample(2, split="validation"), sample(3).drop("recheck_1_no")]
    store("comt", "benchmark", "images", default if rows is None else rows, 3)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["export", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_built_benchmark_is_written_as_it_was_released(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built()
    out = root / "out"
    status, told, _ = said(capsys, "comt", "-o", str(out))
    assert status == 0
    assert told.splitlines() == [
        f"{out}: 3 records (test 2, validation 1), 3 picture files",
        "1 rows of comt/benchmark have a reason in `dropped`: left out",
        f"{storage.md5_of(out / 'data.jsonl')}  data.jsonl",
        f"{storage.md5_of(out / 'dev.jsonl')}  dev.jsonl",
    ]
    assert [json.loads(line)["id"] for line in (out / "data.jsonl").read_text().splitlines()] == ["geo-0", "geo-1"]
    assert (out / "images/creation/geo-2-0.png").read_bytes() == picture(2).png
    assert "built anew" in (out / "README.md").read_text()


def test_parquet_is_written_where_it_is_asked_for(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built()
    assert said(capsys, "comt", "-o", str(root / "out"), "--form", "parquet")[0] == 0
    assert (root / "out/data/validation-00000-of-00001.parquet").exists()


def test_the_release_that_was_read_is_written_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store("sources", "comt_released", "comt_released_images", [sample(0, other='{"z":1}')], 2)
    assert said(capsys, "comt", "-o", str(root / "out"), "--from", "released")[0] == 0
    assert json.loads((root / "out/data.jsonl").read_text())["z"] == 1
    assert (root / "out/images/creation/geo-1-0.png").exists()


def test_long_work_says_how_far_it_is(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    built()
    monkeypatch.setattr(export, "EVERY", 2)
    _, _, told = said(capsys, "comt", "-o", str(root / "out"))
    assert told == f"{root / 'out'}: 2 of 3 pictures\n"


def test_what_has_not_been_made_is_named_with_the_command_that_makes_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, told = said(capsys, "comt", "-o", str(root / "out"))
    assert (status, told) == (1, "cotline export: comt/benchmark: not made yet: cotline materialize comt/benchmark\n")
    built()
    storage.table_file(("comt", "images")).unlink()
    assert "comt/images: not made yet: cotline materialize comt/images" in said(capsys, "comt", "-o", "out")[2]


@pytest.mark.parametrize("name", ["benchmark", "images"])
def test_a_table_that_failed_its_checks_is_not_exported(
    root: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    built()
    md5 = storage.md5_of(storage.table_file(("comt", name)))
    verdicts.record(f"comt-{name}", md5, ["kept_ids_are_unique"])
    status, _, told = said(capsys, "comt", "-o", str(root / "out"))
    assert status == 1 and f"comt/{name}: failed its check kept_ids_are_unique" in told
    verdicts.record(f"comt-{name}", md5, [])
    assert said(capsys, "comt", "-o", str(root / "out"))[0] == 0


def test_a_taken_folder_is_refused_and_stays_as_it_is(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built()
    status, _, told = said(capsys, "comt", "-o", str(root / "data"))
    assert status == 1 and "holds something already: name a new folder" in told
    assert sorted(path.name for path in (root / "data").iterdir()) == ["comt"]


def test_items_without_pictures_are_not_called_a_release(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = sample(0, images=None, image_names=None)
    store("sources", "comt_released", "comt_released_images", [bare], 0)
    arguments = ("comt", "-o", str(root / "out"), "--from", "released")
    assert "its samples have no pictures: set sources.comt_released.items" in said(capsys, *arguments)[2]
    store("sources", "comt_released", "comt_released_images", [], 0)
    assert "holds no sample: set sources.comt_released.items" in said(capsys, *arguments)[2]
    built([])
    assert "comt/benchmark: holds no sample" in said(capsys, "comt", "-o", str(root / "out"))[2]


def of_m3cot() -> None:
    rows, pictures = benchmark()
    storage.write_table(samples.to_table(rows), "sample", storage.table_file(("m3cot", "benchmark")))
    storage.write_groups(batches(pictures.files()), "image", storage.table_file(("m3cot", "images")))


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("released", ["dev.jsonl", "test.jsonl", "train.jsonl"]),
        ("parquet", [f"data/{split}-00000-of-00001.parquet" for split in ("test", "train", "validation")]),
        ("vlmevalkit", [f"M3CoT_{split}.tsv" for split in ("test", "train", "validation")]),
        ("lmms-eval", [f"data/{split}-00000-of-00001.parquet" for split in ("test", "train", "validation")]),
        ("scienceqa", ["pid_splits.json", "problems.json"]),
    ],
)
def test_m3cot_is_written_in_every_form_with_the_md5_of_each_file(
    root: Path, capsys: pytest.CaptureFixture[str], form: str, files: list[str]
) -> None:
    of_m3cot()
    out = root / "out"
    status, told, _ = said(capsys, "m3cot", "-o", str(out), "--form", form)
    assert status == 0
    first, *rest = told.splitlines()
    assert first.startswith(f"{out}: 6 records (train 2, validation 2, test 2), ")
    assert rest[-len(files) :] == [f"{storage.md5_of(out / file)}  {file}" for file in files]
    assert "M3CoT, built anew from its sources" in (out / "README.md").read_text("utf-8")
    assert (out / "m3cot_built.yaml").exists() == (form == "lmms-eval")


def test_a_split_is_written_alone_with_its_pictures(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_m3cot()
    status, told, _ = said(capsys, "m3cot", "-o", str(root / "a"), "--split", "test", "train")
    assert status == 0 and "4 records (train 2, test 2), 4 picture files" in told
    assert not (root / "a/dev.jsonl").exists()
    built()
    for form in ("released", "parquet"):
        status, told, _ = said(capsys, "comt", "-o", str(root / form), "--split", "validation", "--form", form)
        assert status == 0 and "1 records (test 0, validation 1), 1 picture files" in told
        assert "left out" not in told.replace("in `dropped`: left out", "")
    assert [path.name for path in (root / "released/images/creation").iterdir()] == ["geo-2-0.png"]
    status, _, told = said(capsys, "comt", "-o", str(root / "b"), "--split", "train")
    assert (status, told) == (
        1,
        "cotline export: comt/benchmark: has no sample of train: it has test, validation\n",
    )


def test_a_form_that_can_carry_nothing_says_so(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built()
    status, _, told = said(capsys, "comt", "-o", str(root / "out"), "--form", "scienceqa")
    assert status == 1 and "the form scienceqa can carry no sample of these: a solution is a text" in told
    assert sorted(path.name for path in root.iterdir()) == ["data"]


def test_flags_that_are_for_something_else_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--evaluation is for predictions" in said(capsys, "comt", "-o", "out", "--evaluation", "x")[2]
    assert "--from and --split are for a benchmark" in said(capsys, "predictions", "-o", "o", "--split", "test")[2]
    assert "have no form scienceqa: choose released" in said(capsys, "predictions", "-o", "o", "--form", "scienceqa")[2]
    assert "nobody: no evaluation of params.yaml" in said(capsys, "predictions", "-o", "o", "--evaluation", "nobody")[2]


def replies(name: str, *texts: str) -> None:
    rows = [
        {
            "evaluation": name,
            "line": place,
            "sample_id": f"physics-{place}",
            "choices": None,
            "turns": [{"role": "assistant", "parts": [{"kind": "text", "text": text, "image_id": None}]}],
            "status": "ok",
        }
        for place, text in enumerate(texts, start=1)
    ]
    empty = {column: None for column in ("finish_reason", "tokens_in", "tokens_out", "fingerprint")}
    table = as_table("prediction", [{**row, **empty, "dropped": None, "quarantined": None} for row in rows])
    storage.write_table(table, "prediction", storage.table_file(("evaluation", "recorded"), name))


def test_predictions_are_written_of_one_evaluation_or_of_all_that_have_some(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, told = said(capsys, "predictions", "-o", str(root / "out"))
    assert status == 1 and "no evaluation has replies yet" in told
    rows, _ = benchmark()
    released = [row._replace(split="test") for row in rows]
    storage.write_table(samples.to_table(released), "sample", storage.table_file(("sources", "m3cot_released")))
    replies("lively_cot", "(A)", "(B)")
    replies("lively_direct", "(A)")
    status, told, _ = said(capsys, "predictions", "-o", str(root / "out"))
    out = root / "out"
    first, left, *md5s = told.splitlines()
    assert (status, first) == (0, f"{out}: 3 records (lively_cot 2, lively_direct 1), 0 picture files")
    assert "evaluations have no replies yet: left out (brief_cot, " in left
    assert md5s == [f"{storage.md5_of(out / name)}  {name}" for name in ("lively_cot.jsonl", "lively_direct.jsonl")]
    line = json.loads((out / "lively_cot.jsonl").read_text("utf-8").splitlines()[0])
    assert (line["id"], line["domain"], line["answer"], line["messages"]) == ("physics-1", "science", "B", ["(A)"])
    status, told, _ = said(
        capsys, "predictions", "-o", str(root / "one"), "--form", "parquet", "--evaluation", "lively_direct"
    )
    assert status == 0 and (root / "one/data/lively_direct.parquet").exists()
    assert "1 records (lively_direct 1)" in told and not (root / "one/data/lively_cot.parquet").exists()


def test_replies_that_are_not_made_or_failed_their_checks_are_refused(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("predictions", "-o", str(root / "out"), "--evaluation", "lively_cot")
    way_out = "cotline materialize evaluation/recorded --partition lively_cot"
    assert f"evaluation/recorded/lively_cot: not made yet: {way_out}" in said(capsys, *arguments)[2]
    replies("lively_cot", "(A)")
    assert "sources/m3cot_released: not made yet" in said(capsys, *arguments)[2]
    md5 = storage.md5_of(storage.table_file(("evaluation", "recorded"), "lively_cot"))
    verdicts.record("evaluation-recorded@lively_cot", md5, ["keys_are_unique"])
    told = said(capsys, *arguments)[2]
    assert "evaluation/recorded/lively_cot: failed its check keys_are_unique" in told and way_out in told


def test_the_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["export", "--help"])
    told = capsys.readouterr().out
    assert "cotline export comt -o comt-hub --form parquet" in told
    assert all(f"  {form} " in told for form in export.FORMS)
