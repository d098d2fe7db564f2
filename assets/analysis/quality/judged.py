"""How ROSCOE's scores go with what people said of the same chains: Somers' D by dataset, score and question."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp, fsum, lgamma
from typing import Any, NamedTuple

import pyarrow as pa

from assets.analysis.rationales.chains import Chain
from assets.schema.analysis_vocabulary import JUDGED_QUESTIONS, NEEDS_REFERENCE, NO_MODEL, ROSCOE_SCORES
from assets.steps import segment

TOTAL = "total"
BAD = ("missing_steps", "contradiction")
"""Questions to which yes is bad: no counts as the higher judgement."""

Scores = Mapping[str, float | None]


class Judged(NamedTuple):
    """A chain that people judged: where it is from, the chain, and by question what was said, good is high."""

    dataset: str
    chain: Chain
    said: Mapping[str, float | None]


class Somers(NamedTuple):
    """Somers' D with its p value, over n pairs; both None where `why` says so."""

    n: int
    d: float | None
    p: float | None
    why: str | None


def judged(chains: pa.Table) -> list[Judged]:
    """The kept chains of a table `judged_chain`, in its order.

    The context is split into Punkt's sentences and the reference at its lines, as ROSCOE's code does; the steps are
    those that people were shown.

    Source: facebookresearch/ParlAI, projects/roscoe/roscoe.py, for the splitting.
    """
    found = []
    for row in chains.to_pylist():
        if row["dropped"] is None:
            reference = [line for each in (row["reference"] or "").split("\n") if (line := each.strip())]
            chain = Chain(tuple(segment(row["context"] or "")), tuple(row["steps"] or ()), tuple(reference) or None)
            said = {question: _good(row[question], question) for question in JUDGED_QUESTIONS}
            found.append(Judged(row["dataset"], chain, said))
    return found


def judged_scores(
    chains: Sequence[Judged],
    scores: Mapping[str, Sequence[Scores]],
    *,
    sentence_model: str,
    without_model: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Rows of table `judged_score`: a dataset and all chains together, by mode, score and question.

    n is of the chains with both a score and a judgement, undefined of the others. Scores that are equal to four
    decimals are ties: float32 tells no more.

    Args:
        chains: as `judged` gives them.
        scores: by mode the scores of each chain, in the same order.
        sentence_model: what made the vectors.
        without_model: the scores that need a model which nobody named.

    Source: arXiv:2212.07919, section 5 (Somers' D against the human judgements).
    """
    places = {name: [at for at, one in enumerate(chains) if one.dataset == name] for name in _datasets(chains)}
    places[TOTAL] = list(range(len(chains)))
    rows: list[dict[str, Any]] = []
    for dataset, own in places.items():
        for mode, values in scores.items():
            for score in ROSCOE_SCORES:
                for question in JUDGED_QUESTIONS:
                    pairs = _pairs(own, chains, values, score, question)
                    found = somers(pairs)
                    why = _why(found, score, [chains[at] for at in own], score in without_model)
                    rows.append(
                        {
                            "dataset": dataset,
                            "mode": mode,
                            "score": score,
                            "question": question,
                            "n": found.n,
                            "undefined": len(own) - found.n,
                            "somers_d": found.d,
                            "p": found.p,
                            "why": why,
                            "sentence_model": sentence_model,
                        }
                    )
    return rows


def somers(pairs: Sequence[tuple[float, float]]) -> Somers:
    """Somers' D of the second of each pair given the first, with its two-sided p value.

    Of the pairs of chains that were judged differently, the share that the score orders alike less the share that it
    orders the other way. None where either is constant. The p value is that of no association, which Kendall's tau-b
    shares with D: the normal approximation whose variance counts the ties, and no less than twice the share of the
    orders of the judgements that agree as fully as any can.

    Source: R. H. Somers, American Sociological Review 27 (1962) 799-811; ROSCOE's meta-evaluation gives the human
    judgement as the independent one too.
    """
    from scipy.stats import kendalltau, somersd

    given, scores = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if not pairs:
        return Somers(0, None, None, "undefined")
    if len(set(given)) < 2 or len(set(scores)) < 2:
        return Somers(len(pairs), None, None, "constant")
    d = float(somersd(given, scores).statistic)
    ways = lgamma(len(given) + 1) - fsum(lgamma(each + 1) for each in Counter(given).values())
    least = min(1.0, 2 * exp(-ways))
    p = max(least, float(kendalltau(given, scores, method="asymptotic").pvalue)) if len(given) > 2 else least
    return Somers(len(pairs), round(d, 4), float(f"{p:.4g}"), None)


def best(rows: Iterable[Mapping[str, Any]], question: str = "overall") -> dict[str, float]:
    """By mode the largest D of a score over all chains on a question; modes without any are left out."""
    found: dict[str, float] = {}
    for row in rows:
        if (row["dataset"], row["question"]) == (TOTAL, question) and row["somers_d"] is not None:
            found[row["mode"]] = max(row["somers_d"], found.get(row["mode"], -1.0))
    return found


def _good(value: float | bool | None, question: str) -> float | None:
    if value is None:
        return None
    return float(not value) if question in BAD else float(value)


def _datasets(chains: Sequence[Judged]) -> list[str]:
    return sorted({one.dataset for one in chains})


def _pairs(
    own: Sequence[int], chains: Sequence[Judged], values: Sequence[Scores], score: str, question: str
) -> list[tuple[float, float]]:
    found = []
    for at in own:
        said, value = chains[at].said[question], values[at].get(score)
        if said is not None and value is not None:
            found.append((said, round(value, 4)))
    return found


def _why(found: Somers, score: str, chains: Sequence[Judged], lacks_model: bool) -> str | None:
    if found.d is not None:
        return None
    if not chains:
        return "no chain"
    if lacks_model:
        return NO_MODEL
    if score in NEEDS_REFERENCE and not any(one.chain.reference for one in chains):
        return "no reference"
    return found.why
