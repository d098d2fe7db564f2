"""A sample of CoMT as HTML: its question, options and rationale with the pictures where they stand in the text.

Whatever comes from a sample or a person is escaped here, and shown as text; pictures are asked for by their ids.
"""

import itertools
from collections.abc import Iterator, Sequence
from html import escape

from assets.annotation import QUESTION, Judgement
from assets.comt.template import IDENTIFIER, identifier
from assets.schema.sample import Part, Sample
from assets.steps import segment
from orchestration import annotation_view as view
from orchestration.annotation_session import Desk
from orchestration.annotation_wording import ANY_DRAWN, DRAWN, TASKS, WORDING

PICTURES = "/pictures"
"""Where the page asks for a picture, by its id."""


def is_among_words(desk: Desk) -> bool:
    """Whether the pictures stand among the words, and not beside them: only who edits has them beside."""
    return not desk.masks and not desk.edits


def sheet(desk: Desk, annotator: str, sample: Sample, turn: int, before: Judgement | None = None) -> str:
    """The sample's question, options with the answer, and rationale; with a box for the question where it is edited.

    Where a reply is judged, it stands in the rationale's place, and neither the answer nor whose it is, is told.
    """
    if desk.scores:
        return _reply(annotator, sample, turn, before)
    if desk.edits:
        question = f"<h3>Question · complete what it says of the picture</h3>{_box(sample, before)}"
    else:
        question = f'<div class="cot-question">{_pictured(sample.question or "", sample.images or ())}</div>'
    listed = "".join(_steps(desk, sample.rationale or ()))
    return (
        f"{view.opening(annotator, sample, turn, before, (sample.domain, sample.task, sample.source))}"
        f'<div class="{"cot-among" if is_among_words(desk) else "cot-beside"}">{question}{view.options(sample)}'
        f'<h3>Rationale</h3><ol class="cot-steps">{listed or "<li>There is none.</li>"}</ol></div></div>'
    )


def pane(desk: Desk, sample: Sample, turn: int) -> str:
    """What stands beside the sheet: the pictures to describe, or what makes a sample of this task good."""
    if desk.edits:
        shown = sample.images or ()
        figures = "".join(f"<figure>{_picture(number, key)}</figure>" for number, key in enumerate(shown))
        several = " cot-several" if len(shown) > 1 else ""
        within = figures or "<span>This sample has no picture.</span>"
        return f'<div class="cot-picture{several}" id="cot-shown" data-turn="{turn}">{within}</div>'
    title, *about = DRAWN.get(sample.task or "", ANY_DRAWN) if desk.scores else TASKS.get(sample.task or "", ("", ""))
    lines = "".join(f"<li>{escape(line)}</li>" for line in WORDING[desk.benchmark][desk.stage].guidelines)
    return (
        f'<div class="cot-guide" id="cot-shown" data-turn="{turn}"><h3>{escape(title)}</h3>'
        f"{''.join(f'<p>{escape(each)}</p>' for each in about)}<ul>{lines}</ul></div>"
    )


def _reply(annotator: str, sample: Sample, turn: int, before: Judgement | None) -> str:
    """The question and options, and the reply as it was given, its pictures among its words."""
    question = _pictured(sample.question or "", sample.images or () if sample.benchmark == "comt" else ())
    beside = sample.images or () if sample.benchmark != "comt" else ()
    figures = "".join(_figure(None, key) for key in [*beside, *filter(None, sample.choice_images or ())])
    context = f'<div class="cot-context">{view.bounded(sample.context)}</div>' if (sample.context or "").strip() else ""
    numbers = itertools.count(1)
    parts = "".join(
        f"<div>{view.bounded(text)}</div>"
        if part.kind == "text" and (text := (part.text or "").strip())
        else _drawn(next(numbers), part.image_id)
        for part in sample.rationale or ()
        if part.kind != "text" or (part.text or "").strip()
    )
    belongs = (sample.domain, sample.task or sample.topic)
    return (
        f"{view.opening(annotator, sample, turn, before, belongs, named=sample.source_id)}"
        f'<div class="cot-among"><div class="cot-question">{question}{figures}</div>{context}'
        f"{view.options(sample, told=False)}"
        f'<h3>What the model replied</h3><div class="cot-reply">{parts}</div></div></div>'
    )


def _drawn(number: int, image_id: str | None) -> str:
    if image_id is None:
        return f"<figure>Picture {number} of the reply cannot be shown.</figure>"
    return f"<figure>{_picture(number, image_id, 'reply')}<figcaption>picture {number}</figcaption></figure>"


def _box(sample: Sample, before: Judgement | None) -> str:
    """The question in its box, as it was edited before."""
    now = {edit.step: edit.text for edit in (before.edits or ())} if before else {}
    # the newline that opens a text box is the page's, and the browser takes it away
    return (
        f'<ol class="cot-steps"><li class="cot-description"><textarea data-step="{QUESTION}" aria-label="Question">\n'
        f"{escape(now.get(QUESTION, sample.question or ''))}</textarea></li></ol>"
    )


def _steps(desk: Desk, rationale: Sequence[Part]) -> Iterator[str]:
    """The steps and pictures of a rationale in turn; where pictures stand beside, their identifiers alone."""
    for part in rationale:
        if part.kind == "text":
            for step in segment(part.text or "", desk.profile):
                yield f"<li><span>{view.bounded(step)}</span></li>"
        elif desk.edits:
            yield f'<li class="cot-shows"><code>{escape(part.text or "")}</code></li>'
        else:
            found = IDENTIFIER.fullmatch(part.text or "")
            number = int(found[1]) if found else None
            yield f'<li class="cot-shows">{_figure(number, part.image_id)}</li>'


def _pictured(text: str, images: Sequence[str]) -> str:
    """The text with its pictures in place of their identifiers; an identifier without a picture stays."""
    found, place = [], 0
    for mark in IDENTIFIER.finditer(text):
        if int(mark[1]) < len(images):
            found += [view.bounded(text[place : mark.start()].rstrip()), _figure(int(mark[1]), images[int(mark[1])])]
            place = mark.end()
    return "".join([*found, view.bounded(text[place:].lstrip() if place else text)])


def _figure(number: int | None, image_id: str | None) -> str:
    caption = "" if number is None else f"<figcaption>{identifier(number)}</figcaption>"
    return f"<figure>{_picture(number, image_id)}{caption}</figure>"


def _picture(number: int | None, image_id: str | None, of: str = "sample") -> str:
    name = "picture" if number is None else f"picture {number}"
    return (
        f'<button type="button" class="cot-large" data-cot="large" aria-label="{name}, large">'
        f'<img alt="{name} of the {of}" src="{PICTURES}/{escape(image_id or "none")}"></button>'
    )
