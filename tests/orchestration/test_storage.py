import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.schema.tables import TABLES
from orchestration import storage

ROOT = Path(__file__).resolve().parents[2]

ROWS = [
    {"file": "a.json", "bytes": 3, "sha256": "0" * 64},
    {"file": "b.json", "bytes": 4, "sha256": "1" * 64},
]


def table(rows: list[dict[str, object]] = ROWS) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=TABLES["manifest"].schema)


def test_the_version_is_the_md5_of_the_file(tmp_path: Path) -> None:
    target = tmp_path / "t.parquet"
    assert storage.write_table(table(), "manifest", target) == hashlib.md5(target.read_bytes()).hexdigest()


def test_the_same_rows_give_the_same_bytes_however_they_were_chunked_or_ordered_by_column(tmp_path: Path) -> None:
    whole = table()
    chunked = pa.concat_tables([whole.slice(0, 1), whole.slice(1)]).select(["sha256", "bytes", "file"])
    marked = whole.replace_schema_metadata({"made": "today"})
    written = {storage.write_table(each, "manifest", tmp_path / "t.parquet") for each in (whole, chunked, marked)}
    assert len(written) == 1


def test_a_table_comes_back_with_its_declared_schema(tmp_path: Path) -> None:
    storage.write_table(table(), "manifest", tmp_path / "t.parquet")
    assert storage.read_table(tmp_path / "t.parquet").schema == TABLES["manifest"].schema
    assert storage.read_table(tmp_path / "t.parquet").to_pylist() == ROWS


def test_literal_none_and_na_texts_stay_texts(tmp_path: Path) -> None:
    rows = [{"file": text, "bytes": 1, "sha256": ""} for text in ("None", "NA", "null", "N/A", "nan", "")]
    storage.write_table(table(rows), "manifest", tmp_path / "t.parquet")
    read = storage.read_table(tmp_path / "t.parquet")
    assert read["file"].to_pylist() == ["None", "NA", "null", "N/A", "nan", ""]
    assert read.to_pandas()["file"].tolist() == ["None", "NA", "null", "N/A", "nan", ""]


def test_what_was_there_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "t.parquet"
    storage.write_table(table(), "manifest", target)
    before = target.read_bytes()

    def broken(*args: object, **kwargs: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", broken)
    with pytest.raises(OSError, match="disk full"):
        storage.write_table(table(ROWS[:1]), "manifest", target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_column_and_a_wrong_type_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lacks the columns sha256"):
        storage.write_table(table().drop_columns(["sha256"]), "manifest", tmp_path / "t.parquet")
    wrong = pa.table({"file": ["a"], "bytes": ["many"], "sha256": [""]})
    with pytest.raises(ValueError, match="does not fit table 'manifest'"):
        storage.write_table(wrong, "manifest", tmp_path / "t.parquet")


def test_a_hard_linked_cache_copy_is_not_written_through(tmp_path: Path) -> None:
    target, cached = tmp_path / "t.parquet", tmp_path / "cache"
    storage.write_table(table(), "manifest", target)
    cached.hardlink_to(target)
    before = cached.read_bytes()
    storage.write_table(table(ROWS[:1]), "manifest", target)
    assert cached.read_bytes() == before != target.read_bytes()


def test_a_folder_replaces_the_one_before_and_its_manifest_tells_what_is_in_it(tmp_path: Path) -> None:
    for content in ("first", "second"):
        made = tmp_path / f"made-{content}"
        (made / "deep").mkdir(parents=True)
        (made / "deep" / "a.txt").write_text(content)
        storage.place_folder(made, tmp_path / "kept")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert storage.manifest(tmp_path / "kept").to_pylist() == [
        {"file": "deep/a.txt", "bytes": 6, "sha256": hashlib.sha256(b"second").hexdigest()}
    ]


def test_names_follow_the_key() -> None:
    key = ["evaluation", "predictions"]
    assert storage.relative(storage.table_file(key)) == "data/evaluation/predictions.parquet"
    assert storage.relative(storage.table_file(key, "a_b")) == "data/evaluation/predictions/a_b.parquet"
    assert storage.relative(storage.extra_file(key, "plot")) == "data/evaluation/predictions.plot.json"
    assert storage.relative(storage.folder_of(key)) == "data/evaluation/predictions"


def test_a_file_that_is_not_there_has_no_md5(tmp_path: Path) -> None:
    assert storage.md5_of(tmp_path / "none") is None
    assert storage.md5_of(tmp_path / "none" / "below") is None


def test_the_hash_of_a_folder_is_dvcs_own(tmp_path: Path) -> None:
    # what dvc 3.67 writes into dvc.lock for these five files
    for place, text in {"x.txt": "1", "sub/é/y.txt": "2", "a b/z": "3", ".hidden": "h", "sub.txt": "4"}.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(f"{text}\n", encoding="utf-8")
    assert storage.md5_of(tmp_path) == "a996ece2110b08eb50662068f79a6c44.dir"
    (tmp_path / "sub.txt").write_text("55\n", encoding="utf-8")
    assert storage.md5_of(tmp_path) != "a996ece2110b08eb50662068f79a6c44.dir"


def test_links_are_followed_to_files_and_not_to_folders_as_dvc_does(tmp_path: Path) -> None:
    # what dvc-data 3.18 makes of these: a file, a link to it, a file below, and a link to a folder beside
    for place, text in {"f/x": "1", "f/sub/y": "2", "other/z": "3"}.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(f"{text}\n", encoding="utf-8")
    (tmp_path / "f" / "linked").symlink_to("../other")
    (tmp_path / "f" / "lx").symlink_to("x")
    assert storage.md5_of(tmp_path / "f") == "66955ef0c2823182fac99d327d3f84f3.dir"
    (tmp_path / "top").symlink_to("f")
    assert storage.md5_of(tmp_path / "top") == "66955ef0c2823182fac99d327d3f84f3.dir"


def test_links_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "x").write_text("1\n", encoding="utf-8")
    for name in ("up", "again", "b/around"):
        (tmp_path / "a" / name).symlink_to(tmp_path)
    assert storage.md5_of(tmp_path) == "cc003552ad13eceaf13d6328eed42c40.dir"
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    assert storage.md5_of(tmp_path / "itself") == "link_loop"
    assert storage.md5_of(tmp_path) not in (None, "cc003552ad13eceaf13d6328eed42c40.dir")


HASHED = """
import sys
from pathlib import Path
from orchestration import storage
print(*(storage.md5_of(Path(each)) for each in sys.argv[1:]))
"""


def test_a_pipe_a_socket_and_a_device_are_never_opened_and_count_by_their_name(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "x").write_text("1\n", encoding="utf-8")
    before = storage.md5_of(inside)
    os.mkfifo(inside / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(inside / "s"))
    (inside / "zeros").symlink_to("/dev/zero")
    told = [str(each) for each in (inside, inside / "pipe", inside / "s", inside / "zeros")]
    done = subprocess.run(
        [sys.executable, "-c", HASHED, *told], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    whole, *each = done.stdout.split()
    assert each == ["not_a_file"] * 3
    listed = [("pipe", "not_a_file"), ("s", "not_a_file"), ("x", "b026324c6904b2a9cb4b88d6d61c81d1")]
    text = ", ".join(f'{{"md5": "{md5}", "relpath": "{place}"}}' for place, md5 in [*listed, ("zeros", "not_a_file")])
    assert whole == f"{hashlib.md5(f'[{text}]'.encode()).hexdigest()}.dir" != before


PICTURES = [
    {
        "image_id": None if png is None else f"{number}" * 64,
        "file": f"{number}.png",
        "png": png,
        "width": 1,
        "height": 1,
        "mode": "L",
        "dropped": "broken_picture" if png is None else None,
        "quarantined": None,
    }
    for number, png in enumerate([b"abc", None, b"de"])
]


def test_groups_are_written_as_they_come_and_pictures_are_left_out_where_they_are_not_needed(tmp_path: Path) -> None:
    target = tmp_path / "images.parquet"
    groups = (pa.RecordBatch.from_pylist([row], schema=TABLES["image"].schema) for row in PICTURES)
    md5 = storage.write_groups(groups, "image", target)
    opened, again = storage.open_versioned(target)
    assert (md5, opened.metadata.num_row_groups) == (again, 3)
    light = storage.without_bytes(opened)
    assert light.schema == TABLES["image"].schema
    assert light["png"].to_pylist() == [b"", None, b""]
    assert light["original"].to_pylist() == [None, None, None]
    assert light.drop(["png", "original"]).to_pylist() == [
        {k: v for k, v in row.items() if k != "png"} for row in PICTURES
    ]
    head, rows = storage.first_rows(target, 2)
    assert (len(head), rows) == (2, 3)


def test_no_group_is_a_table_without_rows(tmp_path: Path) -> None:
    target = tmp_path / "images.parquet"
    storage.write_groups((), "image", target)
    opened, _ = storage.open_versioned(target)
    assert storage.without_bytes(opened).num_rows == 0
    assert storage.first_rows(target, 8)[1] == 0


def test_a_group_that_does_not_fit_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "images.parquet"
    storage.write_groups((), "image", target)
    before = target.read_bytes()
    with pytest.raises(ValueError, match="lacks the columns"):
        storage.write_groups([pa.table({"file": ["a"]})], "image", target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["images.parquet"]
