"""TabMWP: problems_*.json and the pictures of their tables -> rows of tables `sample` and `image`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assets.images import Picture
from assets.ordering import natural
from assets.schema.sample import Sample, letter
from assets.sources import folders, json_files, problems
from assets.sources.jsonlines import SourceError

PICTURES = "tables"

CUTS = {"problems_dev1k.json": "problems_dev.json", "problems_test1k.json": "problems_test.json"}
"""Files that hold some problems of another one; not read where the whole one is there."""

CATEGORIES = ("Table Analysis", "Table Comparison", "Table Counting", "Table Calculation", "Table Enumeration")
"""The categories of table questions in M3CoT's released test items, in the order in which `category` tries them."""

REASONS = tuple(
    dict.fromkeys(
        (*folders.REASONS, *json_files.REASONS, *problems.REASONS, "answer_not_an_option", "ambiguous_answer")
    )
)

REPAIRED = "mojibake repaired"
ALONE = "answer as the only option"

_UPSTREAM = ("tabmwp", "TabMWP", "its problems_*.json")
_FILES = re.compile(r"problems_\w+\.json")
_TEXTS = ("table_title", "solution", "unit", "ans_type")
# what UTF-8 of Latin-1's upper half, and of general punctuation and mathematics, looks like when read as Latin-1
_MOJIBAKE = re.compile("[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080-\u00bf]{2}")
_SENTENCE = re.compile(r"[^.?!\n]*\?")
_COMPARED = re.compile(
    r"\bhow (?:many|much) (?:more|fewer|less)\b|\b(?:largest|smallest|greatest|highest|lowest|lightest|heaviest|oldest"
    r"|youngest|shortest|longest|tallest)\b|\b(?:which|who|whose|where|when|what)\b.*"
    r"(?<!\bat )\b(?:most|least|fewest|more|less|fewer|earliest|latest|cheapest|further|farther|closer|faster|slower)\b"
)
_COUNTED = re.compile(r"\bhow many\b")
_NUMBERS = frozenset({"integer_number", "decimal_number"})


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file below `tables` as one row of table `image`, in natural order; none without that folder.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return folders.pictures(folder, PICTURES)


def samples(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Sample]:
    """Each entry of the files problems_*.json as one row of table `sample`, the unreadable ones included.

    Of a problem with options `answer` is the letter of the one that equals the answer's text. A problem without
    options has the answer, with its unit, as its only option, and A: its provenance says so, and what builds the
    benchmark adds the distractors. The table's title is the context, the solution the rationale, the picture of
    the table `images`: without one the row is quarantined, missing_picture or unreadable_picture.
    Texts are kept as they are, save UTF-8 that was read as Latin-1, which is repaired and in the provenance.

    Args:
        folder: the one that holds problems_*.json; of dev1k and dev, test1k and test, the whole one is read.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: no such folder or file is there, or a file cannot be read or holds nothing readable.
    """
    blank = Sample(None, "m3cot", "tabmwp", None, provenance)

    def read(sample: Sample, problem: problems.Problem) -> Sample | str:
        return _sample(sample, problem, ids, reasons)

    seen: set[str] = set()
    for file in _files(folder):
        yield from problems.samples(folders.main_file(folder, file), blank, read, seen, wanted=f"TabMWP's {file}")


def mojibake(text: str) -> str:
    """The text with UTF-8 that was read as Latin-1 put right: `Â°C` becomes `°C`. Other text stays as it is."""
    return _MOJIBAKE.sub(_repaired, text)


def with_unit(answer: str, unit: str | None) -> str:
    """An answer with its unit, as the solutions write it: `$8.20`, `-$3 per year`, `12 bags`, `40%`."""
    if unit is None or not unit.strip():
        return answer
    unit = unit.strip()
    if unit.startswith("$"):
        sign = answer[:1] if answer[:1] in ("-", "\u2212") else ""
        return f"{sign}${answer.removeprefix(sign)} {unit[1:].lstrip(', ')}".rstrip()
    return f"{answer}{unit}" if unit[0] in "%°" else f"{answer} {unit}"


def category(question: str, answer_type: str | None) -> str:
    """The one of `CATEGORIES` that a question belongs to, by what it asks in its last interrogative sentence.

    Analysis: to be judged from the whole table (ans_type boolean_text). Comparison: which is more or most, or by how
    much. Counting: how many. Calculation: any other number. Enumeration: an entry that is read off the table.
    The paper names the categories of its table questions and not how they were given: the rule is this project's.
    """
    if answer_type == "boolean_text":
        return "Table Analysis"
    asked = (_SENTENCE.findall(question) or [question])[-1].lower()
    if _COMPARED.search(asked):
        return "Table Comparison"
    if _COUNTED.search(asked):
        return "Table Counting"
    return "Table Calculation" if answer_type in _NUMBERS else "Table Enumeration"


def _files(folder: Path) -> list[str]:
    folders.check(folder, *_UPSTREAM)
    names = {path.name for path in folder.iterdir() if _FILES.fullmatch(path.name)}
    if not names:
        raise SourceError(f"{folder}: holds no problems_*.json: put TabMWP's files into it")
    return sorted((name for name in names if CUTS.get(name) not in names), key=natural)


def _sample(
    sample: Sample, problem: problems.Problem, ids: Mapping[str, str], reasons: Mapping[str, str]
) -> Sample | str:
    answer, choices = problem.get("answer"), problem.get("choices")
    alone = choices is None
    wrong = problems.fault({**problem, "choices": [""]} if alone else problem, _TEXTS)
    if wrong is not None:
        return wrong
    if type(answer) is not str or not answer.strip():
        return "no_answer"
    right = 0
    if choices is not None:
        if answer not in choices:
            return "answer_not_an_option"
        if choices.count(answer) > 1:
            return "ambiguous_answer"
        right = choices.index(answer)
    options = [with_unit(answer, problem.get("unit"))] if choices is None else choices
    given: dict[str, Any] = {
        "question": problem["question"],
        "context": problem.get("table_title") or "",
        "choices": tuple(options),
        "rationale": problems.rationale(problem.get("solution")),
    }
    mended = given | {
        "question": mojibake(given["question"]),
        "context": mojibake(given["context"]),
        "choices": (with_unit(mojibake(answer), mojibake(problem.get("unit") or "")),)
        if alone
        else tuple(map(mojibake, options)),
        "rationale": problems.rationale(mojibake(problem.get("solution") or "")),
    }
    sample = sample._replace(
        domain="mathematics",
        topic="algebra",
        subtopic="mathematics",
        category=category(mended["question"], problem.get("ans_type")),
        answer=letter(right),
        split=problems.SPLIT_NAMES[problem["split"]],
        **mended,
    )
    if mended != given:
        sample = sample.made(REPAIRED)
    if alone:
        sample = sample.made(ALONE)
    file = folders.place(PICTURES, f"{sample.source_id}.png")
    if file is None:
        return problems.set_aside(sample, "path_outside", f"{sample.source_id}.png")
    return problems.pictured(sample, (file,), ids, reasons)


def _repaired(found: re.Match[str]) -> str:
    try:
        return found[0].encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return found[0]
