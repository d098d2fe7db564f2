"""ROSCOE: how sound the reasoning of a reply is, by twenty scores of its steps, as the public code or the paper has it.

Source: arXiv:2212.07919 (Golovneva et al. 2023), section 4, and the public code's values.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from assets.analysis.encoders import loading
from assets.analysis.encoders.text import TextEncoder, words_of
from assets.analysis.rationales import alignments, text_scores
from assets.analysis.rationales.alignments import Side
from assets.analysis.rationales.chains import Chain, Reasoned
from assets.schema.analysis_vocabulary import NO_MODEL, ROSCOE_MODES, ROSCOE_SCORES

if TYPE_CHECKING:
    import numpy as np

    from assets.analysis.encoders.grammar import Grammar
    from assets.analysis.encoders.inference import Inference
    from assets.analysis.encoders.language import Language

DIGITS = 4
"""To which a score is rounded in the table: what a float32 network gives anywhere."""

CHAINS_AT_ONCE = 128
"""Whose token vectors are in memory together."""

Scores = dict[str, float | None]
Item = TypeVar("Item")


class Models(NamedTuple):
    """What judges the texts themselves; None: no model, and its scores are null."""

    inference: "Inference | None" = None
    language: "Language | None" = None
    grammar: "Grammar | None" = None


class Sentences(NamedTuple):
    """The sentence vectors of many chains.

    steps, context, reference: of the steps and sentences. whole_*: (k, d) of each chain's whole side, its steps joined
    by a full stop and a space; NaN where it has none.
    """

    steps: Side
    context: Side
    reference: Side
    whole_steps: "np.ndarray"
    whole_context: "np.ndarray"
    whole_reference: "np.ndarray"


class Words(NamedTuple):
    """The token vectors of many chains; of the steps those that have any.

    steps: step by step. of_chain: (k + 1,) which of these steps are a chain's. context: chain by chain.
    """

    steps: Side
    of_chain: "np.ndarray"
    context: Side


def scores(
    chains: Sequence[Chain], encoder: TextEncoder, mode: str = "sane", models: Models | None = None
) -> list[Scores]:
    """The twenty scores of each chain in one mode, by name, higher is better; None where one is not defined.

    reference: the values of the public code, its quirks included: token vectors without an attention mask; the whole
    chain's similarity scaled twice (informativeness_chain and semantic_coverage_chain, in [0.5, 1]); repetition_step
    in [0, 0.5], but 1.0 for one step, as repetition_word; self_consistency over both directions and each step with
    itself. Where that code raises (no context, no reference) or says N/A or NaN, a score is None.
    sane: the paper's forms, token vectors with the mask. What compares steps with earlier ones is None for one step.

    In both, all is None for a chain without steps, what needs a context without one, what needs a gold rationale
    without one, and what needs a model without one.

    Args:
        chains: what to score.
        encoder: of sentences and words.
        mode: reference or sane.
        models: of inference, language and grammar.
    """
    found: list[Scores] = []
    for at_once in _stretches(chains):
        # Words first: on the way the encoder learns the vectors of the sentences.
        words = words_vectors(at_once, encoder, masked=mode != "reference")
        found += _all(at_once, sentence_vectors(at_once, encoder), words, mode, models or Models())
    return found


def sentence_vectors(chains: Sequence[Chain], encoder: TextEncoder) -> Sentences:
    """The sentence vectors of the chains, each different text read once."""
    import numpy as np

    sides = [[chain.steps for chain in chains], [chain.context for chain in chains]]
    sides.append([chain.reference or () for chain in chains])
    singles = [text for side in sides for texts in side for text in texts]
    wholes = [". ".join(texts) for side in sides for texts in side]
    numbers = {text: number for number, text in enumerate(dict.fromkeys([*singles, *(one for one in wholes if one)]))}
    vectors = alignments.of_length_one(np.asarray(encoder.sentences(list(numbers))))
    parts = [
        Side(
            vectors[[numbers[text] for texts in side for text in texts]],
            alignments.bounds([len(texts) for texts in side]),
        )
        for side in sides
    ]
    undefined = np.vstack([vectors, np.full((1, vectors.shape[1]), np.nan, vectors.dtype)])
    whole = undefined[[numbers[text] if text else -1 for text in wholes]].reshape(3, len(chains), -1)
    return Sentences(parts[0], parts[1], parts[2], whole[0], whole[1], whole[2])


def words_vectors(chains: Sequence[Chain], encoder: TextEncoder, *, masked: bool) -> Words:
    """The token vectors of the chains' steps and contexts; steps without tokens are left out."""
    both = words_of(encoder, [*(chain.steps for chain in chains), *(chain.context for chain in chains)], masked=masked)
    of_steps = [[words for words in steps if len(words)] for steps in both[: len(chains)]]
    of_context = both[len(chains) :]
    steps = [words for one in of_steps for words in one]
    return Words(
        _joined(steps, [len(words) for words in steps]),
        alignments.bounds([len(one) for one in of_steps]),
        _joined(
            [words for one in of_context for words in one], [sum(len(words) for words in one) for one in of_context]
        ),
    )


def embedding_scores(sentences: Sentences, words: Words, mode: str) -> "dict[str, np.ndarray]":
    """The thirteen scores that compare vectors: (k,) float64 each, NaN where one is not defined."""
    import numpy as np

    reference_mode = mode == "reference"
    steps, context, reference = sentences.steps, sentences.context, sentences.reference
    step_context = _scaled(alignments.best(steps, context))
    step_reference = _scaled(alignments.best(steps, reference))
    reference_step = _scaled(alignments.best(reference, steps))
    reference_context = _scaled(alignments.best(reference, context))
    of_chain = words.steps.bounds[words.of_chain]
    words_context = _scaled(alignments.best(Side(words.steps.vectors, of_chain), words.context))
    faithfulness = alignments.mean(step_context, steps.bounds)
    informativeness = alignments.mean(_scaled(alignments.best(context, steps)), context.bounds)
    # Words that have no counterpart, of a context without any tokens, are not in the pool.
    compared = ~np.isnan(words_context)
    pooled = alignments.total(step_context, steps.bounds)
    pooled = pooled + alignments.total(np.where(compared, words_context, 0), of_chain)
    pool = steps.sizes + alignments.total(compared, of_chain)
    word_before = _scaled(alignments.nearest_words_before(words.steps, words.of_chain))
    step_before = alignments.nearest_before(steps)
    apart = np.abs(alignments.mean(reference_context, reference.bounds) - faithfulness)
    invented = (1 - step_reference) * (1 - step_context)
    overlooked = (1 - reference_step) * (1 - reference_context)
    whole_context = _scaled(_cosines(sentences.whole_steps, sentences.whole_context))
    whole_reference = _scaled(_cosines(sentences.whole_steps, sentences.whole_reference))
    found = {
        "faithfulness": faithfulness,
        "faithfulness_ww": pooled / np.where(pool > 0, pool, np.nan),
        "informativeness_step": (faithfulness + informativeness) / 2,
        "repetition_word": 1 - word_before,
        "reasoning_alignment": alignments.mean(step_reference, steps.bounds),
        "redundancy": alignments.least(step_reference, steps.bounds),
        "missing_step": alignments.least(reference_step, reference.bounds),
        "external_hallucination": 1 - alignments.most(invented, steps.bounds),
        "common_sense_error": 1 - alignments.most(overlooked, reference.bounds),
        "semantic_coverage_step": 1 - apart,
        "informativeness_chain": _scaled(whole_context) if reference_mode else whole_context,
        "repetition_step": (1 - (_scaled(step_before) if reference_mode else step_before)) / 2,
        "semantic_coverage_chain": _scaled(whole_reference) if reference_mode else whole_reference,
    }
    if reference_mode:
        for name in ("repetition_word", "repetition_step"):
            # With nothing to repeat the public code's maximum is that of an empty list, 0, and 1.0 its score.
            found[name] = np.where(np.isnan(found[name]) & (steps.sizes > 0), 1.0, found[name])
    return found


def rows(
    replies: Sequence[Reasoned],
    encoder: TextEncoder,
    modes: Sequence[str] = ROSCOE_MODES,
    models: Models | None = None,
    told: Callable[[int], None] = lambda done: None,
) -> list[dict[str, Any]]:
    """Rows of table `rationale_score`, by evaluation, sample and mode.

    Args:
        replies: the chains.
        encoder: of sentences and words.
        modes: reference, sane or both.
        models: of inference, language and grammar.
        told: hears how many replies have been scored.
    """
    used = models or Models()
    named = {
        "sentence_model": encoder.name,
        "inference_model": NO_MODEL if used.inference is None else used.inference.name,
        "language_model": NO_MODEL if used.language is None else used.language.name,
        "grammar_model": NO_MODEL if used.grammar is None else used.grammar.name,
    }
    found: list[dict[str, Any]] = []
    # Replies to one sample share its context and gold rationale, which are then read together.
    together = sorted(replies, key=lambda reply: (reply.sample_id, reply.evaluation))
    done = 0
    told(done)
    for stretch in _stretches(together):
        chains = [reply.chain for reply in stretch]
        words = {mode: words_vectors(chains, encoder, masked=mode != "reference") for mode in sorted(modes)[::-1]}
        sentences = sentence_vectors(chains, encoder)
        for mode in modes:
            for reply, scored in zip(stretch, _all(chains, sentences, words[mode], mode, used), strict=True):
                found.append({**_counts(reply), "mode": mode, **_rounded(scored), **named})
        done += len(stretch)
        told(done)
    return sorted(found, key=lambda row: (row["evaluation"], row["sample_id"], row["mode"]))


def without_models(table_rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence for each kind of model that no row has, with the scores that are null without it."""
    kinds = (
        ("inference", text_scores.LOGICAL),
        ("language", text_scores.PERPLEXITY),
        ("grammar", text_scores.GRAMMAR),
    )
    listed = list(table_rows)
    return [
        f"no model of {kind}: {', '.join(names)} are null; set analysis.rationales.{kind}"
        for kind, names in kinds
        if all(row[f"{kind}_model"] == NO_MODEL for row in listed)
    ]


def _all(chains: Sequence[Chain], sentences: Sentences, words: Words, mode: str, models: Models) -> list[Scores]:
    with loading.calculating("cpu"):
        by_name = embedding_scores(sentences, words, mode)
    by_name |= text_scores.consistency(chains, models.inference, mode)
    by_name |= text_scores.perplexity(chains, models.language)
    by_name |= text_scores.grammar(chains, models.grammar)
    return [
        {name: None if math.isnan(by_name[name][place]) else float(by_name[name][place]) for name in ROSCOE_SCORES}
        for place in range(len(chains))
    ]


def _counts(reply: Reasoned) -> dict[str, Any]:
    return {
        "evaluation": reply.evaluation,
        "sample_id": reply.sample_id,
        "steps": len(reply.chain.steps),
        "context_steps": len(reply.chain.context),
        "reference_steps": None if reply.chain.reference is None else len(reply.chain.reference),
    }


def _rounded(scored: Scores) -> Scores:
    # The sum takes the sign off a zero.
    return {name: None if value is None else round(value, DIGITS) + 0.0 for name, value in scored.items()}


def _scaled(cosine: "np.ndarray") -> "np.ndarray":
    """From [-1, 1] to [0, 1]."""
    return (1 + cosine) / 2


def _cosines(one: "np.ndarray", other: "np.ndarray") -> "np.ndarray":
    import numpy as np

    cosines: np.ndarray = np.clip(np.einsum("ij,ij->i", one, other).astype(np.float64), -1, 1)
    return cosines


def _joined(vectors: "Sequence[np.ndarray]", sizes: Sequence[int]) -> Side:
    import numpy as np

    width = next((one.shape[1] for one in vectors), 1)
    whole = np.concatenate(vectors) if vectors else np.zeros((0, width), np.float32)
    return Side(alignments.of_length_one(whole), alignments.bounds(sizes))


def _stretches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), CHAINS_AT_ONCE):
        yield items[start : start + CHAINS_AT_ONCE]
