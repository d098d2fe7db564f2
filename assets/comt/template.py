"""CoMT's template: question, four options, numbered pictures, a rationale of texts and pictures in turn, answer."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assets.schema.sample import Part, Sample, letter

IDENTIFIER = re.compile(r"\[IMAGE(0|[1-9][0-9]{0,3})\]")
"""Where a picture stands in a text. Source: arXiv:2412.12932, C.1, and the README of the release."""

OPTIONS = 4
"""Source: arXiv:2412.12932, C.1: "four similar options, only one of which is correct"."""

DOMAIN_OF = {
    "creation": "mathematics",
    "deletion": "commonsense",
    "update": "commonsense",
    "selection": "commonsense",
}
"""The domain of each task. Source: arXiv:2412.12932, section 3: "two primary domains within M3CoT"."""


class TemplateError(ValueError):
    """A text that names a picture which is not there."""


def identifier(number: int) -> str:
    """How a text names picture `number`, from 0."""
    return f"[IMAGE{number}]"


def identifiers(text: str) -> list[int]:
    """The numbers of the pictures that a text names, in the order in which they stand, repeated ones included."""
    return [int(found[1]) for found in IDENTIFIER.finditer(text)]


def parts(rationale: str, images: Sequence[str]) -> tuple[Part, ...]:
    """The texts and pictures of a rationale in turn; `images` are the ids of all pictures, by their number.

    No character is lost: `written` gives the same rationale again. A text between is never empty.

    Raises:
        TemplateError: an identifier has no picture.
    """
    found: list[Part] = []
    place = 0
    for mark in IDENTIFIER.finditer(rationale):
        if int(mark[1]) >= len(images):
            raise TemplateError(f"{mark[0]} names no picture: there are {len(images)}")
        if mark.start() > place:
            found.append(Part("text", rationale[place : mark.start()], None))
        found.append(Part("image", mark[0], images[int(mark[1])]))
        place = mark.end()
    if place < len(rationale):
        found.append(Part("text", rationale[place:], None))
    return tuple(found)


def written(rationale: Sequence[Part]) -> str:
    """A rationale as one text, with the identifiers of its pictures where they stand."""
    return "".join(part.text or "" for part in rationale)


def filled(
    *,
    sample_id: str,
    source: str,
    source_id: str,
    provenance: str,
    task: str,
    question: str,
    choices: Sequence[str],
    right: int,
    rationale: str,
    images: Sequence[str],
    annotations: Mapping[str, Any],
) -> Sample:
    """A sample of CoMT as its template has it.

    Args:
        sample_id: `<source>-<source id>`; picture n is called `<sample id>-<n>`.
        source: the upstream.
        source_id: its identifier there.
        provenance: which steps made it.
        task: creation, deletion, update or selection.
        question: with `[IMAGE0]` where its picture stands (creation's picture stands in the rationale).
        choices: four.
        right: the place of the right one, from 0.
        rationale: with an identifier where each picture stands.
        images: ids of the pictures, by number.
        annotations: what the pictures were made from, step by step; anything that JSON can say.

    Raises:
        TemplateError: `fault` finds something.
    """
    made = Sample(
        id=sample_id,
        benchmark="comt",
        source=source,
        source_id=source_id,
        provenance=provenance,
        domain=DOMAIN_OF[task],
        task=task,
        question=question,
        choices=tuple(choices),
        answer=letter(right),
        rationale=parts(rationale, images),
        images=tuple(images),
        image_names=tuple(f"{sample_id}-{number}" for number in range(len(images))),
        other=json.dumps({"annotations": annotations}, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
    )
    if wrong := fault(made):
        raise TemplateError(f"{sample_id}: {wrong}")
    return made


def dealt(allowed: Mapping[str, int], seed: str) -> dict[str, int]:
    """For each id the place of the right option: each place as often as another, in an order that the seed decides.

    Args:
        allowed: how many of the first places an id may have, by id; ids with fewer are dealt theirs first.
        seed: of the order among ids that may have as many.
    """
    order = sorted(allowed, key=lambda name: (allowed[name], random.Random(f"{seed}/{name}").random(), name))
    first = random.Random(seed).randrange(OPTIONS)
    given = dict.fromkeys(range(OPTIONS), 0)
    places = {}
    for name in order:
        free = range(min(OPTIONS, max(1, allowed[name])))
        places[name] = min(free, key=lambda place: (given[place], (place - first) % OPTIONS))
        given[places[name]] += 1
    return places


def fault(sample: Sample) -> str | None:
    """What of the template a sample does not hold; None when it holds it all.

    Every identifier has a picture and every picture an identifier; the rationale shows a picture and says a word;
    creation's question has no picture, that of every other task has `[IMAGE0]`.
    """
    question, shown = sample.question or "", sample.rationale or ()
    asked = identifiers(question)
    told = identifiers(written(shown))
    images = sample.images or ()
    if sample.task not in DOMAIN_OF:
        return f"task {sample.task} is none of {', '.join(DOMAIN_OF)}"
    if len(sample.choices or ()) != OPTIONS:
        return f"has {len(sample.choices or ())} options, not {OPTIONS}"
    if missing := sorted({number for number in (*asked, *told) if number >= len(images)}):
        return f"{identifier(missing[0])} has no picture"
    if idle := sorted(set(range(len(images))).difference(asked, told)):
        return f"picture {idle[0]} has no identifier"
    if not told:
        return "its rationale shows no picture"
    if not sample.text.strip():
        return "its rationale says nothing"
    if (sample.task == "creation") == bool(asked):
        return "its question shows a picture" if asked else "its question shows no picture"
    if any(part.image_id != images[number] for part, number in zip(_pictures(shown), told, strict=True)):
        return "its rationale shows another picture than its identifier names"
    return None


def annotations(sample: Sample) -> Any:
    """What the sample's pictures were made from, as `filled` took it; None where it says nothing."""
    return json.loads(sample.other).get("annotations") if sample.other else None


def _pictures(rationale: Sequence[Part]) -> list[Part]:
    return [part for part in rationale if part.kind == "image"]
