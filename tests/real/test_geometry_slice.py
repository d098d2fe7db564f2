"""The slice's geometry: Geometry3K's ten problems, GeoQA+'s leftovers, and the rule that judges descriptions."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from assets.comt.creation import samples as created
from assets.comt.description import description
from assets.images import Pictures
from assets.sources import geometry3k, geoqa, plain_pickle
from assets.sources.jsonlines import SourceError

SLICE = Path(__file__).resolve().parents[2].parent / "shared" / "data"
GEOMETRY3K, DERIVED = SLICE / "geometry3k", SLICE / "geoqa_derived"

pytestmark = pytest.mark.skipif(not GEOMETRY3K.is_dir(), reason="the slice of geometry is not here")


@pytest.fixture(scope="module")
def problems():
    pictures = Pictures.of(geometry3k.pictures(GEOMETRY3K))
    return list(geometry3k.samples(GEOMETRY3K, pictures.ids(), pictures.reasons(), provenance="released"))


@pytest.fixture(scope="module")
def questions():
    told = json.loads((DERIVED / "h_geo" / "FTtest.json").read_text(encoding="utf-8"))
    found = [re.search(r"问题：(.*?)\s*错误答案：", each["messages"][0]["content"], re.DOTALL) for each in told]
    return [question[1] for question in found]


def test_all_ten_problems_are_read_with_their_diagram(problems):
    assert [(row.source_id, row.dropped) for row in problems] == [(str(n), None) for n in range(11, 21)]
    assert [row.answer for row in problems] == ["D", "B", "A", "B", "C", "B", "D", "C", "D", "A"]
    assert problems[0].question == r"In \odot X, AB = 30, CD = 30, and m \widehat CZ = 40. Find m \widehat AB."
    assert problems[0].choices == ("30", "40", "60", "80")
    assert {len(row.images) for row in problems} == {1}
    assert {row.rationale for row in problems} == {None}


def test_none_of_the_ten_becomes_a_sample_for_their_solutions_are_blank(problems):
    assert Counter(row.dropped for row in created(problems, least_relations=3)) == {"no_rationale": 10}


def test_one_of_the_ten_questions_describes_its_picture(problems):
    assert [row.source_id for row in problems if description(row.question).suffices(3)] == ["17"]


def test_the_types_of_geoqa_plus_are_read_without_running_their_pickle():
    types = plain_pickle.value(DERIVED / "geoqa_plus" / "sub_dataset_dict.pk")
    assert (len(types), min(types), max(types)) == (13_035, 0, 13_111)
    assert set(types.values()) == {"angle", "length", "area", "other"}
    assert {type(key) for key in types} == {int}
    with pytest.raises(plain_pickle.PickleRefused, match="not_a_list"):
        list(plain_pickle.items(DERIVED / "geoqa_plus" / "sub_dataset_dict.pk"))


def test_leftovers_of_geoqa_are_no_folder_of_it():
    with pytest.raises(SourceError, match=r"holds no train\.pk"):
        list(geoqa.samples(DERIVED / "geoqa_plus", {}, {}, provenance="released"))


def test_how_many_of_327_real_questions_describe_their_picture(questions):
    """Of 30 of the 221, read by a language model, 23 can be drawn as they stand, 5 with a fact or two more."""
    told = [description(question) for question in questions]
    assert len(told) == 327
    assert [sum(each.suffices(least) for each in told) for least in range(1, 6)] == [239, 235, 221, 174, 109]
    assert sum(each.leans is not None for each in told) == 65
    numbered = [each for question, each in zip(questions, told, strict=True) if re.search(r"∠\s*\d", question)]
    assert numbered
    assert not any(each.suffices(1) for each in numbered)
