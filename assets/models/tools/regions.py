"""Tools that give a part of a picture: as it is, or enlarged."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from assets import images
from assets.models.tools.pictures import opened, pixels
from assets.models.tools.tool import Argument, Given

ENLARGED_PIXELS = 1 << 20
"""Of an enlarged part at most."""

TIMES = 8
"""A part is enlarged at most."""

_ARGUMENTS = (
    Argument("picture", "picture", "the picture"),
    Argument("box", "box", "left, top, right and bottom in 0 to 1"),
)


@dataclass(frozen=True)
class Crop:
    """A part of a picture as a new picture, pixel by pixel."""

    limit_s: float
    name: ClassVar[str] = "crop"
    meaning: ClassVar[str] = "cuts out the part of a picture in the box (left, top, right, bottom in 0 to 1)"
    arguments: ClassVar[tuple[Argument, ...]] = _ARGUMENTS
    gives: ClassVar[Literal["text", "picture"]] = "picture"
    version: ClassVar[str] = "1"

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """The part and its size."""
        image = opened(pngs, arguments["picture"])
        part = image.crop(pixels(arguments["box"], *image.size))
        text = f"a part of {arguments['picture']}, {part.width} x {part.height} pixels"
        return Given(text, (images.of_pixels(part, f"{self.name}.png"),))


@dataclass(frozen=True)
class Zoom:
    """A part of a picture enlarged: as far as it goes, up to eight times and a megapixel."""

    limit_s: float
    name: ClassVar[str] = "zoom"
    meaning: ClassVar[str] = "enlarges the part of a picture in the box, to see small things"
    arguments: ClassVar[tuple[Argument, ...]] = _ARGUMENTS
    gives: ClassVar[Literal["text", "picture"]] = "picture"
    version: ClassVar[str] = "1"

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """The enlarged part and how many times it is larger; one that is large already comes as it is."""
        from PIL import Image

        image = opened(pngs, arguments["picture"])
        part = image.crop(pixels(arguments["box"], *image.size))
        times = min(float(TIMES), (ENLARGED_PIXELS / (part.width * part.height)) ** 0.5)
        if times > 1:
            size = (max(1, int(part.width * times)), max(1, int(part.height * times)))
            part = part.resize(size, Image.Resampling.BICUBIC)
        text = (
            f"a part of {arguments['picture']}, {max(times, 1):.3g} times as large, {part.width} x {part.height} pixels"
        )
        return Given(text, (images.of_pixels(part, f"{self.name}.png"),))
