"""`assets.m3cot.release` and `release_parquet`: what is written is what our reader of the release reads."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from assets.exports import parquet
from assets.exports.written import ExportError, Written
from assets.images import Pictures, identify, of_pixels, once
from assets.m3cot import release, release_parquet
from assets.samples import Part, Sample
from assets.sources import released_folder
from tests.exported import benchmark, drawn, files_of, interrupted, sample

ORDER = ["train", "validation", "test"]


def read(path: Path) -> tuple[list[Sample], Pictures]:
    pictures = Pictures.of(once(released_folder.pictures(path)))
    return list(released_folder.samples(path, pictures.ids(), pictures.reasons())), pictures


def as_read(row: Sample) -> Sample:
    """The sample without what the release has no place for."""
    lost = {"source": "", "source_id": "", "provenance": "", "subtopic": "", "choice_images": None}
    return row._replace(images=row.images or (), **lost)


def by_split(rows: list[Sample]) -> list[Sample]:
    return sorted(rows, key=lambda row: ORDER.index(row.split or ""))


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_our_reader_of_the_release_reads_what_was_written(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark(sample(7, images=None), sample(8, context=None, rationale=None))
    form(rows, pictures, tmp_path / "out")
    again, _ = read(tmp_path / "out")
    assert list(map(as_read, again)) == by_split(list(map(as_read, rows)))
    assert [row.id for row in again if "picture missing" in row.provenance] == ["physics-7"]


def test_the_folder_lies_as_the_authors_have_it(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    written = release.write(rows, pictures, tmp_path / "out")
    note = "4 pictures of options of 1 records have no place in this form (physics-2)"
    assert written == Written({"train": 2, "validation": 2, "test": 2}, 6, notes=(note,))
    found = files_of(tmp_path / "out")
    names = [f"images/physics-{number}.png" for number in range(6)]
    assert sorted(found) == ["README.md", "dev.jsonl", *names, "test.jsonl", "train.jsonl"]
    [first, last] = [json.loads(line) for line in found["dev.jsonl"].split(b"\n") if line]
    assert " ".join(first) == "id category image_id question choices context answer rationale split image domain topic"
    assert (first["split"], first["image"]) == ("dev", "data/images/physics-1.png")
    assert first["image_id"] == last["image_id"] == identify(drawn(1))
    assert found["images/physics-1.png"] == found["images/physics-4.png"] == of_pixels(drawn(1), "").png
    assert note in found["README.md"].decode()


def test_parquet_has_the_columns_of_the_hub_and_its_pictures(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    assert release_parquet.write(rows, pictures, tmp_path / "hub").pictures == 10
    assert sorted(files_of(tmp_path / "hub")) == [
        "README.md",
        *(f"data/{split}-00000-of-00001.parquet" for split in ("test", "train", "validation")),
    ]
    table = pq.read_table(tmp_path / "hub/data/test-00000-of-00001.parquet")
    assert table.schema.names == [
        *("id", "category", "image_id", "question", "choices", "context", "answer", "rationale"),
        *("split", "image", "domain", "topic", "choice_images"),
    ]
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    assert features["image"] == {"_type": "Image"}
    assert features["choice_images"] == {"feature": {"_type": "Image"}, "_type": "Sequence"}
    first, second = table.to_pylist()
    assert first["image"] == {"bytes": of_pixels(drawn(2), "").png, "path": "physics-2.png"}
    shown = [identify(Image.open(io.BytesIO(one["bytes"]))) for one in first["choice_images"]]
    assert shown == [identify(drawn(50 + place)) for place in range(4)]
    assert second["choice_images"] is None


def test_without_pictures_of_options_the_columns_are_those_of_the_hub_alone(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    release_parquet.write([rows[0]], pictures, tmp_path / "hub")
    found = pq.read_schema(tmp_path / "hub/data/train-00000-of-00001.parquet").names
    assert found == [name for name, _ in release_parquet.FIELDS]


def test_the_head_of_the_card_is_yaml_that_names_files_columns_and_splits(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    release_parquet.write(rows, pictures, tmp_path / "hub", title='M3CoT: "x" # y')
    _, head, body = (tmp_path / "hub/README.md").read_text("utf-8").split("---\n", 2)
    told = yaml.safe_load(head)
    assert told["pretty_name"] == 'M3CoT: "x" # y'
    assert told["configs"][0]["data_files"][1] == {"split": "validation", "path": "data/validation-*"}
    listed = {one["name"]: one for one in told["dataset_info"]["features"]}
    assert (listed["image"]["dtype"], listed["choices"]["sequence"], listed["id"]["dtype"]) == (
        *("image", "string", "string"),
    )
    sizes = {one["name"]: (one["num_examples"], one["num_bytes"]) for one in told["dataset_info"]["splits"]}
    path = tmp_path / "hub/data/test-00000-of-00001.parquet"
    assert sizes["test"] == (2, path.stat().st_size)
    assert told["license_name"] == "see-sources"
    assert "Topics: natural-science 2, social-science 2, algebra 2" in body
    assert "`generated > rewritten by rules`: 6" in body and "chen-etal-2024-m3cot" in body


def test_datasets_opens_it_with_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets", reason="the test environment has no datasets: pip install datasets")
    import datasets

    rows, pictures = benchmark()
    release_parquet.write(rows, pictures, tmp_path / "hub")
    opened = datasets.load_dataset(str(tmp_path / "hub"), cache_dir=str(tmp_path / "cache"))
    assert {split: len(those) for split, those in opened.items()} == {"train": 2, "validation": 2, "test": 2}
    assert identify(opened["test"][0]["image"]) == rows[2].images[0]  # type: ignore[index]


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_what_has_no_place_is_counted_and_named(tmp_path: Path, form: Any) -> None:
    shows = sample(7, rationale=(Part("image", "[IMAGE0]", "x"),))
    rows, pictures = benchmark(sample(6, images=("a", "b")), shows)
    written = form(rows, pictures, tmp_path / "out")
    assert sum(written.records.values()) == 6
    assert any("1 records left out" in note and "have several (physics-6)" in note for note in written.notes)
    assert any("show pictures (physics-7)" in note for note in written.notes)
    with pytest.raises(ExportError, match="can carry no sample of these"):
        form([shows], pictures, tmp_path / "none")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_a_picture_that_is_not_there_stops_the_export(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark(sample(7, images=("0" * 64,)))
    with pytest.raises(ExportError, match="physics-7: its picture 000000000000 is not in the table"):
        form(rows, pictures, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_half_an_export_is_never_left(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark()
    with pytest.raises(KeyboardInterrupt):
        form(rows, pictures, tmp_path / "out", interrupted)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/b", "a\\b", "..", "a\0b"])
def test_no_picture_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    rows, pictures = benchmark()
    with pytest.raises(ExportError, match="is an id that no picture's file can have"):
        release.write([rows[0]._replace(id=name)], pictures, tmp_path / "in/out")
    assert files_of(tmp_path) == {}


def test_ids_that_one_file_would_have_are_refused(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    with pytest.raises(ExportError, match="differ in case alone"):
        release.write([rows[0], rows[1]._replace(id="Physics-0")], pictures, tmp_path / "out")


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_the_same_tables_give_the_same_bytes(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark()
    form(rows, pictures, tmp_path / "a")
    form(rows, pictures, tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_parquet_is_cut_into_row_groups_and_shards(tmp_path: Path) -> None:
    columns = parquet.schema([("id", release_parquet._TEXT)])
    parquet.write_split(
        tmp_path,
        "test",
        list("abcde"),
        [3, 3, 3, 9, 1],
        lambda each: {"id": each},
        columns,
        group_bytes=1,
        shard_bytes=6,
    )
    shards = sorted(tmp_path.iterdir())
    assert [path.name for path in shards] == [f"test-{number:05d}-of-00004.parquet" for number in range(4)]
    assert [pq.read_table(path)["id"].to_pylist() for path in shards] == [["a", "b"], ["c"], ["d"], ["e"]]
    assert [pq.ParquetFile(path).num_row_groups for path in shards] == [2, 1, 1, 1]
