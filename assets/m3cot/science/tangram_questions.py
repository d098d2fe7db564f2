"""Questions about KILOGRAM's tangrams: what the figure resembles, from what people called it and its parts."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from assets.drawing import polygons
from assets.images import Picture, of_pixels
from assets.m3cot.questions import draw, ordered, picture_of
from assets.schema.sample import Sample
from assets.tangram_labels import alike, clean, is_usable, is_usable_whole, stems, words
from assets.tangram_places import bounds, mean, middle, place

if TYPE_CHECKING:
    from PIL import Image

REASONS = ("no_description", "label_unusable", "too_few_parts", "too_few_options")
CATEGORY = "Abstract Tangram Recognition"
MADE = "question by rules"
WRONG = 3

_FILL = "lightgray"
"""As the pieces of KILOGRAM's own drawings are filled."""

_STEMS = (
    "What does the figure in the picture most resemble?",
    "Which animal or object does the figure in the picture look most like?",
    "The seven pieces in the picture form one figure. What is it most likely meant to be?",
    "Which of these is best depicted by the figure in the picture?",
)
_CONTEXT = "The picture shows a tangram: a figure made of seven flat pieces."


class _Labelled(NamedTuple):
    """A tangram that can become a question but for its wrong options: its label and where its parts are."""

    label: str
    parts: tuple[tuple[str, tuple[str, ...], int], ...]


def pictures(tangrams: pa.Table) -> Iterator[Picture]:
    """A picture of each tangram that becomes a question: light pieces with thin white edges on white.

    One row is one picture; `file` is the sample's id.
    """
    rows = _rows(tangrams)
    labels = _labels(rows)
    for row in rows:
        if not isinstance(_kept(row, labels), str):
            yield of_pixels(_drawn(row["pieces"]), _id(row))


def samples(tangrams: pa.Table, drawn: Mapping[str, str], *, seed: int) -> list[Sample]:
    """One row a tangram that was kept, in order: with its question, or dropped for one of `REASONS`.

    The right option is the whole label most agreed on: that whose content words the other annotators' labels share
    most (Jaccard's index, added up; the first of equals). The rationale takes the parts from the first annotator with
    that label who named two parts or more. Wrong options are such labels of other tangrams that share no content
    word, stem or group of synonyms with anything that anybody said about this one, nor with each other. Only labels
    that stand are read, never superseded ones.

    Args:
        tangrams: table `tangram`.
        drawn: image ids by sample id.
        seed: decides which wrong options stand in which order.

    Raises:
        PictureMissing: a tangram became a question and has no picture.

    Source: arXiv:2405.16473, appendix A.4.2 (KILOGRAM for sparse topics); the category is the released one.
    """
    rows = _rows(tangrams)
    labels = _labels(rows)
    return [_sample(row, labels, drawn, seed) for row in rows]


def _sample(row: Mapping[str, Any], labels: Mapping[str, str], drawn: Mapping[str, str], seed: int) -> Sample:
    name = _id(row)
    sample = Sample(
        name,
        "m3cot",
        "kilogram",
        row["id"],
        row["provenance"],
        domain="science",
        topic="social-science",
        subtopic="cognitive-science",
        category=CATEGORY,
    )
    found = _kept(row, labels)
    if isinstance(found, str):
        return sample.drop(found)
    order = sorted(labels)
    random.Random(f"{seed}/{name}/others").shuffle(order)
    wrong = _others(row, labels, order) or _others(row, labels, labels) or ()
    options, letter = ordered(found.label, wrong, f"{seed}/{name}")
    filled = sample._replace(
        question=_STEMS[draw(f"{seed}/{name}/stem", len(_STEMS))],
        context=_CONTEXT,
        choices=options,
        answer=letter,
        images=(picture_of(drawn, name),),
    )
    return filled.with_text(_rationale(found)).made(MADE)


def _rationale(found: _Labelled) -> str:
    told = []
    for text, places, count in found.parts:
        where = " and ".join([", ".join(places[:-1]), places[-1]] if len(places) > 1 else places)
        subject = "The piece" if count == 1 else f"The {count} pieces"
        told.append(f'{subject} at the {where} of the figure can be seen as "{text}".')
    named = " and ".join(f'"{text}"' for text, _, _ in found.parts) if len(found.parts) == 2 else "all these parts"
    told.append(f'A figure with {named} put together in this way most resembles "{found.label}".')
    return " ".join(told)


def _rows(tangrams: pa.Table) -> list[dict[str, Any]]:
    return [row for row in tangrams.to_pylist() if row["dropped"] is None]


def _id(row: Mapping[str, Any]) -> str:
    return f"kilogram-{row['id']}"


def _labels(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The whole label most agreed on of every tangram that has a usable one, by the tangram's id, in order."""
    found = {row["id"]: _most_agreed(row) for row in rows}
    return {tangram: label for tangram, label in found.items() if label is not None}


def _most_agreed(row: Mapping[str, Any]) -> str | None:
    said = [clean(each["whole"]) for each in row["descriptions"]]
    usable = [(number, label) for number, label in enumerate(said) if is_usable_whole(label)]
    if not usable:
        return None

    def agreement(each: tuple[int, str]) -> float:
        own = stems(each[1])
        others = (stems(label) for number, label in enumerate(said) if number != each[0])
        return sum(len(own & other) / len(own | other) for other in others)

    return max(usable, key=lambda each: (round(agreement(each), 9), -each[0]))[1]


def _kept(row: Mapping[str, Any], labels: Mapping[str, str]) -> _Labelled | str:
    """The tangram's label and parts, or the reason why it makes no question; no seed has a say in it."""
    if not row["descriptions"]:
        return "no_description"
    label = labels.get(row["id"])
    if label is None:
        return "label_unusable"
    by_label = [each for each in row["descriptions"] if stems(clean(each["whole"])) == stems(label)]
    parts = next((found for each in by_label if len(found := _parts(each, row["pieces"])) >= 2), None)
    if parts is None:
        return "too_few_parts"
    if _others(row, labels, labels) is None:
        return "too_few_options"
    return _Labelled(label, parts)


def _others(row: Mapping[str, Any], labels: Mapping[str, str], order: Any) -> tuple[str, ...] | None:
    """The first labels of other tangrams in this order that mean nothing said here and differ; None if too few."""
    said = frozenset().union(*(words(each["whole"]) for each in row["descriptions"]))
    chosen: list[str] = []
    for tangram in order:
        label = labels[tangram]
        own = words(label)
        if tangram == row["id"] or alike(own, said) or any(alike(own, words(other)) for other in chosen):
            continue
        chosen.append(label)
        if len(chosen) == WRONG:
            return tuple(chosen)
    return None


def _parts(
    description: Mapping[str, Any], pieces: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, tuple[str, ...], int], ...]:
    """What this annotator called the parts, each with where its pieces are and how many they are, from the top down."""
    box = bounds([piece["points"] for piece in pieces])
    middles = {piece["piece"]: middle(piece["points"]) for piece in pieces}
    named: dict[str, list[tuple[float, float, float]]] = {}
    for part in description["parts"]:
        text = clean(part["text"])
        if is_usable(text) and part["piece"] in middles:
            named.setdefault(text, []).append(middles[part["piece"]])
    found = []
    for text, of_part in named.items():
        x, y = mean(of_part)
        places = tuple(dict.fromkeys(place(x, y, box) for x, y, _ in sorted(of_part, key=lambda each: each[1::-1])))
        found.append(((y, x), (text, places if len(places) <= 3 else (place(x, y, box),), len(of_part))))
    return tuple(part for _, part in sorted(found))


def _drawn(pieces: Sequence[Mapping[str, Any]]) -> "Image.Image":
    """The pieces on white paper, the longer side as long as the picture allows."""
    left, top, right, bottom = bounds([piece["points"] for piece in pieces])
    moved = [
        ([(x - left, y - top) for x, y in zip(piece["points"][::2], piece["points"][1::2], strict=True)], _FILL)
        for piece in pieces
    ]
    return polygons(moved, right - left, bottom - top)
