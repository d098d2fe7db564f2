"""From the tables to chains of reasoning: what a model was asked, what it reasoned, and how people solve it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from assets.evaluation.rows import Evaluation, Item
from assets.evaluation.stored import Edition
from assets.models.replay import MARKERS
from assets.schema.faults import Fault
from assets.schema.sample import letter
from assets.steps import segment

END_TOKEN = re.compile(
    r"</s>|<eos>|<\|(?:endoftext|end_of_text|im_end|eot_id|end|endofchunk|eos|return)\|>"
    r"|<end_of_turn>|<end_of_utterance>",
)
"""What models write where they stop; left in, it would be words of the last step."""


class Chain(NamedTuple):
    """A rationale as its steps, beside the sentences of what was asked and the steps of the gold rationale.

    reference: None where there is no gold rationale.
    """

    context: tuple[str, ...]
    steps: tuple[str, ...]
    reference: tuple[str, ...] | None = None


class Reasoned(NamedTuple):
    """The chain of one reply; `recorded` says whether the prompt stood in the record."""

    evaluation: str
    sample_id: str
    chain: Chain
    recorded: bool


def steps(text: str, profile: str) -> tuple[str, ...]:
    """The steps of a text, end tokens taken out first."""
    return tuple(segment(END_TOKEN.sub("", text).strip(), profile))


def reasoned(
    samples: Mapping[Edition, pa.Table],
    predictions: Mapping[str, pa.Table],
    evaluations: Mapping[str, Evaluation],
    chosen: Mapping[str, Sequence[str]],
    profile: str = "roscoe",
) -> list[Reasoned]:
    """The chains of the chosen samples of each evaluation that has replies, by evaluation and sample.

    The context is the text of the first prompt, or where a record has none the sample's own, in the same order:
    context, question, options. The steps are those of the first reply of the dialogue, the rationale: in a dialogue of
    two turns the second one asks for the letter alone. A sample without a reply, whose reply is empty, is a harness's
    marker of a withheld one, or could not be read (status error) has no steps. Of several replies to a sample the first
    one counts. The reference are the steps of the gold rationale's texts. Evaluations of people are left out: what
    they write is an answer, and several of them answer a sample.

    Args:
        samples: the tables by benchmark and edition.
        predictions: the replies by evaluation.
        evaluations: what params.yaml says of each.
        chosen: the ids of the samples to look at, by evaluation.
        profile: of segmentation.

    Raises:
        Fault: there are replies of an evaluation that params.yaml has not.
    """
    if gone := sorted(predictions.keys() - evaluations.keys()):
        raise Fault(f"there are replies of {', '.join(gone)}, which params.yaml has not: reload the definitions")
    asked = {name: set(chosen[name]) for name in sorted(predictions) if not evaluations[name].several}
    wanted: dict[Edition, set[str]] = {}
    for name, ids in asked.items():
        wanted.setdefault((evaluations[name].benchmark, evaluations[name].edition), set()).update(ids)
    known = {edition: _samples(samples[edition], ids) for edition, ids in wanted.items()}
    return [
        _reasoned(name, known[evaluations[name].benchmark, evaluations[name].edition][one], replies.get(one), profile)
        for name, ids in asked.items()
        for replies in [_replies(predictions[name], ids)]
        for one in sorted(ids)
    ]


def strata(items: Iterable[Item], benchmark: str) -> dict[str, str]:
    """By the id of each sample what it is drawn by: its topic, of CoMT its task."""
    return {item.id: (item.task if benchmark == "comt" else item.topic) or "" for item in items}


def _samples(table: pa.Table, ids: set[str]) -> dict[str, dict[str, Any]]:
    columns = ["id", "context", "question", "choices", "rationale", "dropped"]
    return {row["id"]: row for row in _rows(table, columns, "id", ids) if row["dropped"] is None}


def _replies(table: pa.Table, ids: set[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    columns = ["line", "sample_id", "turns", "status", "dropped"]
    for row in sorted(_rows(table, columns, "sample_id", ids), key=lambda row: int(row["line"])):
        if row["dropped"] is None:
            found.setdefault(row["sample_id"], row)
    return found


def _rows(table: pa.Table, columns: list[str], key: str, ids: set[str]) -> Iterator[dict[str, Any]]:
    import pyarrow.compute as pc

    taken = table.select(columns)
    yield from taken.filter(pc.is_in(taken[key], value_set=pa.array(sorted(ids), pa.string()))).to_pylist()


def _reasoned(name: str, sample: Mapping[str, Any], reply: Mapping[str, Any] | None, profile: str) -> Reasoned:
    turns = (reply["turns"] if reply is not None else None) or []
    prompt = _first(turns, "user")
    rationale = "" if reply is None or reply["status"] == "error" else _first(turns, "assistant")
    if rationale.strip() in MARKERS:
        rationale = ""
    gold = steps(_text(sample["rationale"] or []), profile)
    chain = Chain(steps(prompt or _asked(sample), profile), steps(rationale, profile), gold or None)
    return Reasoned(name, sample["id"], chain, bool(prompt))


def _first(turns: Sequence[Mapping[str, Any]], role: str) -> str:
    return next((_text(turn["parts"]).strip() for turn in turns if turn["role"] == role), "")


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
    """The texts among the parts, each from a new line."""
    return "\n".join(part["text"] for part in parts if part["kind"] == "text" and part["text"])


def _asked(sample: Mapping[str, Any]) -> str:
    options = [f"({letter(place)}) {choice}" for place, choice in enumerate(sample["choices"] or ())]
    return "\n".join(text for text in (sample["context"], sample["question"], *options) if text)
