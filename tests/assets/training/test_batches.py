import random

import pytest
import torch

from assets.training.backbone import Longest
from assets.training.batches import Numbered, numbered, padded, rationale_target, source, steps_numbered
from assets.training.examples import Asked
from assets.training.text import Encoder, Vocabulary

WORDS = Encoder(Vocabulary.of(["one two three four five six seven"] * 2))
NUMBERS = {word: WORDS.encoded(word)[0] for word in ("one", "two", "three", "four", "five", "six", "seven")}
LONGEST = Longest(question=3, option=2, rationale=8)


def test_of_a_question_the_end_is_read_and_of_an_option_the_beginning() -> None:
    found = numbered(Asked("a", "one two three four five", ("one two three", "seven"), None), WORDS, LONGEST)
    assert found.question == tuple(NUMBERS[word] for word in ("three", "four", "five"))
    assert found.choices == ((NUMBERS["one"], NUMBERS["two"]), (NUMBERS["seven"],))


@pytest.mark.parametrize(
    ("steps", "whole"),
    [
        (["one two three", "four five"], 2),
        (["one two three", "four five six"], 1),
        (["one two three four five six seven"], 0),
        ([], 0),
    ],
)
def test_of_a_rationale_whole_steps_are_read_with_their_marks(steps: list[str], whole: int) -> None:
    found = steps_numbered(steps, WORDS, LONGEST)
    assert found == tuple(tuple(WORDS.encoded(step)) for step in steps[:whole])
    target = rationale_target(found, WORDS)
    assert len(target) <= LONGEST.rationale
    assert target[-1] == WORDS.end
    assert target.count(WORDS.step) == max(0, whole - 1)
    assert WORDS.decoded(target) == [step.capitalize() for step in steps[:whole]]


def test_a_row_is_question_options_each_after_a_mark_and_steps_by_what_follows_them() -> None:
    found = source([Numbered((7, 8), ((9,), (10, 11)))], WORDS, [((20, 21), (22,))])
    assert found.words.tolist() == [[7, 8, WORDS.step, 9, WORDS.step, 10, 11, 20, 21, 22]]
    assert found.places.tolist() == [[0, 1, 0, 1, 0, 1, 2, 1, 1, 0]]
    assert found.kinds.tolist() == [[0, 0, 1, 1, 1, 1, 1, 2, 2, 2]]
    assert found.options.tolist() == [[-1, -1, 0, 0, 1, 1, 1, -1, -1, -1]]
    assert (found.orders, found.most) == (((0, 1),), 2)
    assert found.to(torch.device("cpu")).orders == found.orders


def test_shuffled_options_say_which_one_stands_where() -> None:
    asked = Numbered((), tuple((number,) for number in range(30, 36)))
    found = source([asked], WORDS, rng=random.Random(3))
    (order,) = found.orders
    assert sorted(order) == [0, 1, 2, 3, 4, 5] != list(order)
    assert [word for word in found.words[0].tolist() if word >= 30] == [30 + option for option in order]


def test_hidden_words_are_unknown_and_keep_their_places() -> None:
    asked = Numbered(tuple(range(30, 60)), ((70,),))
    bare, all_hidden = source([asked], WORDS), source([asked], WORDS, rng=random.Random(1), hidden=1.0)
    assert set(all_hidden.words[0].tolist()) == {WORDS.unknown}
    assert torch.equal(all_hidden.places, bare.places)


def test_rows_are_padded_with_no_word() -> None:
    assert padded([[5], [6, 7]]).tolist() == [[5, 0], [6, 7]]
    found = source([Numbered((7, 8, 9), ()), Numbered((), ())], WORDS)
    assert found.words.tolist() == [[7, 8, 9], [WORDS.unknown, 0, 0]]
