"""How far gold rationales spread in the space of meanings, by collection."""

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from assets.schema.vocabulary import DOMAINS, TASKS
from assets.steps import segment

if TYPE_CHECKING:
    import numpy as np

    from assets.analysis.encoders.text import TextEncoder

SINGLE_STEP = "single-step"
"""What a collection of the rationales with one step is called after: M3CoT's figure 7c compares with such."""

TOLERANCE = 1e-9
"""How far outside a hull, in units of the axes, a corner of it may seem to lie by rounding."""


class Rationale(NamedTuple):
    """A gold rationale: its sample, the domain that it is of (CoMT: the task), its text."""

    sample_id: str
    domain: str | None
    task: str | None
    text: str


class Point(NamedTuple):
    """A rationale on the two main axes of all collections."""

    collection: str
    x: float
    y: float


class Covered(NamedTuple):
    """The rows of table `coverage`, and the points that they are of."""

    rows: list[dict[str, Any]]
    points: list[Point]


def gold(samples: pa.Table) -> list[Rationale]:
    """The rationales of a table `sample`'s kept rows, by sample id; blank ones are none."""
    found = []
    for row in samples.select(["id", "domain", "task", "rationale", "dropped"]).to_pylist():
        texts = [part["text"] for part in row["rationale"] or () if part["kind"] == "text" and part["text"]]
        text = "\n".join(texts).strip()
        if row["dropped"] is None and text:
            domain = None if row["task"] else row["domain"]
            found.append(Rationale(row["id"], domain, row["task"], text))
    return sorted(found)


def collections(samples: Mapping[str, pa.Table], single: Sequence[str], steps: str) -> dict[str, list[Rationale]]:
    """The gold rationales of each table, and of those in `single` the ones with one step once more by themselves.

    Args:
        samples: tables `sample` by asset, in the order in which they are compared.
        single: the assets whose rationales of a single step stand beside.
        steps: the segmentation's name.
    """
    found: dict[str, list[Rationale]] = {}
    for name, table in samples.items():
        found[name] = gold(table)
        if name in single:
            found[f"{name} {SINGLE_STEP}"] = [one for one in found[name] if len(segment(one.text, steps)) == 1]
    return found


def cover(of: Mapping[str, Sequence[Rationale]], encoder: "TextEncoder", *, seed: int, sample: int) -> Covered:
    """How far the rationales of each collection spread, in total and by domain (CoMT: task).

    `sample` rationales of each are drawn, or all where there are fewer. A collection without rationales has its row
    too. The axes are the two main components of all that was drawn together; an axis points to where its largest
    weight is positive. What is of a domain or task is measured on those of the draw that belong there, so that its n
    is smaller; dimensions and area grow with n, so that collections are compared at the same n. overlap is with the
    hull of the first collection that has one. Values have four decimals.

    Source: arXiv:2405.16473, figures 4b and 7c (the semantic space of M3CoT beside that of ScienceQA); which encoder,
    projection and measure they use is not said: these are ours.
    """
    import numpy as np

    drawn = {name: _draw(name, rationales, seed, sample) for name, rationales in of.items()}
    texts = [one.text for each in drawn.values() for one in each]
    vectors = encoder.sentences(texts).astype(np.float64) if texts else np.zeros((0, 1))
    places = _on_main_axes(vectors)
    at, start = {}, 0
    for name, each in drawn.items():
        at[name] = slice(start, start + len(each))
        start += len(each)
    first = next((hull for name in drawn if (hull := _hull(places[at[name]])) is not None), None)
    rows, points = [], []
    for name, each in drawn.items():
        own, on_axes = vectors[at[name]], places[at[name]]
        points += [Point(name, round(float(x), 4), round(float(y), 4)) for x, y in on_axes]
        for scope, called, chosen in _scopes(each):
            rows.append(
                {
                    "collection": name,
                    "scope": scope,
                    "name": called,
                    "n": len(chosen),
                    "of": sum(_belongs(one, scope, called) for one in of[name]),
                    "spread": _rounded(spread(own[chosen])),
                    "dimensions": _rounded(dimensions(own[chosen])),
                    "area": _rounded(area(on_axes[chosen])),
                    "overlap": _rounded(_within(on_axes[chosen], first)),
                    "sentence_model": encoder.name,
                }
            )
    return Covered(rows, points)


def spread(vectors: "np.ndarray") -> float | None:
    """The mean cosine distance between two of the vectors (n, d) of unit norm; None below two."""
    n = len(vectors)
    if n < 2:
        return None
    whole = vectors.sum(axis=0)
    norms = (vectors * vectors).sum()
    return float(1 - (whole @ whole - norms) / (n * (n - 1)))


def dimensions(vectors: "np.ndarray") -> float | None:
    """Effective dimensions of the vectors (n, d): exp of the entropy of their covariance's spectrum.

    m directions of the same variance give m. None below two vectors, or where all are one.

    Source: O. Roy and M. Vetterli, The effective rank, EUSIPCO 2007, of the covariance.
    """
    import numpy as np

    if len(vectors) < 2:
        return None
    variances = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False) ** 2
    if variances.sum() < TOLERANCE:
        return None
    shares = variances / variances.sum()
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def area(points: "np.ndarray") -> float | None:
    """The area of the convex hull of points (n, 2); None where they span none."""
    hull = _hull(points)
    # of a hull in the plane scipy's volume is the area, and its area the circumference
    return None if hull is None else float(hull.volume)


def _draw(name: str, rationales: Sequence[Rationale], seed: int, sample: int) -> list[Rationale]:
    ordered = sorted(rationales)
    if len(ordered) <= sample:
        return ordered
    return sorted(random.Random(f"{seed}/coverage/{name}").sample(ordered, sample))


def _scopes(drawn: Sequence[Rationale]) -> list[tuple[str, str, list[int]]]:
    scopes = [("total", "total", list(range(len(drawn))))]
    for scope, names in (("domain", DOMAINS), ("task", TASKS)):
        for name in names:
            if chosen := [place for place, one in enumerate(drawn) if _belongs(one, scope, name)]:
                scopes.append((scope, name, chosen))
    return scopes


def _belongs(one: Rationale, scope: str, name: str) -> bool:
    return scope == "total" or (one.domain if scope == "domain" else one.task) == name


def _on_main_axes(vectors: "np.ndarray") -> "np.ndarray":
    """The vectors (n, d) on their two main components, (n, 2)."""
    import numpy as np

    if len(vectors) < 2 or vectors.shape[1] < 2:
        return np.zeros((len(vectors), 2))
    centred = vectors - vectors.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(len(axes)), largest])
    placed = centred @ (axes * signs[:, None]).T
    return placed if placed.shape[1] == 2 else np.pad(placed, ((0, 0), (0, 2 - placed.shape[1])))


def _hull(points: "np.ndarray") -> Any:
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return None
    try:
        return ConvexHull(points)
    except QhullError:
        # all on one line, or in one place
        return None


def _within(points: "np.ndarray", hull: Any) -> float | None:
    """The share of the points within the hull, its border included."""
    if hull is None or not len(points):
        return None
    beyond = points @ hull.equations[:, :2].T + hull.equations[:, 2]
    return float((beyond <= TOLERANCE).all(axis=1).mean())


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
