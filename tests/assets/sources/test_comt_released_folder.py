"""`assets.sources.comt_released_folder`: CoMT's release as a folder or as parquet, and what hostile ones do not do."""

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from assets.comt import template
from assets.images import Pictures, once, read_bytes
from assets.schema.vocabulary import ITEM_REASONS, LINE_REASONS
from assets.sources.comt_released_folder import REASONS, is_release, pictures, samples
from assets.sources.comt_released_parquet import ReleaseError
from assets.sources.jsonlines import SourceError


def file(colour: str, kind: str = "PNG") -> bytes:
    stored = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(stored, kind)
    return stored.getvalue()


RED, BLUE, GREEN = file("red"), file("blue"), file("green", "JPEG")


def record(number: int, **changes: Any) -> dict[str, Any]:
    """A good record of deletion, which shows picture 0 in the question and 0 and 1 in the rationale."""
    found = {
        "id": f"deletion-{number}",
        "question": "How many people does [IMAGE0] show?",
        "option": ["1", "2", "3", "4"],
        "image": [f"[IMAGE0:d{number}-0]", f"[IMAGE1:d{number}-1]"],
        "rationale": "All of them: [IMAGE0] Two are masked: [IMAGE1] So there are 2.",
        "answer": "B",
        "type": "deletion",
        "annotations": [],
    } | changes
    return {key: value for key, value in found.items() if value != "absent"}


def release(folder: Path, *records: dict[str, Any], name: str = "data.jsonl", **files: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(f"{json.dumps(each)}\n" for each in records).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    put(folder, {"deletion/d1-0.png": RED, "deletion/d1-1.jpg": GREEN, **files})
    return folder


def put(folder: Path, files: dict[str, bytes]) -> None:
    for place, content in files.items():
        path = folder / "images" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read(path: Path, **options: Any) -> list[Any]:
    table = Pictures.of(once(pictures(path)))
    return list(samples(path, table.ids(), table.reasons(), **options))


def one(tmp_path: Path, **changes: Any) -> Any:
    [row] = read(release(tmp_path / "release", record(1, **changes)))
    return row


def test_a_record_becomes_a_sample_of_the_template(tmp_path: Path) -> None:
    row = one(tmp_path, annotations={"boxes": [[1, 2, 3, 4]]}, level=3)
    red, green = (read_bytes(each, "").image_id for each in (RED, GREEN))
    assert (row.dropped, template.fault(row)) == (None, None)
    assert (row.id, row.task, row.domain, row.answer, row.split) == (
        "deletion-1",
        "deletion",
        "commonsense",
        "B",
        "test",
    )
    assert (row.images, row.image_names) == ((red, green), ("d1-0", "d1-1"))
    assert [tuple(part) for part in row.rationale] == [
        ("text", "All of them: ", None),
        ("image", "[IMAGE0]", red),
        ("text", " Two are masked: ", None),
        ("image", "[IMAGE1]", green),
        ("text", " So there are 2.", None),
    ]
    assert row.other == '{"annotations":{"boxes":[[1,2,3,4]]},"level":3}'
    assert (row.source, row.provenance, row.choices) == ("comt_released", "released", ("1", "2", "3", "4"))


def test_every_file_below_images_is_a_row_with_the_bytes_to_write_it_from(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1))
    put(
        folder, {"selection/original/s1.png": BLUE, "deletion/unused": RED, "update/again.png": RED, "broken.png": b"x"}
    )
    found = {row.file: row for row in once(pictures(folder))}
    assert list(found) == [
        "broken.png",
        "deletion/d1-0.png",
        "deletion/d1-1.jpg",
        "deletion/unused",
        "selection/original/s1.png",
        "update/again.png",
    ]
    assert found["broken.png"].dropped == "not_a_picture"
    assert found["deletion/d1-1.jpg"].original == GREEN
    assert {found[name].dropped for name in ("deletion/unused", "update/again.png")} == {"same_pixels"}


def test_nothing_that_stands_in_a_record_is_lost_where_the_column_has_another_form(tmp_path: Path) -> None:
    changes = {"id": 7, "option": [1, 2.5, None, "4"], "answer": 1, "split": "dev", "context": "a room"}
    row = one(tmp_path, **changes, image=["[IMAGE1:d1-1]", "[IMAGE0:d1-0]"], annotations="absent")
    assert (row.id, row.choices, row.answer, row.split) == ("7", ("1", "2.5", "None", "4"), "B", "validation")
    assert (row.image_names, row.context) == (("d1-0", "d1-1"), None)
    assert json.loads(row.other) == {
        **{key: changes[key] for key in ("id", "option", "answer", "context")},
        "image": ["[IMAGE1:d1-1]", "[IMAGE0:d1-0]"],
        "split": ["data", "dev"],
    }
    assert one(tmp_path, annotations="absent").other is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": "addition"}, "unknown_type"),
        ({"type": None}, "unknown_type"),
        ({"option": ["1", "2", "3"]}, "wrong_option_count"),
        ({"option": "1"}, "wrong_option_count"),
        ({"option": "absent"}, "no_choices"),
        ({"answer": "E"}, "answer_not_an_option"),
        ({"answer": "(B)"}, "answer_not_an_option"),
        ({"answer": "absent"}, "no_answer"),
        ({"answer": 9}, "answer_past_choices"),
        ({"question": " "}, "no_question"),
        ({"question": ["What?"]}, "no_question"),
        ({"rationale": "absent"}, "no_rationale"),
        ({"rationale": "[IMAGE0] [IMAGE1]"}, "no_rationale"),
        ({"rationale": "It is 2.", "image": ["[IMAGE0:d1-0]"]}, "no_picture_in_rationale"),
        ({"rationale": "[IMAGE0] and [IMAGE1] and [IMAGE2]"}, "identifier_without_picture"),
        ({"image": "absent"}, "identifier_without_picture"),
        ({"rationale": "It is [IMAGE0]."}, "picture_without_identifier"),
        ({"question": "How many?"}, "question_without_picture"),
        ({"type": "creation"}, "question_with_picture"),
        ({"image": ["[IMAGE0:d1-0]", "[IMAGE2:d1-1]"]}, "bad_identifier"),
        ({"image": ["[IMAGE0:d1-0]", "[IMAGE0:d1-1]"]}, "bad_identifier"),
        ({"image": ["[IMAGE0:d1-0]", "[IMAGE01:d1-1]"]}, "bad_identifier"),
        ({"image": ["d1-0", "d1-1"]}, "bad_identifier"),
        ({"image": {"0": "d1-0"}}, "bad_identifier"),
        ({"image": ["[IMAGE0:d1-0]", "[IMAGE1:lost]"]}, "missing_picture"),
        ({"id": "absent"}, "no_id"),
        ({"annotations": json.loads("[" * 70 + "]" * 70)}, "too_deep"),
    ],
)
def test_a_fault_is_set_aside_with_its_reason_and_line(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    good, bad = read(release(tmp_path / "release", record(1), record(1, **({"id": "x"} | changes))))
    assert good.dropped is None
    assert bad.dropped == reason and reason in {*REASONS, *ITEM_REASONS, *LINE_REASONS}
    assert bad.quarantined[:2] == ("data.jsonl", 2) and 0 < len(bad.quarantined[2]) <= 200
    assert bad.images is None and bad.rationale is None


def test_of_an_id_the_first_good_record_stays(tmp_path: Path) -> None:
    rows = read(release(tmp_path / "release", record(1, type="?"), record(1), record(1)))
    assert [row.dropped for row in rows] == ["unknown_type", None, "duplicate_id"]


def test_a_line_that_cannot_be_read_is_set_aside_in_its_place(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1))
    (folder / "data.jsonl").write_bytes(b'{"id": \n' + json.dumps(record(1)).encode() + b"\n\xff\n")
    assert [(row.dropped, row.quarantined and row.quarantined[1]) for row in read(folder)] == [
        ("invalid_json", 1),
        (None, None),
        ("not_utf8", 3),
    ]


def test_a_number_that_is_infinite_is_set_aside(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1))
    text = json.dumps(record(1, annotations="absent"))
    (folder / "data.jsonl").write_text(f'{text[:-1]}, "annotations": {{"x": 1e999}}}}\n')
    [row] = read(folder)
    assert row.dropped in {"not_a_number", "invalid_json"}


@pytest.mark.parametrize(
    "name",
    ["d1-0", "d1-0.png", "d1-0.jpeg", "sub/../d1-0", "../deletion/d1-0", "/etc/passwd", "..\\d1-0", "\0", ".", ".."],
)
def test_a_picture_is_found_by_its_name_its_suffix_or_its_stem_and_nowhere_else(tmp_path: Path, name: str) -> None:
    (tmp_path / "d1-0.png").write_bytes(BLUE)
    row = one(tmp_path, image=[f"[IMAGE0:{name}]", "[IMAGE1:d1-1]"])
    assert row.dropped == (None if name.startswith("d1-0") else "missing_picture")


def test_of_two_files_with_the_same_stem_neither_is_taken_but_the_exact_name_is(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1), record(1, id="x", image=["[IMAGE0:d1-0.png]", "[IMAGE1:d1-1]"]))
    put(folder, {"deletion/d1-0.gif": BLUE, "update/d1-1.png": BLUE})
    assert [row.dropped for row in read(folder)] == ["missing_picture", None]


def test_whole_pictures_behind_a_selection_are_none_of_its_pictures(tmp_path: Path) -> None:
    shown = {"type": "selection", "image": ["[IMAGE0:s1]", "[IMAGE1:s1-1]"]}
    folder = release(tmp_path / "release", record(1, **shown))
    put(folder, {"selection/original/s1.png": BLUE, "selection/s1-1.png": RED})
    assert [row.dropped for row in read(folder)] == ["missing_picture"]


def test_a_record_whose_picture_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1))
    put(folder, {"deletion/d1-1.jpg": GREEN[: len(GREEN) // 2]})
    assert [row.dropped for row in read(folder)] == ["unreadable_picture"]


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(BLUE)
    folder = release(tmp_path / "release", record(1, image=["[IMAGE0:leak]", "[IMAGE1:d1-1]"]))
    os.symlink(tmp_path / "secret.png", folder / "images/deletion/leak.png")
    os.symlink(tmp_path, folder / "images/all")
    reasons = {row.file: row.dropped for row in pictures(folder)}
    assert (reasons["deletion/leak.png"], reasons["all"]) == ("path_outside", "path_outside")
    assert [row.dropped for row in read(folder)] == ["unreadable_picture"]
    (folder / "data.jsonl").unlink()
    os.symlink(tmp_path / "elsewhere.jsonl", folder / "data.jsonl")
    (tmp_path / "elsewhere.jsonl").write_text("{}")
    with pytest.raises(SourceError, match="leads out"):
        read(folder)


def test_images_that_are_a_link_out_of_the_release_are_refused(tmp_path: Path) -> None:
    release(tmp_path / "elsewhere", record(1))
    (tmp_path / "release").mkdir()
    (tmp_path / "release/data.jsonl").write_text(json.dumps(record(1)))
    os.symlink(tmp_path / "elsewhere/images", tmp_path / "release/images")
    with pytest.raises(ReleaseError, match="its images are a link that leads out of it"):
        list(pictures(tmp_path / "release"))


def test_a_release_without_images_has_none(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(json.dumps(record(1)))
    assert list(pictures(tmp_path)) == []
    assert [row.dropped for row in read(tmp_path)] == ["missing_picture"]


def test_a_dev_set_beside_it_is_the_validation_split(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1), name="data.jsonl.gz")
    release(folder, record(1, id="d"), record(1, id="e", split="test"), name="dev.jsonl")
    assert [(row.id, row.split) for row in read(folder, provenance="generated")] == [
        ("deletion-1", "test"),
        ("d", "validation"),
        ("e", "test"),
    ]


def test_what_is_no_release_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert is_release(tmp_path) and is_release(tmp_path / "a.parquet")
    assert not is_release(tmp_path / "data.jsonl") and not is_release(tmp_path / "data.jsonl.gz")
    with pytest.raises(ReleaseError, match="no release of CoMT"):
        is_release(tmp_path / "comt.py")
    with pytest.raises(ReleaseError, match=r"neither data\.jsonl nor parquet"):
        list(pictures(tmp_path))
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ReleaseError, match="is no parquet file"):
        list(pictures(tmp_path))
    release(tmp_path, record(1))
    with pytest.raises(ReleaseError, match="parquet and JSON lines"):
        list(pictures(tmp_path))
    (tmp_path / "a.parquet").unlink()
    release(tmp_path, record(1), name="data.jsonl.gz")
    with pytest.raises(ReleaseError, match=r"same records as \.jsonl and \.jsonl\.gz"):
        list(pictures(tmp_path))


PICTURES = pa.list_(pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
TEXTS = pa.list_(pa.string())


def parquet(path: Path, *rows: dict[str, Any], annotations: pa.DataType | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {"option": TEXTS, "image": TEXTS, "annotations": annotations or pa.string(), "images": PICTURES}
    names = [*record(1), "images"]
    pq.write_table(
        pa.Table.from_pylist(list(rows), pa.schema([(name, kinds.get(name, pa.string())) for name in names])), path
    )
    return path


def row_of(number: int, *files: tuple[bytes | None, str | None], **changes: Any) -> dict[str, Any]:
    shown = files or ((RED, f"d{number}-0.png"), (GREEN, f"d{number}-1.jpg"))
    images = [{"bytes": content, "path": path} for content, path in shown]
    return record(number, annotations='{"a": [1]}') | {"images": images} | changes


def test_parquet_gives_the_same_samples_as_a_folder(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", record(1, annotations={"a": [1]}))
    hub = tmp_path / "hub"
    parquet(hub / "data/test-00000-of-00001.parquet", row_of(1))
    parquet(hub / "data/validation-00000-of-00001.parquet", row_of(2))
    first, second = read(hub)
    assert [first] == read(folder)
    assert (second.id, second.split, second.dropped) == ("deletion-2", "validation", None)
    assert {row.file: row.original for row in pictures(hub)} == {
        "deletion/d1-0.png": None,
        "deletion/d1-1.jpg": GREEN,
        "deletion/d2-0.png": None,
        "deletion/d2-1.jpg": GREEN,
    } | {row.file: row.original for row in pictures(folder)}


def test_annotations_of_parquet_may_be_a_struct(tmp_path: Path) -> None:
    kind = pa.struct([("a", pa.list_(pa.int64()))])
    path = parquet(tmp_path / "a.parquet", row_of(1, annotations={"a": [1]}), annotations=kind)
    assert [row.other for row in read(path)] == ['{"annotations":{"a":[1]}}']


@pytest.mark.parametrize(
    "paths", [("deletion/d1-0.png", "images/deletion/d1-1.jpg"), ("/tmp/d1-0.png", "..\\d1-1.jpg"), (None, None)]
)
def test_a_picture_in_a_row_is_known_by_its_last_name_or_its_place(tmp_path: Path, paths: tuple[str, str]) -> None:
    path = parquet(tmp_path / "a.parquet", row_of(1, (RED, paths[0]), (GREEN, paths[1])))
    [row] = read(path)
    assert row.images == tuple(read_bytes(each, "").image_id for each in (RED, GREEN))
    assert all(each.file.startswith("deletion/d1-") for each in pictures(path))


def test_rows_that_call_other_pictures_by_one_name_do_not_swap_them(tmp_path: Path) -> None:
    shared = {"image": ["[IMAGE0:a]", "[IMAGE1:b]"]}
    same = row_of(2, (RED, "a.png"), (GREEN, "b.jpg"), **shared)
    other = row_of(3, (BLUE, "a.png"), (GREEN, "b.jpg"), **shared)
    path = parquet(tmp_path / "a.parquet", row_of(1, (RED, "a.png"), (GREEN, "b.jpg"), **shared), same, other)
    assert [row.dropped for row in read(path)] == [None, None, "unreadable_picture"]
    assert [(row.file, row.dropped) for row in pictures(path)][2:] == [("a.parquet:3:deletion/a.png", "duplicate_id")]


def test_parquet_rows_without_a_picture_or_a_type_are_set_aside(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", row_of(1, (RED, "d1-0.png"), (None, "d1-1.png")), row_of(2, type="?"))
    assert [row.dropped for row in read(path)] == ["missing_picture", "unknown_type"]
    assert [row.dropped for row in pictures(path)] == [None, "missing_picture", "unknown_type"]


def test_parquet_without_its_columns_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["1"]}), tmp_path / "a.parquet")
    with pytest.raises(ReleaseError, match="has no column question"):
        read(tmp_path / "a.parquet")
    rows = pa.Table.from_pylist([record(1, images=["a"], annotations="")])
    pq.write_table(rows, tmp_path / "a.parquet")
    with pytest.raises(ReleaseError, match="no list of bytes and path"):
        read(tmp_path / "a.parquet")
