"""What an extractor makes of one reply."""

from typing import NamedTuple


class Extraction(NamedTuple):
    """The answer letter read from one reply, and why.

    letter: the letter predicted, or None where there is none.
    rule: the name of the rule that decided, or that ended the search.
    span: [start, end) in characters of the raw reply, the text that decided; None where nothing did.
    status: the reply's own (ok, refusal, filtered, empty, truncated, error), or none, ambiguous, not_evaluable.
    candidates: the letters the deciding rule had to choose from, in order; () where it had none.

    Source: the output of both extractors: letter, rule, span, status, candidates.
    """

    letter: str | None
    rule: str
    span: tuple[int, int] | None
    status: str
    candidates: tuple[str, ...] = ()
