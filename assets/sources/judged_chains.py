"""Chains of reasoning that people judged, in JUDGE-BENCH's form of ROSCOE's annotations -> rows of `judged_chain`."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import fsum
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from assets.schema.analysis_vocabulary import JUDGED_QUESTIONS
from assets.sources import folders
from assets.sources.folders import File
from assets.sources.json_files import Unreadable, json_file
from assets.sources.jsonlines import EXCERPT, SourceError

REASONS = (
    "not_an_object",
    "no_id",
    "duplicate_id",
    "not_text",
    "problem_too_long",
    "no_question",
    "no_solution",
    "no_answer",
    "bad_label",
    "disagrees",
)
"""Why a record is no judged chain, beside the reasons of `folders` and `json_files` for its file.

no_question: no context in one of the two forms. no_solution: no response, or one without numbered steps. no_answer:
nobody judged it. bad_label: a judgement off its scale. disagrees: the mean or majority is not that of the judgements.
"""

LONGEST = 100_000
"""Characters of the longest instance; the longest real one has some 3,000."""

METRICS = {
    "overall": "Overall Quality",
    "coherency": "Coherency",
    "missing_steps": "Missing Steps",
    "contradiction": "Contradiction",
}
"""The questions by their names in the files."""

WORST, BEST = 1, 5

_UPSTREAM = ("judged_chains", "JUDGE-BENCH's data/roscoe", "roscoe-<dataset>-overall.json")
_FILE = re.compile(r"(?:roscoe-)?(.+)-overall\.json", re.I)
_CONTEXT, _RESPONSE, _END = "CONTEXT:\n", "\n\nGENERATED RESPONSE:\n", "Judge the generated response:"
_QUESTION, _SOLUTION = "Question:", "\n\\Solution:"
_SITUATION, _CLAIM, _ASKED = "Situation (Premise):", "\n\nClaim (Hypothesis):", "\n\nIs the Claim supported"
_STEP = re.compile(r"^Step \d{1,4} - ?", re.M)


class JudgedChain(NamedTuple):
    """Table `judged_chain`, column by column."""

    dataset: str
    chain_id: str
    context: str | None
    reference: str | None
    steps: tuple[str, ...] | None
    overall: float | None
    coherency: float | None
    missing_steps: bool | None
    contradiction: bool | None
    provenance: str
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None


def chains(folder: Path, *, provenance: str) -> Iterator[JudgedChain]:
    r"""Each instance of the folder's `roscoe-<dataset>-overall.json` as one row, in natural order of the files.

    The context is the question, or the situation and the claim with a space between, as ROSCOE's code joins them. The
    reference is the `\Solution` of the first form; that a claim holds or not is no chain, so the second form has none.
    Steps are the response's `Step N - …` without their marks, blank ones left out; a blank response has none, and is
    kept: it was judged. Calculator marks (`<<16-7=9>>`) stay, since ROSCOE's code scores them with the rest. A graded
    judgement is the mean over its annotators, a categorical one their majority, null when they are even.
    Other files of the folder are not opened. What cannot be read is a quarantined row, a whole file's with no id.

    Raises:
        SourceError: there is no such folder, or no file of that name in it that can be read.

    Source: the form of JUDGE-BENCH, data/roscoe (overall judgements); arXiv:2212.07919, appendix, for the questions.
    """
    folders.check(folder, *_UPSTREAM)
    seen: set[tuple[str, str]] = set()
    empty, readable, first = True, False, None
    for file in folders.files(folder, (".json",)):
        named = _FILE.fullmatch(PurePosixPath(file.file).name)
        if named is None or folders.is_hidden(file.file):
            continue
        empty = False
        for chain in _rows(file, named[1].lower(), provenance):
            if chain.chain_id:
                readable = True
            elif first is None:
                first = f"{file.file}: {chain.dropped}"
            key = chain.dataset, chain.chain_id
            if key in seen and chain.dropped is None:
                chain = _none(chain, "duplicate_id", (file.file, None, (chain.context or "")[:EXCERPT]))
            elif chain.chain_id:
                seen.add(key)
            yield chain
    if empty:
        raise SourceError(f"{folder}: holds no {_UPSTREAM[2]}: name the folder of them in sources.judged_chains.folder")
    if not readable:
        raise SourceError(f"{folder}: holds no readable judgement ({first}): put the files of {_UPSTREAM[1]} there")


def _rows(file: File, dataset: str, provenance: str) -> Iterator[JudgedChain]:
    blank = JudgedChain(dataset, "", None, None, None, None, None, None, None, provenance)
    if file.refused is not None:
        yield _none(blank, file.refused, (file.file, None, None))
        return
    value = json_file(file.path)
    if isinstance(value, Unreadable):
        yield _none(blank, value.reason, (file.file, value.line, value.excerpt))
        return
    instances = value.get("instances") if isinstance(value, dict) else None
    if not isinstance(instances, list):
        yield _none(blank, "not_an_object", (file.file, None, _excerpt(value)))
        return
    for place, instance in enumerate(instances, start=1):
        found = _chain(blank._replace(chain_id=f"#{place}"), instance)
        yield found if isinstance(found, JudgedChain) else _none(*found, (file.file, None, _excerpt(instance)))


def _chain(blank: JudgedChain, instance: Any) -> "JudgedChain | tuple[JudgedChain, str]":
    """The instance as the row that it is; or a row with what is known of it, and why it is none."""
    if not isinstance(instance, dict):
        return blank, "not_an_object"
    chain_id = instance.get("id")
    if type(chain_id) is not int and not (isinstance(chain_id, str) and 0 < len(chain_id.strip()) <= EXCERPT):
        return blank, "no_id"
    blank = blank._replace(chain_id=str(chain_id).strip())
    text = instance.get("instance")
    if not isinstance(text, str):
        return blank, "not_text"
    if len(text) > LONGEST:
        return blank, "problem_too_long"
    read = _read(text)
    if isinstance(read, str):
        return blank, read
    judged = _judged(instance.get("annotations"))
    if isinstance(judged, str):
        return blank, judged
    context, reference, steps = read
    return blank._replace(context=context, reference=reference, steps=steps, **judged)


def _read(text: str) -> tuple[str, str | None, tuple[str, ...]] | str:
    """Context, reference and steps of an instance; or why there are none."""
    _, found, rest = text.partition(_CONTEXT)
    given, answered, response = rest.partition(_RESPONSE)
    asked = _asked(given.strip()) if found else None
    if asked is None:
        return "no_question"
    response = response.strip().removesuffix(_END).strip()
    marks = list(_STEP.finditer(response))
    if not answered or (response and (not marks or marks[0].start() > 0)):
        return "no_solution"
    starts = [mark.start() for mark in marks] + [len(response)]
    steps = [response[mark.end() : end].strip() for mark, end in zip(marks, starts[1:], strict=True)]
    return *asked, tuple(step for step in steps if step)


def _asked(given: str) -> tuple[str, str | None] | None:
    if given.startswith(_QUESTION):
        question, found, solution = given[len(_QUESTION) :].partition(_SOLUTION)
        return (question.strip(), solution.strip() or None) if found and question.strip() else None
    situation, claimed, rest = given.removeprefix(_SITUATION).partition(_CLAIM)
    claim, asked, _ = rest.partition(_ASKED)
    if given.startswith(_SITUATION) and claimed and asked and situation.strip() and claim.strip():
        return f"{situation.strip()} {claim.strip()}", None
    return None


def _judged(given: Any) -> dict[str, Any] | str:
    """The judgements by question, null where nobody gave one; or why they cannot be used."""
    if not isinstance(given, dict):
        return "no_answer"
    judged: dict[str, Any] = {}
    for question in JUDGED_QUESTIONS:
        said = given.get(METRICS[question]) or {}
        each = said.get("individual_human_scores") or [] if isinstance(said, dict) else None
        if not isinstance(each, list):
            return "bad_label"
        value = _graded(each, said) if question in ("overall", "coherency") else _voted(each, said)
        if isinstance(value, str):
            return value
        judged[question] = value
    return judged if any(value is not None for value in judged.values()) else "no_answer"


def _graded(each: list[Any], said: Mapping[str, Any]) -> float | str | None:
    if any(type(score) not in (int, float) or not WORST <= score <= BEST for score in each):
        return "bad_label"
    if not each:
        return None
    mean, given = fsum(each) / len(each), said.get("mean_human")
    if given is not None and (type(given) not in (int, float) or abs(given - mean) > 0.01):
        return "disagrees"
    return mean


def _voted(each: list[Any], said: Mapping[str, Any]) -> bool | str | None:
    if any(vote not in ("yes", "no") for vote in each):
        return "bad_label"
    counted = Counter(each)
    if counted["yes"] == counted["no"]:
        return None
    majority, given = counted["yes"] > counted["no"], said.get("majority_human")
    if given is not None and given != ("yes" if majority else "no"):
        return "disagrees"
    return majority


def _none(chain: JudgedChain, reason: str, where: tuple[str, int | None, str | None]) -> JudgedChain:
    return chain._replace(dropped=reason, quarantined=where)


def _excerpt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:EXCERPT]
