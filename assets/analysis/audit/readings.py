"""Each reply beside what both extractors read from it, and what it looks like."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assets.analysis.audit.shapes import shape
from assets.evaluation.rows import Answer, Item, Reply
from assets.schema.faults import Fault


class Reading(NamedTuple):
    """One reply that both policies count. text: what was scored, None where there is none."""

    text: str | None
    shape: str
    paper: Answer
    strict: Answer

    @property
    def alike(self) -> bool:
        """Whether both extractors read the same letter, or none."""
        return self.paper.letter == self.strict.letter


class Readings(NamedTuple):
    """The replies of one evaluation by their lines, and the answers that one of the policies alone counts."""

    both: list[Reading]
    alone: list[Answer]


def readings(
    answers: Sequence[Answer], replies: Sequence[Reply], items: Mapping[str, Item], *, evaluation: str
) -> Readings:
    """The answers of one evaluation, put together by reply.

    Alone stand samples without a reply (strict counts them), and what CoMT's policy paper counts and strict does
    not: repeated ids and unknown ones.

    Args:
        answers: of the evaluation, by both extractors.
        replies: what its answers were read from.
        items: the samples that it was asked, by id.
        evaluation: its name.

    Raises:
        Fault: an answer was read from a reply that is not there.
    """
    said = {reply.line: reply for reply in replies}
    by_line: dict[int, dict[str, Answer]] = {}
    alone: list[Answer] = []
    for answer in answers:
        if answer.counted and answer.line is not None:
            by_line.setdefault(answer.line, {})[answer.extractor] = answer
        elif answer.counted:
            alone.append(answer)
    both: list[Reading] = []
    for line, found in sorted(by_line.items()):
        if len(found) == 1:
            alone += found.values()
            continue
        reply = said.get(line)
        item = items.get(found["strict"].sample_id)
        if reply is None or item is None or reply.sample_id != item.id:
            raise Fault(
                f"evaluation/answers: line {line} of {evaluation} was read from another reply than the one that is "
                "kept now: materialize evaluation/answers"
            )
        choices = item.choices if reply.choices is None else reply.choices
        looks = shape(reply.text, choices, reply.messages or ())
        both.append(Reading(reply.text, looks, found["paper"], found["strict"]))
    return Readings(both, alone)
