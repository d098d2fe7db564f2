import io

import pytest
from PIL import Image

from assets import flow_figure
from assets.flow import Flow

STAGES = ("m3cot/image_needed", "m3cot/multistep", "m3cot/balanced")


def sankey(flows: list[Flow]) -> bytes:
    return flow_figure.sankey(flows, STAGES, "Samples")


FLOWS = [
    Flow(STAGES[0], "scienceqa", 10, 0, 6, 4, 0, {"no_image": 4}),
    Flow(STAGES[1], "scienceqa", 6, 0, 5, 1, 0, {"too_few_steps": 1}),
    Flow(STAGES[2], "scienceqa", 5, 0, 5, 0, 0, {}),
    Flow(STAGES[2], "map", 0, 3, 3, 0, 0, {}),
    Flow("sources/math", "math", 9, 0, 9, 0, 0, {}),
]


def colours(png: bytes) -> set[tuple[int, ...]]:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    return {colour for _, colour in picture.getcolors(picture.width * picture.height)}


def test_the_sources_that_entered_are_drawn_and_others_are_not() -> None:
    found = colours(sankey(FLOWS))
    assert {(0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)} <= found
    assert (0xE6, 0x9F, 0x00) not in found


def test_the_same_flow_is_the_same_picture_and_small_enough_for_the_page() -> None:
    assert sankey(FLOWS) == sankey(FLOWS)
    assert len(sankey(FLOWS)) < 200_000


@pytest.mark.parametrize("flows", [[], [Flow(STAGES[0], "scienceqa", 0, 0, 0, 0, 0, {})]], ids=["none", "zero"])
def test_nothing_is_said(flows: list[Flow]) -> None:
    assert Image.open(io.BytesIO(sankey(flows))).size == (900, 550)
