"""Rationales rewritten as numbered steps that end in the answer, each checked against its original."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from assets.m3cot.conclusion import concluded, disagreeing
from assets.m3cot.quantities import new_numbers
from assets.schema.faults import Fault
from assets.schema.sample import LETTERS, Sample
from assets.steps import segment
from assets.writer import Reply, Request, json_object

__all__ = ["REASONS", "REFUSED", "TASK", "Rewritten", "checked", "disagreeing", "requests", "rewritten", "rule"]

TASK = "rewrite"

REASONS = ("no_rationale",)
"""Why a sample goes no further."""

REFUSED = (
    "reply_refusal",
    "reply_filtered",
    "reply_empty",
    "reply_truncated",
    "reply_error",
    "no_object",
    "no_text",
    "leftover_marker",
    "too_short",
    "too_long",
    "fewer_steps",
    "new_number",
    "lost_number",
    "no_conclusion",
    "other_answer",
)
"""Why a rewrite is refused, and the original kept."""

_SHORTEST = 3
"""A rewrite has at least one word for so many of the original."""

_LONGEST = 4
_ROOM = 100
"""And at most so many words for each, and so many more."""

_PROMPT = """\
Below is a multiple-choice question about a picture, its answer, and an explanation that is badly worded.
Write the explanation anew so that a reader can follow it without effort.

Question: {question}
Context: {context}
Options:
{options}
Answer: ({answer}) {option}
Explanation:
{rationale}

- Write short, complete sentences, one step a line, each line beginning with "Step 1:", "Step 2:" and so on.
- Say only what the explanation, the question or the context says. Add no numbers, names or facts.
- Keep every number of the explanation; one that it repeats may be said once.
- Keep every step that the conclusion needs; leave out what has nothing to do with the question.
- Let the last line be: Step N: Therefore, the answer is ({answer}) {option}.

Reply with one JSON object and nothing else: {{"rationale": "Step 1: ...\\nStep 2: ..."}}
"""

# Named words only: [ABCD] is an area and <B> may be mathematics.
_NAMES = (
    r"(?:REWRITTEN|REVISED|RATIONALE|EXPLANATION|ANSWER|QUESTION|CHOICES|CONTEXT|OPTIONS|EXAMPLE|INSERT|INST|END|"
    r"Rationale|Answer|Question|Choices|Context|Example)"
)
_MARKERS = re.compile(
    rf"<\|[A-Za-z_]{{1,30}}\|>|</?s>|</?(?:[A-Z]+[ _]){{0,4}}{_NAMES}(?:[ _][A-Z]+){{0,4}}>"
    rf"|\[/?(?:[A-Z]+[ _]){{0,4}}{_NAMES}(?:[ _][A-Z]+){{0,4}}\]|```|\ufffd"
)
_LABEL = re.compile(r"\A\s*(?:(?:rewritten|revised|refined)\s+)?(?:rationale|explanation)\s*:", re.I)
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_BRACKETS = re.compile(r"(?:(?<=\s)|^)(?:\(\s*\)|\[\s*\]) ?", re.M)
# "5 in in width" has a unit, `5\ .` a LaTeX space
_TWICE = re.compile(r"(?<!\d )\b(the|an|of|in|to|and|with|for|by|from|are)(?: \1\b)+", re.I)
_TWO_DETERMINERS = re.compile(r"\b[Tt]he (its|their)\b")
_BEFORE_STOP = re.compile(r"(?<=[^\s|\\]) +(?=[,.;](?:\s|\Z))")
_TWO_STOPS = re.compile(r"(?<=\w)\.\.(?=\s|\Z)")
_ROW_STOP = re.compile(r"(\|)\s*\.\s*\Z")
_HANGING = re.compile(r"[ ]*(?:[-*+•‣◦–—][ ]|\||\(?[A-Za-z0-9]{1,3}[.)][ ])")
# "Step 2 shows" and "step 1.5" are words of a sentence
_OLD_MARKER = re.compile(
    r"\s*[#>*_ ]{0,8}step (\d{1,3})[*_]{0,2} ?(?:[:)–—][*_]{0,2}\s*|[.\-][*_]{0,2}(?:\s+|\Z)|[*_]{0,2}(?:\n\s*|\Z))",
    re.I,
)
_OLD_NUMBER = re.compile(r"\s*\*{0,2}\(?(\d{1,3})[.)](?:\s+|\Z)")
_REFERENCE = re.compile(r"\b([Ss]teps? )(\d{1,3})\b")


class RewriteError(Fault):
    """Replies that do not belong to the samples."""


class Rewritten(NamedTuple):
    """The samples, rewritten where a rewrite passed, and how many rewrites were refused, by reason."""

    samples: list[Sample]
    refused: dict[str, int]


def requests(samples: Iterable[Sample]) -> Iterator[Request]:
    """One request for each sample that was kept and has a rationale.

    Source: arXiv:2405.16473, A.5.3 (its prompt is not given in the text; this one is ours).
    """
    for sample in samples:
        if _asked(sample):
            facts = _facts(sample)
            fields = {name: facts[name] for name in ("question", "answer", "option", "rationale")}
            options = "\n".join(f"({LETTERS[at]}) {text}" for at, text in enumerate(facts["choices"]))
            prompt = _PROMPT.format(**fields, context=facts["context"] or "(none)", options=options)
            yield Request(sample.id or "", TASK, prompt, facts)


def rule(facts: Mapping[str, Any]) -> str | None:
    """The rewriting by rule, as the JSON text that a model is asked for; None where there is nothing to rewrite.

    White space, invisible characters, leftover markers, lead-ins, empty brackets and doubled words go; each step
    stands on a line of its own as `Step N: ...`; a last step names the answer unless the rationale concludes itself.
    """
    text = _cleaned(facts["rationale"])
    found = segment(text, "marked")
    marks = _old_marks(found)
    old = [match[1] if match else None for match in marks]
    bodies = [step[match.end() if match else 0 :] for step, match in zip(found, marks, strict=True)]
    steps = [body for step in bodies if (body := _cleaned(_laid_out(step)).strip())]
    if not steps:
        return None
    if len(steps) == len(found) and len(set(old)) == len(old):
        now = {number: str(at) for at, number in enumerate(old, start=1) if number is not None}
        steps = [_REFERENCE.sub(lambda match: match[1] + now.get(match[2], match[2]), step) for step in steps]
    if facts["option"] and concluded(_numbered(steps), facts["choices"]) is None:
        option = " ".join(facts["option"].split()).rstrip(".")
        steps.append(f"Therefore, the answer is ({facts['answer']}) {option}.")
    return json.dumps({"rationale": _numbered(steps)}, ensure_ascii=False)


def checked(sample: Sample, text: str) -> str | None:
    """Why `text` may not stand in place of the sample's rationale (one of REFUSED), or None where it may.

    It must name the sample's answer at its end, state no number that the sample does not, and lose none of those
    of the original (by value: one said twice may be said once; step numbers are none).

    Source: arXiv:2405.16473, A.5.3 ("assessed both automatically and manually").
    """
    original = sample.text
    choices = sample.choices or ()
    words, before = len(text.split()), len(original.split())
    if not text.strip():
        return "no_text"
    if _MARKERS.search(text) or _LABEL.match(text) or _INVISIBLE.search(text):
        return "leftover_marker"
    if _SHORTEST * words < before:
        return "too_short"
    if words > _LONGEST * before + _ROOM:
        return "too_long"
    if len(segment(text)) < min(2, len(segment(original))):
        return "fewer_steps"
    if new_numbers(text, "\n".join((sample.question or "", sample.context or "", *choices, original))):
        return "new_number"
    if new_numbers(original, text):
        return "lost_number"
    letter = concluded(text, choices)
    if letter is None:
        return "no_conclusion"
    return None if letter == sample.answer else "other_answer"


def rewritten(samples: Iterable[Sample], replies: Iterable[Reply], writer: str) -> Rewritten:
    """Every sample, with its rewritten rationale where the reply passes, else as it was.

    Args:
        samples: those that `requests` was given, in the same order.
        replies: one for each request, in their order.
        writer: the writer's name, for the provenance.

    Raises:
        RewriteError: a reply belongs to another sample, or there are fewer or more than requests.
    """
    stream = iter(replies)
    done: list[Sample] = []
    refused: dict[str, int] = {}
    for sample in samples:
        if sample.dropped is not None:
            done.append(sample)
        elif not _asked(sample):
            done.append(sample.drop("no_rationale"))
        else:
            reply = next(stream, None)
            if reply is None or reply.id != (sample.id or ""):
                raise _mismatch(sample.id, reply)
            text, reason = _of_reply(sample, reply)
            if reason is not None:
                refused[reason] = refused.get(reason, 0) + 1
            changed = reason is None and text != sample.text
            done.append(
                sample.with_text(text)._replace(before=sample.text).made(f"rewritten by {writer}")
                if changed
                else sample
            )
    if (extra := next(stream, None)) is not None:
        raise _mismatch(None, extra)
    return Rewritten(done, dict(sorted(refused.items())))


def _mismatch(sample: str | None, reply: Reply | None) -> RewriteError:
    came = "no reply" if reply is None else f"a reply for {reply.id}"
    return RewriteError(
        f"rewrite: {came} where {sample or 'none'} is due: give it the samples that were asked, in order"
    )


def _of_reply(sample: Sample, reply: Reply) -> tuple[str, str | None]:
    if reply.status != "ok":
        return "", f"reply_{reply.status}"
    found = json_object(reply.text)
    text = found.get("rationale") if found is not None else None
    if not isinstance(text, str):
        return "", "no_object"
    text = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return text, checked(sample, text)


def _asked(sample: Sample) -> bool:
    return sample.dropped is None and bool(sample.text.strip())


def _facts(sample: Sample) -> dict[str, Any]:
    choices = tuple(sample.choices or ())
    answer = sample.answer or ""
    at = LETTERS.find(answer) if answer else -1
    return {
        "question": sample.question or "",
        "context": sample.context or "",
        "choices": choices,
        "answer": answer,
        "option": choices[at] if 0 <= at < len(choices) else "",
        "rationale": sample.text,
    }


def _cleaned(text: str) -> str:
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _MARKERS.sub("", text)
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        body = _BLANKS.sub(" ", line.strip())
        if not body.startswith("|"):
            body = _EMPTY_BRACKETS.sub("", body)
            body = _TWO_DETERMINERS.sub(r"\1", _TWICE.sub(r"\1", body))
            body = _TWO_STOPS.sub(".", _BEFORE_STOP.sub("", body))
        lines.append("  " * bool(indent) + _ROW_STOP.sub(r"\1", body) if body.strip() else "")
    return "\n".join(lines)


def _laid_out(step: str) -> str:
    """The step with a newline only before bullets, table rows, lists and quoted lines after a colon."""
    laid: list[str] = []
    for line in step.split("\n"):
        if not line.strip():
            continue
        joins = laid and not _HANGING.match(line) and not laid[-1].lstrip().startswith("|")
        if joins:
            laid[-1] = f"{laid[-1]} {line.strip()}"
        else:
            laid.append(line)
    return "\n".join(laid)


def _old_marks(steps: list[str]) -> list[re.Match[str] | None]:
    """What numbers each step at its start; a bare number does so only as one of two or more that have a 1."""
    bare = [_OLD_NUMBER.match(step) for step in steps]
    listed = sum(map(bool, bare)) > 1 and any(match and int(match[1]) == 1 for match in bare)
    return [
        _OLD_MARKER.match(step) or (match if match and listed and int(match[1]) <= 2 * len(steps) else None)
        for step, match in zip(steps, bare, strict=True)
    ]


def _numbered(steps: list[str]) -> str:
    return "\n".join(f"Step {at}: {step}" for at, step in enumerate(steps, start=1))
