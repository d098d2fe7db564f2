"""The nine photographs with 43 face boxes that stand in for JHU-CROWD++: all become samples of visual deletion."""

from pathlib import Path

import pytest

from assets.comt import deletion
from assets.comt.template import fault
from assets.images import Pictures
from assets.schema.tables import as_table
from assets.sources import voc_faces

ROOT = Path(__file__).resolve().parents[2]
FACES = ROOT.parent / "shared" / "data" / "crowd_fallback" / "dlib_faces"
KNOBS = {"fewest": 2, "most": 60, "at_once": 10}

pytestmark = pytest.mark.skipif(not FACES.is_dir(), reason="the slice of photographs with face boxes is not here")


@pytest.fixture(scope="module")
def photographs():
    return Pictures.of(voc_faces.pictures(FACES))


@pytest.fixture(scope="module")
def crowds(photographs):
    rows = voc_faces.crowds(FACES, photographs.ids(), photographs.reasons(), provenance="released")
    return as_table("crowd", rows)


def test_all_nine_photographs_and_43_boxes_are_read(crowds):
    rows = crowds.to_pylist()
    assert [(row["id"], row["split"], len(row["heads"])) for row in rows] == [
        ("2007_007763", "train", 7),
        ("2008_002079", "train", 6),
        ("2008_001009", "train", 2),
        ("2008_001322", "train", 3),
        ("2008_002470", "test", 6),
        ("2008_002506", "test", 3),
        ("2008_004176", "test", 7),
        ("2008_007676", "test", 7),
        ("2009_004587", "test", 2),
    ]
    assert {row["dropped"] for row in rows} == {None}


@pytest.mark.parametrize(("at_once", "pictures"), [(10, 9), (3, 17)])
def test_all_nine_become_samples(crowds, photographs, at_once, pictures):
    knobs = KNOBS | {"at_once": at_once}
    drawn = {row.file: row.image_id for row in deletion.pictures(crowds, photographs, **knobs)}
    assert len(drawn) == len(set(drawn.values())) == pictures
    rows = deletion.samples(crowds, drawn, {}, seed=1, **knobs)
    assert [(row.dropped, fault(row)) for row in rows] == [(None, None)] * 9
    assert [row.choices["ABCD".index(row.answer)] for row in rows] == list("762363772")


def test_a_higher_bound_leaves_out_the_photographs_of_few(crowds):
    rows = deletion.samples(crowds, {}, {}, seed=1, **KNOBS | {"fewest": 8})
    assert {row.dropped for row in rows} == {"too_few_people"}
