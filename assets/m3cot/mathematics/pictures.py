"""The pictures of MATH's problems: a card each, its figures drawn from their code by Asymptote."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from assets.images import Picture, of_pixels
from assets.m3cot.mathematics import asymptote, cards
from assets.m3cot.mathematics import samples as mathematics
from assets.m3cot.mathematics.formulas import Unsupported
from assets.schema.sample import Sample

if TYPE_CHECKING:
    from PIL import Image

AT_ONCE = 48
"""Problems drawn before their pictures go to storage: what is held in memory."""


def executable(figures: str) -> str | None:
    """What draws figures: the path of Asymptote if `figures` asks for it and it is installed here, else None."""
    return asymptote.available() if figures == "asymptote" else None


def drawn(
    samples: Sequence[Sample],
    *,
    most_per_topic: int | None,
    executable: str | None,
    seconds: float,
    progress: Callable[[int, int | None], None] | None = None,
) -> Iterator[Picture]:
    """One row a problem, in order, with `file` its id: the card, or why there is none.

    Reasons: those of `mathematics.selected` (the problem is not to be drawn), of the figures (`no_renderer` where
    nothing draws them) and of the card. `progress` is told of the problems done.

    Source: arXiv:2405.16473, appendix A.4.1.
    """
    chosen = list(mathematics.selected(samples, most_per_topic))
    for start in range(0, len(chosen), AT_ONCE):
        part = chosen[start : start + AT_ONCE]
        codes = [
            (f"{place}/{number}", code)
            for place, sample in enumerate(part)
            if sample.dropped is None
            for number, code in enumerate(mathematics.figures(sample))
        ]
        figures: dict[int, list[Image.Image]] = {}
        failed: dict[int, str] = {}
        for name, figure, reason in asymptote.draw(codes, executable=executable, seconds=seconds):
            place = int(name.partition("/")[0])
            if figure is None:
                failed.setdefault(place, reason or "unsupported_figure")
            else:
                figures.setdefault(place, []).append(figure)
        for place, sample in enumerate(part):
            yield _card(sample, figures.get(place, []), failed.get(place))
            if progress is not None:
                progress(start + place + 1, len(chosen))


def _card(sample: Sample, figures: "list[Image.Image]", failed: str | None) -> Picture:
    name, reason = str(sample.id), sample.dropped or failed
    if reason is None:
        try:
            return of_pixels(cards.card(sample.question or "", figures), name)
        except Unsupported as error:
            reason = error.reason
    return Picture(None, name, None, None, None, None, reason)
