"""`assets.analysis.entries`: which evaluation stands for which published row."""

import pytest

from assets.analysis.entries import Entry, entries
from assets.analysis.published_tables import claims
from assets.schema.faults import Fault
from assets.settings_evaluation import Sampling

SAID = {"model": "gpt4v", "strategy": "direct", "shots": 0, "benchmark": "m3cot", "split": "test"}
SAID |= {"edition": "released", "limit": None, "variant": "default", "shot_rationales": "multimodal", "seed": 0}
SAID |= {"asking": "first", "sampling": Sampling().model_dump()}


def entry(evaluation="one", **changes):
    return Entry(evaluation, "gpt4v", "direct", 0, "m3cot", "released", "test", "gpt4v")._replace(**changes)


def test_entries_stand_by_name_with_the_published_name_of_their_model():
    found = entries({"two": SAID, "one": SAID | {"model": "mine", "shots": 4}}, {"gpt4v": "gpt4v", "mine": None})
    assert found == [Entry("one", "mine", "direct", 4, "m3cot", "released", "test", None), entry("two")]


def test_of_the_sampling_only_what_differs_from_the_usual_is_said():
    said = SAID | {"sampling": Sampling(temperature=0.5, seed=3).model_dump(), "variant": "brief", "asking": "second"}
    [found] = entries({"one": said}, {"gpt4v": None})
    assert found.sampling == (("seed", 3), ("temperature", 0.5))
    assert (found.variant, found.asking) == ("brief", "second")


def test_an_evaluation_of_the_test_split_without_shots_stands_for_its_published_row():
    assert claims([entry()]) == {"one": ("gpt4v", "direct")}


@pytest.mark.parametrize(
    "other",
    [
        {"benchmark": "comt"},
        {"edition": "built"},
        {"split": "validation"},
        {"shots": 4},
        {"limit": 10},
        {"published": None},
        {"strategy": "vot"},
    ],
)
def test_no_other_evaluation_stands_for_it(other):
    assert claims([entry(), entry("two", **other)]) == {"one": ("gpt4v", "direct")}


def test_two_evaluations_for_one_published_row_are_refused():
    with pytest.raises(Fault, match="evaluations one and two both stand for the published row gpt4v direct"):
        claims([entry(), entry("two", model="again")])
