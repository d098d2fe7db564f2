"""The two puzzle pairs of the slice: read as they are, and picked out in batches that the boxes themselves give."""

from pathlib import Path

import numpy as np
import pytest

from assets.comt import selection
from assets.comt.template import annotations, fault, written
from assets.images import Pictures, decode
from assets.schema.tables import as_table
from assets.sources import game_pairs

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT.parent / "shared" / "data" / "spot_the_diff" / "game_pairs"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the slice of puzzle pairs is not here")


@pytest.fixture(scope="module")
def stored():
    return Pictures.of(game_pairs.pictures(FOLDER))


@pytest.fixture(scope="module")
def pairs(stored):
    return as_table("pair", game_pairs.pairs(FOLDER, stored.ids(), stored.reasons(), provenance="released"))


@pytest.fixture(scope="module")
def drawn(pairs, stored):
    return {each.file: each for each in selection.pictures(pairs, stored, count=4, gap=20)}


@pytest.fixture(scope="module")
def asked(pairs, stored, drawn):
    ids = {file: each.image_id for file, each in drawn.items()}
    return selection.samples(pairs, ids, {}, sizes=selection.sizes(stored), count=4, seed=7)


def test_both_pairs_are_read_with_all_their_boxes(pairs):
    rows = pairs.to_pylist()
    assert [(row["id"], row["dropped"], len(row["boxes"])) for row in rows] == [("1", None, 9), ("2", None, 10)]
    assert rows[0]["boxes"][0] == {"left": 94, "top": 0, "width": 186, "height": 168}
    assert {row["provenance"] for row in rows} == {"released"}


def test_the_folder_that_holds_data_json_gives_the_same_pairs(pairs):
    home = FOLDER / "satzch"
    held = Pictures.of(game_pairs.pictures(home))
    assert list(held.ids()) == ["aliens-diff.jpg", "aliens-og.jpg", "easter-diff.jpg", "easter-og.jpg"]
    again = as_table("pair", game_pairs.pairs(home, held.ids(), held.reasons(), provenance="released"))
    assert again.equals(pairs)


def test_batches_of_nine_and_ten_differences(asked):
    steps = [[len(boxes) for boxes in annotations(sample)["boxes"]] for sample in asked]
    assert steps == [[3, 2, 2, 2], [3, 3, 2, 2]]
    lefts = [[box[0] for boxes in annotations(sample)["boxes"] for box in boxes] for sample in asked]
    assert lefts == [
        [94, 155, 280, 400, 470, 505, 575, 710, 800],
        [15, 35, 300, 320, 440, 515, 645, 735, 950, 950],
    ]


def test_samples_hold_the_template_and_say_the_number(asked):
    assert [fault(sample) for sample in asked] == [None, None]
    assert [sample.choices["ABCD".index(sample.answer)] for sample in asked] == ["9", "10"]
    told = [written(sample.rationale) for sample in asked]
    assert [text.rsplit("far. ", 1)[1] for text in told] == [
        "There are 9 differences in all.",
        "There are 10 differences in all.",
    ]
    assert not any(word in text for text in told for word in ("Easter", "Aliens", "Spot"))


@pytest.mark.parametrize(("pair", "width", "height"), [(0, 932, 926), (1, 1563, 947)])
def test_every_step_is_the_original_within_its_boxes_and_white_without(
    pairs, stored, drawn, asked, pair, width, height
):
    row, sample = pairs.to_pylist()[pair], asked[pair]
    pngs = {each.image_id: each.png for each in stored.stream([row["first"], row["second"]])}
    halves = [np.asarray(decode(pngs[row[side]])) for side in ("first", "second")]
    assert halves[0].shape == halves[1].shape == (height, width, 3)
    gap = np.zeros((height, 20), dtype=np.uint8)
    for number, boxes in enumerate([None, *annotations(sample)["boxes"]]):
        shown = np.full((height, width), boxes is None)
        for left, top, across, down in boxes or ():
            shown[top : top + down, left : left + across] = True
        expected = [np.where(shown[..., None], half, np.uint8(255)) for half in halves]
        pixels = np.asarray(decode(drawn[f"{sample.id}-{number}"].png))
        assert pixels.shape == (height, 2 * width + 20, 4)
        assert (pixels[:, :width, :3] == expected[0]).all()
        assert (pixels[:, width + 20 :, :3] == expected[1]).all()
        assert (pixels[..., 3] == np.hstack([np.full((height, width), 255), gap, np.full((height, width), 255)])).all()
