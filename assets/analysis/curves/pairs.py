"""Every two evaluations of a split: by how much the better one is better, how sure that is, and what it would take."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, log2, sqrt
from statistics import NormalDist
from typing import Any

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.schema.faults import Fault
from assets.statistics import quantile

MOST = 2**31 - 1
"""The largest count that the table holds."""


def pairs(differences: pa.Table, entries: Sequence[Entry], *, level: float, power: float) -> Iterator[dict[str, Any]]:
    """Rows of table `paired_difference`, by split, then by the names of both: the better evaluation is `a`.

    p is corrected by Holm's method over the pairs of the same benchmark, edition and split. Pairs without a common
    sample have no difference and no row.

    Args:
        differences: table `difference`; the rows of the strict extractor and the released labels are read.
        entries: the evaluations of params.yaml.
        level: of the intervals; a test of the level 1 - level is planned by `needed`.
        power: the chance that it shows a difference that is there.

    Raises:
        Fault: the differences are older than params.yaml.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    asked = {entry.evaluation: (entry.benchmark, entry.edition, entry.split) for entry in entries}
    if gone := {*differences["a"].to_pylist(), *differences["b"].to_pylist()} - asked.keys():
        raise Fault(
            f"evaluation/differences still holds {', '.join(sorted(gone))}, which params.yaml has not: "
            "materialize evaluation/differences"
        )
    blocks: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in differences.to_pylist():
        if (row["extractor"], row["labels"]) == ("strict", "released") and row["n"]:
            blocks.setdefault(asked[row["a"]], []).append(_ordered(row))
    for block in sorted(blocks):
        rows = sorted(blocks[block], key=lambda row: (row["a"], row["b"]))
        adjusted = holm([row["p"] for row in rows])
        for row, p in zip(rows, adjusted, strict=True):
            yield {
                **dict(zip(("benchmark", "edition", "split"), block, strict=True)),
                **row,
                "p_adjusted": p,
                "needed": needed(row["only_a"], row["only_b"], row["n"], level=level, power=power),
            }


def _ordered(row: Mapping[str, Any]) -> dict[str, Any]:
    """The two as they stand, or the other way round where b is better; of equal ones the first by name is a."""
    names = ("a", "b", "n", "only_a", "only_b", "difference", "low", "high", "p")
    turned = row["difference"] < 0 or (row["difference"] == 0 and row["b"] < row["a"])
    if not turned:
        return {name: row[name] for name in names}
    return {
        "a": row["b"],
        "b": row["a"],
        "n": row["n"],
        "only_a": row["only_b"],
        "only_b": row["only_a"],
        "difference": 0.0 - row["difference"],
        "low": 0.0 - row["high"],
        "high": 0.0 - row["low"],
        "p": row["p"],
    }


def holm(values: Sequence[float]) -> list[float]:
    """The p values of several tests in their order, each corrected for their number.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    found = [0.0] * len(values)
    least = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=lambda index: values[index])):
        least = max(least, min(1.0, (len(values) - place) * values[index]))
        found[index] = least
    return found


def needed(only_a: int, only_b: int, n: int, *, level: float, power: float) -> int | None:
    """The samples that a paired test needs to show a difference such as this one; None where there is none.

    With the share of samples that one of the two alone has right, psi = (only_a + only_b) / n, and the difference
    d = (only_a - only_b) / n, the two-sided McNemar test at 1 - level shows it with this power from

        n = (z(1 - (1 - level) / 2) sqrt(psi) + z(power) sqrt(psi - d^2))^2 / d^2

    samples, rounded up, but so many at least that as many differ as an exact test can be significant on. None too where
    that is more than 2^31 - 1. It is the normal approximation for the test without correction: the exact test takes 6
    to 12 per cent more (of 20 and 10 in 100, with power 0.8, 249 samples instead of 234). And it takes what was
    observed for what is true: of a small difference it is a rough figure.

    Source: R. J. Connor, Biometrics 43 (1987) 207-211; O. S. Miettinen, Biometrics 24 (1968) 339-352, on the same test.
    """
    if only_a == only_b:
        return None
    discordant, difference = (only_a + only_b) / n, (only_a - only_b) / n
    reach = quantile(level) * sqrt(discordant) + NormalDist().inv_cdf(power) * sqrt(discordant - difference**2)
    # Two-sided, m samples that differ all in one direction have p = 2 / 2^m.
    fewest = ceil(log2(2 / (1 - level)))
    found = max(ceil(max(0.0, reach) ** 2 / difference**2), ceil(fewest / discordant))
    return found if found <= MOST else None
