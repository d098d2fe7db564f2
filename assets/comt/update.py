"""Visual update: what a tangram shows, from its parts coloured and named one after another."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from assets.comt import update_groups
from assets.comt.template import DOMAIN_OF, OPTIONS, filled, identifier
from assets.comt.update_groups import Rules, Tangram, Told, decided, whole_labels
from assets.comt.update_options import Asked
from assets.comt.update_pictures import Shown, drawing
from assets.images import Picture, of_pixels
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.tangram_places import bounds, middle, place

REASONS = update_groups.REASONS
MADE = "label groups coloured and named by rules"
SOURCE = "kilogram"
TASK = "update"
PIECES = 7

_QUESTIONS = (
    "What does this tangram most likely show?",
    "What is this tangram most likely meant to be?",
    "Which of these does this tangram most likely show?",
)
_OPENINGS = (
    "The picture shows a tangram, a figure made of seven flat pieces.",
    "The seven pieces of this tangram form one figure.",
    "To see what these seven pieces show, mark the parts of the figure one after another.",
)
_STEPS = (
    ("{pieces} {where} looks like {part}, so colour it and name it.",
     "{pieces} {where} look like {part}, so colour them and name them."),
    ("{pieces} {where} can be seen as {part}, so give it a colour and a label.",
     "{pieces} {where} can be seen as {part}, so give them a colour and a label."),
    ("{pieces} {where} could be {part}, so it gets its own colour and name.",
     "{pieces} {where} could be {part}, so they get their own colour and name."),
)  # fmt: skip
_MOST_PLACES = 3
_COUNTS = ("No piece", "One piece", "Two pieces", "Three pieces", "Four pieces", "Five pieces", "Six pieces")
_DETERMINED = re.compile(r"(?:her|his|its|their|my|your|our|this|that|these|those|both|two|three|no|where)\b", re.I)


class UpdateError(Fault):
    """A tangram that became a sample and whose picture was neither drawn nor refused, or too few colours."""


def pictures(
    kilogram: pa.Table,
    *,
    palette: Sequence[str],
    longest_label: int,
    most_overlap: float,
    most_per_tangram: int | None,
    seed: int,
) -> Iterator[Picture]:
    """The pictures of each description that becomes a sample: `<sample id>-0` plain, then one label group more each.

    The plain tangram is drawn once and handed out under each name. One tangram is in memory at a time.

    Args:
        kilogram: table `tangram`.
        palette: a colour for each group in turn, as `#rrggbb`; seven or more.
        longest_label: characters of the longest label that is shown.
        most_overlap: share of a piece that another one may cover.
        most_per_tangram: samples of one tangram at most; None: all.
        seed: decides which ones stay where a tangram has more.

    Raises:
        UpdateError: there are fewer than seven colours.

    Source: arXiv:2412.12932, section 2.3 and C.2.
    """
    _check(palette)
    rules = Rules(longest_label, most_overlap, most_per_tangram, seed)
    for tangram in decided(kilogram, whole_labels(kilogram, longest_label), rules):
        plain = None
        for number, told in enumerate(tangram.told):
            if isinstance(told, str):
                continue
            name = _id(tangram.row, number)
            plain = plain or of_pixels(drawing(tangram.pieces), "")
            yield plain._replace(file=f"{name}-0")
            shown = [
                Shown(group.pieces, colour, label)
                for group, colour, label in zip(told.groups, palette, told.places, strict=False)
            ]
            for step in range(1, len(shown) + 1):
                yield of_pixels(drawing(tangram.pieces, shown[:step]), f"{name}-{step}")


def samples(
    kilogram: pa.Table,
    drawn: Mapping[str, str],
    undrawn: Mapping[str, str],
    *,
    palette: Sequence[str],
    longest_label: int,
    most_overlap: float,
    most_per_tangram: int | None,
    seed: int,
) -> list[Sample]:
    """One row a description, in stored order, kept or dropped; one row for a tangram that nobody described.

    The right option is what the person called the whole; the wrong ones are what people called other tangrams and
    could not be taken for anything that was said of this one (`Pool`). Each step of the rationale colours and names
    one label group, in the order in which the person gave them; the last names the right option. A sample one of
    whose pictures could not be drawn goes with that picture's reason.

    Args:
        kilogram: table `tangram`; rows that its reader dropped make none here.
        drawn: image ids by what the pictures are called.
        undrawn: why there is none, by what they are called.
        palette: as `pictures` was given it; so are the following.
        longest_label: see `pictures`.
        most_overlap: see `pictures`.
        most_per_tangram: see `pictures`.
        seed: decides besides which options stand where, and the wording.

    Raises:
        UpdateError: there are fewer than seven colours, or a picture is neither in `drawn` nor in `undrawn`.

    Source: arXiv:2412.12932, section 2.3 and C.2.
    """
    _check(palette)
    pool = whole_labels(kilogram, longest_label)
    rules = Rules(longest_label, most_overlap, most_per_tangram, seed)
    rows: list[Sample | _Draft] = []
    for tangram in decided(kilogram, pool, rules):
        rows.extend(_rows(tangram, palette, drawn, undrawn, seed))
    kept = [row.sample_id for row in rows if isinstance(row, _Draft)]
    right = {
        name: rank % OPTIONS for rank, name in enumerate(sorted(kept, key=lambda name: _digest(f"{seed}/{name}/place")))
    }
    wrong = pool.wrong(
        [
            Asked(row.sample_id, row.tangram, row.told.label, tuple(group.text for group in row.told.groups))
            for row in rows
            if isinstance(row, _Draft)
        ],
        seed,
    )
    return [
        _filled(row, wrong[row.sample_id], right[row.sample_id], seed) if isinstance(row, _Draft) else row
        for row in rows
    ]


class _Draft(NamedTuple):
    """A sample but for its options."""

    sample_id: str
    tangram: str
    provenance: str
    told: Told
    images: tuple[str, ...]
    rationale: str
    annotations: Mapping[str, Any]


def _rows(
    tangram: Tangram, palette: Sequence[str], drawn: Mapping[str, str], undrawn: Mapping[str, str], seed: int
) -> Iterator["Sample | _Draft"]:
    """The rows of one tangram."""
    row = tangram.row
    if not tangram.told:
        yield _dropped(_id(row), row, "no_description")
    for number, told in enumerate(tangram.told):
        name = _id(row, number)
        if isinstance(told, str):
            yield _dropped(name, row, told)
            continue
        files = [f"{name}-{step}" for step in range(len(told.groups) + 1)]
        if lost := next((file for file in files if file not in drawn and file not in undrawn), None):
            raise UpdateError(f"comt/update: {lost} has no picture: make comt/update_images again")
        if refused := next((undrawn[file] for file in files if file in undrawn), None):
            yield _dropped(name, row, refused)
            continue
        yield _Draft(
            name,
            row["id"],
            row["provenance"],
            told,
            tuple(drawn[file] for file in files),
            _rationale(tangram.pieces, told, f"{seed}/{name}"),
            {
                "annotator": row["descriptions"][number]["annotator"],
                "groups": [
                    {"label": group.text, "pieces": list(group.pieces), "colour": colour}
                    for group, colour in zip(told.groups, palette, strict=False)
                ],
            },
        )


def _filled(draft: _Draft, wrong: Sequence[str], right: int, seed: int) -> Sample:
    return filled(
        sample_id=draft.sample_id,
        source=SOURCE,
        source_id=draft.sample_id.removeprefix(f"{SOURCE}-"),
        provenance=f"{draft.provenance} > {MADE}",
        task=TASK,
        question=f"{identifier(0)}\n{_QUESTIONS[_drawn(f'{seed}/{draft.sample_id}/question', len(_QUESTIONS))]}",
        choices=(*wrong[:right], draft.told.label, *wrong[right:]),
        right=right,
        rationale=draft.rationale,
        images=draft.images,
        annotations=draft.annotations,
    )


def _rationale(pieces: Mapping[int, Sequence[float]], told: Told, seed: str) -> str:
    """An opening, a sentence and a picture for each group, and what the parts make together."""
    box = bounds(list(pieces.values()))
    said = [_OPENINGS[_drawn(f"{seed}/opening", len(_OPENINGS))]]
    first = _drawn(f"{seed}/steps", len(_STEPS))
    for step, group in enumerate(told.groups, 1):
        one, several = _STEPS[(first + step) % len(_STEPS)]
        form = one if len(group.pieces) == 1 else several
        where = located([pieces[piece] for piece in group.pieces], box)
        said.append(form.format(pieces=_COUNTS[len(group.pieces)], where=where, part=_named(group.text)))
        said.append(identifier(step))
    parts = [_named(group.text) for group in told.groups]
    together = f"{', '.join(parts[:-1])} and {parts[-1]}"
    said.append(f'With {together} together, the tangram most likely shows "{told.label}".')
    return " ".join(said)


def located(polygons: Sequence[Sequence[float]], box: tuple[float, float, float, float]) -> str:
    """Where pieces lie in a figure with this box, such as `at the top left and left side`, by their centroids.

    Up to three places are named from the top down; more lie
    `across the figure`.
    """
    middles = sorted((y, x) for x, y, _ in map(middle, polygons))
    places = list(dict.fromkeys(place(x, y, box) for y, x in middles))
    if len(places) > _MOST_PLACES:
        return "across the figure"
    return f"at the {' and '.join([', '.join(places[:-1]), places[-1]] if len(places) > 1 else places)}"


def _named(label: str) -> str:
    """A part with its article; quoted where it would not be told from the words around it."""
    if "," in label or " and " in label:
        return f'"{label}"'
    return label if _DETERMINED.match(label) else f"the {label}"


def _dropped(name: str, row: Mapping[str, Any], reason: str) -> Sample:
    source_id = name.removeprefix(f"{SOURCE}-")
    return Sample(name, "comt", SOURCE, source_id, row["provenance"], domain=DOMAIN_OF[TASK], task=TASK, dropped=reason)


def _id(row: Mapping[str, Any], number: int | None = None) -> str:
    return f"{SOURCE}-{row['id']}" if number is None else f"{SOURCE}-{row['id']}-{number + 1}"


def _check(palette: Sequence[str]) -> None:
    if len(set(palette)) < PIECES:
        raise UpdateError(
            f"comt.update.palette: has {len(set(palette))} colours ({', '.join(palette)}): name {PIECES}, one a piece"
        )


def _digest(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


def _drawn(seed: str, below: int) -> int:
    """A number in [0, below) that the seed alone decides."""
    return int.from_bytes(_digest(seed)[:8], "big") % below
