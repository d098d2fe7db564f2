"""Where the labels of a tangram's parts stand: beside the figure, apart from each other, each with an arrow."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.drawing import lettering, lettering_file
from assets.tangram_places import bounds, middle

if TYPE_CHECKING:
    from PIL import ImageFont

MARGINS = (110, 70)
"""Pixels beside the figure and above and below it, for labels."""
FIGURE = (260, 340)
"""Pixels that the figure takes at most, across and down; with its margins the picture has at most 480 along a side."""
TEXT_SIZE = 14
LINE = 17
PAD = 5
BAR = 6
"""Pixels of a label's left end that show its colour."""

_WIDTHS = (96, 150)
_STEP = 8
_EDGE = 4
_CLEAR = 8
_APART = 6
_INSIDE = 7
_SAMPLES = 32
_SECTORS = 12
_OF_A_SECTOR = 3
_FOREIGN = 3.0
_VISITS = 4_000
_THIN = 40.0
_NOBODY = 100
_NEVER = 1 << 30


class Frame(NamedTuple):
    """How a figure lies in its picture: a point (x, y) at (x * scale + left, y * scale + top), in pixels."""

    scale: float
    left: float
    top: float
    width: int
    height: int

    def at(self, points: Sequence[float]) -> list[tuple[float, float]]:
        """The corners of a polygon in the picture."""
        pairs = zip(points[::2], points[1::2], strict=True)
        return [(x * self.scale + self.left, y * self.scale + self.top) for x, y in pairs]


class Label(NamedTuple):
    """A label in a picture: its lines, its box (left, top, right, bottom), its arrow's tail and tip, in pixels."""

    lines: tuple[str, ...]
    box: tuple[int, int, int, int]
    tail: tuple[float, float]
    tip: tuple[float, float]


def frame(polygons: Sequence[Sequence[float]]) -> Frame:
    """The picture for a figure: as large as `FIGURE` allows, with `MARGINS` around it."""
    left, top, right, bottom = bounds(polygons)
    across, down = max(right - left, 1e-6), max(bottom - top, 1e-6)
    scale = min(FIGURE[0] / across, FIGURE[1] / down)
    width, height = (max(1, round(size * scale)) + 2 * each for size, each in zip((across, down), MARGINS, strict=True))
    return Frame(
        scale, (width - across * scale) / 2 - left * scale, (height - down * scale) / 2 - top * scale, width, height
    )


def layout(pieces: Mapping[int, Sequence[float]], groups: Sequence[tuple[str, Sequence[int]]]) -> list[Label] | None:
    """The labels of groups of pieces in their order, or None where no place was found for one of them.

    No label touches the figure or another label, and no arrow crosses a label or another arrow. Among such layouts
    one with short arrows that cross few pieces of other groups is found; the same input gives the same one.

    Args:
        pieces: x and y of the corners in turn, by the piece's number, in the order in which they are drawn.
        groups: text and pieces of each group; a piece is in one group at most, every piece has an area.
    """
    import numpy as np

    places = frame(list(pieces.values()))
    owner, filled = _rasters(pieces, groups, places)
    found = [_candidates(number, group, pieces, places, owner, filled) for number, group in enumerate(groups)]
    if not all(found):
        return None
    flat = [label for each in found for _, label in each]
    fits = _compatible(flat, np)
    ends = np.cumsum([len(each) for each in found]).tolist()
    ranges = [range(end - len(each), end) for each, end in zip(found, ends, strict=True)]
    chosen = _chosen(ranges, [cost for each in found for cost, _ in each], fits)
    return None if chosen is None else [flat[place] for place in chosen]


def font() -> "ImageFont.FreeTypeFont":
    """The labels' font."""
    return lettering(TEXT_SIZE)


@lru_cache(maxsize=1)
def characters() -> frozenset[str]:
    """The characters that the labels' font has."""
    from matplotlib.ft2font import FT2Font

    return frozenset(map(chr, FT2Font(lettering_file()).get_charmap()))


def wrapped(text: str, width: int) -> tuple[str, ...]:
    """The text in lines of at most `width` pixels, broken at spaces only; a longer word stands alone."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font().getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return tuple(lines)


def _rasters(
    pieces: Mapping[int, Sequence[float]], groups: Sequence[tuple[str, Sequence[int]]], places: Frame
) -> tuple[Any, Any]:
    """Whose piece is seen at each pixel (0: none), and how many pixels near the figure lie above and left of each."""
    import numpy as np
    from PIL import Image, ImageDraw

    of_piece = {piece: number + 1 for number, (_, own) in enumerate(groups) for piece in own}
    seen = Image.new("L", (places.width, places.height), 0)
    near = Image.new("L", (places.width, places.height), 0)
    pen, broad = ImageDraw.Draw(seen), ImageDraw.Draw(near)
    for piece, points in pieces.items():
        corners = places.at(points)
        pen.polygon(corners, fill=of_piece.get(piece, _NOBODY))
        broad.polygon(corners, fill=1)
        broad.line([*corners, corners[0], corners[1]], fill=1, width=2 * _CLEAR, joint="curve")
    filled = np.zeros((places.height + 1, places.width + 1), np.int32)
    filled[1:, 1:] = np.asarray(near, np.int32).cumsum(0, np.int32).cumsum(1, np.int32)
    return np.asarray(seen), filled


def _candidates(
    number: int,
    group: tuple[str, Sequence[int]],
    pieces: Mapping[int, Sequence[float]],
    places: Frame,
    owner: Any,
    filled: Any,
) -> list[tuple[int, Label]]:
    """Places for one label with what each costs, some from every direction, the cheapest first."""
    import numpy as np

    text, own = group
    mine = number + 1
    deep = _deep(owner == mine)
    found: list[tuple[int, int, int, Label]] = []
    for lines in dict.fromkeys(wrapped(text, width) for width in _WIDTHS):
        wide = int(np.ceil(max(font().getlength(line) for line in lines))) + 2 * PAD + BAR
        high = LINE * len(lines) + PAD
        lefts = np.arange(_EDGE, places.width - _EDGE - wide + 1, _STEP)
        tops = np.arange(_EDGE, places.height - _EDGE - high + 1, _STEP)
        x, y = (each.ravel() for each in np.meshgrid(lefts, tops))
        free = filled[y + high, x + wide] - filled[y, x + wide] - filled[y + high, x] + filled[y, x] == 0
        x, y = x[free], y[free]
        if not x.size:
            continue
        for piece in own:
            at_x, at_y, _ = middle([value for corner in places.at(pieces[piece]) for value in corner])
            tail_x, tail_y = np.clip(at_x, x, x + wide), np.clip(at_y, y, y + high)
            tip_x, tip_y, cost = _arrows(mine, (tail_x, tail_y), (at_x, at_y), owner, deep)
            turn = np.arctan2(tail_y - places.height / 2, tail_x - places.width / 2)
            sector = np.floor((turn / (2 * np.pi) + 0.5) * _SECTORS).astype(int) % _SECTORS
            order = np.argsort(cost, kind="stable")
            for one in range(_SECTORS):
                for place in order[sector[order] == one][:_OF_A_SECTOR].tolist():
                    if cost[place] < _NEVER:
                        box = (int(x[place]), int(y[place]), int(x[place]) + wide, int(y[place]) + high)
                        tail = (round(float(tail_x[place]), 2), round(float(tail_y[place]), 2))
                        tip = (round(float(tip_x[place]), 2), round(float(tip_y[place]), 2))
                        found.append((int(cost[place]), one, len(found), Label(lines, box, tail, tip)))
    return [(cost, label) for cost, _, _, label in _best(found)]


def _best(found: Sequence[tuple[int, int, int, Label]]) -> list[tuple[int, int, int, Label]]:
    """The cheapest of each sector, cheapest first."""
    taken: list[tuple[int, int, int, Label]] = []
    count = [0] * _SECTORS
    for each in sorted(found, key=lambda each: (each[0], each[2])):
        if count[each[1]] < _OF_A_SECTOR:
            count[each[1]] += 1
            taken.append(each)
    return taken


def _deep(own: Any) -> Any:
    """The pixels of a mask that are `_INSIDE` pixels or more from every pixel outside it, across and down."""
    import numpy as np

    side = 2 * _INSIDE + 1
    left = own
    for _ in range(2):
        length = 1
        while length < side:
            step = min(length, side - length)
            left = left[:-step] & left[step:]
            length += step
        left = left.T
    deep = np.zeros_like(own)
    deep[_INSIDE:-_INSIDE, _INSIDE:-_INSIDE] = left
    return deep


def _arrows(mine: int, tail: tuple[Any, Any], aim: tuple[float, float], owner: Any, deep: Any) -> tuple[Any, Any, Any]:
    """The tips of arrows from tails towards the middle of a piece, as soon as they are deep in the group; their costs.

    Where the group is too thin for that, the tip lies halfway through it, at a price.
    """
    import numpy as np

    places = np.arange(_SAMPLES)[:, None]
    along = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
    rows = np.clip((tail[1] + (aim[1] - tail[1]) * along).astype(int), 0, owner.shape[0] - 1)
    columns = np.clip((tail[0] + (aim[0] - tail[0]) * along).astype(int), 0, owner.shape[1] - 1)
    seen = owner[rows, columns]
    inside, within = seen == mine, deep[rows, columns]
    reached, settled = inside.any(0), within.any(0)
    entry = inside.argmax(0)
    stays = np.cumprod(inside | (places < entry), axis=0).sum(0) - 1
    end = np.where(settled, within.argmax(0), (entry + stays) / 2)
    share = end / (_SAMPLES - 1)
    length = np.hypot(aim[0] - tail[0], aim[1] - tail[1])
    foreign = ((seen != 0) & ~inside & (places < end)).sum(0) * length / (_SAMPLES - 1)
    cost = np.rint(8 * (length * share + _FOREIGN * foreign + np.where(settled, 0, _THIN)))
    cost = np.where(reached, cost, _NEVER).astype(np.int64)
    return tail[0] + (aim[0] - tail[0]) * share, tail[1] + (aim[1] - tail[1]) * share, cost


def _compatible(labels: Sequence[Label], np: Any) -> list[int]:
    """For each label the labels that it can stand beside, as bits."""
    box = np.array([label.box for label in labels], float)
    tail, tip = (np.array([getattr(label, end) for label in labels], float) for end in ("tail", "tip"))
    left, top, right, bottom = (box[:, side] for side in range(4))
    apart = (
        (left[:, None] >= right + _APART)
        | (right[:, None] + _APART <= left)
        | (top[:, None] >= bottom + _APART)
        | (bottom[:, None] + _APART <= top)
    )
    struck = _strikes(tail, tip, box, np)
    fits = apart & ~struck & ~struck.T & ~_cross(tail, tip, np)
    packed = np.packbits(fits, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _strikes(tail: Any, tip: Any, box: Any, np: Any) -> Any:
    """Whether arrow i passes through the box of label j, or within 4 pixels of it: by clipping at the box's sides."""
    enter = np.zeros((len(tail), len(box)))
    leave = np.ones((len(tail), len(box)))
    for axis in (0, 1):
        start, along = tail[:, axis, None], (tip - tail)[:, axis, None]
        along = np.where(np.abs(along) < 1e-9, 1e-9, along)
        one, other = (box[:, axis] - 4 - start) / along, (box[:, axis + 2] + 4 - start) / along
        enter = np.maximum(enter, np.minimum(one, other))
        leave = np.minimum(leave, np.maximum(one, other))
    return enter <= leave


def _cross(tail: Any, tip: Any, np: Any) -> Any:
    """Whether arrows i and j cross; each is made 6 pixels longer at its tip, so that heads stay apart too."""
    way = tip - tail
    way = way * (1 + 6 / np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9))[:, None]
    between = tail[None, :, :] - tail[:, None, :]

    def turn(a: Any, b: Any) -> Any:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]

    area = turn(way[:, None, :], way[None, :, :])
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    of_first, of_second = turn(between, way[None, :, :]) / area, turn(between, way[:, None, :]) / area
    return (of_first >= 0) & (of_first <= 1) & (of_second >= 0) & (of_second <= 1)


def _chosen(ranges: Sequence[range], costs: Sequence[int], fits: Sequence[int]) -> list[int] | None:
    """One candidate of each label such that all fit together, cheap in sum; None where the search finds none."""
    order = sorted(range(len(ranges)), key=lambda number: (len(ranges[number]), number))
    least = [0] * (len(order) + 1)
    for depth in reversed(range(len(order))):
        least[depth] = least[depth + 1] + costs[ranges[order[depth]].start]
    best: list[int] | None = None
    bound = 0
    visits = 0

    def search(depth: int, allowed: int, cost: int, taken: list[int]) -> None:
        nonlocal best, bound, visits
        if depth == len(order):
            best, bound = list(taken), cost
            return
        for place in ranges[order[depth]]:
            if visits >= _VISITS or (best is not None and cost + costs[place] + least[depth + 1] >= bound):
                return
            if allowed >> place & 1:
                visits += 1
                search(depth + 1, allowed & fits[place], cost + costs[place], [*taken, place])

    search(0, (1 << len(costs)) - 1, 0, [])
    return None if best is None else [best[order.index(number)] for number in range(len(order))]
