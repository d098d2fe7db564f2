"""A small generated world in the file formats of the M3CoT and CoMT releases: items and predictions, defects included.

It is what the evaluation half reads when nothing real is configured. All of it is built by rule from a seed; models
are called `generated-…`, and items say so in `category`, `image_id` and `provenance`.
"""

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from assets.sources.generated import released_comt, released_comt_pictures, released_comt_replies
from assets.sources.generated.released_items import LETTERS, Item, chances, draw_items
from assets.sources.generated.released_replies import FORMS, REQUESTS, write_records

LEAST_ITEMS = 60
DEFECTS = ("unparsable", "blank", "duplicate", "unknown_id", "absent", "no_id", "no_messages")
MOST_DEFECTS = 0.5
ITEM_DEFECTS = ("cut", "no_json", "no_object")
COMT = "comt/"
"""The folder of CoMT's release within the generated one's."""
JUDGEMENTS = "picture_judgements.jsonl"
"""Simulated scores of the pictures that CoMT's replies draw; the entry's name and the item's id name the reply."""

PROMPT_NAMES = {strategy: {"desp-cot": "dsp"}.get(strategy, strategy) for strategy in REQUESTS}


@dataclass(frozen=True)
class ReplyFile:
    """One prediction file to write; `skill` and `defects` are shares: float in [0, 1] and in [0, 0.5].

    `within`: the benchmark's folder in the release's, empty for M3CoT's.
    """

    name: str
    model: str
    strategy: str
    skill: float
    form: str
    defects: float
    within: str = ""

    @property
    def path(self) -> str:
        """Where the file lies inside the release's folder, by the release's own name of the strategy."""
        strategy = self.strategy if self.within else PROMPT_NAMES[self.strategy]
        return f"{self.within}predictions/{self.model}/{strategy}.jsonl"


def draw(
    folder: Path,
    *,
    seed: int,
    items: int,
    replies: Mapping[str, Mapping[str, object]],
    comt_items: int = 0,
    comt_replies: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
) -> list[Path]:
    """Paths of the files written, sorted: `test_items.jsonl`, and one prediction file an entry of `replies`.

    A line of the first is one test item (`items` readable ones, and one unreadable line for each of `ITEM_DEFECTS`);
    a line of the others is one item's dialogue, save the share `defects` of the lines, which are spread evenly over
    `DEFECTS`. With `comt_items` there is also the folder `comt`: data.jsonl, images, and a prediction file an entry of
    `comt_replies`, some of whose replies draw; and beside it JUDGEMENTS. Of a release with 0 items nothing is written,
    replies neither. Same arguments, same bytes; a file of replies depends on the seed, the number of its release's
    items and its own entry only.

    Raises:
        ValueError: an entry, a number of items or `folder` that cannot be used, with what would do.

    Source: formats and quirks of the released M3CoT predictions (experiment/zero-shot) and of CoMT's README; contents
    are ours.
    """
    if items < LEAST_ITEMS and (items or not comt_items):
        raise ValueError(f"generated release: items {items} is too few for nine topics: give {LEAST_ITEMS} or more")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"generated release: {folder.name} is not an empty folder: name one that is, or a new one")
    files, comt_files = _reply_files(replies), _reply_files(comt_replies, COMT)
    contents: dict[str, bytes] = {}
    if items:
        contents |= _m3cot(items, seed, files)
    if comt_items:
        contents |= _comt(comt_items, seed, comt_files)
    written = []
    for name, content in sorted(contents.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return sorted(written)


def _m3cot(items: int, seed: int, files: Sequence[ReplyFile]) -> dict[str, bytes]:
    world = draw_items(items, random.Random(f"{seed}/items"))
    contents = {"test_items.jsonl": _item_lines(world, random.Random(f"{seed}/item defects"))}
    for file in files:
        rng = random.Random(f"{seed}/{file.path}")
        letters = _intended(world, file.skill, rng)
        records = write_records(FORMS[file.form], file.strategy, world, letters, rng)
        contents[file.path] = _lines(records, file.defects, random.Random(f"{seed}/{file.path}/defects"))
    return {name: _joined(lines) for name, lines in contents.items()}


def _comt(items: int, seed: int, files: Sequence[ReplyFile]) -> dict[str, bytes]:
    world = released_comt.draw_items(items, seed)
    contents = {f"{COMT}data.jsonl": _joined(_json(item.record) for item in world)}
    contents |= {f"{COMT}images/{place}": png for item in world for place, png in item.pictures.items()}
    judgements: list[str] = []
    for file in files:
        rng = random.Random(f"{seed}/{file.path}")
        texts = released_comt_replies.write_records(file.form, file.strategy, world, file.skill, rng)
        drawn = released_comt_pictures.illustrated(texts, world, file.strategy, f"{seed}/{file.path}/pictures")
        records = [dict(one.record) for one in drawn]
        lines = _lines(records, file.defects, random.Random(f"{seed}/{file.path}/defects"), "response")
        contents[file.path] = _joined(lines)
        written = set(lines)
        seen = [one for one, record in zip(drawn, records, strict=True) if _json(record) in written]
        judgements += released_comt_pictures.judgement_lines(file.name, seen, seed)
    return contents | {JUDGEMENTS: _joined(judgements)}


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def defect_counts(share: float, records: int) -> dict[str, int]:
    """Numbers by kind of defect in a file of `records` items: `share` of them, one at least, evenly over the kinds.

    Empty for a share of 0; fewer defects than kinds leave the last kinds out.
    """
    total = max(1, round(share * records)) if share else 0
    each, more = divmod(total, len(DEFECTS))
    counts = {kind: each + (place < more) for place, kind in enumerate(DEFECTS)}
    return {kind: count for kind, count in counts.items() if count}


def _reply_files(replies: Mapping[str, Mapping[str, object]], within: str = "") -> list[ReplyFile]:
    files: dict[str, ReplyFile] = {}
    for name, entry in sorted(replies.items()):
        file = _reply_file(name, entry, within)
        if file.path in files:
            raise ValueError(
                f"generated release: entries {files[file.path].name} and {name} both write {file.path}: "
                "change the model or the strategy of one"
            )
        files[file.path] = file
    return list(files.values())


def _reply_file(name: str, entry: Mapping[str, object], within: str) -> ReplyFile:
    strategies = released_comt_replies.STRATEGIES if within else tuple(REQUESTS)
    forms = tuple(released_comt_replies.FORMS if within else FORMS)
    wanted = {"model", "strategy", "skill", "form", "defects"}
    if set(entry) != wanted:
        raise ValueError(f"generated release: entry {name} has the keys {sorted(entry)}: give {sorted(wanted)}")
    model = str(entry["model"])
    if not re.fullmatch(r"generated-[a-z0-9]+(-[a-z0-9]+)*", model):
        raise ValueError(f"generated release: entry {name} has the model {model!r}: name it generated-… in lower case")
    for key, known in (("strategy", list(strategies)), ("form", list(forms))):
        if entry[key] not in known:
            raise ValueError(f"generated release: entry {name} has the {key} {entry[key]!r}: choose one of {known}")
    return ReplyFile(
        name=name,
        model=model,
        strategy=str(entry["strategy"]),
        skill=_share(name, "skill", entry["skill"], 1.0),
        form=str(entry["form"]),
        defects=_share(name, "defects", entry["defects"], MOST_DEFECTS),
        within=within,
    )


def _share(name: str, key: str, value: object, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"generated release: entry {name} has the {key} {value!r}: give a number from 0 to {most:g}")
    return float(value)


def _intended(items: Sequence[Item], skill: float, rng: random.Random) -> list[str]:
    letters = []
    for item, chance in zip(items, chances(items, skill), strict=True):
        others = [letter for letter in LETTERS[: len(item.choices)] if letter != item.answer]
        # Models err alike: an item's lure draws twice as many as any other wrong option.
        wrong = rng.choices(others, [2 if letter == item.lure else 1 for letter in others])[0]
        letters.append(item.answer if rng.random() < chance else wrong)
    return letters


def _item_lines(items: Sequence[Item], rng: random.Random) -> list[str]:
    lines = [_json(item.record()) for item in items]
    broken = {
        "cut": lines[0][: len(lines[0]) // 2],
        "no_json": "generated line that is no record",
        "no_object": _json(["generated", "line", "that", "is", "no", "object"]),
    }
    for kind, place in zip(ITEM_DEFECTS, sorted(rng.sample(range(1, len(lines)), len(broken))), strict=True):
        lines.insert(place, broken[kind])
    return lines


def _lines(
    records: Sequence[dict[str, object]], share: float, rng: random.Random, reply: str = "messages"
) -> list[str]:
    kinds = [kind for kind, count in defect_counts(share, len(records)).items() for _ in range(count)]
    defects = dict(zip(rng.sample(range(len(records)), len(kinds)), kinds, strict=True))
    numbers = iter(rng.sample(range(4 * len(records), 5 * len(records)), len(kinds)))
    lines: list[str] = []
    for place, record in enumerate(records):
        lines.extend(_defective(record, defects.get(place), next(numbers) if place in defects else 0, reply))
    return lines


def _defective(record: dict[str, object], defect: str | None, number: int, reply: str) -> Iterable[str]:
    line = _json(record)
    if defect is None:
        return [line]
    if defect == "unparsable":
        return [line[: len(line) * 3 // 5]]
    if defect == "blank":
        return [line, ""]
    if defect == "duplicate":
        again = "ANSWER: (A)" if reply == "response" else [*_messages(record)[:-1], "(A)"]
        return [line, _json(record | {reply: again})]
    if defect == "unknown_id":
        # Items are numbered below this range, so that no item has the id.
        return [line, _json(record | {"id": f"{str(record['id']).rpartition('-')[0]}-{number}"})]
    if defect == "absent":
        return []
    dropped = {"no_id": "id", "no_messages": reply}[defect]
    return [_json({key: value for key, value in record.items() if key != dropped})]


def _messages(record: Mapping[str, object]) -> list[str]:
    messages = record["messages"]
    assert isinstance(messages, list)
    return messages


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
