"""Where in a figure its pieces lie: bounds and centroids of polygons, and a place in words."""

from collections.abc import Sequence

_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "centre", "right")


def bounds(polygons: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """The left, top, right and bottom of polygons that are given as x and y of their corners in turn."""
    across = [x for points in polygons for x in points[::2]]
    down = [y for points in polygons for y in points[1::2]]
    return min(across), min(down), max(across), max(down)


def mean(middles: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """The common centroid of polygons, each given by its own centroid and area."""
    whole = sum(area for _, _, area in middles) or 1.0
    return sum(x * area for x, _, area in middles) / whole, sum(y * area for _, y, area in middles) / whole


def middle(points: Sequence[float]) -> tuple[float, float, float]:
    """The centroid of a polygon, and its area; the mean of its corners where it has none."""
    corners = list(zip(points[::2], points[1::2], strict=True))
    twice = x = y = 0.0
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        cross = x0 * y1 - x1 * y0
        twice, x, y = twice + cross, x + (x0 + x1) * cross, y + (y0 + y1) * cross
    if abs(twice) < 1e-9:
        return sum(points[::2]) / len(corners), sum(points[1::2]) / len(corners), 0.0
    return x / (3 * twice), y / (3 * twice), abs(twice) / 2


def place(x: float, y: float, box: tuple[float, float, float, float]) -> str:
    """Which ninth of the box a point lies in, such as `top left`, `left side`, `centre` or `bottom centre`."""
    left, top, right, bottom = box
    column = _COLUMNS[min(int(3 * (x - left) / max(right - left, 1e-9)), 2)]
    row = _ROWS[min(int(3 * (y - top) / max(bottom - top, 1e-9)), 2)]
    if row == "middle":
        return "centre" if column == "centre" else f"{column} side"
    return f"{row} centre" if column == "centre" else f"{row} {column}"
