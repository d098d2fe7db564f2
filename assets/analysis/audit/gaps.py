"""Why an evaluation's accuracy differs between the extractors: by what the replies look like that they read apart."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from assets.analysis.audit.readings import Reading, Readings
from assets.evaluation.rows import Answer
from assets.schema.analysis_vocabulary import COUNTING, SHAPES

TOTAL = "total"
_MOST_RULES = 3


class _Share(NamedTuple):
    """correct of n."""

    correct: int
    n: int

    @property
    def accuracy(self) -> Fraction | None:
        return Fraction(self.correct, self.n) if self.n else None


class _Sides(NamedTuple):
    """The whole evaluation by the published rule and its policy, and by the strict grammar and its policy."""

    paper: _Share
    strict: _Share

    @property
    def moved(self) -> Fraction | None:
        if self.paper.accuracy is None or self.strict.accuracy is None:
            return None
        return self.strict.accuracy - self.paper.accuracy


def gaps(readings: Mapping[str, Readings]) -> Iterator[dict[str, Any]]:
    """Rows of table `gap`: by evaluation the shapes that its replies have, what moves the accuracy most first.

    The last row of an evaluation is total. Its `moved` is strict less paper accuracy, and the sum of the rows above
    it, without rest: a shape moves (strict_correct - paper_correct) / n, where n is the strict denominator, since both
    extractors are right together where they read alike; what is left comes of the policies, which count different
    samples, and stands in the row `counting` (samples without a reply, which strict counts as wrong; repeated and
    unknown ids, which the published script of CoMT counts). That row is there only where there are any.

    Args:
        readings: by evaluation.
    """
    for evaluation, found in sorted(readings.items()):
        yield from _rows(evaluation, found)


def _rows(evaluation: str, found: Readings) -> Iterator[dict[str, Any]]:
    sides = _sides(found)
    by_shape: dict[str, list[Reading]] = {name: [] for name in SHAPES}
    for reading in found.both:
        by_shape[reading.shape].append(reading)
    explained = Fraction(0)
    rows: list[tuple[Fraction, dict[str, Any]]] = []
    for name, replies in by_shape.items():
        apart = [reading for reading in replies if not reading.alike]
        paper, strict = _right(apart)
        moved = Fraction(strict - paper, sides.strict.n) if sides.strict.n else Fraction(0)
        explained += moved
        if replies:
            sentence = _sentence(SHAPES[name], len(replies), apart, sides, moved)
            rows.append((moved, _row(name, len(replies), len(apart), (paper, strict), sides, moved, sentence)))
    rows.sort(key=lambda row: (-abs(row[0]), -row[1]["replies"]))
    counted = [row for _, row in rows]
    if found.alone:
        rest = None if sides.moved is None else sides.moved - explained
        right = _right_alone(found.alone)
        n = len(found.alone)
        counted.append(_row(COUNTING, n, n, right, sides, rest, _counting_sentence(found.alone, rest)))
    whole = {name: sum(row[name] for row in counted) for name in ("replies", "n", "paper_correct", "strict_correct")}
    sentence = _whole_sentence(whole, sides, counted)
    for row in counted:
        yield {"evaluation": evaluation, **row}
    both = (whole["paper_correct"], whole["strict_correct"])
    yield {"evaluation": evaluation, **_row(TOTAL, whole["replies"], whole["n"], both, sides, sides.moved, sentence)}


def _sides(found: Readings) -> _Sides:
    shares = []
    for extractor in ("paper", "strict"):
        answers = [reading.paper if extractor == "paper" else reading.strict for reading in found.both]
        answers += [answer for answer in found.alone if answer.extractor == extractor]
        shares.append(_Share(sum(answer.correct for answer in answers), len(answers)))
    return _Sides(*shares)


def _right(readings: Iterable[Reading]) -> tuple[int, int]:
    pairs = [(reading.paper.correct, reading.strict.correct) for reading in readings]
    return sum(paper for paper, _ in pairs), sum(strict for _, strict in pairs)


def _right_alone(answers: Sequence[Answer]) -> tuple[int, int]:
    paper, strict = (
        sum(answer.correct for answer in answers if answer.extractor == extractor) for extractor in ("paper", "strict")
    )
    return paper, strict


def _row(
    shape: str,
    replies: int,
    n: int,
    right: tuple[int, int],
    sides: _Sides,
    moved: Fraction | None,
    sentence: str,
) -> dict[str, Any]:
    return {
        "shape": shape,
        "replies": replies,
        "n": n,
        "paper_correct": right[0],
        "strict_correct": right[1],
        "paper_accuracy": _float(sides.paper.accuracy),
        "strict_accuracy": _float(sides.strict.accuracy),
        "moved": None if sides.moved is None else _float(moved),
        "sentence": sentence,
    }


def _float(share: Fraction | None) -> float | None:
    return None if share is None else float(share)


def _sentence(words: str, replies: int, apart: Sequence[Reading], sides: _Sides, moved: Fraction) -> str:
    whole = f"{_counted(replies, 'reply is', 'replies are')} {words}"
    if not apart:
        return f"{whole}: the extractors read {'it' if replies == 1 else 'all of them'} alike."
    some = "it" if replies == len(apart) == 1 else "all of them" if replies == len(apart) else f"{len(apart):,} of them"
    paper, strict = _right(apart)
    said = (
        f"{whole}: the extractors read {some} differently. Of these the published rule "
        f"{_did([reading.paper for reading in apart], paper)}, the strict grammar "
        f"{_did([reading.strict for reading in apart], strict)}."
    )
    if sides.paper.accuracy is None or not moved:
        return f"{said} That leaves the accuracy as it is."
    start = sides.paper.accuracy
    return (
        f"{said} That alone takes the accuracy from {_per_cent(start)} to {_per_cent(start + moved)} per cent "
        f"({_points(moved)})."
    )


def _did(answers: Sequence[Answer], right: int) -> str:
    """What an extractor made of some replies: how many are right, how many it reads nothing from, its rules."""
    rules = Counter(answer.rule for answer in answers).most_common()
    rules.sort(key=lambda rule: (-rule[1], rule[0]))
    named = ", ".join(f"{rule} {n}" for rule, n in rules[:_MOST_RULES]) + (", …" if len(rules) > _MOST_RULES else "")
    nothing = sum(answer.letter is None for answer in answers)
    if nothing == len(answers):
        return f"reads no letter from any ({named})"
    without = f" and reads no letter from {nothing}" if nothing else ""
    return f"has {right} right{without} ({named})"


def _counting_sentence(alone: Sequence[Answer], rest: Fraction | None) -> str:
    missing = sum(answer.status == "missing" for answer in alone)
    said = []
    if missing:
        said.append(
            f"{_counted(missing, 'sample has', 'samples have')} no reply, which the strict policy counts as wrong "
            "and the published one does not count"
        )
    if others := len(alone) - missing:
        paper, _ = _right_alone(alone)
        said.append(
            f"{_counted(others, 'reply', 'replies')} to a repeated or unknown id "
            f"{'is' if others == 1 else 'are'} counted by the published policy alone, {paper} of them right"
        )
    moves = "" if rest is None else f" That moves the accuracy by {_points(rest)}."
    return f"The policies count differently: {'; '.join(said)}.{moves}"


def _whole_sentence(whole: Mapping[str, int], sides: _Sides, rows: Sequence[Mapping[str, Any]]) -> str:
    apart = sum(row["n"] for row in rows if row["shape"] != COUNTING)
    replies = sum(row["replies"] for row in rows if row["shape"] != COUNTING)
    if sides.paper.accuracy is None or sides.strict.accuracy is None or sides.moved is None:
        alone = _counted(whole["replies"], "sample counts", "samples count")
        return f"No reply counts for both extractors; {alone} for one of them."
    said = (
        f"The extractors read {apart:,} of {_counted(replies, 'reply', 'replies')} differently: the published rule "
        f"comes to {_of(sides.paper)}, the strict grammar to {_of(sides.strict)} ({_points(sides.moved)})."
    )
    moving = [row for row in rows if row["moved"] and (row["moved"] > 0) == (sides.moved > 0)]
    if not sides.moved or not moving:
        return said
    most = max(moving, key=lambda row: abs(row["moved"]))
    part = f"The largest part of it, {100 * most['moved']:+.2f} points, comes of"
    if most["shape"] == COUNTING:
        return f"{said} {part} what the policies count."
    return f"{said} {part} {_counted(most['n'], 'reply', 'replies')} ({SHAPES[most['shape']]})."


def _of(share: _Share) -> str:
    return f"{_per_cent(share.accuracy or Fraction(0))} per cent ({share.correct:,} of {share.n:,})"


def _counted(n: int, one: str, several: str) -> str:
    return f"{n:,} {one if n == 1 else several}"


def _per_cent(share: Fraction) -> str:
    return f"{float(100 * share):.2f}"


def _points(share: Fraction) -> str:
    return f"{float(100 * share):+.2f} points"
