"""KILOGRAM's slice: every drawing is read, its descriptions are counted, and resvg draws the same pictures."""

import io
import random
from pathlib import Path

import pytest

from assets.sources import kilogram, svg

ROOT = Path(__file__).resolve().parents[2]
KILOGRAM = ROOT.parent / "shared" / "data" / "kilogram"

pytestmark = pytest.mark.skipif(not KILOGRAM.is_dir(), reason="the slice of KILOGRAM is not here")


@pytest.fixture(scope="module")
def rows():
    return list(kilogram.tangrams(KILOGRAM, provenance="released"))


def test_all_drawings_are_read(rows):
    assert [row.dropped for row in rows] == [None] * 1_013
    assert [row.id for row in rows[:2]] + [rows[-1].id] == ["page1-0", "page1-1", "page-L"]
    assert {tuple(piece.piece for piece in row.pieces) for row in rows} == {svg.PIECES}


def test_descriptions_are_those_that_the_manifest_counts(rows):
    assert kilogram.annotations(KILOGRAM).name == "dense10.json"
    told = [description for row in rows for description in row.descriptions]
    assert (sum(bool(row.descriptions) for row in rows), len(told)) == (74, 741)
    assert sum(len(description.parts) for description in told) == 5_187
    assert sum(not group.final for description in told for group in description.groups) == 156
    assert {row.id for row in rows if len(row.descriptions) > 10} == {"page6-203"}


def test_the_later_of_two_final_groups_of_a_piece_is_the_one_in_parts(rows):
    twice = last = 0
    for description in (description for row in rows for description in row.descriptions):
        final = [group for group in description.groups if group.final]
        pieces = [piece for group in final for piece in group.pieces]
        twice += len(pieces) > len(set(pieces))
        later = {str(piece): group.text for group in final for piece in group.pieces}
        last += later == dict(description.parts)
    assert (twice, last) == (4, 741)


def test_resvg_draws_the_same_pictures(rows):
    import resvg_py
    from PIL import Image, ImageChops, ImageDraw, ImageStat

    transformed = [row for row in rows if row.id.startswith("page-")]
    differences = []
    for row in [*transformed, *random.Random(5).sample(rows, 40)]:
        source = (KILOGRAM / kilogram.DRAWINGS / f"{row.id}.svg").read_text(encoding="utf-8")
        drawn = resvg_py.svg_to_bytes(svg_string=source, width=300, background="white")
        theirs = Image.open(io.BytesIO(bytes(drawn))).convert("L")
        across, down = 4 * theirs.width / row.width, 4 * theirs.height / row.height
        sheet = Image.new("L", (4 * theirs.width, 4 * theirs.height), 255)
        pen = ImageDraw.Draw(sheet)
        edge = round(4 * theirs.width / row.width)
        for piece in row.pieces:
            corners = [(x * across, y * down) for x, y in zip(piece.points[::2], piece.points[1::2], strict=True)]
            pen.polygon(corners, fill=211)
            pen.line([*corners, corners[0]], fill=255, width=edge)
        ours = sheet.resize(theirs.size, Image.Resampling.BOX)
        differences.append((ImageStat.Stat(ImageChops.difference(ours, theirs)).mean[0], row.id))
    mean = sum(value for value, _ in differences) / len(differences)
    assert mean < 0.6, mean
    assert max(differences)[0] < 1.5, sorted(differences)[-5:]
