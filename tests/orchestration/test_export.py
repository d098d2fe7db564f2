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
from orchestration import cli, export, storage, verdicts


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


def test_m3cot_comes_later(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        said(capsys, "m3cot", "-o", "out")[2] == "cotline export: m3cot: its export comes later; comt can be exported\n"
    )


def test_the_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["export", "--help"])
    assert "cotline export comt -o comt-hub --form parquet" in capsys.readouterr().out
