"""What models say of the texts: contradictions, perplexities and grammar, by models whose answers are given."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from assets.analysis.encoders.language import Surprise
from assets.analysis.rationales import roscoe
from assets.analysis.rationales.chains import Chain
from assets.analysis.rationales.text_scores import GRAMMAR, LOGICAL, PERPLEXITY, consistency, grammar, perplexity

THREE = Chain(("s1", "s2"), ("a", "b", "c"))
ONE = Chain(("s1",), ("a",))
NONE = Chain(("s1",), ())
ALONE = Chain((), ("a", "b"))


class Contradicts:
    name = "given"

    def __init__(self, chances: Mapping[tuple[str, str], float]) -> None:
        self.chances, self.asked = chances, list[tuple[str, str]]()

    def contradiction(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        self.asked += pairs
        return np.array([self.chances.get(pair, 0.0) for pair in pairs])


class Surprised:
    name = "given"

    def __init__(self, said: Mapping[str, Surprise]) -> None:
        self.said = said

    def surprise(self, texts: Sequence[str]) -> list[Surprise]:
        return [self.said.get(text, Surprise(0, math.nan)) for text in texts]


class Accepts:
    name = "given"

    def acceptable(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([{"a": 0.9, "b": 0.3, "c": 0.6}[text] for text in texts])


def test_source_consistency_is_by_the_likeliest_contradiction_of_any_sentence_and_step() -> None:
    found = consistency([THREE, ONE], Contradicts({("s2", "b"): 0.7, ("s1", "a"): 0.2, ("b", "s2"): 1.0}), "sane")

    np.testing.assert_allclose(found["source_consistency"], [0.3, 0.8])


def test_self_consistency_reads_earlier_steps_before_later_ones_and_in_the_public_code_every_pair() -> None:
    given = Contradicts({("a", "c"): 0.4, ("c", "a"): 0.6, ("b", "b"): 0.9})

    np.testing.assert_allclose(consistency([THREE], given, "sane")["self_consistency"], [0.6])
    np.testing.assert_allclose(consistency([THREE], given, "reference")["self_consistency"], [0.1])


def test_one_step_is_compared_with_itself_by_the_public_code_alone() -> None:
    given = Contradicts({("a", "a"): 0.25})

    assert np.isnan(consistency([ONE], given, "sane")["self_consistency"]).all()
    np.testing.assert_allclose(consistency([ONE], given, "reference")["self_consistency"], [0.75])


def test_consistency_is_undefined_without_steps_or_context_and_pairs_are_asked_once() -> None:
    given = Contradicts({})
    found = consistency([NONE, ALONE, THREE, THREE], given, "sane")

    assert np.isnan(found["source_consistency"]).tolist() == [True, True, False, False]
    assert np.isnan(found["self_consistency"]).tolist() == [True, False, False, False]
    assert len(given.asked) == len(set(given.asked))


def test_perplexity_of_steps_is_weighted_by_their_tokens() -> None:
    said = {
        "a b c": Surprise(9, math.log(5)),
        "a": Surprise(1, math.log(2)),
        "b": Surprise(3, math.log(6)),
        "c": Surprise(0, math.nan),
    }
    found = perplexity([THREE], Surprised(said))

    assert found["perplexity_chain"][0] == pytest.approx(1 / 5)
    assert found["perplexity_step"][0] == pytest.approx(1 / ((1 * 2 + 3 * 6) / 4))
    assert found["perplexity_step_max"][0] == pytest.approx(1 / 6)


def test_steps_without_a_scored_token_are_passed_over_and_a_chain_of_them_is_undefined() -> None:
    found = perplexity([ONE, NONE], Surprised({}))

    assert all(np.isnan(found[name]).all() for name in PERPLEXITY)


def test_a_text_beyond_all_likelihood_scores_0() -> None:
    found = perplexity([ONE], Surprised({"a": Surprise(1, 1e4)}))

    assert [found[name][0] for name in PERPLEXITY] == [0, 0, 0]


def test_grammar_is_the_mean_and_the_worst_of_the_steps() -> None:
    found = grammar([THREE, NONE], Accepts())

    np.testing.assert_allclose(found["grammar_step"], [0.6, np.nan])
    np.testing.assert_allclose(found["grammar_step_max"], [0.3, np.nan])


def test_without_a_model_nothing_is_said() -> None:
    for names, found in (
        (LOGICAL, consistency([THREE], None, "sane")),
        (PERPLEXITY, perplexity([THREE], None)),
        (GRAMMAR, grammar([THREE], None)),
    ):
        assert all(np.isnan(found[name]).all() for name in names)


def test_models_stand_in_the_rows_by_their_names() -> None:
    from assets.analysis.rationales.chains import Reasoned
    from tests.assets.analysis.rationales.vectors import Given, chain

    models = roscoe.Models(inference=Contradicts({("0", "10"): 0.25}))
    rows = roscoe.rows([Reasoned("e", "s", chain("0", "10"), True)], Given(), ["sane"], models)

    assert (rows[0]["inference_model"], rows[0]["language_model"]) == ("given", "no model")
    assert (rows[0]["source_consistency"], rows[0]["self_consistency"]) == (0.75, None)
