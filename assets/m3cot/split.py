"""The benchmark's splits: random, in the paper's proportions, and never one group in two of them."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from assets.schema.sample import Sample


def targets(n: int, weights: Mapping[str, int]) -> dict[str, int]:
    """How many of `n` samples each split is to have, in the proportions of `weights`, by largest remainder.

    Raises:
        ValueError: all weights are 0.
    """
    total = sum(weights.values())
    if not total:
        raise ValueError("m3cot.split: train, validation and test are all 0: set their proportions")
    shares = {name: n * weight / total for name, weight in weights.items()}
    found = {name: int(share) for name, share in shares.items()}
    rest = sorted(shares, key=lambda name: (found[name] - shares[name], name))
    for name in rest[: n - sum(found.values())]:
        found[name] += 1
    return found


def split(
    samples: Sequence[Sample], groups: Mapping[str, str], weights: Mapping[str, int], *, seed: int
) -> list[Sample]:
    """The kept samples with their split, in their order.

    A group goes whole to one split: of those that still lack samples, the one whose share of the group's topic is
    furthest behind. Large groups go first, so that the many single samples even out what they leave: a split is
    off its target by less than the largest group's weight.

    Args:
        samples: what was kept of the whole construction.
        groups: the group of each sample id: samples that share a picture, or whose pictures are nearly the same.
        weights: the proportions of the splits by name.
        seed: of the order in which groups of one weight are dealt out.

    Source: arXiv:2405.16473, section 4 (partitioned randomly into 7,863, 1,108 and 2,358); the groups are ours.
    """
    members: dict[str, list[Sample]] = {}
    for sample in samples:
        members.setdefault(groups[str(sample.id)], []).append(sample)
    order = sorted(members)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda group: -len(members[group]))
    whole = targets(len(samples), weights)
    topics = Counter(sample.topic for sample in samples)
    behind = {(name, topic): count * whole[name] / len(samples) for topic, count in topics.items() for name in weights}
    lacking = dict(whole)
    chosen: dict[str, str] = {}
    for group in order:
        kinds = Counter(sample.topic for sample in members[group])
        name = max(
            (name for name in weights if lacking[name] > 0),
            key=lambda name: (sum(behind[name, kind] * n for kind, n in kinds.items()) / whole[name], name),
        )
        lacking[name] -= len(members[group])
        for kind, n in kinds.items():
            behind[name, kind] -= n
        chosen[group] = name
    return [sample._replace(split=chosen[groups[str(sample.id)]]) for sample in samples]
