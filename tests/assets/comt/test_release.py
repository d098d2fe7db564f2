"""`assets.comt.release` and `release_parquet`: what was read comes out as it was, and what was built comes back."""

import io
import json
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from assets import samples as tables
from assets.comt import release, release_parquet
from assets.comt.release import ExportError, Written
from assets.comt.template import filled
from assets.images import Picture, Pictures, identify, of_pixels, once
from assets.samples import Sample
from assets.sources import comt_released_folder as released

KINDS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")


def drawn(number: int, mode: str = "RGB") -> Image.Image:
    values = random.Random(f"7/{number}")
    return Image.frombytes("RGB", (6, 5), values.randbytes(90)).convert(mode)


def content(number: int, kind: str, mode: str = "RGB") -> bytes:
    stored = io.BytesIO()
    drawn(number, mode).save(stored, kind)
    return stored.getvalue()


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def parsed(folder: Path, name: str = "data.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_bytes().split(b"\n") if line]


def exact(records: Iterable[dict[str, Any]]) -> list[str]:
    """The records as texts: Python takes 1, 1.0 and True for the same."""
    return [json.dumps(each, sort_keys=True) for each in records]


def read(path: Path) -> tuple[list[Sample], Pictures]:
    """What the tables of the release hold, as storage gives it back."""
    pictures = Pictures.of(once(released.pictures(path)))
    found = released.samples(path, pictures.ids(), pictures.reasons())
    return tables.of_table(tables.to_table(found)), pictures


text = st.text(st.characters(codec="utf-8", exclude_characters="[]"), max_size=12)
# A whole number of more than 64 bits is a fraction to the reader of JSON lines, as to many others.
whole = st.integers(-(2**63), 2**64 - 1)
value = st.recursive(
    st.none() | st.booleans() | whole | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
option = (
    st.sampled_from(["3", "3.0", "1e5", "4 \u00b0", "\u4e09", "a\r\nb", "null", "", "B"])
    | text
    | st.integers(0, 9)
    | st.none()
)


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Records and picture files: foreign formats, shared pixels, unreferenced files, whatever JSON can say."""
    files: dict[str, bytes] = {}
    records = []
    for number in range(draw(st.integers(1, 4))):
        task = draw(st.sampled_from(["creation", "deletion", "update", "selection"]))
        name = draw(st.sampled_from(["s", "s:t", "\u5f62 \u00e9", "x]y"]))
        shown = [f"{name}{number}-{place}" for place in range(draw(st.integers(1, 3)))]
        for each in shown:
            kind = draw(st.sampled_from(KINDS))
            files[f"{task}/{each}.{kind.lower()}"] = content(draw(st.integers(0, 2)), kind)
        told = draw(st.lists(st.integers(0, len(shown) - 1), max_size=4)) + list(range(len(shown)))
        rationale = "".join(draw(text) + f"[IMAGE{place}]" for place in told) + draw(text) + "."
        entries = [f"[IMAGE{place}:{each}]" for place, each in enumerate(shown)]
        found: dict[str, Any] = {
            "id": draw(st.sampled_from([number, f"{task}-{number}"])),
            "question": draw(text) + ("?" if task == "creation" else "[IMAGE0]"),
            "option": draw(st.lists(option, min_size=4, max_size=4)),
            "image": draw(st.permutations(entries)),
            "rationale": rationale,
            "answer": draw(st.sampled_from(["A", "B", "C", "D", 0, 3])),
            "type": task,
        }
        extra = st.sampled_from(["annotations", "split", "context", "source", "domain", "z", "images", "provenance"])
        records.append(found | draw(st.dictionaries(extra, value, max_size=3)))
    files["selection/original/whole-a.jpg"] = content(draw(st.integers(0, 2)), "JPEG")
    files["update/nobody\u00e9"] = content(0, "PNG")
    return records, files


def put(folder: Path, records: Iterable[dict[str, Any]], files: dict[str, bytes], name: str = "data.jsonl") -> Path:
    (folder / "images").mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
    (folder / name).write_bytes(lines.encode())
    for place, each in files.items():
        path = folder / "images" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each)
    return folder


@settings(max_examples=60, deadline=None, derandomize=True)
@given(releases())
def test_a_release_comes_out_as_it_was_read_record_by_record_and_byte_by_byte(
    case: tuple[list[dict[str, Any]], dict[str, bytes]],
) -> None:
    records, files = case
    with tempfile.TemporaryDirectory() as place:
        rows, pictures = read(put(Path(place) / "in", records, files))
        assert [row.dropped for row in rows] == [None] * len(records)
        written = release.write(rows, pictures, Path(place) / "out")
        assert exact(parsed(Path(place) / "out")) == exact(records)
        assert {name: each for name, each in files_of(Path(place) / "out/images").items()} == files
        assert written == Written({"test": len(records)}, len(files))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(releases())
def test_a_release_that_went_through_parquet_comes_out_as_it_was(
    case: tuple[list[dict[str, Any]], dict[str, bytes]],
) -> None:
    records, files = case
    records = [each | {"split": "test"} if "split" in each else each for each in records]
    with tempfile.TemporaryDirectory() as place:
        rows, pictures = read(put(Path(place) / "in", records, files))
        written = release_parquet.write(rows, pictures, Path(place) / "hub")
        again, shown = read(Path(place) / "hub")
        assert again == rows
        release.write(again, shown, Path(place) / "out")
        assert exact(parsed(Path(place) / "out")) == exact(records)
        out = files_of(Path(place) / "out/images")
        assert out == {name: each for name, each in files.items() if name in out}
        assert set(files) - set(out) == {"selection/original/whole-a.jpg", "update/nobody\u00e9"}
        assert (written.pictures, written.left_out) == (len(files) - 2, 2)


def test_a_record_keeps_the_file_and_the_place_in_it_that_it_had(tmp_path: Path) -> None:
    def line(number: int, **more: Any) -> dict[str, Any]:
        found = {"id": f"c{number}", "question": "What?", "option": list("abcd"), "image": ["[IMAGE0:c]"]}
        return found | {"rationale": "See [IMAGE0]", "answer": "A", "type": "creation"} | more

    data = [line(9, split="dev"), line(2), line(1, split="test")]
    dev = [line(8, split="validation"), line(7), line(6, split="test")]
    folder = put(tmp_path / "in", data, {"creation/c.png": content(1, "PNG")})
    put(folder, dev, {}, "dev.jsonl")
    rows, pictures = read(folder)
    assert [row.split for row in rows] == ["validation", "test", "test", "validation", "validation", "test"]
    release.write(rows, pictures, tmp_path / "out")
    assert (parsed(tmp_path / "out"), parsed(tmp_path / "out", "dev.jsonl")) == (data, dev)
    release_parquet.write(rows, pictures, tmp_path / "hub")
    again = read(tmp_path / "hub")[0]
    assert sorted(again, key=lambda row: row.id or "") == sorted(rows, key=lambda row: row.id or "")


def built(number: int, task: str = "deletion", mode: str = "RGB", **changes: Any) -> tuple[Sample, list[Picture]]:
    """A sample as the construction fills it, and the rows of its pictures in comt/images."""
    sample_id = f"{task}_source-\u00e9-{number}"
    count = 1 if task == "creation" else 3
    shown = [of_pixels(drawn(number * 10 + place, mode), f"{task}/{sample_id}-{place}.png") for place in range(count)]
    whole = [
        of_pixels(drawn(number * 10 + 5 + side), f"selection/original/{sample_id}-{letter}.png")
        for side, letter in enumerate("ab")
    ]
    shown += whole if task == "selection" else []
    ids = [str(each.image_id) for each in shown]
    made = filled(
        sample_id=sample_id,
        source=f"{task}_source",
        source_id=f"\u00e9-{number}",
        provenance="generated > judged by simulated annotators",
        task=task,
        question="How many?\r\n" if task == "creation" else "How many in [IMAGE0]?",
        choices=("1", "2.0", "3\u00b0", "\u56db"),
        right=number % 4,
        rationale="[IMAGE0]Seen.\r\nSo it is.[IMAGE0]" if task == "creation" else "[IMAGE1][IMAGE2]\nSo it is [IMAGE0]",
        images=ids[:count],
        annotations={"originals": ids[count:]} if task == "selection" else {"boxes": [number, 1.5]},
    )
    return made._replace(**{"split": "test"} | changes), shown


def benchmark() -> tuple[list[Sample], Pictures]:
    """Samples of every task, see-through pictures, a dev set, and two files of the same pixels."""
    made = [
        built(1),
        built(2, "creation"),
        built(3, "update"),
        built(4, "selection", "RGBA"),
        built(5, "creation", "L"),
    ]
    made.append(built(6, "creation", split="validation"))
    again, [twin] = built(2, "creation")
    made.append(
        (
            again._replace(id="geo-2", source_id="2", image_names=("geo-2-0",)),
            [twin._replace(file="creation/geo-2-0.png")],
        )
    )
    rows = [row for row, _ in made]
    return tables.of_table(tables.to_table(rows)), Pictures.of(once(each for _, shown in made for each in shown))


def nameless(row: Sample) -> Sample:
    return row._replace(source="", source_id="", provenance="")


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_a_built_benchmark_comes_back_from_its_release(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark()
    written = form(rows, pictures, tmp_path / "out")
    assert written == Written({"test": 6, "validation": 1}, 3 + 1 + 3 + 5 + 1 + 1 + 1)
    again, shown = read(tmp_path / "out")
    assert sorted(map(nameless, again), key=str) == sorted(map(nameless, rows), key=str)
    assert shown.ids() == pictures.ids()
    assert [row for row in again if row.split == "validation"] == again[-1:]


def test_a_built_release_lies_as_the_readme_of_comt_has_it(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    release.write(rows, pictures, tmp_path / "out")
    found = files_of(tmp_path / "out")
    assert sorted(name for name in found if "\u00e9-4" in name) == [
        "images/selection/original/selection_source-\u00e9-4-a.png",
        "images/selection/original/selection_source-\u00e9-4-b.png",
        *(f"images/selection/selection_source-\u00e9-4-{number}.png" for number in range(3)),
    ]
    first = parsed(tmp_path / "out")[0]
    assert list(first) == ["id", "question", "option", "image", "rationale", "answer", "type", "annotations"]
    assert first["image"][0] == "[IMAGE0:deletion_source-\u00e9-1-0]"
    assert first["rationale"] == "[IMAGE1][IMAGE2]\nSo it is [IMAGE0]"
    assert found["images/creation/geo-2-0.png"] == found["images/creation/creation_source-\u00e9-2-0.png"]
    clear = Image.open(io.BytesIO(found["images/selection/selection_source-\u00e9-4-1.png"]))
    assert identify(clear) == rows[3].images[1]  # type: ignore[index]
    card = found["README.md"].decode()
    assert "Records: test 6, validation 1" in card
    assert "creation 4, deletion 1, update 1, selection 1" in card
    assert "released 0, generated 7, simulated 7" in card


def test_the_keys_of_a_record_stand_as_released_and_unknown_ones_behind_them() -> None:
    row = benchmark()[0][0]
    found = release.record(row._replace(other='{"a":0,"annotations":[],"answer":1,"split":["data","dev"]}'))
    assert [*found.items()][5:] == [
        ("answer", 1),
        ("type", "deletion"),
        ("annotations", []),
        ("a", 0),
        ("split", "dev"),
    ]


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    for name in ("a", "b"):
        release.write(rows, pictures, tmp_path / name / "folder")
        release_parquet.write(rows, pictures, tmp_path / name / "hub")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_parquet_says_to_datasets_which_columns_are_pictures(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    release_parquet.write(rows, pictures, tmp_path / "hub")
    assert sorted(files_of(tmp_path / "hub")) == [
        "README.md",
        "data/test-00000-of-00001.parquet",
        "data/validation-00000-of-00001.parquet",
    ]
    schema = pq.read_schema(tmp_path / "hub/data/test-00000-of-00001.parquet")
    # As datasets writes it: `Features({"images": Sequence(Image()), …}).arrow_schema.metadata`.
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features["images"] == features["originals"] == {"feature": {"_type": "Image"}, "_type": "Sequence"}
    assert features["id"] == features["annotations"] == {"dtype": "string", "_type": "Value"}
    assert features["option"] == {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}
    assert list(features) == schema.names
    selection = pq.read_table(tmp_path / "hub/data/test-00000-of-00001.parquet").to_pylist()[3]
    assert [each["path"].rpartition("-")[2] for each in selection["originals"]] == ["a.png", "b.png"]
    assert (tmp_path / "hub/README.md").read_text("utf-8").startswith("---\nconfigs:\n")


def test_parquet_is_cut_into_row_groups_and_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, pictures = benchmark()
    monkeypatch.setattr(release_parquet, "GROUP_BYTES", 1)
    monkeypatch.setattr(release_parquet, "SHARD_BYTES", 400)
    release_parquet.write(rows, pictures, tmp_path / "hub")
    shards = sorted((tmp_path / "hub/data").glob("test-*"))
    assert len(shards) > 1 and shards[0].name == f"test-00000-of-{len(shards):05d}.parquet"
    assert all(pq.ParquetFile(shard).num_row_groups == pq.read_metadata(shard).num_rows for shard in shards)
    again = read(tmp_path / "hub")[0]
    assert sorted(map(nameless, again), key=str) == sorted(map(nameless, rows), key=str)


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_a_folder_that_holds_something_is_never_written_to(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    with pytest.raises(ExportError, match="holds something already: name a new folder"):
        form(rows, pictures, tmp_path / "mine")
    with pytest.raises(ExportError, match="is a file"):
        form(rows, pictures, tmp_path / "mine/notes.txt")
    assert files_of(tmp_path) == {"mine/notes.txt": b"mine"}
    (tmp_path / "empty").mkdir()
    form(rows, pictures, tmp_path / "empty")
    assert (tmp_path / "empty/README.md").exists()


@pytest.mark.parametrize("form", [release.write, release_parquet.write])
def test_half_a_release_is_never_left(tmp_path: Path, form: Any) -> None:
    rows, pictures = benchmark()

    def stopped(found: Iterable[Picture]) -> Iterable[Picture]:
        yield next(iter(found))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        form(rows, pictures, tmp_path / "out", stopped)
    assert list(tmp_path.iterdir()) == []


def test_a_sample_without_its_picture_stops_the_export(tmp_path: Path) -> None:
    rows, _ = benchmark()
    _, shown = built(1)
    with pytest.raises(ExportError, match=r"deletion_source-.-1: its picture 2 \(deletion_source-.-1-2\) has no file"):
        release.write(rows[:1], Pictures.of(shown[:2]), tmp_path / "out")
    other = of_pixels(drawn(99), shown[2].file)
    with pytest.raises(ExportError, match="has another picture in deletion/"):
        release.write(rows[:1], Pictures.of([*shown[:2], other]), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../out.png", "/tmp/out.png", "a/../b.png", "a\\..\\b.png"])
def test_no_picture_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    rows, _ = benchmark()
    _, shown = built(1)
    for form in (release.write, release_parquet.write):
        with pytest.raises(ExportError, match="no name that a file below images can have"):
            form(rows[:1], Pictures.of([*shown, of_pixels(drawn(50), name)]), tmp_path / "in/out")
    assert files_of(tmp_path) == {}
