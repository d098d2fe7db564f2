"""M3CoT's mathematics: problems of MATH with four options, their figures and formulas drawn as one picture."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping

from assets.m3cot.mathematics import boxed, options
from assets.m3cot.mathematics.notation import shown
from assets.schema.sample import Sample, letter
from assets.writer import Reply

SELECTION_REASONS = ("no_formula_or_figure", "no_figure", "over_quota")
REASONS = (*SELECTION_REASONS, *options.REASONS, "no_picture")
"""Beside them, a problem whose picture was not drawn is dropped for the picture's own reason."""

OPENING, CLOSING = "[asy]", "[/asy]"
_FORMULA = re.compile(r"\\[A-Za-z]|\$[^$]*[\^_=<>+*/-][^$]*\$")


_ASKED = (
    "Which option answers the {} problem in the picture?",
    "The picture shows a problem of {}. Which option is its answer?",
    "Solve the {} problem in the picture: which option is right?",
    "Read the {} problem in the picture and work it out. Which option is correct?",
)


def needs_figure(sample: Sample) -> bool:
    """Whether the problem has a figure of its own, to be drawn from its [asy] code; one in the solution is none."""
    return OPENING in (sample.question or "")


def figures(sample: Sample) -> list[str]:
    """The Asymptote code of the problem's figures, in order; one that is never closed goes to the end of the text."""
    return [code for is_figure, code in _parts(sample.question or "") if is_figure]


def has_formula(sample: Sample) -> bool:
    """Whether the problem's text has a formula that is more than a number or a name."""
    return any(_FORMULA.search(text) for is_figure, text in _parts(sample.question or "") if not is_figure)


def selected(
    samples: Iterable[Sample], most: int | None = None, figures_only: bool = False, *, seed: int = 0
) -> Iterator[Sample]:
    """Every problem in order, those that are not to be drawn dropped.

    no_formula_or_figure: there is nothing to draw. no_figure: there are only formulas, and figures alone are wanted.
    over_quota: more than `most` of its topic are left; which ones stay is drawn by `seed` and the id alone.

    Source: arXiv:2405.16473, appendix A.4.1 (expressions and figures of the questions become the picture).
    """
    rows = [_selected(sample, figures_only) for sample in samples]
    over: set[int] = set()
    if most is not None:
        by_topic: dict[str | None, list[int]] = {}
        for place, sample in enumerate(rows):
            if sample.dropped is None:
                by_topic.setdefault(sample.topic, []).append(place)
        for places in by_topic.values():
            places.sort(key=lambda place: _rank(seed, rows[place].id))
            over.update(places[most:])
    for place, sample in enumerate(rows):
        yield sample.drop("over_quota") if place in over else sample


def mathematics(
    samples: Iterable[Sample],
    replies: Iterable[Reply],
    drawn: Mapping[str, str],
    undrawn: Mapping[str, str],
    *,
    writer: str,
) -> list[Sample]:
    """Every problem that came in, in order: with options, answer and picture, or dropped with the reason.

    The options stand in an order that chance fixes by the id. The problem stands in the picture alone: the question
    only says what is asked of it, in one of a few wordings. The rationale is the solution without figures and boxes;
    `before` has it as it was. Of a problem without a picture the reason for that is said before any other.

    Args:
        samples: problems as the reader gives them, after `selected`.
        replies: what the writer made of `options.requests(samples)`; only an ok one is used.
        drawn: picture ids by sample id.
        undrawn: why there is no picture, by sample id; `no_picture` where neither knows the sample.
        writer: the writer's name, for the provenance.

    Source: arXiv:2405.16473, appendix A.4.1.
    """
    texts = {reply.id: reply.text if reply.status == "ok" else "" for reply in replies}
    return [_built(sample, texts, drawn, undrawn, writer) for sample in samples]


def _built(
    sample: Sample, texts: Mapping[str, str], drawn: Mapping[str, str], undrawn: Mapping[str, str], writer: str
) -> Sample:
    if sample.dropped is not None or sample.id is None:
        return sample
    image_id = drawn.get(sample.id)
    if image_id is None:
        return sample.drop(undrawn.get(sample.id, "no_picture"))
    four = options.checked(sample, texts.get(sample.id, ""))
    if isinstance(four, str):
        return sample.drop(four)
    order = list(range(len(four.options)))
    options.seeded(sample.id, "order").shuffle(order)
    answer = letter(order.index(four.right))
    built = sample._replace(
        question=question(sample),
        choices=tuple(shown(four.options[place]) for place in order),
        answer=answer,
        images=(image_id,),
        before=sample.text,
    )
    return built.with_text(rationale(sample.text)).made(f"options by {writer}").made("problem drawn")


def question(sample: Sample) -> str:
    """What is asked: the problem itself stands in the picture alone, as in the release, so that it has to be read."""
    return _ASKED[options.seeded(str(sample.id), "question").randrange(len(_ASKED))].format(sample.category)


def rationale(solution: str) -> str:
    """The solution without figures and boxes. It names no letter, so that the options can still be reordered."""
    return _tidy("".join(" " if is_figure else text for is_figure, text in _parts(boxed.unboxed(solution))))


def _selected(sample: Sample, figures_only: bool) -> Sample:
    if sample.dropped is not None or needs_figure(sample):
        return sample
    if not has_formula(sample):
        return sample.drop("no_formula_or_figure")
    return sample.drop("no_figure") if figures_only else sample


def _rank(seed: int, sample_id: str | None) -> str:
    return hashlib.sha256(f"{seed}:{sample_id}".encode()).hexdigest()


def _parts(text: str) -> list[tuple[bool, str]]:
    """The text in pieces: (whether it is a figure's code, the piece)."""
    pieces: list[tuple[bool, str]] = []
    at = 0
    while (start := text.find(OPENING, at)) >= 0:
        end = text.find(CLOSING, start)
        inside = text[start + len(OPENING) : end if end >= 0 else len(text)]
        pieces += [(False, text[at:start]), (True, inside.strip())]
        at = end + len(CLOSING) if end >= 0 else len(text)
    return [*pieces, (False, text[at:])]


def _tidy(text: str) -> str:
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[ \t]{2,}", " ", text))
    return re.sub(r"\n{3,}", "\n\n", text).strip()
