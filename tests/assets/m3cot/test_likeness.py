"""The option that is most like the other three is the right one about as often as chance says."""

import difflib
import json
import random
import re

import pytest

from assets.m3cot.likeness import three
from assets.m3cot.mathematics.notation import shown
from assets.m3cot.mathematics.options import requests, rule
from assets.m3cot.science.table_questions import MADE
from assets.m3cot.science.table_questions import samples as optioned
from assets.sources import math_problems, tabmwp
from assets.sources.generated.upstreams import draw


def characters(one, other):
    return difflib.SequenceMatcher(None, one, other).ratio()


def tokens(one, other):
    return len(set(re.findall(r"\\?\w+|[^\s\w]", one)) & set(re.findall(r"\\?\w+|[^\s\w]", other)))


def guessed(problems, alike):
    """The share of problems, each with its right option first, of which the hub is the right one; ties are shared."""
    hits = 0.0
    for four in problems:
        sums = [round(sum(alike(one, four[j]) for j in range(4) if j != i), 9) for i, one in enumerate(four)]
        hits += (sums[0] == max(sums)) / sums.count(max(sums))
    return hits / len(problems)


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("upstreams") / "generated"
    draw(
        folder,
        seed=7,
        scienceqa=0,
        math=300,
        tabmwp=150,
        kilogram=0,
        sherlock=0,
        annotators=dict.fromkeys(("simulated-a", "simulated-b", "simulated-c"), 0.0),
    )
    made = {"math": [], "tabmwp": []}
    for request in requests(math_problems.samples(folder / "math", provenance="generated")):
        text = rule(request.facts)
        if text is not None:
            made["math"].append([shown(option) for option in json.loads(text)["options"]])
    pictures = {str(path.relative_to(folder / "tabmwp")): "0" * 64 for path in (folder / "tabmwp").rglob("*.png")}
    rows = tabmwp.samples(folder / "tabmwp", pictures, {}, provenance="generated")
    for row in optioned(list(rows), seed=1):
        if row.dropped is None and row.provenance.endswith(MADE):
            right = "ABCD".index(row.answer)
            made["tabmwp"].append([row.choices[right], *row.choices[:right], *row.choices[right + 1 :]])
    return made


@pytest.mark.parametrize("alike", [characters, tokens], ids=["characters", "tokens"])
@pytest.mark.parametrize(("source", "least"), [("math", 200), ("tabmwp", 90)])
def test_the_option_most_like_the_others_is_seldom_the_right_one(
    generated: dict, source: str, least: int, alike
) -> None:
    assert len(generated[source]) >= least
    assert guessed(generated[source], alike) <= 0.38
    assert len({option for four in generated[source] for option in four[:1]}) > 20


WRONG = ("4/13", "5/11", "3/11", "4/12", "7/33", "7/13", "5/13", "9/20", "8/23", "7/12")


def test_every_place_among_the_hubs_comes_up_about_as_often() -> None:
    ranks = [0.0] * 4
    for seed in range(200):
        chosen = three("4/11", WRONG, random.Random(seed), lambda places: 0) or ()
        four = ["4/11", *(WRONG[place] for place in chosen)]
        sums = [round(sum(characters(*sorted((one, other))) for other in four if other != one), 9) for one in four]
        above, equal = sum(each > sums[0] for each in sums), sums.count(sums[0])
        for rank in range(above, above + equal):
            ranks[rank] += 1 / equal
    assert min(ranks) > 30 and max(ranks) < 80, ranks


def test_three_places_in_order_that_the_seed_decides_and_none_of_two() -> None:
    chosen = three("4/11", WRONG, random.Random(1), lambda places: 0)
    assert chosen == three("4/11", WRONG, random.Random(1), lambda places: 0)
    assert chosen is not None and len(chosen) == 3 and list(chosen) == sorted(set(chosen))
    assert three("4/11", WRONG[:2], random.Random(1), lambda places: 0) is None


def test_what_speaks_against_a_set_counts() -> None:
    for seed in range(20):
        chosen = three("4/11", WRONG, random.Random(seed), lambda places: 0 if 9 in places and 8 in places else 10)
        assert chosen is not None and chosen[1:] == (8, 9)
