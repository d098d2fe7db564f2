"""The scores of ROSCOE that a model reads from the texts themselves: consistency, perplexity, grammar."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assets.analysis.rationales import alignments
from assets.analysis.rationales.chains import Chain
from assets.schema.analysis_vocabulary import ROSCOE_GROUPS

if TYPE_CHECKING:
    import numpy as np

    from assets.analysis.encoders.grammar import Grammar
    from assets.analysis.encoders.inference import Inference
    from assets.analysis.encoders.language import Language

LOGICAL = ROSCOE_GROUPS["logical_inference"]
PERPLEXITY = tuple(name for name in ROSCOE_GROUPS["language_coherence"] if name.startswith("perplexity"))
GRAMMAR = tuple(name for name in ROSCOE_GROUPS["language_coherence"] if name.startswith("grammar"))

Pair = tuple[str, str]


def consistency(chains: Sequence[Chain], model: "Inference | None", mode: str) -> "dict[str, np.ndarray]":
    """Source and self consistency: (k,) float64 each, NaN without a model or without a pair of texts to compare.

    One less the likeliest contradiction: of a sentence of the context and a step; of an earlier step and a later
    one, or in mode reference of every step and every one, itself included.
    """
    import numpy as np

    if model is None:
        return _undefined(LOGICAL, chains)
    pairs: dict[str, list[list[Pair]]] = {
        "source_consistency": [[(said, step) for said in one.context for step in one.steps] for one in chains],
        "self_consistency": [
            [
                (earlier, later)
                for place, later in enumerate(one.steps)
                for earlier in (one.steps if mode == "reference" else one.steps[:place])
            ]
            for one in chains
        ],
    }
    listed = [pair for of_chains in pairs.values() for of_chain in of_chains for pair in of_chain]
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(listed))}
    chances = np.asarray(model.contradiction(list(numbers)), np.float64)
    return {
        name: 1
        - alignments.most(
            chances[[numbers[pair] for of_chain in of_chains for pair in of_chain]],
            alignments.bounds([len(of_chain) for of_chain in of_chains]),
        )
        for name, of_chains in pairs.items()
    }


def perplexity(chains: Sequence[Chain], model: "Language | None") -> "dict[str, np.ndarray]":
    """One by the perplexity of the whole chain, of its steps (mean by their tokens) and of its worst step.

    Steps of which no token is scored are passed over: (k,) float64 each, NaN without a model or any such token.
    """
    import numpy as np

    if model is None:
        return _undefined(PERPLEXITY, chains)
    wholes = [" ".join(chain.steps) for chain in chains]
    numbers = {
        text: number
        for number, text in enumerate(dict.fromkeys([*wholes, *(step for chain in chains for step in chain.steps)]))
        if text
    }
    said = dict(zip(numbers, model.surprise(list(numbers)), strict=True))
    with np.errstate(over="ignore"):
        found = {text: (one.tokens, np.exp(one.nll)) for text, one in said.items() if one.tokens > 0}
    scored = [[found[step] for step in chain.steps if step in found] for chain in chains]
    parts = alignments.bounds([len(one) for one in scored])
    tokens = np.array([tokens for one in scored for tokens, _ in one], np.float64)
    values = np.array([value for one in scored for _, value in one], np.float64)
    whole = np.array([found[text][1] if text in found else np.nan for text in wholes], np.float64)
    counted = alignments.total(tokens, parts)
    mean = alignments.total(tokens * values, parts) / np.where(counted > 0, counted, np.nan)
    worst = alignments.most(values, parts)
    return dict(zip(PERPLEXITY, (1 / whole, 1 / mean, 1 / worst), strict=True))


def grammar(chains: Sequence[Chain], model: "Grammar | None") -> "dict[str, np.ndarray]":
    """The mean and the least chance of a step to be acceptable: (k,) float64 each, NaN without a model or steps."""
    import numpy as np

    if model is None:
        return _undefined(GRAMMAR, chains)
    steps = [step for chain in chains for step in chain.steps]
    numbers = {step: number for number, step in enumerate(dict.fromkeys(steps))}
    chances = np.asarray(model.acceptable(list(numbers)), np.float64)[[numbers[step] for step in steps]]
    parts = alignments.bounds([len(chain.steps) for chain in chains])
    return dict(zip(GRAMMAR, (alignments.mean(chances, parts), alignments.least(chances, parts)), strict=True))


def _undefined(names: Sequence[str], chains: Sequence[Chain]) -> "dict[str, np.ndarray]":
    import numpy as np

    return {name: np.full(len(chains), np.nan) for name in names}
