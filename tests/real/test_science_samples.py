"""Samples for sparse topics from the slice: how many tangrams and table questions there are, and how they are left."""

from collections import Counter
from pathlib import Path

import pytest

from assets import steps
from assets.m3cot import new_samples
from assets.m3cot.science import table_questions, tangram_questions
from assets.samples import to_table
from assets.schema.tables import as_table
from assets.sources import kilogram, scienceqa, tabmwp
from assets.writer import Rules

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

pytestmark = pytest.mark.skipif(not (DATA / "kilogram").is_dir(), reason="the slice of source files is not here")


@pytest.fixture(scope="module")
def tangrams():
    return as_table("tangram", kilogram.tangrams(DATA / "kilogram", provenance="released"))


@pytest.fixture(scope="module")
def asked_about(tangrams):
    drawn = {f"kilogram-{name}": "p" for name in tangrams["id"].to_pylist()}
    return tangram_questions.samples(tangrams, drawn, seed=1)


def problems(module, name, folder):
    ids = {path.relative_to(DATA / name).as_posix(): path.name for path in (DATA / name / folder).rglob("*.png")}
    return [row for row in module.samples(DATA / name, ids, {}, provenance="released") if row.dropped is None]


def test_all_74_annotated_tangrams_become_questions(asked_about):
    assert Counter(row.dropped for row in asked_about) == {None: 74, "no_description": 939}
    assert to_table(asked_about).num_rows == 1_013


def test_a_tangrams_options_differ_and_its_rationale_has_its_parts_as_steps(asked_about):
    for row in asked_about:
        if row.dropped is None:
            assert len(set(row.choices)) == 4
            assert len(steps.segment(row.text)) == row.text.count(" can be seen as ") + 1 >= 3


def test_only_tangrams_that_become_questions_are_drawn(tangrams, asked_about):
    drawn = list(tangram_questions.pictures(tangrams))
    assert [picture.file for picture in drawn] == [row.id for row in asked_about if row.dropped is None]
    assert len({picture.image_id for picture in drawn}) == 74


def test_all_520_free_answers_of_tabmwp_get_options(tangrams):
    rows = problems(tabmwp, "tabmwp", "tables")
    made = table_questions.samples(rows, seed=1)
    assert Counter(row.dropped for row in made) == {None: 700}
    changed = [row for row in made if row.provenance.endswith("options by rules")]
    assert len(changed) == 520
    for row, before in zip(made, rows, strict=True):
        right = row.choices["ABCDEF".index(row.answer)]
        assert right == before.choices["ABCDEF".index(before.answer)]
        assert len(set(row.choices)) == len(row.choices) == (4 if row in changed else len(before.choices))
    assert min(Counter(row.answer for row in changed).values()) > 100


def test_most_samples_of_scienceqa_with_a_picture_give_the_rule_a_new_one():
    rows = [row for row in problems(scienceqa, "scienceqa", "images") if row.images and row.rationale]
    asked = list(new_samples.requests(rows, sparse=1_000, most=1_000, seed=1))
    made = new_samples.samples(rows, asked, Rules({new_samples.TASK: new_samples.rule}).write(asked), writer="rules")
    assert Counter(row.dropped for row in made) == {None: 113, "sample_refused": 39}
