"""Which rule of which extractor decided how often, and how often it was right."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assets.evaluation.rows import Answer
from assets.schema.vocabulary import EXTRACTORS


def decisions(answers: Mapping[str, Iterable[Answer]]) -> Iterator[dict[str, Any]]:
    """Rows of table `decision`: by evaluation and extractor, the rule that decided most first.

    What a policy counts without a reading has its row too (missing, unknown_id), so that the rules of an extractor
    add up to the denominator of its accuracy.

    Args:
        answers: by evaluation.
    """
    for evaluation, found in sorted(answers.items()):
        counted = [answer for answer in found if answer.counted]
        n = Counter((answer.extractor, answer.rule) for answer in counted)
        right = Counter((answer.extractor, answer.rule) for answer in counted if answer.correct)
        for extractor, rule in sorted(n, key=lambda key: (EXTRACTORS.index(key[0]), -n[key], key[1])):
            yield {
                "evaluation": evaluation,
                "extractor": extractor,
                "rule": rule,
                "n": n[extractor, rule],
                "correct": right[extractor, rule],
            }
