"""Visual creation: geometry whose question describes its picture, which is then drawn in the rationale."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assets.comt.description import Description, description
from assets.comt.template import DOMAIN_OF, IDENTIFIER, OPTIONS, filled, identifier
from assets.schema.sample import LETTERS, Sample

TASK = "creation"
MADE = "rationale and answer split by rules"

REASONS = (
    "no_rationale",
    "wrong_option_count",
    "options_equal",
    "no_picture",
    "names_a_picture",
    "answer_disagrees",
    "not_described",
    "duplicate_question",
)
"""Why a geometry problem makes no sample."""

MOST_SHAPES = 3
"""Names of shapes that the first step gives."""

_HEAD = re.compile(r"\s*(?:(?:【(?:解答|分析|详解|解析)】|解答?|证明|解析|[Ss]olution|[Aa]nswer)\s*[:：,，.．。]?\s*)+")
_CLOSING = re.compile(
    r"(?:(?:故|因此|所以|∴|综上(?:所述)?|则|即|\b(?:so|thus|hence|therefore|finally))[,，]?\s*)*"
    r"(?:(?:本题|此题|应|正确的?|该|\b(?:the|correct|right|final|we|you|I))\s*)*"
    r"(?:选择?项?|答案(?:选项)?(?:应?[为是选])?|\b(?:choose|select|pick|answer(?:\s+is|\s*:)|(?:option|choice)\s+is))"
    r"(?:应?[为是])?\s*[:：]?\s*(?:option|choice|选项)?\s*"
    r"(?P<told>[^\s:：,，;；。．∵∴][^,，;；。．∵∴\n]{0,60}?)\s*[.．。!]?\s*$",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*【(?:点评|考点|评析)】")
_LONGEST_CLOSING = 200
_LETTER = re.compile(
    r"(?:[(（\[]\s*([A-F])\s*[)）\]](?:\s*\S.*)?|([A-F])(?:\s*[.．、:：]\s*\S.*)?)\s*(?:项?正确|符合题意|项)?"
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_STEP_ENDS = re.compile(
    r"\s*\n\s*|(?<=[。；．])\s*(?=\S)|(?<=[,，;；.．。])\s*(?=[∵∴])|(?<=[^\s.!?][.!?])\s+(?=[A-Z∠△⊙▱])"
)
_UNIT = re.compile(r"(?:(?:cm|mm|km|dm|m)[²³23]?|°)$")
_SPELLED = (
    (re.compile(r"\\{1,2}[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\{1,2}sqrt"), "√"),
    (re.compile(r"\^?\\{1,2}circ|度|degrees?"), "°"),
    (re.compile(r"\\{1,2}(?:text|mathrm|rm)"), ""),
    (re.compile(r"\\{1,2}pi"), "π"),
    (re.compile(r"厘米"), "cm"),
    (re.compile(r"米"), "m"),
    (re.compile(r"[\s${}()（）\\]"), ""),
    (re.compile(r"^[^=＝]*[=＝]"), ""),
)


class Solution(NamedTuple):
    """A worked solution in two: how it goes, and what its last statement says the answer is, if it has such a one."""

    steps: tuple[str, ...]
    closing: str | None
    told: str | None


def samples(entered: Sequence[Sample], *, least_relations: int) -> list[Sample]:
    """One row for each geometry problem that entered, in order: its sample, or why it makes none.

    The picture moves from the question into the rationale: its first step says that the figure is drawn and shows it,
    the solution's steps follow, one a line, and the last sentence gives the answer's text. Question and options stay.
    Both sentences are in the question's language. The reasons, in the order in which they are tried:

    - no_rationale: there is no worked solution, or nothing is left of it once its last statement is cut off.
    - wrong_option_count: not four options. options_equal: two of them say the same.
    - no_picture: the problem has none.
    - names_a_picture: a text holds something like [IMAGE0], which would be taken for a picture.
    - answer_disagrees: the solution's last statement names another option than the label, or none of them.
    - not_described: the question does not describe its picture, by `assets.comt.description`: it states fewer than
      `least_relations` relations, places fewer than half of the points that it names, asks about a point that it
      never named before, leans on the picture (numbered angles, shaded parts, things laid as shown) or asks nothing.
    - duplicate_question: an earlier sample has the same question and the same answer.

    What the description lacks is completed by people afterwards (edits of step 0 at stage quality).

    Args:
        entered: problems with their pictures, as `assets.sources.geoqa` and `geometry3k` read them.
        least_relations: relations that a question must state.

    Source: arXiv:2412.12932, section 2.1 and C.2.
    """
    seen: set[tuple[str, str]] = set()
    rows = []
    for row in (_sample(sample, least_relations) for sample in entered):
        if row.dropped is None:
            asked = "".join((row.question or "").split()), (row.choices or ())[LETTERS.index(row.answer or "A")]
            row = row.drop("duplicate_question") if asked in seen else row
            seen.add(asked)
        rows.append(row)
    return rows


def solution(text: str) -> Solution:
    """A worked solution, Chinese or English, with its last statement (故选:B, so the answer is B) cut off.

    What follows the statement, such as a 【点评】, goes with it. The steps are its sentences and its pairs of ∵ and ∴;
    but for white space between them and a comma before the cut no character is lost.
    """
    text = text.strip()
    comment = _COMMENT.search(text)
    end = comment.start() if comment else len(text)
    found = _CLOSING.search(text[:end], max(0, end - _LONGEST_CLOSING))
    closing = text[found.start() :].strip() if found else None
    body = text[: found.start()].rstrip(" ,，、\n") if found else text
    steps = [step.strip() for step in _STEP_ENDS.split(body)]
    joined: list[str] = []
    for step in filter(None, steps):
        if joined and step.startswith("∴") and joined[-1].lstrip("解:： ").startswith("∵") and "∴" not in joined[-1]:
            joined[-1] += step
        else:
            joined.append(step)
    if not _HEAD.sub("", "".join(joined)).strip(" .,;:，。；：、"):
        joined = []
    return Solution(tuple(joined), closing, found["told"].strip() if found else None)


def agrees(told: str, choices: Sequence[str], right: int) -> bool:
    """Whether what a solution's last statement says is the right one: its letter, or its text but for how it is set."""
    if letter := _LETTER.fullmatch(told):
        return (letter[1] or letter[2]) == LETTERS[right]
    return _value(told) == _value(choices[right])


def rationale(steps: Sequence[str], said: Description, answer: str, *, chinese: bool) -> str:
    """The step that draws the figure, with its picture, the solution's steps, one a line, and the answer's text."""
    shapes = said.shapes[:MOST_SHAPES]
    if chinese:
        told = f"：{'、'.join(shapes)}" if shapes else ""
        first, last = f"首先，按题目的描述画出图形{told}。", f"所以答案是{answer}。"
    else:
        told = f": {', '.join(shapes)}" if shapes else ""
        first, last = f"First, draw the figure as the question describes it{told}.", f"So the answer is {answer}."
    return "\n".join((f"{first} {identifier(0)}", *steps, last))


def _sample(sample: Sample, least_relations: int) -> Sample:
    row = sample._replace(task=TASK, domain=DOMAIN_OF[TASK])
    text = sample.text
    question, choices = sample.question or "", sample.choices or ()
    if not text.strip():
        return row.drop("no_rationale")
    if len(choices) != OPTIONS:
        return row.drop("wrong_option_count")
    if len({"".join(choice.split()) for choice in choices}) < OPTIONS:
        return row.drop("options_equal")
    if not sample.images:
        return row.drop("no_picture")
    if any(IDENTIFIER.search(part) for part in (question, text, *choices)):
        return row.drop("names_a_picture")
    split = solution(text)
    if not split.steps:
        return row.drop("no_rationale")
    right = LETTERS.index(sample.answer or "A")
    if split.told is not None and not agrees(split.told, choices, right):
        return row.drop("answer_disagrees")
    said = description(question, choices)
    if not said.suffices(least_relations):
        return row.drop("not_described")
    chinese = _CHINESE.search(question) is not None
    made = filled(
        sample_id=f"{sample.source}-{sample.source_id}",
        source=sample.source,
        source_id=sample.source_id or "",
        provenance=f"{sample.provenance} > {MADE}",
        task=TASK,
        question=question,
        choices=choices,
        right=right,
        rationale=rationale(split.steps, said, choices[right].strip(), chinese=chinese),
        images=sample.images[:1],
        annotations={"relations": list(said.relations), "closing": split.closing},
    )
    return made._replace(split=sample.split)


def _value(text: str) -> str:
    """A value in one way of writing, without its unit."""
    for written, one in _SPELLED:
        text = written.sub(one, text)
    return _UNIT.sub("", text.strip(".．。").casefold())
