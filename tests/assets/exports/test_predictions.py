"""`assets.exports.predictions`: replies that were read come out so that they are read the same again."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from assets.evaluation.rows import Item
from assets.exports import predictions
from assets.exports.predictions import Replies
from assets.exports.written import ExportError
from assets.images import Pictures, of_pixels, once
from assets.models import human, replay
from assets.schema.tables import as_table
from assets.sources import jsonlines
from tests.exported import HOSTILE, drawn, files_of

ITEMS = {
    f"i-{number}": Item(f"i-{number}", ("x", HOSTILE), "AB"[number % 2], "science", "natural-science", "c", None)
    for number in range(4)
}
NO_PICTURES = Pictures.of(())


def stored(rows: Sequence[Any]) -> pq.ParquetFile:
    """Rows of table `prediction` as storage has them."""
    file = io.BytesIO()
    pq.write_table(as_table("prediction", rows), file)
    return pq.ParquetFile(io.BytesIO(file.getvalue()))


def read(path: Path, benchmark: str, folder: Path | None = None) -> list[dict[str, Any]]:
    lines = jsonlines.read(path, path.name)
    return list(replay.rows("e", path.name, replay.illustrated(lines, benchmark, folder, "e"), benchmark))


def put(folder: Path, records: Sequence[Any]) -> Path:
    path = folder / "given.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" if not isinstance(each, str) else each for each in records))
    return path


def asked(table: pq.ParquetFile, benchmark: str = "m3cot", **more: Any) -> Replies:
    return Replies("e", benchmark, "test", table, ITEMS, **more)


def as_told(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["sample_id"], row["turns"], row["status"])


M3COT = [
    {"id": "i-0", "choices": ["x", HOSTILE], "messages": [HOSTILE, f"(B) {HOSTILE}"]},
    {"id": "i-1", "messages": ["q", "a", "again", "(A)"]},
    {"id": "i-2", "choices": ["x", None], "messages": ["q", None]},
    {"id": "i-2", "choices": ["x"], "messages": "REJECT"},
    {"id": "i-3", "choices": ["x"], "messages": "NO"},
    {"id": "i-3", "choices": ["x"]},
    {"id": "i-3", "choices": ["x"], "messages": ["q", "  "]},
    {"id": "i-3", "choices": ["x"], "messages": ["q", "the first half of"], "status": "truncated"},
    {"id": "nobody", "choices": ["x"], "messages": ["q", "REJECT"]},
]


def test_replies_to_m3cot_are_read_again_as_they_were(tmp_path: Path) -> None:
    given = read(put(tmp_path, [*M3COT, "\n", "{\n", {"messages": ["q", "a"]}]), "m3cot")
    written = predictions.write([asked(stored(given))], NO_PICTURES, tmp_path / "out")
    again = read(tmp_path / "out/e.jsonl", "m3cot")
    assert list(map(as_told, again)) == list(map(as_told, given[: len(M3COT)]))
    assert written.records == {"e": len(M3COT)}
    assert written.notes == (
        "e: 1 replies are to no sample that was asked: their answer, domain and topic are null",
        "e: 1 replies left out, set aside when they were read: blank_line",
        "e: 1 replies left out, set aside when they were read: invalid_json",
        "e: 1 replies left out, set aside when they were read: no_id",
    )
    lines = [json.loads(line) for line in (tmp_path / "out/e.jsonl").read_bytes().split(b"\n") if line]
    assert lines[1] == {
        "id": "i-1",
        "domain": "science",
        "topic": "natural-science",
        "choices": ["x", HOSTILE],
        "answer": "B",
        "messages": ["q", "a", "again", "(A)"],
    }
    assert [line.get("status") for line in lines] == [None, None, None, None, "error", None, None, "truncated", None]


def test_replies_to_comt_are_an_id_and_a_response(tmp_path: Path) -> None:
    records = [{"id": "i-0", "response": HOSTILE}, {"id": "i-1", "response": " "}, {"id": "i-2", "response": 3}]
    given = read(put(tmp_path, records), "comt")
    predictions.write([asked(stored(given), "comt")], NO_PICTURES, tmp_path / "out")
    assert list(map(as_told, read(tmp_path / "out/e.jsonl", "comt"))) == list(map(as_told, given))
    lines = [json.loads(line) for line in (tmp_path / "out/e.jsonl").read_bytes().split(b"\n") if line]
    assert lines == [*records[:2], {"id": "i-2", "response": None}]


def test_pictures_that_a_model_drew_lie_beside_its_replies(tmp_path: Path) -> None:
    shown = of_pixels(drawn(1), "e/1-1.png")
    (tmp_path / "a.png").write_bytes(shown.png or b"")
    parts = [{"type": "text", "text": "See "}, {"type": "image", "image": "a.png"}, {"type": "text", "text": " (B)"}]
    given = read(put(tmp_path, [{"id": "i-0", "response": parts}]), "comt", tmp_path)
    pictures = Pictures.of(once([shown]))
    written = predictions.write([asked(stored(given), "comt")], pictures, tmp_path / "out")
    assert written.pictures == 1
    again = read(tmp_path / "out/e/replies.jsonl", "comt", tmp_path / "out/e")
    assert list(map(as_told, again)) == list(map(as_told, given))
    with pytest.raises(ExportError, match="is not in evaluation/pictures"):
        predictions.write([asked(stored(given), "comt")], NO_PICTURES, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    predictions.write_parquet([asked(stored(given), "comt")], pictures, tmp_path / "hub")
    [row] = pq.read_table(tmp_path / "hub/pictures.parquet").to_pylist()
    assert (row["image_id"], Image.open(io.BytesIO(row["image"]["bytes"])).size) == (shown.image_id, (6, 5))


def test_what_people_said_is_read_again_as_it_was(tmp_path: Path) -> None:
    records = [
        {"participant": "p1", "id": "i-0", "text": HOSTILE, "letter": "B"},
        {"participant": "p2", "id": "i-0", "letter": "A", "choices": ["y", "x"]},
        {"participant": "p2", "id": "i-1", "text": ""},
    ]
    path = put(tmp_path, records)
    given = list(human.rows("e", "f", jsonlines.read(path, path.name)))
    predictions.write([asked(stored(given), people=True)], NO_PICTURES, tmp_path / "out")
    written = jsonlines.read(tmp_path / "out/e.jsonl", "e.jsonl")
    assert list(human.rows("e", "f", written)) == given


def test_pictures_of_prompts_and_prompts_of_comt_are_said_to_have_no_place(tmp_path: Path) -> None:
    picture = {"kind": "image", "text": None, "image_id": "0" * 64}
    words = {"kind": "text", "text": "q", "image_id": None}
    turns = [{"role": "user", "parts": [picture, words]}, {"role": "assistant", "parts": [words | {"text": "(A)"}]}]
    row = read(put(tmp_path, M3COT[:1]), "m3cot")[0] | {"turns": turns}
    written = predictions.write([asked(stored([row]))], NO_PICTURES, tmp_path / "a")
    assert "1 replies had pictures in their prompt" in written.notes[0]
    assert json.loads((tmp_path / "a/e.jsonl").read_bytes())["messages"] == ["q", "(A)"]
    written = predictions.write([asked(stored([row]), "comt")], NO_PICTURES, tmp_path / "b")
    assert "1 replies are the last turn of a dialogue" in written.notes[0]


def test_parquet_has_the_columns_of_the_table_and_every_row(tmp_path: Path) -> None:
    given = read(put(tmp_path, [*M3COT, "\n"]), "m3cot")
    table = stored(given)
    written = predictions.write_parquet([asked(table)], NO_PICTURES, tmp_path / "out", title="P")
    found = pq.read_table(tmp_path / "out/data/e.parquet")
    assert found.schema == as_table("prediction", given).schema
    assert found.to_pylist() == as_table("prediction", given).to_pylist()
    assert written.records == {"e": len(M3COT) + 1}
    _, head, _ = (tmp_path / "out/README.md").read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(head)["configs"] == [
        {"config_name": "e", "data_files": [{"split": "test", "path": "data/e.parquet"}]}
    ]


def test_datasets_opens_an_evaluation(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the test environment has no datasets: pip install datasets")
    given = read(put(tmp_path, M3COT), "m3cot")
    predictions.write_parquet([asked(stored(given))], NO_PICTURES, tmp_path / "out")
    opened = datasets.load_dataset(str(tmp_path / "out"), "e", cache_dir=str(tmp_path / "cache"))
    assert len(opened["test"]) == len(M3COT)


@pytest.mark.parametrize("form", [predictions.write, predictions.write_parquet])
def test_the_same_tables_give_the_same_bytes_and_a_taken_folder_is_refused(tmp_path: Path, form: Any) -> None:
    given = read(put(tmp_path, M3COT), "m3cot")
    for name in ("a", "b"):
        form([asked(stored(given))], NO_PICTURES, tmp_path / name)
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    with pytest.raises(ExportError, match="holds something already"):
        form([asked(stored(given))], NO_PICTURES, tmp_path / "a")


def test_rows_that_are_read_some_at_a_time_come_out_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = read(put(tmp_path, M3COT), "m3cot")
    predictions.write([asked(stored(given))], NO_PICTURES, tmp_path / "a")
    monkeypatch.setattr(predictions, "ROWS", 2)
    predictions.write([asked(stored(given))], NO_PICTURES, tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
