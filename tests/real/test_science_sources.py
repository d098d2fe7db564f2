"""The slice of ScienceQA, TabMWP and Sherlock: every record is a row, with the counts of its MANIFEST."""

from collections import Counter
from pathlib import Path

import pytest

from assets.images import Pictures, once
from assets.samples import to_table
from assets.sources import scienceqa, sherlock, tabmwp

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

pytestmark = pytest.mark.skipif(not (DATA / "scienceqa").is_dir(), reason="the slice of source files is not here")


@pytest.fixture(scope="module", params=["scienceqa", "tabmwp"])
def source(request):
    module = {"scienceqa": scienceqa, "tabmwp": tabmwp}[request.param]
    pictures = list(once(module.pictures(DATA / request.param)))
    held = Pictures.of(pictures)
    rows = list(module.samples(DATA / request.param, held.ids(), held.reasons(), provenance="released"))
    return request.param, pictures, rows


COUNTED = {
    "scienceqa": {
        "files": 238,
        "same_pixels": 8,
        "rows": {(None, False): 894, (None, True): 167, ("missing_picture", False): 712},
        "choices": {2: 946, 3: 416, 4: 389, 5: 22},
        "splits": {"train": 1041, "validation": 371, "test": 361},
        "without_rationale": 146,
        "choice_images": 26,
        "contexts_empty": 894,
    },
    "tabmwp": {
        "files": 700,
        "same_pixels": 1,
        "rows": {(None, True): 700},
        "choices": {1: 520, 2: 104, 3: 3, 4: 73},
        "splits": {"validation": 700},
        "without_rationale": 0,
        "choice_images": 0,
        "contexts_empty": 280,
    },
}


def test_every_record_is_a_row_with_the_counts_of_the_manifest(source):
    name, pictures, rows = source
    assert {
        "files": len(pictures),
        "same_pixels": sum(row.dropped == "same_pixels" for row in pictures),
        "rows": Counter((row.dropped, bool(row.images)) for row in rows),
        "choices": Counter(len(row.choices) for row in rows),
        "splits": Counter(row.split for row in rows),
        "without_rationale": sum(row.rationale is None for row in rows),
        "choice_images": sum(row.choice_images is not None for row in rows),
        "contexts_empty": sum(row.context == "" for row in rows),
    } == COUNTED[name]


def test_ids_are_distinct_and_the_rows_fit_the_table(source):
    name, _, rows = source
    assert len({row.id for row in rows}) == len(rows) == to_table(rows).num_rows
    assert all(row.id == f"{name}-{row.source_id}" for row in rows)


def test_what_is_quarantined_says_which_picture_is_missing_and_where_it_is_named(source):
    _, _, rows = source
    for row in rows:
        if row.dropped is not None:
            split = {"validation": "val"}.get(row.split, row.split)
            assert row.quarantined[0] == "problems.json"
            assert row.quarantined[2] == f"images/{split}/{row.source_id}/image.png"


def test_the_lines_of_quarantined_problems_are_those_of_their_keys(source):
    name, _, rows = source
    if name != "scienceqa":
        pytest.skip("nothing of it is quarantined")
    lines = (DATA / "scienceqa" / "problems.json").read_text(encoding="utf-8").split("\n")
    quarantined = [row for row in rows if row.quarantined is not None]
    assert len(quarantined) == 712
    assert all(lines[row.quarantined[1] - 1].strip() == f'"{row.source_id}": {{' for row in quarantined)


def test_the_splits_of_the_problems_and_of_their_file_agree(source):
    name, _, rows = source
    if name == "scienceqa":
        assert scienceqa.other_splits(DATA / name, {row.source_id: row.split for row in rows}) == {}


def test_a_table_question_has_one_of_five_categories(source):
    name, _, rows = source
    if name == "tabmwp":
        counted = Counter(row.category for row in rows)
        assert set(counted) == set(tabmwp.CATEGORIES)
        assert counted["Table Analysis"] == 82


def test_the_one_record_of_sherlock_is_the_leaderboards_and_has_no_clue():
    [row] = sherlock.clues(DATA / "sherlock", {}, {}, provenance="released")
    assert (row.instance_id, row.dropped) == ("15cffa7518035ba4bda661d534660395", "no_clue")
    assert row.boxes == ((201.0, 154.0, 170.0, 86.0),)
    assert list(sherlock.pictures(DATA / "sherlock")) == []
