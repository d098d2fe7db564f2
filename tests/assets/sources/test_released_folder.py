"""`assets.sources.released_folder`: the finished release as a folder or as parquet, and what hostile ones do not do."""

import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from assets.images import Pictures
from assets.sources import released_folder
from assets.sources.released_folder import COLUMNS, ReleaseError, pictures, samples


def png(colour):
    stored = io.BytesIO()
    Image.new("RGB", (4, 3), colour).save(stored, "PNG")
    return stored.getvalue()


RED, BLUE = png("red"), png("blue")


def item(number, **changes):
    return {
        "id": f"physical-commonsense-{number}",
        "category": "Usage",
        "image_id": str(number),
        "question": "What is it for?",
        "choices": ["a kite", "a ball"],
        "context": "",
        "answer": "B",
        "rationale": "Step 1: It is round.\nStep 2: So it is a ball.",
        "split": None,
        "image": None,
        "domain": "commonsense",
        "topic": "physical-commonsense",
    } | changes


def write(folder, name, *items):
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(each) + "\n" for each in items).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)


def picture(folder, name, content=RED):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


SCHEMA = pa.schema(
    [(name, pa.string()) for name in item(0) if name not in {"choices", "image"}]
    + [("choices", pa.list_(pa.string())), ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))]
)


def parquet(folder, name, *items, schema=SCHEMA, **options):
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(items), schema), folder / name, **options)


def read(path):
    stored = Pictures.of(pictures(path))
    return list(samples(path, stored.ids(), stored.reasons())), stored


def told(rows):
    return [(row.id and row.id.rpartition("-")[2], row.split, row.dropped) for row in rows]


def test_a_folder_of_lines_is_read_train_first(tmp_path):
    picture(tmp_path, "images/1.png")
    write(tmp_path, "test.jsonl.gz", item(3, image="images/1.png"))
    write(tmp_path, "dev.jsonl", item(2, image="images/1.png"))
    write(tmp_path, "train.jsonl", item(1, image="images/1.png"))
    rows, stored = read(tmp_path)
    assert told(rows) == [("1", "train", None), ("2", "validation", None), ("3", "test", None)]
    assert stored.ids().keys() == {"images/1.png"}
    assert [row.images for row in rows] == [(stored.ids()["images/1.png"],)] * 3
    assert {row.provenance for row in rows} == {"released"}
    assert rows[0].source == "m3cot_released" and rows[0].source_id == rows[0].id
    assert [part.text for part in rows[0].rationale] == ["Step 1: It is round.\nStep 2: So it is a ball."]


def test_an_items_own_split_wins_over_the_files_name(tmp_path):
    write(tmp_path, "train.jsonl", item(1, split="dev"), item(2, split="no split"))
    assert told(read(tmp_path)[0]) == [("1", "validation", None), ("2", "train", None)]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("images/a/1.png", "images/a/1.png"),
        ("./images//a/1.png", "images/a/1.png"),
        ("images\\a\\1.png", "images/a/1.png"),
        ("data\\images\\2.png", "images/2.png"),
        ("C:\\release\\2.png", "images/2.png"),
        ("/somewhere/else/2.png", "images/2.png"),
        ("1.png", "images/a/1.png"),
        ({"bytes": None, "path": "2.png"}, "images/2.png"),
        ("../../images/2.png", "images/2.png"),
        ("twice.png", None),
        ("../outside.png", None),
        ("outside.png", None),
        ("link.png", None),
        ("images/link.png", None),
        ("images", None),
        ("..", None),
        ("", None),
        ("\0", None),
        ("\ud800.png", None),
        ("x" * 5000, None),
        (7, None),
        (["images/2.png"], None),
    ],
)
def test_a_picture_is_found_however_its_path_is_written_and_never_outside(tmp_path, given, found):
    folder = tmp_path / "release"
    for name in ("images/a/1.png", "images/2.png", "images/a/twice.png", "images/b/twice.png", "../outside.png"):
        picture(folder, name)
    (folder / "images" / "link.png").symlink_to(tmp_path / "outside.png")
    assert released_folder._Finder(folder).file(given) == found


def test_an_item_without_its_picture_is_kept_and_says_so(tmp_path):
    picture(tmp_path, "images/cut.png", RED[:-20])
    write(tmp_path, "test.jsonl", item(1), item(2, image="images/9.png"), item(3, image="images/cut.png"))
    rows, stored = read(tmp_path)
    assert [(row.dropped, row.images, row.provenance) for row in rows] == [
        (None, (), "released > picture missing"),
        (None, (), "released > picture missing"),
        (None, (), "released > picture truncated_picture"),
    ]
    assert stored.reasons() == {"images/cut.png": "truncated_picture"}


def test_a_file_that_several_items_name_is_one_picture(tmp_path):
    picture(tmp_path, "images/1.png")
    picture(tmp_path, "images/unused.png", BLUE)
    write(tmp_path, "test.jsonl", item(1, image="images\\1.png"), item(2, image="1.png"))
    assert [row.file for row in pictures(tmp_path)] == ["images/1.png"]


def test_ids_of_earlier_files_are_duplicates_and_lines_that_cannot_be_read_stay(tmp_path):
    write(tmp_path, "train.jsonl", item(1))
    write(tmp_path, "test.jsonl", item(1), item(2, choices=[]))
    with (tmp_path / "test.jsonl").open("a") as opened:
        opened.write("{\n")
    rows = read(tmp_path)[0]
    assert told(rows) == [
        ("1", "train", None),
        ("1", "test", "duplicate_id"),
        ("2", "test", "no_choices"),
        (None, "test", "invalid_json"),
    ]
    assert [row.quarantined and row.quarantined[:2] for row in rows] == [None, *(("test.jsonl", n) for n in (1, 2, 3))]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_options_called_none_or_na_stay_text(tmp_path, form):
    odd = item(1, choices=["None", "NA", "null", "N/A", "nan"], context="None")
    write(tmp_path, "test.jsonl", odd) if form == "jsonl" else parquet(tmp_path, "test-0.parquet", odd)
    [row] = read(tmp_path)[0]
    assert (row.choices, row.context) == (("None", "NA", "null", "N/A", "nan"), "None")


def test_one_file_is_a_release_too(tmp_path):
    write(tmp_path, "items.jsonl", item(1), item(2, split="dev"))
    assert told(read(tmp_path / "items.jsonl")[0]) == [("1", "test", None), ("2", "validation", None)]
    parquet(tmp_path, "train-00000-of-00001.parquet", item(1, image={"bytes": RED, "path": None}))
    rows, _ = read(tmp_path / "train-00000-of-00001.parquet")
    assert told(rows) == [("1", "train", None)] and len(rows[0].images) == 1


def test_parquet_has_its_pictures_in_its_rows(tmp_path):
    data = tmp_path / "data"
    parquet(data, "test-00000-of-00001.parquet", item(4, split="test"), item(5, image={"bytes": b"GIF", "path": None}))
    parquet(data, "validation-00000-of-00001.parquet", item(3, image={"bytes": BLUE, "path": "3.png"}))
    parquet(data, "train-00000-of-00002.parquet", item(1, image={"bytes": RED, "path": "1.png"}))
    parquet(data, "train-00001-of-00002.parquet", item(2, image={"bytes": RED, "path": "1.png"}))
    rows, stored = read(tmp_path)
    assert told(rows) == [
        ("1", "train", None),
        ("2", "train", None),
        ("3", "validation", None),
        ("4", "test", None),
        ("5", "test", None),
    ]
    ids = stored.ids()
    assert list(ids) == [
        "train/physical-commonsense-1",
        "train/physical-commonsense-2",
        "validation/physical-commonsense-3",
    ]
    assert rows[0].images == rows[1].images != rows[2].images == (ids["validation/physical-commonsense-3"],)
    assert [row.provenance for row in rows[3:]] == ["released > picture missing", "released > picture not_a_picture"]
    assert rows[0].choices == ("a kite", "a ball")


def test_a_second_row_of_an_id_never_changes_the_firsts_picture(tmp_path):
    first, second = (item(1, image={"bytes": content, "path": None}) for content in (RED, BLUE))
    parquet(tmp_path, "test-0.parquet", first, second, item(None, id=None, image={"bytes": RED, "path": None}))
    found = list(pictures(tmp_path))
    assert [(row.file, row.dropped) for row in found] == [
        ("test/physical-commonsense-1", None),
        ("test/physical-commonsense-1", "duplicate_id"),
    ]
    rows, _ = read(tmp_path)
    assert [row.dropped for row in rows] == [None, "duplicate_id", "no_id"]
    assert rows[0].images == (found[0].image_id,)
    assert rows[1].quarantined[:2] == ("test-0.parquet", 2)


def test_text_that_is_not_utf8_sets_aside_its_row_alone(tmp_path):
    raw = pa.Table.from_pylist([item(1), item(2), item(3)], SCHEMA)
    bad = pa.array([b"fine", b"\xff\xfe", b"fine"], pa.binary()).view(pa.string())
    pq.write_table(raw.set_column(raw.schema.get_field_index("question"), "question", bad), tmp_path / "test-0.parquet")
    rows, _ = read(tmp_path)
    assert told(rows) == [("1", "test", None), (None, "test", "not_utf8"), ("3", "test", None)]
    assert rows[1].quarantined[:2] == ("test-0.parquet", 2)


def test_a_damaged_row_group_is_told_and_the_others_are_read(tmp_path):
    items = [item(number, image={"bytes": RED, "path": None}) for number in range(1, 5)]
    parquet(tmp_path, "test-0.parquet", *items, row_group_size=2, compression="none", use_dictionary=False)
    path = tmp_path / "test-0.parquet"
    group = pq.ParquetFile(path).metadata.row_group(0)
    content = bytearray(path.read_bytes())
    for column in range(group.num_columns):
        start = group.column(column).data_page_offset
        content[start : start + 8] = b"\xff" * 8
    path.write_bytes(content)
    rows, stored = read(tmp_path)
    assert told(rows) == [(None, "test", "damaged_parquet"), ("3", "test", None), ("4", "test", None)]
    assert rows[0].quarantined[:2] == ("test-0.parquet", 1)
    assert stored.reasons() == {"test-0.parquet:1": "damaged_parquet"}
    assert len(stored.ids()) == 2


@pytest.mark.parametrize("name", COLUMNS)
def test_a_missing_column_is_named(tmp_path, name):
    keep = [field for field in SCHEMA if field.name != name]
    parquet(tmp_path, "test-0.parquet", item(1), schema=pa.schema(keep))
    for reading in (pictures, lambda path: samples(path, {}, {})):
        with pytest.raises(ReleaseError, match=rf"test-0\.parquet: has no column {name},"):
            list(reading(tmp_path))


def test_pictures_in_another_form_are_named(tmp_path):
    plain = [pa.field("image", pa.string()) if field.name == "image" else field for field in SCHEMA]
    parquet(tmp_path, "test-0.parquet", item(1), schema=pa.schema(plain))
    with pytest.raises(ReleaseError, match="column image is string and not bytes and path"):
        list(pictures(tmp_path))


def test_a_file_past_all_size_is_refused(tmp_path, monkeypatch):
    parquet(tmp_path, "test-0.parquet", item(1), item(2))
    monkeypatch.setattr(released_folder, "MOST_ROWS", 1)
    with pytest.raises(ReleaseError, match=r"test-0\.parquet: has 2 rows .* split it"):
        list(pictures(tmp_path))


def lay(folder, *names):
    for name in names:
        (folder / name).write_bytes(b"no parquet")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "holds neither train.jsonl"),
        (["README.md", "other.parquet"], "holds neither train.jsonl"),
        (["dev.jsonl", "validation.jsonl"], r"validation more than once \(dev.jsonl, validation.jsonl\)"),
        (["test.jsonl", "test.jsonl.gz"], r"test more than once \(test.jsonl, test.jsonl.gz\)"),
        (["test.jsonl", "train-0.parquet"], "holds parquet and JSON lines"),
        (["test-0.parquet"], r"test-0\.parquet: is no parquet file"),
    ],
    ids=["empty", "others", "validation", "gzip", "both", "broken"],
)
def test_a_folder_that_is_no_release_is_named_with_the_way_out(tmp_path, names, message):
    lay(tmp_path, *names)
    with pytest.raises(ReleaseError, match=message):
        list(pictures(tmp_path))


def test_a_release_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ReleaseError, match="m3cot: there is no such file or folder"):
        list(samples(tmp_path / "m3cot", {}, {}))
