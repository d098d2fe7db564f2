"""What an analysis has to know of an evaluation beside its scores: who answered what, how, and its published row."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assets.analysis.published_tables import cells
from assets.schema.faults import Fault

TABLE = "zero_shot"
"""The published table whose rows an evaluation may repeat: of M3CoT's test split, without shots."""


class Entry(NamedTuple):
    """An evaluation of params.yaml; `published` is its model's name in the papers' tables, if it stands there."""

    evaluation: str
    model: str
    strategy: str
    shots: int
    benchmark: str
    edition: str
    split: str
    published: str | None
    limit: int | None = None


def entries(evaluations: Mapping[str, Mapping[str, Any]], published: Mapping[str, str | None]) -> list[Entry]:
    """The evaluations in the order of their names.

    Args:
        evaluations: what params.yaml says of each: model, strategy, shots, benchmark, edition, split.
        published: by model of params.yaml, its name in the papers' tables.
    """
    return [
        Entry(
            evaluation=name,
            model=said["model"],
            strategy=said["strategy"],
            shots=said["shots"],
            benchmark=said["benchmark"],
            edition=said["edition"],
            split=said["split"],
            published=published[said["model"]],
            limit=said["limit"],
        )
        for name, said in sorted(evaluations.items())
    ]


def claims(found: Sequence[Entry]) -> dict[str, tuple[str, str]]:
    """By evaluation the (model, strategy) of the published zero-shot row that it repeats, for those that do.

    Only an evaluation of the released M3CoT's whole test split without shots repeats one: the published numbers are
    of nothing else.

    Raises:
        Fault: two evaluations repeat one row.
    """
    rows = {(cell.model, cell.strategy) for cell in cells() if cell.table == TABLE}
    claimed: dict[tuple[str, str], str] = {}
    for entry in found:
        row = (entry.published or "", entry.strategy)
        of = (entry.benchmark, entry.edition, entry.split, entry.shots, entry.limit)
        if of != ("m3cot", "released", "test", 0, None) or row not in rows:
            continue
        if row in claimed:
            raise Fault(
                f"evaluations {claimed[row]} and {entry.evaluation} both stand for the published row "
                f"{' '.join(row)}: give one of them a model whose `published` is null"
            )
        claimed[row] = entry.evaluation
    return {evaluation: row for row, evaluation in claimed.items()}
