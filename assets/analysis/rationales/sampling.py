"""Which samples are looked at: a seeded sample of a split, in proportion to its topics or tasks."""

import hashlib
from collections.abc import Mapping


def drawn(strata: Mapping[str, str], n: int, seed: int) -> list[str]:
    """The ids of `n` samples, sorted, the same ones for the same split, number and seed.

    Each stratum has its share by largest remainder, and one at least, so that there are more than `n` where there are
    more strata than that; all samples where there are no more than `n`. Within a stratum the order is that of
    the SHA-256 of seed and id, so that a sample that is added to or gone from the split moves few others.

    Args:
        strata: the stratum of each sample of the split, by its id.
        n: how many to draw.
        seed: another one draws others.
    """
    members: dict[str, list[str]] = {}
    for sample_id, stratum in strata.items():
        members.setdefault(stratum, []).append(sample_id)
    taken = shares({stratum: len(ids) for stratum, ids in members.items()}, n)
    return sorted(
        sample_id
        for stratum, ids in members.items()
        for sample_id in sorted(ids, key=lambda one: (_place(seed, one), one))[: taken[stratum]]
    )


def shares(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """How many of `n` are of each stratum: in proportion to their sizes, one at least, no more than there are."""
    whole = sum(sizes.values())
    if n >= whole:
        return dict(sizes)
    quotas = {stratum: n * size / whole for stratum, size in sizes.items()}
    taken = {stratum: max(1, int(quota)) for stratum, quota in quotas.items()}
    while sum(taken.values()) < n:
        most = min((-(quotas[one] - taken[one]), one) for one in sizes if taken[one] < sizes[one])[1]
        taken[most] += 1
    while sum(taken.values()) > n and max(taken.values()) > 1:
        least = min((quotas[one] - taken[one], one) for one in sizes if taken[one] > 1)[1]
        taken[least] -= 1
    return taken


def _place(seed: int, sample_id: str) -> str:
    return hashlib.sha256(f"{seed}\n{sample_id}".encode()).hexdigest()
