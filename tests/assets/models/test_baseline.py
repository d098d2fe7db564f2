"""`assets.models.baseline`: chance and a constant letter as models that are asked."""

import random
from collections import Counter

import pytest

from assets.evaluation import baselines
from assets.evaluation.extraction import paper, strict
from assets.evaluation.rows import Item
from assets.models.baseline import Baseline
from assets.models.model import Ask, Dialogue, ModelError, said


def dialogue(sample_id, choices=("red", "blue", "green", "grey"), asks=1):
    return Dialogue(sample_id, tuple(Ask((said(f"question {number}"),)) for number in range(asks)), choices)


def texts(model, *dialogues):
    return [reply.text for reply in model.replies(dialogues, None)]


def test_random_draws_from_the_seed_and_the_id_alone():
    alone = texts(Baseline("chance", "random", 2), dialogue("b-2"))
    among = texts(Baseline("chance", "random", 2), dialogue("a-1"), dialogue("b-2"), dialogue("c-3"))
    # the rule written out anew, not the function that the model calls
    expected = "ABCD"[random.Random("2/b-2").randrange(4)]
    assert alone == [among[1]] == [f"The answer is ({expected})."]


def test_random_gives_the_letters_that_the_table_of_baselines_scores():
    ids = [f"s-{number}" for number in range(50)]
    items = [Item(key, ("a", "b", "c"), "A", None, None, None, None) for key in ids]
    for seed in (1, 3):
        found = texts(Baseline("chance", "random", seed), *(dialogue(key, ("a", "b", "c")) for key in ids))
        assert found == [f"The answer is ({baselines.drawn(item, seed)})." for item in items]


def test_each_option_is_as_likely_and_none_beyond_them_is_drawn():
    found = Counter(texts(Baseline("chance", "random"), *(dialogue(f"s-{n}", ("a", "b", "c")) for n in range(3000))))
    assert set(found) == {f"The answer is ({letter})." for letter in "ABC"}
    # 1,000 each expected, standard deviation 26
    assert max(abs(n - 1000) for n in found.values()) < 130


def test_majority_says_its_letter_always():
    assert texts(Baseline("most", "majority", letter="C"), dialogue("a"), dialogue("b", ("x", "y"))) == [
        "The answer is (C).",
        "The answer is (C).",
    ]


def test_only_the_last_ask_gets_an_answer_and_what_was_said_is_not_said_again():
    found = list(Baseline("most", "majority", letter="B").replies([dialogue("a", asks=2)], None))
    assert [(reply.ask, reply.text, reply.status) for reply in found] == [
        (0, "No model was asked: this is a guess.", "ok"),
        (1, "The answer is (B).", "ok"),
    ]
    again = dialogue("a", asks=2).replied(found[0].parts)
    assert list(Baseline("most", "majority", letter="B").replies([again], None)) == found[1:]
    assert [(reply.tokens_in, reply.tokens_out, reply.fingerprint) for reply in found] == [(None, None, None)] * 2


@pytest.mark.parametrize("benchmark", ["m3cot", "comt"])
def test_both_extractors_read_the_letter(benchmark):
    [text] = texts(Baseline("most", "majority", letter="B"), dialogue("a"))
    choices = ["a guess", "the answer", "is", "B"]
    assert paper.extract(text, choices, benchmark).letter == "B"
    assert strict.extract(text, choices).letter == "B"


def test_a_dialogue_without_options_is_an_error_that_stops_no_other():
    found = list(Baseline("chance", "random").replies([dialogue("a", ()), dialogue("b")], None))
    assert [(reply.id, reply.status, reply.finish_reason) for reply in found] == [
        ("a", "error", "no options to draw from"),
        ("b", "ok", None),
    ]


def test_majority_without_a_letter_says_the_way_out():
    with pytest.raises(ModelError, match=r"^models\.most: majority has no letter .* or set answers: random$"):
        Baseline("most", "majority")


def test_identity_has_what_decides_and_nothing_else():
    assert Baseline("chance", "random", 3, "B").identity == {"kind": "baseline", "answers": "random", "seed": 3}
    assert Baseline("most", "majority", 3, "B").identity == {"kind": "baseline", "answers": "majority", "letter": "B"}
