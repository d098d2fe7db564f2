import json

import pytest
from PIL import Image

from assets import images
from assets.comt import pictures
from assets.images import Picture, Pictures
from assets.schema.faults import Fault
from assets.schema.sample import Sample


def drawn(shade: int, file: str) -> Picture:
    """A small grey picture."""
    return images.of_pixels(Image.new("L", (2, 2), shade), file)


PLAIN, COLOURED, LEFT, RIGHT = (drawn(shade, name) for shade, name in ((1, "p"), (2, "c"), (3, "l"), (4, "r")))


def sample(sample_id: str, task: str, *shown: Picture, originals: tuple[Picture, ...] = ()) -> Sample:
    """A sample that shows these pictures."""
    return Sample(
        id=sample_id,
        benchmark="comt",
        source="s",
        source_id="1",
        provenance="generated",
        task=task,
        images=tuple(str(picture.image_id) for picture in shown),
        image_names=tuple(f"{sample_id}-{number}" for number in range(len(shown))),
        other=json.dumps({"annotations": {"originals": [picture.image_id for picture in originals]}}),
    )


SAMPLES = [
    sample("k-1", "update", PLAIN, COLOURED),
    sample("k-2", "update", PLAIN),
    sample("s-1", "selection", COLOURED, originals=(LEFT, RIGHT)),
]


def test_every_file_of_the_release_has_a_row_and_every_picture_its_bytes_once() -> None:
    found = list(pictures.benchmark(SAMPLES, [Pictures.of([PLAIN, LEFT]), Pictures.of([COLOURED, RIGHT, PLAIN])]))
    assert [(row.file, row.image_id, row.png is not None, row.dropped) for row in found] == [
        ("update/k-1-0.png", PLAIN.image_id, True, None),
        ("update/k-2-0.png", PLAIN.image_id, False, "same_pixels"),
        ("selection/original/s-1-a.png", LEFT.image_id, True, None),
        ("update/k-1-1.png", COLOURED.image_id, True, None),
        ("selection/s-1-0.png", COLOURED.image_id, False, "same_pixels"),
        ("selection/original/s-1-b.png", RIGHT.image_id, True, None),
    ]


def test_pictures_that_no_sample_shows_are_left_out() -> None:
    other = drawn(9, "other")
    found = list(pictures.benchmark([SAMPLES[1]], [Pictures.of([other, PLAIN, COLOURED])]))
    assert [row.image_id for row in found] == [PLAIN.image_id]


def test_a_picture_that_is_in_no_table_is_said() -> None:
    with pytest.raises(Fault, match=r"comt/images: 1 pictures are in no table, such as update/k-1-1.png"):
        list(pictures.benchmark(SAMPLES[:2], [Pictures.of([PLAIN])]))
