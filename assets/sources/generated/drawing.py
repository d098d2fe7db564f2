"""Small pictures drawn by rule for the generated sources: a sheet to draw on, and its bytes as PNG or JPEG."""

import math
import random
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

# Drawn at this many times the size and then averaged, so that edges are smooth.
SCALE = 2
INK = "#303030"
GROUNDS = ("#ffffff", "#fbf7ee", "#f2f7fb", "#f6f2fa", "#f1f8f1")
COLOURS = {
    "red": "#d0453b",
    "blue": "#3b6fd0",
    "green": "#3a9a52",
    "orange": "#e38a2b",
    "purple": "#8a4fb5",
    "yellow": "#e8c53a",
    "grey": "#8c8c8c",
    "brown": "#8a5a34",
    "pink": "#e58bb0",
    "turquoise": "#3bb0b0",
}

Point = tuple[float, float]


class Sheet:
    """A sheet of `width` by `height` pixels with its origin at the top left; `image` is what was drawn so far."""

    def __init__(self, width: int, height: int, ground: str = "#ffffff") -> None:
        """A sheet of one colour."""
        from PIL import Image, ImageDraw

        self.width, self.height = width, height
        self._large = Image.new("RGB", (width * SCALE, height * SCALE), ground)
        self._pen = ImageDraw.Draw(self._large)

    @property
    def image(self) -> "Image.Image":
        """The picture at its own size, RGB."""
        return self._large.reduce(SCALE)

    def box(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: str | None = None,
        line: str | None = INK,
        width: int = 1,
    ) -> None:
        """Draws a rectangle between two corners."""
        self._pen.rectangle([v * SCALE for v in (x0, y0, x1, y1)], fill, line, width * SCALE)

    def ball(
        self, x: float, y: float, r: float, fill: str | None, line: str | None = INK, ratio: float = 1.0, width: int = 1
    ) -> None:
        """Draws a disc around a point; `ratio` is its height over its width."""
        corners = [v * SCALE for v in (x - r, y - r * ratio, x + r, y + r * ratio)]
        self._pen.ellipse(corners, fill, line, width * SCALE)

    def slice(self, x: float, y: float, r: float, start: float, end: float, fill: str) -> None:
        """Draws a sector of a disc, in degrees clockwise from three o'clock."""
        self._pen.pieslice([v * SCALE for v in (x - r, y - r, x + r, y + r)], start, end, fill)

    def shape(self, points: Sequence[Point], fill: str | None, line: str | None = INK, width: int = 1) -> None:
        """Draws a filled polygon."""
        self._pen.polygon([(x * SCALE, y * SCALE) for x, y in points], fill, line, width * SCALE if line else 1)

    def line(self, points: Sequence[Point], fill: str = INK, width: float = 1) -> None:
        """Draws a line through the points."""
        self._pen.line([(x * SCALE, y * SCALE) for x, y in points], fill, max(1, round(width * SCALE)), joint="curve")

    def arrow(self, x0: float, y0: float, x1: float, y1: float, fill: str = INK, width: float = 2) -> None:
        """Draws an arrow from the first point to the second."""
        angle = math.atan2(y1 - y0, x1 - x0)
        head = 4 + 2 * width
        back = (x1 - head * math.cos(angle), y1 - head * math.sin(angle))
        side = (head * 0.55 * math.sin(angle), -head * 0.55 * math.cos(angle))
        self.line([(x0, y0), back], fill, width)
        self.shape(
            [(x1, y1), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])], fill, None
        )

    def text(self, x: float, y: float, text: str, size: int = 12, fill: str = INK, anchor: str = "mm") -> None:
        """Writes a line of text at a point; `anchor` as Pillow names it."""
        self._pen.text((x * SCALE, y * SCALE), text, fill, _font(size * SCALE), anchor)

    def length(self, text: str, size: int = 12) -> float:
        """How many pixels wide a line of text is."""
        return float(self._pen.textlength(text, _font(size * SCALE))) / SCALE


@cache
def _font(points: int) -> Any:
    from PIL import ImageFont

    # Pillow's own: the same letters on every machine.
    return ImageFont.load_default(points)


def sheet(rng: random.Random, width: tuple[int, int], height: tuple[int, int]) -> Sheet:
    """A sheet of a drawn size (each range inclusive) and a drawn light ground."""
    return Sheet(rng.randint(*width), rng.randint(*height), rng.choice(GROUNDS))


def png(image: "Image.Image") -> bytes:
    """The picture as PNG without metadata."""
    file = BytesIO()
    image.save(file, "PNG", compress_level=6)
    return file.getvalue()


def jpeg(image: "Image.Image", quality: int = 85) -> bytes:
    """The picture as JPEG without metadata."""
    file = BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()


def copied(image: "Image.Image", kind: int) -> "Image.Image":
    """Nearly the same picture, as a second upload would be: through JPEG, through JPEG twice, or a little brighter."""
    from PIL import Image

    plain = image.convert("RGB")
    if kind % 3 == 2:
        return plain.point([min(255, level + 6) for level in range(256)] * 3)
    for quality in (80, 70)[: 1 + kind % 3]:
        plain = Image.open(BytesIO(jpeg(plain, quality))).convert("RGB")
    return plain


UNREADABLE = ("truncated", "empty", "no_picture", "bomb")


def unreadable(whole: bytes, kind: str) -> bytes:
    """What lies where a picture should be: half of its bytes, none, a text, or a header that claims a vast picture."""
    if kind == "truncated":
        return whole[: len(whole) // 2]
    if kind == "empty":
        return b""
    if kind == "no_picture":
        return b"<html><title>generated: no picture here</title></html>\n"
    return bomb()


def bomb() -> bytes:
    """A PNG of a few bytes whose header claims 60,000 by 60,000 pixels."""
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000), 9)), (b"IEND", b""))
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


class Unlike:
    """Holds what was drawn under a key, so that no two pictures of it are alike by accident."""

    def __init__(self, most: float) -> None:
        """`most`: the greatest correlation of grey thumbnails, 32 x 32, that two pictures may have."""
        self._most = most
        self._seen: dict[tuple[object, ...], list[Any]] = {}

    def admit(self, key: tuple[object, ...], image: "Image.Image") -> bool:
        """Whether the picture is unlike all that were admitted under `key`; then it is one of them."""
        import numpy as np
        from PIL import Image

        grey = np.asarray(image.convert("L").resize((32, 32), Image.Resampling.BOX), dtype=np.float64).ravel()
        grey -= grey.mean()
        grey /= max(float(np.linalg.norm(grey)), 1e-9)
        others = self._seen.setdefault(key, [])
        if any(float(grey @ other) > self._most for other in others):
            return False
        others.append(grey)
        return True
