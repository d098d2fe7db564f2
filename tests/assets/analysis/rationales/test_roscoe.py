"""ROSCOE's scores by hand, on points of a circle; the public code's quirks in mode reference, the paper in sane."""

import math

import pytest

from assets.analysis.rationales import roscoe
from assets.analysis.rationales.chains import Chain, Reasoned
from assets.schema.analysis_vocabulary import NEEDS_REFERENCE, ROSCOE_GROUPS, ROSCOE_SCORES
from assets.schema.tables import as_table
from tests.assets.analysis.rationales.vectors import Given, chain

EMBEDDING = (*ROSCOE_GROUPS["semantic_alignment"], *ROSCOE_GROUPS["semantic_similarity"])


def c(degrees: float) -> float:
    """How alike two points are that so many degrees lie between: 1 for the same, 0.5 at a right angle."""
    return (1 + math.cos(math.radians(degrees))) / 2


def scored(one: Chain, mode: str = "sane", encoder: Given | None = None) -> dict[str, float | None]:
    return roscoe.scores([one], encoder or Given(), mode)[0]


@pytest.mark.parametrize("mode", ["reference", "sane"])
def test_what_compares_steps_with_context_and_gold_rationale_is_as_by_hand(mode: str) -> None:
    # Steps at 0 and 60 degrees, context at 90, gold steps at 10 and 180.
    found = scored(chain("90", "0, 60", "10, 180"), mode)

    step_context, step_gold = (c(90), c(30)), (c(10), c(50))
    gold_step, gold_context = (c(10), c(120)), (c(80), c(90))
    assert found["faithfulness"] == pytest.approx(sum(step_context) / 2, abs=1e-6)
    assert found["informativeness_step"] == pytest.approx((sum(step_context) / 2 + c(30)) / 2, abs=1e-6)
    assert found["reasoning_alignment"] == pytest.approx(sum(step_gold) / 2, abs=1e-6)
    assert found["redundancy"] == pytest.approx(c(50), abs=1e-6)
    assert found["missing_step"] == pytest.approx(c(120), abs=1e-6)
    invented = [(1 - a) * (1 - b) for a, b in zip(step_gold, step_context, strict=True)]
    overlooked = [(1 - a) * (1 - b) for a, b in zip(gold_step, gold_context, strict=True)]
    assert found["external_hallucination"] == pytest.approx(1 - max(invented), abs=1e-6)
    assert found["common_sense_error"] == pytest.approx(1 - max(overlooked), abs=1e-6)
    assert found["semantic_coverage_step"] == pytest.approx(
        1 - abs(sum(gold_context) / 2 - sum(step_context) / 2), abs=1e-6
    )


def test_faithfulness_ww_is_the_mean_over_steps_and_words_together() -> None:
    # Steps at 0 (words 0, 20) and 60 (word 60), context at 90 (words 90, 30): two steps and three words.
    found = scored(chain("90 30", "0 20, 60"))

    pool = [c(90), c(30), c(30), c(10), c(30)]
    assert found["faithfulness_ww"] == pytest.approx(sum(pool) / 5, abs=1e-6)


def test_repetition_word_looks_at_each_word_of_a_step_in_each_earlier_step() -> None:
    # The third step's words 100 and 130: best in the first step 40 and 70 degrees away, in the second 10 and 20.
    found = scored(chain("0", "0 60, 90 150, 100 130"))

    assert found["repetition_word"] == pytest.approx(1 - (c(10) + c(20)) / 2, abs=1e-6)


def test_repetition_step_is_of_the_nearest_pair() -> None:
    one = chain("0", "0, 90, 100")

    assert scored(one)["repetition_step"] == pytest.approx((1 - math.cos(math.radians(10))) / 2, abs=1e-6)
    assert scored(one, "reference")["repetition_step"] == pytest.approx((1 - c(10)) / 2, abs=1e-6)


def test_whole_chains_are_compared_as_their_texts_joined_and_scaled_twice_by_the_public_code() -> None:
    encoder = Given({"0. 60": 20.0, "90": 90.0, "10. 180": 50.0})
    one = chain("90", "0, 60", "10, 180")

    sane, code = (scored(one, mode, encoder) for mode in ("sane", "reference"))
    assert sane["informativeness_chain"] == pytest.approx(c(70), abs=1e-6)
    assert code["informativeness_chain"] == pytest.approx((1 + c(70)) / 2, abs=1e-6)
    assert sane["semantic_coverage_chain"] == pytest.approx(c(30), abs=1e-6)
    assert code["semantic_coverage_chain"] == pytest.approx((1 + c(30)) / 2, abs=1e-6)


def test_the_public_code_reads_words_without_a_mask_so_that_a_long_neighbour_moves_them() -> None:
    # The second step is one word shorter than the longest, and turned by ten degrees where nothing is masked.
    one = chain("0", "0 30, 30")

    assert scored(one)["repetition_word"] == pytest.approx(1 - c(0), abs=1e-6)
    assert scored(one, "reference")["repetition_word"] == pytest.approx(1 - c(10), abs=1e-6)


def test_one_step_repeats_nothing_and_jumps_to_1_in_the_public_code_alone() -> None:
    one = chain("0", "30")

    assert [scored(one)[name] for name in ("repetition_word", "repetition_step")] == [None, None]
    assert [scored(one, "reference")[name] for name in ("repetition_word", "repetition_step")] == [1.0, 1.0]


@pytest.mark.parametrize("mode", ["reference", "sane"])
def test_a_chain_without_steps_has_no_score(mode: str) -> None:
    found = scored(chain("0", "", "10"), mode)

    assert list(found) == list(ROSCOE_SCORES)
    assert set(found.values()) == {None}


@pytest.mark.parametrize("mode", ["reference", "sane"])
def test_without_a_context_only_what_needs_none_is_scored(mode: str) -> None:
    found = scored(chain("", "0, 60", "10"), mode)

    assert {name for name in EMBEDDING if found[name] is not None} == {
        "reasoning_alignment",
        "redundancy",
        "missing_step",
        "repetition_word",
        "repetition_step",
        "semantic_coverage_chain",
    }


@pytest.mark.parametrize("mode", ["reference", "sane"])
@pytest.mark.parametrize("gold", [None, ()])
def test_without_a_gold_rationale_what_needs_one_is_null(mode: str, gold: tuple[str, ...] | None) -> None:
    found = scored(Chain(("0",), ("0", "60"), gold), mode)

    assert {name for name in EMBEDDING if found[name] is None} == set(NEEDS_REFERENCE)


def test_a_step_without_words_is_left_out_of_what_compares_words() -> None:
    with_blank, without = (scored(chain("0", steps)) for steps in ("10 20, blank, 40", "10 20, 40"))

    assert with_blank["repetition_word"] == without["repetition_word"]
    assert with_blank["faithfulness_ww"] == pytest.approx((2 * c(10) + c(0) + c(40) + c(20) + c(40)) / 6, abs=1e-6)


def test_where_a_context_has_no_words_faithfulness_ww_is_that_of_the_steps() -> None:
    found = scored(chain("blank", "10 20, 40"))

    assert found["faithfulness_ww"] == pytest.approx(found["faithfulness"])


def test_a_chain_is_scored_alike_whatever_stands_beside_it() -> None:
    one, other = chain("0, 90", "10 20, 40, 80", "30"), chain("", "blank")
    alone = scored(one)

    for beside in ([one, other, one], [other, other, one], [one] * 300):
        found = roscoe.scores(beside, Given())
        assert [found[place] for place, it in enumerate(beside) if it is one] == [
            pytest.approx(alone) for it in beside if it is one
        ]


def test_each_text_is_asked_for_once() -> None:
    encoder = Given()
    roscoe.scores([chain("0", "10, 20, 10", "20"), chain("0", "10")], encoder)

    assert sorted(encoder.asked) == sorted(set(encoder.asked))


def test_scores_stay_within_their_range_where_vectors_are_opposite_or_equal() -> None:
    for mode in ("reference", "sane"):
        for one in (chain("0", "180, 180", "0"), chain("0", "0, 0", "0")):
            assert all(0 <= value <= 1 for value in scored(one, mode).values() if value is not None)


def test_rows_are_sorted_rounded_and_name_their_models() -> None:
    told: list[int] = []
    replies = [
        Reasoned("b", "s1", chain("0", "10, 30"), True),
        Reasoned("a", "s2", chain("0", "10, 10", "20"), True),
        Reasoned("a", "s1", chain("0", "", "10, 20"), False),
    ]
    rows = roscoe.rows(replies, Given(), ("sane", "reference"), told=told.append)

    assert [(row["evaluation"], row["sample_id"], row["mode"]) for row in rows] == [
        ("a", "s1", "reference"),
        ("a", "s1", "sane"),
        ("a", "s2", "reference"),
        ("a", "s2", "sane"),
        ("b", "s1", "reference"),
        ("b", "s1", "sane"),
    ]
    assert [(row["steps"], row["context_steps"], row["reference_steps"]) for row in rows[::2]] == [
        (0, 1, 2),
        (2, 1, 1),
        (2, 1, None),
    ]
    assert rows[3]["faithfulness"] == 0.9924
    assert math.copysign(1, rows[3]["repetition_step"]) == 1 and rows[3]["repetition_step"] == 0.0
    assert {row["sentence_model"] for row in rows} == {"given"}
    assert {row["grammar_model"] for row in rows} == {"no model"}
    assert told == [0, 3]
    assert as_table("rationale_score", rows).num_rows == 6


def test_what_no_model_is_there_for_is_said_in_sentences() -> None:
    rows = roscoe.rows([Reasoned("a", "s", chain("0", "10"), True)], Given())

    assert roscoe.without_models(rows) == [
        "no model of inference: source_consistency, self_consistency are null; set analysis.rationales.inference",
        "no model of language: perplexity_chain, perplexity_step, perplexity_step_max are null; set "
        "analysis.rationales.language",
        "no model of grammar: grammar_step, grammar_step_max are null; set analysis.rationales.grammar",
    ]
    assert roscoe.without_models([row | {"language_model": "gpt2"} for row in rows])[1].startswith(
        "no model of grammar"
    )
