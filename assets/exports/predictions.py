"""Replies of models in the form in which predictions are released, a record a line, and as parquet."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from assets.evaluation.rows import Item, Reply
from assets.exports import pictures as checked
from assets.exports.card import CITATIONS, LICENCE, front
from assets.exports.parquet import PICTURE, schema
from assets.exports.written import ExportError, PictureTable, Progress, Written, new_folder, within
from assets.models import replay
from assets.models.model import ASSISTANT, USER

ROWS = 1000
"""Rows that are read at a time."""

FOLDER = "pictures"
"""Where the pictures of an evaluation's replies lie, beside its records."""


class Batches(Protocol):
    """What is asked of a stored table: `pyarrow.parquet.ParquetFile`."""

    @property
    def schema_arrow(self) -> pa.Schema:
        """Its columns."""

    def iter_batches(self, batch_size: int) -> Iterator[pa.RecordBatch]:
        """Its rows, some at a time."""


class Replies(NamedTuple):
    """The replies of one evaluation: its name, benchmark and split, its table, and the items that it was asked.

    people: its replies are people's, so that a sample may have several.
    """

    name: str
    benchmark: str
    split: str
    table: Batches
    items: Mapping[str, Item]
    people: bool = False


def write(
    evaluations: Sequence[Replies],
    pictures: PictureTable,
    folder: Path,
    progress: Progress = iter,
    *,
    title: str = "Predictions",
) -> Written:
    """Write <evaluation>.jsonl of each, as predictions are released, and README.md.

    M3CoT: id, domain, topic, choices, answer, messages; CoMT: id, response; people's: participant, id, choices, text,
    letter. A record has a status where its text does not tell it. Where a model drew, the evaluation is a folder of
    replies.jsonl and its pictures, and a message a list of texts and pictures. Pictures in prompts are the samples'
    and have no place, nor have CoMT's prompts. Replies that were set aside, without an id or not readable, are left
    out.

    Args:
        evaluations: what is written.
        pictures: the table of the pictures that models drew.
        folder: a new one, or an empty one.
        progress: wraps the pictures as they are written.
        title: the heading of the README.

    Raises:
        ExportError: the folder is taken or cannot be written, or a picture is not in the table.

    Source: README.md of M3CoT's code; the evaluation script of CoMT's.
    """
    with new_folder(folder) as making:
        records: dict[str, int] = {}
        notes: list[str] = []
        count = 0
        for one in evaluations:
            drawn = _drawn(one)
            path = within(making, f"{one.name}/replies.jsonl" if drawn else f"{one.name}.jsonl")
            if drawn:
                count += _put(drawn, one, pictures, path.parent / FOLDER, progress)
            told: Counter[str] = Counter()
            with path.open("wb") as file:
                for found in _records(one, told):
                    file.write(json.dumps(found, ensure_ascii=False, allow_nan=False).encode() + b"\n")
            records[one.name] = told.pop("")
            notes += [f"{one.name}: {n:,} replies {why}" for why, n in sorted(told.items())]
        (making / "README.md").write_text(_card(evaluations, records, title, _FORM, notes), "utf-8", newline="\n")
    return Written(records, count, notes=tuple(notes))


def write_parquet(
    evaluations: Sequence[Replies],
    pictures: PictureTable,
    folder: Path,
    progress: Progress = iter,
    *,
    title: str = "Predictions",
) -> Written:
    """Write data/<evaluation>.parquet of each, and README.md: a row a dialogue, the columns of table `prediction`.

    Rows that were set aside are among them, with `dropped`. Pictures that models drew are pictures.parquet.
    Arguments as `write` has them.

    Raises:
        ExportError: the folder is taken or cannot be written, or a picture is not in the table.
    """
    with new_folder(folder) as making:
        (making / "data").mkdir()
        records = {}
        drawn: dict[str, str] = {}
        for one in evaluations:
            with pq.ParquetWriter(
                within(making / "data", f"{one.name}.parquet"), _bare(one.table.schema_arrow)
            ) as writer:
                records[one.name] = 0
                for batch in one.table.iter_batches(ROWS):
                    writer.write_table(pa.Table.from_batches([batch.replace_schema_metadata(None)]))
                    records[one.name] += len(batch)
            drawn |= dict.fromkeys(_drawn(one), one.name)
        configs: list[dict[str, Any]] = [
            {"config_name": one.name, "data_files": [{"split": one.split, "path": f"data/{one.name}.parquet"}]}
            for one in evaluations
        ]
        if drawn:
            _picture_rows(drawn, pictures, making / "pictures.parquet", progress)
            configs.append({"config_name": FOLDER, "data_files": [{"split": "test", "path": "pictures.parquet"}]})
        text = front({"configs": configs, "pretty_name": title, "license": "other", "license_name": "see-sources"})
        text += _card(evaluations, records, title, _FORM_PARQUET, ())
        (making / "README.md").write_text(text, "utf-8", newline="\n")
    return Written(records, len(drawn))


def record(reply: Reply, row: Mapping[str, Any], one: Replies) -> dict[str, Any]:
    """The released record of a reply: what reads it as it was read, and no more."""
    item = one.items.get(reply.sample_id or "")
    if one.people:
        return _of_person(reply, row)
    choices = reply.choices if reply.choices is not None else item and item.choices
    messages = [_message(turn) for turn in _between(row["turns"])] if row["turns"] is not None else None
    if one.benchmark == "comt":
        found: dict[str, Any] = {"id": reply.sample_id, "response": messages[-1] if messages else None}
        if reply.choices is not None:
            found["option"] = list(reply.choices)
    else:
        found = {
            "id": reply.sample_id,
            "domain": item and item.domain,
            "topic": item and item.topic,
            "choices": None if choices is None else list(choices),
            "answer": item and item.answer,
            "messages": messages,
        }
    [again] = replay.replies([(reply.line, found)], one.benchmark)
    return found if again.status == reply.status else found | {"status": reply.status}


def _between(turns: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The turns of user and model; what a model did with tools between them has no place in the released forms."""
    return [turn for turn in turns if turn["role"] in (USER, ASSISTANT)]


def _of_person(reply: Reply, row: Mapping[str, Any]) -> dict[str, Any]:
    said = reply.messages or ()
    found = {"participant": row["fingerprint"], "id": reply.sample_id, "text": said[0] if said else None}
    if len(said) > 1:
        found["letter"] = (said[1] or "").strip("()") or None
    return found if reply.choices is None else found | {"choices": list(reply.choices)}


def _message(turn: Mapping[str, Any]) -> Any:
    """A turn as a text, or as a list of texts and pictures where the model drew; None for one that is neither."""
    parts = turn["parts"]
    if turn["role"] != "assistant" or all(part["kind"] == "text" for part in parts):
        texts = [part["text"] or "" for part in parts if part["kind"] == "text"]
        return "".join(texts) if parts else None
    return [
        {"type": "text", "text": part["text"] or ""}
        if part["kind"] == "text"
        else {"type": "image", "image": f"{FOLDER}/{part['image_id'] or 'missing'}.png"}
        for part in parts
    ]


def _records(one: Replies, told: Counter[str]) -> Iterator[dict[str, Any]]:
    """The records, while `told` counts them (under no name) and what is to be said of them."""
    told[""] = 0
    for row in _rows(one.table):
        reply = replay.stored(row)
        if reply.dropped is not None:
            told[f"left out, set aside when they were read: {reply.dropped}"] += 1
            continue
        if reply.sample_id not in one.items and not one.people and one.benchmark == "m3cot":
            told["are to no sample that was asked: their answer, domain and topic are null"] += 1
        if why := _without(row["turns"] or (), one):
            told[why] += 1
        told[""] += 1
        yield record(reply, row, one)


def _without(turns: Sequence[Mapping[str, Any]], one: Replies) -> str | None:
    """What of a dialogue the released form has no place for; None where it has one for all of it."""
    if len(_between(turns)) < len(turns):
        return "have turns of a planner and its tools, of which this form has none (`parquet` has them)"
    if one.benchmark == "comt" and len(turns) > 1 and not one.people:
        return "are the last turn of a dialogue, of which this form has nothing else"
    if any(part["image_id"] for turn in turns if turn["role"] == "user" for part in turn["parts"]):
        return "had pictures in their prompt, which are the sample's: this form has its words"
    return None


def _rows(table: Batches) -> Iterator[dict[str, Any]]:
    for batch in table.iter_batches(ROWS):
        yield from batch.to_pylist()


def _drawn(one: Replies) -> dict[str, list[str]]:
    """The pictures that the model drew, by id, with the samples that it drew them for."""
    found: dict[str, list[str]] = {}
    for row in _rows(one.table):
        for turn in row["turns"] or ():
            for part in turn["parts"] if turn["role"] == "assistant" and row["dropped"] is None else ():
                if part["image_id"] is not None:
                    found.setdefault(part["image_id"], []).append(row["sample_id"])
    return found


def _put(
    drawn: Mapping[str, Sequence[str]], one: Replies, pictures: PictureTable, folder: Path, progress: Progress
) -> int:
    folder.mkdir(parents=True)
    found = set()
    for picture in progress(pictures.stream(drawn.keys())):
        within(folder, f"{picture.image_id}.png").write_bytes(checked.png(picture))
        found.add(picture.image_id or "")
    _all_there(found, {image_id: f"{one.name}/{ids[0]}" for image_id, ids in drawn.items()})
    return len(found)


def _picture_rows(drawn: Mapping[str, str], pictures: PictureTable, path: Path, progress: Progress) -> None:
    columns = schema([("image_id", pa.string()), ("image", PICTURE)])
    found = set()
    with pq.ParquetWriter(path, columns) as writer:
        for picture in progress(pictures.stream(drawn.keys())):
            shown = {"bytes": checked.png(picture), "path": f"{picture.image_id}.png"}
            writer.write_table(pa.Table.from_pylist([{"image_id": picture.image_id, "image": shown}], schema=columns))
            found.add(picture.image_id or "")
    _all_there(found, drawn)


def _all_there(found: set[str], wanted: Mapping[str, str]) -> None:
    if missing := sorted(wanted.keys() - found):
        raise ExportError(
            f"{wanted[missing[0]]}: the picture {missing[0][:12]} of its reply is not in evaluation/pictures: "
            "cotline materialize evaluation/pictures"
        )


def _bare(columns: pa.Schema) -> pa.Schema:
    return columns.remove_metadata()


def _card(
    evaluations: Sequence[Replies], records: Mapping[str, int], title: str, form: str, notes: Iterable[str]
) -> str:
    benchmarks = dict.fromkeys(one.benchmark for one in evaluations)
    lines = [f"- `{one.name}`: {records[one.name]:,} ({one.benchmark}, split {one.split})" for one in evaluations]
    cited = "\n\n".join(CITATIONS[name] for name in benchmarks)
    return "\n".join(
        [
            f"# {title}\n\n{form}\n\n## Evaluations\n",
            *lines,
            *([""] + [f"- {note}" for note in notes] if notes else []),
            f"\n## Licence\n\n{LICENCE}\n\n## Citation\n\n```bibtex\n{cited}\n```\n",
        ]
    )


_FORM = (
    "A record a line of `<evaluation>.jsonl`, as predictions are released: `messages` (M3CoT) are prompt and reply in "
    "turn, the last of which is scored; `response` (CoMT) is the reply. Where a model drew, the evaluation is a folder "
    "with `replies.jsonl` and the pictures beside it."
)
_FORM_PARQUET = (
    "A dialogue a row of `data/<evaluation>.parquet`: `turns` are prompts and replies as parts of text and pictures. A "
    "row that was set aside says why in `dropped`. Pictures in prompts are the samples', by id; those that models drew "
    "are in `pictures.parquet`."
)
