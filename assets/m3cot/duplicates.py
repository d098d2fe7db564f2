"""Samples that say the same thing twice: one question about pictures that are nearly the same.

Source: paper, appendix A.6: samples go "where the questions are identical, and the grayscale image similarity exceeded
99%". How similarity is measured it does not say, and the helper in the authors' release compares perceptual hashes.
Here it is the Pearson correlation of grey thumbnails, which a change of size or compression leaves at 1.00 and one
more circle takes to 0.90; a changed digit stays at 0.999, so options and answer have to be the same as well.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from assets.m3cot.thumbnails import SIDE, Thumbnail, found
from assets.ordering import natural
from assets.samples import LETTERS, Sample
from assets.schema.faults import Fault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REASONS = ("duplicate",)
BLOCK = 512
Measure = Literal["pearson", "phash"]


class Similar(NamedTuple):
    """Table `similar`, column by column."""

    a: str
    b: str
    split_a: str
    split_b: str
    similarity: float
    same_choices: bool


class Counts(NamedTuple):
    """How many samples each way of telling duplicates drops."""

    pearson: int
    pearson_question_alone: int
    phash: int
    phash_question_alone: int


@lru_cache(maxsize=1 << 14)
def normalised(question: str) -> str:
    """The question as it is compared: NFKC, case folded, spaces collapsed, invisible marks and the end mark gone."""
    folded = unicodedata.normalize("NFKC", question).casefold()
    visible = "".join(mark for mark in folded if unicodedata.category(mark) != "Cf")
    return " ".join(visible.split()).rstrip(" .?!:;,")


def wanted(samples: Sequence[Sample]) -> set[str]:
    """The ids of the pictures that have to be compared: of kept samples with the question or answer of another."""
    return {
        image_id
        for places in (*_groups(samples, question_alone=True), *_answered(samples))
        for i in places
        for image_id in _pictures(samples[i])
    }


def alike(a: Thumbnail, b: Thumbnail) -> float:
    """Grey similarity of two pictures in [-1, 1]: the Pearson correlation of their thumbnails.

    A picture of one level has no correlation: two of them are as similar as their levels (1 - difference / 255), and
    one beside any other picture has 0.
    """
    return float(_correlations(_flat([a]), _flat([b]))[0, 0])


def deduplicate(
    samples: Sequence[Sample],
    thumbnails: Mapping[str, Thumbnail],
    *,
    similarity: float = 0.99,
    measure: Measure = "pearson",
    question_alone: bool = False,
) -> list[Sample]:
    """Every sample in the order given, those that repeat an earlier one dropped as `duplicate`.

    Earlier is by id in natural order. A sample repeats one that was KEPT when the questions are the same
    (`normalised`), the options as a multiset and the text of the answer too (unless `question_alone`), and picture by
    picture, those of the options included, the similarity is above the threshold (`phash`: the hashes are equal).
    Being similar is not transitive, so with A like B and B like C, C stays where it is not like A. Samples without
    pictures, and those that were dropped before, are never compared.

    Source: paper, appendix A.6.

    Raises:
        NoThumbnail: a picture to compare has no thumbnail.
    """
    result = list(samples)
    for places in _groups(samples, question_alone):
        compare = _comparison([samples[i] for i in places], thumbnails, measure, similarity)
        for repeats in _repeated(len(places), compare):
            result[places[repeats]] = samples[places[repeats]].drop("duplicate")
    return result


def counts(samples: Sequence[Sample], thumbnails: Mapping[str, Thumbnail], *, similarity: float = 0.99) -> Counts:
    """How many samples are dropped by each measure, with options and answer compared and with the question alone."""

    def dropped(measure: Measure, question_alone: bool) -> int:
        after = deduplicate(samples, thumbnails, similarity=similarity, measure=measure, question_alone=question_alone)
        return sum(was.dropped is None and now.dropped is not None for was, now in zip(samples, after, strict=True))

    return Counts(dropped("pearson", False), dropped("pearson", True), dropped("phash", False), dropped("phash", True))


def similar(
    samples: Sequence[Sample],
    thumbnails: Mapping[str, Thumbnail],
    *,
    similarity: float = 0.99,
    measure: Measure = "pearson",
) -> list[Similar]:
    """All pairs of kept samples with similar pictures and the same question or answer, in natural order of ids.

    Raises:
        Fault: a sample of a pair has no split.
        NoThumbnail: a picture to compare has no thumbnail.
    """
    found = list(_pairs(samples, thumbnails, similarity, measure))
    ranks, choices = {}, {}
    for i in sorted({place for pair in found for place in pair[:2]}):
        if samples[i].split is None:
            raise Fault(f"m3cot/similar: sample {samples[i].id} has no split: split the samples before comparing them")
        ranks[i], choices[i] = natural(samples[i].id or ""), _choices(samples[i])
    found.sort(key=lambda pair: (ranks[pair[0]], ranks[pair[1]]))
    return [
        Similar(
            samples[i].id or "",
            samples[j].id or "",
            samples[i].split or "",
            samples[j].split or "",
            value,
            choices[i] == choices[j],
        )
        for i, j, value in found
    ]


def groups(
    samples: Sequence[Sample],
    thumbnails: Mapping[str, Thumbnail],
    *,
    similarity: float = 0.99,
    measure: Measure = "pearson",
) -> dict[str, str]:
    """The group of every kept sample, by its id: what has to stay in one split, named by the group's first id.

    Two samples are in one group when they share a picture, or when their pictures are similar and their questions or
    right options the same, or through others that are so.

    Raises:
        NoThumbnail: a picture to compare has no thumbnail.
    """
    above = {i: i for i, sample in enumerate(samples) if sample.dropped is None and sample.id is not None}

    def top(i: int) -> int:
        while above[i] != i:
            above[i] = above[above[i]]
            i = above[i]
        return i

    first: dict[str, int] = {}
    for i in above:
        parts = (part.image_id for part in samples[i].rationale or () if part.image_id is not None)
        for image_id in (*_pictures(samples[i]), *parts):
            above[top(i)] = top(first.setdefault(image_id, i))
    for i, j, _ in _pairs(samples, thumbnails, similarity, measure):
        above[top(i)] = top(j)
    members = defaultdict(list)
    for i in above:
        members[top(i)].append(samples[i].id or "")
    names = {place: min(ids, key=natural) for place, ids in members.items()}
    return {samples[i].id or "": names[top(i)] for i in above}


def _pictures(sample: Sample) -> tuple[str, ...]:
    return (*(sample.images or ()), *(sample.choice_images or ()))


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> str:
    # Neither case nor NFKC here: `Gg` and `gg` are two answers of genetics, and 2² is not 22.
    visible = "".join(mark for mark in unicodedata.normalize("NFC", text) if unicodedata.category(mark) != "Cf")
    return " ".join(visible.split())


def _choices(sample: Sample) -> tuple[tuple[str, ...], str]:
    """The options as a multiset and the text of the answer."""
    options = sample.choices or ()
    answer = sample.answer or ""
    place = LETTERS.find(answer) if len(answer) == 1 else -1
    return tuple(sorted(map(_plain, options))), _plain(options[place] if 0 <= place < len(options) else answer)


def _groups(samples: Sequence[Sample], question_alone: bool) -> list[list[int]]:
    """Places of kept samples that could repeat each other, in natural order of their ids."""

    def key(sample: Sample) -> Any:
        return sample.question and (normalised(sample.question), None if question_alone else _choices(sample))

    return _together(samples, key)


def _answered(samples: Sequence[Sample]) -> list[list[int]]:
    """Places of kept samples whose right option is the same text, in natural order of their ids.

    A question that only names another person or wears other words is the same one, where picture and answer are.
    """
    return _together(samples, lambda sample: _choices(sample)[1])


def _together(samples: Sequence[Sample], key: Callable[[Sample], Any]) -> list[list[int]]:
    found: dict[Any, list[int]] = defaultdict(list)
    for i, sample in enumerate(samples):
        if sample.dropped is None and sample.id is not None and _pictures(sample) and (named := key(sample)):
            found[named, len(sample.images or ()), len(sample.choice_images or ())].append(i)
    return [
        sorted(places, key=lambda i: (natural(samples[i].id or ""), i)) for places in found.values() if len(places) > 1
    ]


Comparison = Callable[[Sequence[int], Sequence[int]], "NDArray[np.float64]"]


def _comparison(
    members: Sequence[Sample], thumbnails: Mapping[str, Thumbnail], measure: Measure, threshold: float
) -> Comparison:
    """A function from two lists of places to their similarities; nan where not above `threshold` or not the first's.

    Places are among `members`; a pair is compared where the first list has the earlier one.
    """
    import numpy as np

    slots = [
        [found(thumbnails, image_id) for image_id in column] for column in zip(*map(_pictures, members), strict=True)
    ]
    if measure == "phash":
        hashes = [np.array([thumb.phash for thumb in slot], dtype=np.uint64) for slot in slots]
    else:
        greys = [_flat(slot) for slot in slots]
        units = [_units(grey) for grey in greys]
        level = [np.equal(grey.min(axis=1), grey.max(axis=1)) for grey in greys]

    def same_hashes(rows: Sequence[int], columns: Sequence[int]) -> "NDArray[np.float64]":
        equal = [slot[rows][:, None] == slot[columns][None, :] for slot in hashes]
        return np.where(np.logical_and.reduce([*equal, np.less.outer(rows, columns)]), 1.0, np.nan)

    def correlated(rows: Sequence[int], columns: Sequence[int]) -> "NDArray[np.float64]":
        values = np.full((len(rows), len(columns)), np.nan)
        # Single precision, in half the time, says where to look; its errors stay far below the margin.
        earlier = np.less.outer(rows, columns)
        near: NDArray[np.bool_] = np.array(earlier)
        for unit, even in zip(units, level, strict=True):
            near &= (unit[rows] @ unit[columns].T > threshold - 1e-3) | np.logical_and.outer(even[rows], even[columns])
        i, j = np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))
        if i.size:
            values[np.ix_(i, j)] = np.minimum.reduce([_correlations(slot[rows][i], slot[columns][j]) for slot in greys])
        values[~earlier | (values <= threshold)] = np.nan
        return values

    return same_hashes if measure == "phash" else correlated


def _units(grey: "NDArray[np.uint8]") -> "NDArray[np.float32]":
    """Rows whose products are roughly the correlations of the rows of `grey`; zeros for a row of one level."""
    import numpy as np

    centred = grey - grey.mean(axis=1, dtype=np.float32, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    varied = grey.max(axis=1) > grey.min(axis=1)
    units: NDArray[np.float32] = (
        np.where(varied, 1 / np.where(varied, length, 1), 0)[:, None].astype(np.float32) * centred
    )
    return units


def _flat(thumbs: Sequence[Thumbnail]) -> "NDArray[np.uint8]":
    import numpy as np

    return np.stack([thumb.grey.reshape(SIDE * SIDE) for thumb in thumbs])


def _correlations(a: "NDArray[np.uint8]", b: "NDArray[np.uint8]") -> "NDArray[np.float64]":
    """Pearson correlations of the rows of `a` with the rows of `b`."""
    import numpy as np

    # Sums of products of bytes are whole numbers below 2 ** 53: in float64 they are exact in whatever order a machine
    # adds them, so what is above a threshold is so everywhere. In float32 it would hang on the machine.
    x, y = a.astype(np.float64), b.astype(np.float64)
    n = a.shape[1]
    sum_x, sum_y = x.sum(axis=1), y.sum(axis=1)
    spread_x = n * np.einsum("ij,ij->i", x, x) - sum_x**2
    spread_y = n * np.einsum("ij,ij->i", y, y) - sum_y**2
    shared = n * (x @ y.T) - np.outer(sum_x, sum_y)
    scale = np.sqrt(np.outer(spread_x, spread_y))
    values: NDArray[np.float64] = np.divide(shared, scale, out=np.zeros_like(shared), where=scale > 0).clip(-1.0, 1.0)
    flat_x, flat_y = np.flatnonzero(spread_x == 0), np.flatnonzero(spread_y == 0)
    values[np.ix_(flat_x, flat_y)] = 1 - np.abs(np.subtract.outer(sum_x[flat_x], sum_y[flat_y])) / (255 * n)
    return values


def _blocks(places: Sequence[int]) -> Iterator[Sequence[int]]:
    return (places[start : start + BLOCK] for start in range(0, len(places), BLOCK))


def _repeated(count: int, compare: Comparison) -> Iterator[int]:
    """Places in order that are similar to an earlier one which is not itself among them."""
    import numpy as np

    stay: list[int] = []
    for block in _blocks(range(count)):
        repeats = np.zeros(len(block), dtype=bool)
        for known in _blocks(stay):
            repeats |= ~np.isnan(compare(known, block)).all(axis=0)
        rest = [place for place, repeat in zip(block, repeats, strict=True) if not repeat]
        near = ~np.isnan(compare(rest, rest)) if rest else np.zeros((0, 0), dtype=bool)
        first = np.ones(len(rest), dtype=bool)
        for i in range(len(rest)):
            if first[i]:
                first &= ~near[i]
        kept = [place for place, is_first in zip(rest, first, strict=True) if is_first]
        yield from sorted(set(block) - set(kept))
        stay += kept


def _pairs(
    samples: Sequence[Sample], thumbnails: Mapping[str, Thumbnail], threshold: float, measure: Measure
) -> Iterator[tuple[int, int, float]]:
    """Places of two kept samples with similar pictures and the same question or answer, the first id's first, once."""
    import numpy as np

    seen: set[tuple[int, int]] = set()
    for places in (*_groups(samples, question_alone=True), *_answered(samples)):
        compare = _comparison([samples[i] for i in places], thumbnails, measure, threshold)
        for rows in _blocks(range(len(places))):
            for columns in _blocks(range(rows[0], len(places))):
                values = compare(rows, columns)
                for i, j in np.argwhere(~np.isnan(values)).tolist():
                    pair = places[rows[i]], places[columns[j]]
                    if pair not in seen:
                        seen.add(pair)
                        yield *pair, float(values[i, j])
