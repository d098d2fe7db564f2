"""Four options for a problem of MATH, one of them right: asked of the language model, or made by rule, then checked."""

import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from assets.m3cot.mathematics import boxed
from assets.m3cot.mathematics.distractors import distractors
from assets.m3cot.mathematics.latex_tree import NoFormula
from assets.schema.sample import LETTERS, Sample
from assets.writer import Request, json_object

TASK = "options"
COUNT = 4
LONGEST = 200
"""Characters of the longest option; the longest boxed answer of MATH stays below."""

REASONS = (
    "no_boxed_answer",
    "answer_is_a_letter",
    "no_options",
    "options_unreadable",
    "wrong_option_count",
    "option_empty",
    "option_too_long",
    "option_of_other_kind",
    "options_equal",
    "right_option_missing",
)
"""Why a problem has no four options: what `checked` says."""

_PROMPT = """You turn mathematics problems into multiple-choice questions.
Below are a problem, its worked solution and the final answer. Give four options for it: the final answer itself, and
three wrong ones. A wrong option is what somebody gets who makes one real mistake: a wrong sign, a step left out, an
intermediate result taken for the last one, a formula mixed up. All four are of the same kind, unit and notation (LaTeX
without dollar signs), about equally long, and no two have the same value in whatever form.

Problem:
{problem}

Solution:
{solution}

Final answer:
{answer}

Reply with one JSON object and nothing else, each backslash of LaTeX written twice:
{{"options": ["...", "...", "...", "..."], "answer": "..."}}"""

_LABEL = re.compile(r"\s*(?:\(([A-D])\)|([A-D])[.):])\s*(?=\S)")
_LOST = {"\f": r"\f", "\b": r"\b", "\t": r"\t", "\r": r"\r"}
_LOOSE = {"number": "number", "expression": "number", "based": "number"}


class Options(NamedTuple):
    """Four options as the reply gave them, and the place of the right one, from 0."""

    options: tuple[str, ...]
    right: int


def requests(samples: Iterable[Sample]) -> Iterator[Request]:
    """One request a problem that is kept and has a boxed answer that is no letter, in order; its id is the sample's.

    Source: arXiv:2405.16473, appendix A.4.1 (four plausible options, one correct and three distractors). The paper's
    own prompt is not in its text; these words are ours.
    """
    for sample in samples:
        answer = boxed.answer(sample.text)
        if sample.dropped is not None or sample.id is None or answer is None or is_letter(answer):
            continue
        facts = {"id": sample.id, "problem": sample.question or "", "solution": sample.text, "answer": answer}
        yield Request(sample.id, TASK, _PROMPT.format(**facts), facts)


def rule(facts: Mapping[str, Any]) -> str | None:
    """What a model would reply, made by rule: the answer and three slips beside it; None where no rule has three.

    The same facts give the same reply: chance is seeded by the sample's id.
    """
    answer = str(facts["answer"])
    try:
        wrong = distractors(answer, str(facts["problem"]), str(facts["solution"]), seeded(str(facts["id"]), TASK))
    except NoFormula:
        return None
    if wrong is None:
        return None
    return json.dumps({"options": [answer, *wrong], "answer": answer})


def checked(sample: Sample, reply_text: str) -> Options | str:
    """The four options of a reply, or why they cannot stand: one of `REASONS`.

    A reply that is no JSON is mended once by rule. The right option is the one that says the same as the boxed answer,
    whatever the reply calls its answer: exactly one does, and no two options say the same.
    """
    answer = boxed.answer(sample.text)
    if answer is None:
        return "no_boxed_answer"
    if is_letter(answer):
        return "answer_is_a_letter"
    if not reply_text.strip():
        return "no_options"
    record = json_object(reply_text)
    options = _options(record.get("options")) if record is not None else None
    if options is None:
        return "options_unreadable"
    if len(options) != COUNT:
        return "wrong_option_count"
    if not all(options):
        return "option_empty"
    if any(len(option) > LONGEST for option in options):
        return "option_too_long"
    try:
        right = boxed.parse(answer)
    except NoFormula:
        return _checked_as_text(answer, options)
    found = [_parsed(option) for option in options]
    if any(one is None or _kind(one) != _kind(right) for one in found):
        return "option_of_other_kind"
    answers = [one for one in found if one is not None]
    if any(boxed.same(one, other) for at, one in enumerate(answers) for other in answers[:at]):
        return "options_equal"
    places = [at for at, one in enumerate(answers) if boxed.same(one, right)]
    return Options(options, places[0]) if len(places) == 1 else "right_option_missing"


def is_letter(answer: str) -> bool:
    """Whether an answer is one letter from A to H: the name of a choice, which could not be told from an option's."""
    try:
        found = boxed.parse(answer)
    except NoFormula:
        return False
    return found.kind == "letters" and len(found.shape) == 1 and found.shape in LETTERS[:8]


def seeded(sample_id: str, purpose: str) -> random.Random:
    """The chance that belongs to one sample and one purpose."""
    return random.Random(int.from_bytes(hashlib.sha256(f"{purpose}:{sample_id}".encode()).digest()[:8]))


def _options(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list) or any(isinstance(one, bool | list | dict) or one is None for one in value):
        return None
    texts = [_text(str(one)) for one in value]
    labels = [_LABEL.match(text) for text in texts]
    # a label in front of all of them is no part of what they say
    if all(labels) and [(m[1] or m[2]) for m in labels if m] == list("ABCD")[: len(texts)]:
        texts = [text[m.end() :] for text, m in zip(texts, labels, strict=True) if m]
    return tuple(
        text.strip().strip("$").strip() if text.strip()[:1] == "$" == text.strip()[-1:] else text.strip()
        for text in texts
    )


def _text(option: str) -> str:
    # a backslash that JSON took for its own escape: no option holds a form feed or a tab
    return "".join(_LOST.get(character, character) for character in option).strip()


def _parsed(option: str) -> boxed.Answer | None:
    try:
        return boxed.parse(option)
    except (NoFormula, ValueError, IndexError):
        return None


def _kind(one: boxed.Answer) -> str:
    return _LOOSE.get(one.kind, one.kind)


def _checked_as_text(answer: str, options: tuple[str, ...]) -> Options | str:
    plain = ["".join(option.split()) for option in options]
    if len(set(plain)) < len(plain):
        return "options_equal"
    own = "".join(answer.split())
    return Options(options, plain.index(own)) if own in plain else "right_option_missing"
