"""The annotation page as HTML: a sample, its picture, what is asked of it, and how far everybody has got.

Whatever comes from a sample or a person is escaped here, and shown as text.
"""

import base64
import functools
import threading
from collections.abc import Mapping, Sequence
from html import escape

from assets.agreement import Onboarding
from assets.annotation import LONGEST_NOTE, MOST_STEPS, VERDICTS, Judgement
from assets.images import Picture, Pictures
from assets.schema.sample import LETTERS, Sample
from orchestration.annotation_session import Desk, Progress, without_first
from orchestration.annotation_wording import HELP, KEYS, SCORING_HELP, UNMASKED_HELP, WORDING, Wording

LONGEST_SIDE = 1600
MOST_BYTES = 4 << 20
"""What is sent of a picture: more pixels than the page has room for are taken out."""

LONGEST_TEXT = 50_000
"""Characters shown of a question or context."""


class Shelf:
    """The pictures of a stage, taken from their tables as they are asked for, and made small enough to show."""

    def __init__(self, tables: Sequence[Pictures]) -> None:
        """Take the tables; an id is looked for in one after the other."""
        self._tables = tables
        self._lock = threading.Lock()
        self._shown = functools.lru_cache(maxsize=8)(self._of)

    def png(self, image_id: str) -> bytes | None:
        """The picture as PNG, at most LONGEST_SIDE pixels along a side; None when no table has it."""
        with self._lock:
            return self._shown(image_id)

    def _of(self, image_id: str) -> bytes | None:
        for table in self._tables:
            for picture in table.stream({image_id}):
                return reduced(picture)
        return None


def reduced(picture: Picture) -> bytes:
    """The picture as PNG of at most LONGEST_SIDE pixels along a side and about MOST_BYTES; small ones as they are."""
    png = picture.png or b""
    side = max(picture.width or 0, picture.height or 0)
    if side <= LONGEST_SIDE and len(png) <= MOST_BYTES:
        return png
    from assets import images

    pixels = images.decode(png)
    side = min(side, LONGEST_SIDE)
    while True:
        pixels.thumbnail((side, side))
        png = images.encode(pixels)
        if len(png) <= MOST_BYTES or side <= 400:
            return png
        side = side * 3 // 4


def top(desk: Desk, annotator: str, progress: Progress) -> str:
    """The line above: what is asked, how far this annotator and the others are, and how far they agree."""
    rounds = f" · round {desk.round}" if desk.stage == "recheck" else ""
    facts = [f"<b>{progress.mine}</b> of {progress.total} judged by you"]
    if desk.reference is None:
        others = ", ".join(f"{escape(name)} {n}" for name, n in progress.others.items())
        facts.append(f"by others: {others or 'none'}")
        if kappas := [_kappa(*row) for row in progress.kappas]:
            facts.append(f"kappa: {', '.join(kappas)}")
        facts.append(f"undecided: {progress.pending}")
    share = 100 * progress.mine / max(progress.total, 1)
    kind = "onboarding test" if desk.reference is not None else "annotation"
    return (
        f'<div class="cot-top"><div class="cot-title"><b>{escape(wording(desk).title)}</b> '
        f"<span>{named_stage(desk)}{rounds} · {kind}</span></div>"
        f'<div class="cot-who"><span>{escape(annotator)}</span>'
        '<button type="button" data-cot="leave">change</button>'
        '<button type="button" data-cot="help">help <kbd>?</kbd></button></div></div>'
        f'<div class="cot-facts" id="cot-facts">{" · ".join(facts)}</div>'
        f'<div class="cot-bar"><div style="width:{share:.1f}%"></div></div>{_help(desk)}'
    )


def welcome(desk: Desk) -> str:
    """What is said to somebody whose name is not known yet."""
    return f"<b>{escape(wording(desk).title)}</b>{named_stage(desk)}, {len(desk.samples)} samples"


def named_stage(desk: Desk) -> str:
    """The stage by its name, after that of its benchmark where it is not M3CoT."""
    return desk.stage if desk.benchmark == "m3cot" or desk.scores else f"{desk.benchmark} {desk.stage}"


def wording(desk: Desk) -> Wording:
    """What the desk's stage asks."""
    return WORDING[desk.benchmark][desk.stage]


def sheet(desk: Desk, annotator: str, sample: Sample, turn: int, before: Judgement | None = None) -> str:
    """The sample in words: where it belongs, question, context, options with the answer, and the numbered steps."""
    context = f'<div class="cot-context">{bounded(sample.context)}</div>' if (sample.context or "").strip() else ""
    steps = desk.steps(sample)
    if desk.edits:
        listed = _boxes(steps, before)
    elif desk.marks:
        listed = _ticks(steps, set(before.visual_steps or ()) if before else set())
    else:
        listed = "".join(f"<li><span>{bounded(step)}</span></li>" for step in steps)
    heading = "Rationale" + (" · tick the steps that need the picture" if desk.marks else "")
    heading += " · mend what is wrong" if desk.edits else ""
    belongs = (sample.domain, sample.topic, sample.category)
    return (
        f"{opening(annotator, sample, turn, before, belongs)}"
        f'<div class="cot-question">{bounded(sample.question)}</div>{context}{options(sample)}'
        f'<h3>{heading}</h3><ol class="cot-steps">{listed or "<li>There is none.</li>"}</ol></div>'
    )


def opening(
    annotator: str,
    sample: Sample,
    turn: int,
    before: Judgement | None,
    belongs: Sequence[str | None],
    *,
    named: str | None = None,
) -> str:
    """How a sheet begins: whose it is, and where its sample belongs, which is called `named` if that is not its id."""
    first, _ = without_first(before.note if before else None)
    return (
        f'<div class="cot-sheet" id="cot-sheet" data-turn="{turn}" data-sample="{escape(sample.id or "")}" '
        f'data-annotator="{escape(annotator)}" data-first="{escape(first or "")}">'
        f'<div class="cot-belongs">{" › ".join(escape(part) for part in belongs if part)} '
        f"<code>{escape(named or sample.id or '')}</code>{' · judged before' if before else ''}</div>"
    )


def masked(desk: Desk, sample: Sample, turn: int) -> str:
    """What stands where the picture will be."""
    how_many = len(sample.images or ()) + len(sample.choice_images or ())
    what = f"{how_many} pictures are" if how_many > 1 else "The picture is"
    when = "you have read the text" if desk.edits else "you have judged the text"
    return (
        f'<div class="cot-picture cot-masked" data-turn="{turn}"><div>{what} hidden until {when}.'
        "<br>Then press <kbd>s</kbd>.</div></div>"
    )


def picture(sample: Sample, shelf: Shelf, turn: int) -> str:
    """The sample's pictures, those of its options under their letters."""
    shown = [("", key) for key in sample.images or ()]
    shown += [(f"Option {LETTERS[place % 26]}", key) for place, key in enumerate(sample.choice_images or ()) if key]
    figures = []
    for caption, key in shown:
        png = shelf.png(key)
        drawn = (
            f"<span>The picture {escape(key[:12])} is in no table of pictures.</span>"
            if png is None
            else f'<img alt="picture of the sample" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
        )
        figures.append(f"<figure>{drawn}{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>")
    within = "".join(figures) or "<span>This sample has no picture.</span>"
    several = " cot-several" if len(figures) > 1 else ""
    return f'<div class="cot-picture{several}" id="cot-shown" data-turn="{turn}">{within}</div>'


def asked(desk: Desk, shown: bool) -> str:
    """What is asked now."""
    words = wording(desk)
    number, text = ("2", words.with_picture) if shown else ("1", words.text_alone)
    return f'<div class="cot-asked">{f"<span>{number}</span>" if desk.masks else ""}{escape(text)}</div>'


def form(desk: Desk, turn: int, before: Judgement | None = None) -> str:
    """The verdicts to choose from, the note, and the guidelines."""
    words = wording(desk)
    chosen = before.verdict if before else None
    _, note = without_first(before.note if before else None)
    choices = "".join(
        f'<label><input type="radio" name="cot-verdict" value="{verdict}" data-key="{KEYS[verdict]}"'
        f"{' checked' if verdict == chosen else ''}><kbd>{KEYS[verdict]}</kbd>"
        f"{escape(words.verdicts[verdict])}</label>"
        for verdict in VERDICTS[desk.stage]
        if verdict in words.verdicts
    )
    scale = " cot-scale" if desk.scores else ""
    guidelines = "".join(f"<li>{escape(line)}</li>" for line in words.guidelines)
    # where the guidelines stand beside the sample, they need no second place
    how = f"<details><summary>How to judge</summary><ul>{guidelines}</ul></details>" if desk.masks or desk.edits else ""
    return (
        f'<div class="cot-form" data-turn="{turn}"><div class="cot-verdicts{scale}" role="radiogroup">{choices}</div>'
        f'<textarea id="cot-note" rows="1" maxlength="{LONGEST_NOTE - 100}" placeholder="Note (optional)" '
        f'aria-label="Note">\n{escape(note)}</textarea>'
        f"{how}</div>"
    )


def message(text: str = "", *, warned: bool = False) -> str:
    """One sentence to the annotator; none is an empty line."""
    return f'<div class="cot-message" role="alert"{" data-warned" if warned else ""}>{escape(text)}</div>'


def finished(desk: Desk, annotator: str, turn: int, outcome: Onboarding | None) -> str:
    """What is shown when no sample is left; at the end of an onboarding test how it went."""
    begin = (
        f'<div class="cot-sheet cot-done" id="cot-sheet" data-turn="{turn}" data-sample="" '
        f'data-annotator="{escape(annotator)}" data-first="">'
    )
    if outcome is None:
        return (
            f"{begin}<h2>All {len(desk.samples)} samples are judged</h2>"
            "<p>Your judgements are on the disk, and this page may be closed. Back changes the last one.</p></div>"
        )
    share = "" if outcome.share is None else f", {100 * outcome.share:.1f} %"
    word = "passed" if outcome.passed else "not passed"
    return (
        f"{begin}<h2>Onboarding test: {word}</h2>"
        f"<p><b>{outcome.right} of {outcome.n}</b> as the experts judged{share}; "
        f"{100 * desk.passing:.0f} % are asked for.</p></div>"
    )


def options(sample: Sample, *, told: bool = True) -> str:
    """The options with the right one marked, or the answer where there are none; if it is not told, options alone."""
    if not sample.choices:
        return f'<div class="cot-answer">Answer: {bounded(sample.answer)}</div>' if told else ""
    rows = []
    for place, choice in enumerate(sample.choices):
        letter = LETTERS[place] if place < len(LETTERS) else str(place + 1)
        right = ' class="cot-right"' if told and letter == sample.answer else ""
        rows.append(f"<li{right}><b>{letter}</b><span>{bounded(choice)}</span></li>")
    known = sample.answer in LETTERS[: len(sample.choices)] if sample.answer else False
    answer = "" if known or not told else f'<div class="cot-answer">Answer: {bounded(sample.answer)}</div>'
    return f'<ul class="cot-options">{"".join(rows)}</ul>{answer}'


def _ticks(steps: Sequence[str], ticked: set[int]) -> str:
    return "".join(
        f'<li><label><input type="checkbox" name="cot-step" value="{place}"{" checked" if place in ticked else ""}>'
        f"<span>{bounded(step)}</span></label></li>"
        for place, step in enumerate(steps[:MOST_STEPS], start=1)
    )


def _boxes(steps: Sequence[str], before: Judgement | None) -> str:
    """The steps in boxes, as they were edited before; the last box is for one more."""
    now: Mapping[int, str] = {edit.step: edit.text for edit in (before.edits or ())} if before else {}
    # the newline that opens a text box is the page's, and the browser takes it away
    boxes = [
        f'<li><textarea data-step="{place}" rows="1" aria-label="Step {place}">\n{escape(now.get(place, step))}'
        "</textarea></li>"
        for place, step in enumerate(steps[: MOST_STEPS - 1], start=1)
    ]
    if len(steps) < MOST_STEPS:
        more = len(steps) + 1
        boxes.append(
            f'<li class="cot-more"><textarea data-step="{more}" rows="1" aria-label="A step to add" '
            f'placeholder="Add a step">\n{escape(now.get(more, ""))}</textarea></li>'
        )
    return "".join(boxes)


def _help(desk: Desk) -> str:
    keys = "".join(
        f"<tr><td><kbd>{escape(key)}</kbd></td><td>{escape(does)}</td></tr>"
        for key, does in (HELP if desk.masks else SCORING_HELP if desk.scores else UNMASKED_HELP)
    )
    lines = "".join(f"<li>{escape(line)}</li>" for line in wording(desk).guidelines)
    return (
        '<dialog id="cot-help"><form method="dialog"><h3>Keys</h3>'
        f"<table>{keys}</table><h3>How to judge</h3><ul>{lines}</ul><button>Close</button></form></dialog>"
    )


def _kappa(name: str, kappa: float | None, n: int) -> str:
    value = "n/a" if kappa is None else f"{kappa:.2f}"
    return f"{escape(name)} {value} (n {n})"


def bounded(text: str | None) -> str:
    """The text for the page, cut where it is longer than anybody reads."""
    whole = text or ""
    more = len(whole) - LONGEST_TEXT
    return escape(whole) if more <= 0 else f"{escape(whole[:LONGEST_TEXT])}<i> … and {more} more characters</i>"
