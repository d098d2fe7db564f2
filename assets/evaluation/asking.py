"""Dialogues -> rows of table `prediction`: what the store of replies knows is taken, the rest is asked and kept."""

import time
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, NamedTuple

from assets.evaluation.asking_run import AskingError as AskingError
from assets.evaluation.asking_run import Progress as Progress
from assets.evaluation.asking_run import Run
from assets.evaluation.drawn import Drawn
from assets.models.model import Dialogue, Model, Pictures
from assets.replies_store import RepliesStore

LEAST = 20
"""Dialogues that have to be done before the share that failed can stop the rest."""

TOLD_S = 0.1
"""Seconds between two reports of progress at least."""


class Asked(NamedTuple):
    """Rows of table `prediction`, one a dialogue in their order, `line` from 1; and what it took to get them."""

    rows: list[dict[str, Any]]
    progress: Progress


def ask(
    evaluation: str,
    dialogues: Iterable[Dialogue],
    model: Model,
    pictures: Pictures,
    store: RepliesStore,
    *,
    template: str = "1",
    asking: str = "first",
    most_failures: float = 0.5,
    told: Callable[[Progress], None] | None = None,
    drawn: Drawn | None = None,
) -> Asked:
    """A prediction for every dialogue; each reply is in the store as soon as it comes, whatever happens after.

    The model is asked only what the store has no accepted reply to, ask by ask; it is not touched where that is
    nothing. Dialogues that say the same are asked once. Where another process was first with a reply, that one
    counts, and what follows is asked of it. A reply whose status is not in `FINAL` is kept as an attempt and ends
    its dialogue for this run. The text of such a row is empty, so that no extractor finds an answer in it.

    Args:
        evaluation: its name, for rows, records and messages.
        dialogues: unanswered, each id once; taken one after another as the model needs them.
        model: what answers.
        pictures: those that the dialogues name.
        store: where the replies are kept; it is synced at the end, however that comes.
        template: the version of the strategy's wording.
        asking: a name; another one asks everything anew.
        most_failures: the share of the dialogues done that may end in status error.
        told: called with the progress at the start, at most ten times a second, and at the end.
        drawn: keeps the pictures that the model draws, and shows them to it in what is asked next.

    Raises:
        AskingError: more than `most_failures` of all dialogues failed (of those done, at least 20, where they are a
            stream), or all of the first 20, or all; or the model leaves a dialogue without its reply; or an id comes
            twice.
        ModelError: of the model; what came before stands.
        ValueError: a dialogue without asks or with replies, or a drawn picture that nothing keeps.
    """
    run = Run(evaluation, dialogues, model, store, template, asking, drawn)
    tell = _Telling(run, told)
    try:
        tell.now()
        shown = pictures if drawn is None else drawn.beside(pictures)
        while (first := next(asks := run.lacking(tell.soon), None)) is not None:
            replies = model.replies(chain((first,), asks), shown)
            try:
                for reply in replies:
                    run.take(reply)
                    run.within(most_failures, LEAST)
                    tell.soon()
            finally:
                # A generator that is left where it stands would go on asking in its threads.
                getattr(replies, "close", _nothing)()
            run.all_replied()
        run.within(most_failures, 1)
        return Asked(run.rows(), run.progress())
    finally:
        store.sync()
        if run.hits:
            store.add_hits(run.hits, evaluation=evaluation, model=model.name, asking=asking)
        tell.now()


class _Telling:
    """Tells the progress, not too often."""

    def __init__(self, run: Run, told: Callable[[Progress], None] | None) -> None:
        self._run, self._told, self._last = run, told, 0.0

    def now(self) -> None:
        self._last = time.monotonic()
        if self._told is not None:
            self._told(self._run.progress())

    def soon(self) -> None:
        if time.monotonic() - self._last >= TOLD_S:
            self.now()


def _nothing() -> None:
    pass
