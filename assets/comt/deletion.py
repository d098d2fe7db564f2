"""Visual deletion: crowds whose faces are masked step by step, as questions about how many people there are."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa

from assets.comt import deletion_pictures
from assets.comt.deletion_pictures import Plan
from assets.comt.template import DOMAIN_OF, OPTIONS, dealt, filled, identifier
from assets.images import Picture, Pictures
from assets.schema.sample import Sample

REASONS = (*deletion_pictures.REASONS, "missing_picture", "size_differs")
"""Why a crowd becomes no sample."""

TASK = "deletion"
MADE = "faces masked, question and rationale written by rules"

QUESTIONS = (
    "How many {people} can be seen in the picture?",
    "How many {people} are there in the picture?",
    "What is the number of {people} in the picture?",
    "Count the {people} in the picture. How many are there?",
)
FACES = frozenset({"voc_faces"})
"""Sources that have boxes on faces alone: who turns away or is cut off is not counted there, so faces are asked for."""

NARROWEST, WIDEST = 20, 8
"""Two options next to each other are apart by a twentieth to an eighth of the right count, rounded down, 1 at least."""

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def pictures(crowds: pa.Table, photographs: Pictures, *, fewest: int, most: int, at_once: int) -> Iterator[Picture]:
    """The masked pictures of every crowd that becomes a sample: `<sample id>-1` with the first faces masked, and so on.

    They come in the order in which the photographs are stored; one photograph is held at a time. Where a crowd's
    photograph is not stored, or has another size than the crowd says, each of its pictures is a row that says so.

    Source: arXiv:2412.12932, section 2.2 and C.2: "we mask 10 faces each time until all have been masked".
    """
    waiting: dict[str, list[int]] = {}
    for place, crowd in enumerate(_rows(crowds)):
        if crowd["dropped"] is None and not isinstance(_plan(crowd, fewest, most, at_once), str):
            waiting.setdefault(crowd["image_id"], []).append(place)
    for photograph in photographs.stream(frozenset(waiting)):
        for place in waiting.pop(photograph.image_id or "", ()):
            crowd, plan = _again(crowds, place, fewest, most, at_once)
            if (photograph.width, photograph.height) == (crowd["width"], crowd["height"]):
                yield from deletion_pictures.drawn(photograph, plan, sample_id(crowd))
            else:
                yield from _undrawn(crowd, plan, "size_differs")
    for places in waiting.values():
        for place in places:
            yield from _undrawn(*_again(crowds, place, fewest, most, at_once), "missing_picture")


def samples(
    crowds: pa.Table,
    drawn: Mapping[str, str],
    undrawn: Mapping[str, str],
    *,
    fewest: int,
    most: int,
    at_once: int,
    seed: int,
) -> list[Sample]:
    """One row for every crowd that its source kept, in order: its sample, or why it makes none.

    A head that stands twice with the same box counts once. Picture 0 is the photograph. `annotations` say
    `masked`: the boxes of each step as left, top, width and height in whole pixels; `duplicates`: repeated heads that
    were taken out; `clipped`: boxes that reached beyond the picture.

    Args:
        crowds: table `crowd`.
        drawn: image ids of what `pictures` drew, by file.
        undrawn: why one was not drawn, by file.
        fewest: people that a picture shows at least.
        most: people that a picture shows at most.
        at_once: faces masked in a step; the last step masks what is left.
        seed: of the wordings and the options.

    Source: arXiv:2412.12932, section 2.2 and C.2 ("samples whose face number falls within a specific range").
    """
    made = []
    places = dealt(
        {sample_id(crowd): faces - fewest + 1 for crowd, faces in _counted(crowds, fewest, most, at_once)},
        f"{seed}/deletion",
    )
    for crowd in _rows(crowds):
        if crowd["dropped"] is not None:
            continue
        plan = _plan(crowd, fewest, most, at_once)
        if isinstance(plan, str):
            made.append(_dropped(crowd, plan))
            continue
        files = [f"{sample_id(crowd)}-{number}" for number in range(1, len(plan.steps) + 1)]
        lacking = next((file for file in files if file not in drawn), None)
        if lacking is not None:
            made.append(_dropped(crowd, undrawn.get(lacking, "no_picture")))
            continue
        made.append(
            _sample(crowd, plan, [drawn[file] for file in files], at_once, fewest, places[sample_id(crowd)], seed)
        )
    return made


def options(count: int, right: int, fewest: int, rng: random.Random) -> tuple[tuple[str, ...], int]:
    """Four counts in ascending order, none below `fewest`, and the place of the right one, from 0.

    They are evenly spaced. The right one's place is given, and each of the four is given as often as the others, so
    neither the smallest, the largest nor a middle one is right more often. The spacing is drawn from a twentieth to
    an eighth of the right count (1 at least), d with a weight of 1/d: so the spacing says almost nothing about which
    of the four it was taken from (whoever knows the rule finds 0.30 of the right ones). No option is made round. A
    count near `fewest` is spaced more narrowly, and its place is one that leaves no option below: no picture shows
    fewer, so such an option could be struck out.
    """
    widest = min(max(1, count // WIDEST), max(1, (count - fewest) // (OPTIONS - 1)))
    spacing = range(min(max(1, count // NARROWEST), widest), widest + 1)
    apart = rng.choices(spacing, [1 / each for each in spacing])[0]
    right = min(right, count - fewest)
    return tuple(str(count + (place - right) * apart) for place in range(OPTIONS)), right


def rationale(steps: Sequence[int], at_once: int, *, faces: bool = False) -> str:
    """The counting in words, with a picture after each masking; `steps` says how many faces each one masks.

    Seven faces in one step, or 23 in three: 10, 10 and 3. `faces`: what is counted are faces, not people.
    """
    counted, masked_ones = ("faces", "them") if faces else ("people", "their faces")
    said = [
        f"To count the {counted} without losing track, mask {masked_ones} {_number(at_once)} at a time from left to "
        "right."
    ]
    for number, (masked, so_far) in enumerate(zip(steps, accumulate(steps), strict=True), start=1):
        sum_of = f"{so_far - masked} + {masked} = {so_far}" if number > 1 else str(so_far)
        said += [
            f"{_masking(number, len(steps), masked)} {identifier(number)}",
            f"That makes {sum_of} {_counted_ones(so_far, faces)} so far.",
        ]
    total = sum(steps)
    said.append(
        f"No unmasked face is left, so there {_are(total)} {total} {_counted_ones(total, faces)} in the picture."
    )
    return " ".join(said)


def _counted(crowds: pa.Table, fewest: int, most: int, at_once: int) -> Iterator[tuple[Mapping[str, Any], int]]:
    """The crowds that make a sample, if their pictures are drawn, with how many faces they show."""
    for crowd in _rows(crowds):
        if crowd["dropped"] is None and not isinstance(plan := _plan(crowd, fewest, most, at_once), str):
            yield crowd, plan.faces


def sample_id(crowd: Mapping[str, Any]) -> str:
    """The id of the sample that a row of table `crowd` becomes."""
    return f"{crowd['source']}-{crowd['id']}"


def _sample(
    crowd: Mapping[str, Any], plan: Plan, masked: Sequence[str], at_once: int, fewest: int, place: int, seed: int
) -> Sample:
    rng = random.Random(f"{seed}/deletion/{sample_id(crowd)}")
    wording = rng.choice(QUESTIONS)
    choices, right = options(plan.faces, place, fewest, rng)
    faces = crowd["source"] in FACES
    return filled(
        sample_id=sample_id(crowd),
        source=crowd["source"],
        source_id=crowd["id"],
        provenance=f"{crowd['provenance']} > {MADE}",
        task=TASK,
        question=f"{identifier(0)}\n{wording.format(people='faces' if faces else 'people')}",
        choices=choices,
        right=right,
        rationale=rationale([len(step) for step in plan.steps], at_once, faces=faces),
        images=(crowd["image_id"], *masked),
        annotations={"masked": plan.steps, "duplicates": plan.duplicates, "clipped": plan.clipped},
    )._replace(split=crowd["split"])


def _dropped(crowd: Mapping[str, Any], reason: str) -> Sample:
    return Sample(
        sample_id(crowd),
        "comt",
        crowd["source"],
        crowd["id"],
        crowd["provenance"],
        domain=DOMAIN_OF[TASK],
        task=TASK,
        images=None if crowd["image_id"] is None else (crowd["image_id"],),
        split=crowd["split"],
        dropped=reason,
    )


def _undrawn(crowd: Mapping[str, Any], plan: Plan, reason: str) -> Iterator[Picture]:
    for number in range(1, len(plan.steps) + 1):
        yield Picture(None, f"{sample_id(crowd)}-{number}", None, None, None, None, reason)


def _rows(crowds: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows, one at a time: the heads of all crowds would be millions of Python's objects at once."""
    for batch in crowds.to_batches(max_chunksize=1):
        yield from batch.to_pylist()


def _plan(crowd: Mapping[str, Any], fewest: int, most: int, at_once: int) -> Plan | str:
    return deletion_pictures.plan(crowd, fewest=fewest, most=most, at_once=at_once)


def _again(crowds: pa.Table, place: int, fewest: int, most: int, at_once: int) -> tuple[dict[str, Any], Plan]:
    crowd = crowds.slice(place, 1).to_pylist()[0]
    plan = _plan(crowd, fewest, most, at_once)
    assert isinstance(plan, Plan)
    return crowd, plan


def _masking(number: int, steps: int, masked: int) -> str:
    faces = "face" if masked == 1 else f"{_number(masked)} faces"
    if steps == 1:
        if masked == 1:
            return "The only face is masked."
        return f"{'Both' if masked == 2 else 'All'} {faces.removeprefix('two ')} are masked in one step."
    if number == 1:
        return f"The first {faces} on the left {_are(masked)} masked."
    return f"The {'last' if number == steps else 'next'} {faces} to the right {_are(masked)} masked."


def _number(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else str(count)


def _counted_ones(count: int, faces: bool) -> str:
    return ("face" if count == 1 else "faces") if faces else ("person" if count == 1 else "people")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
