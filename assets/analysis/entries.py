"""What an analysis has to know of an evaluation beside its scores: who answered what, how, and its published row."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assets.analysis.published_tables import Row, cells
from assets.schema.faults import Fault
from assets.settings_evaluation import Sampling

TABLE = "zero_shot"
"""The paper's table of M3CoT's test split without shots, whose totals stand on the leaderboard beside ours."""


class Entry(NamedTuple):
    """An evaluation of params.yaml.

    published: its model's name in the papers' tables, if it stands there. sampling: what differs from how a model is
    sampled if nothing is said.
    """

    evaluation: str
    model: str
    strategy: str
    shots: int
    benchmark: str
    edition: str
    split: str
    published: str | None
    limit: int | None = None
    variant: str = "default"
    shot_rationales: str = "multimodal"
    seed: int = 0
    asking: str = "first"
    sampling: tuple[tuple[str, Any], ...] = ()


def entries(evaluations: Mapping[str, Mapping[str, Any]], published: Mapping[str, str | None]) -> list[Entry]:
    """The evaluations in the order of their names.

    Args:
        evaluations: what params.yaml says of each, whole.
        published: by model of params.yaml, its name in the papers' tables.
    """
    usual = Sampling().model_dump()
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
            variant=said["variant"],
            shot_rationales=said["shot_rationales"],
            seed=said["seed"],
            asking=said["asking"],
            sampling=tuple(
                (name, value) for name, value in sorted(said["sampling"].items()) if value != usual.get(name)
            ),
        )
        for name, said in sorted(evaluations.items())
    ]


def claims(found: Sequence[Entry]) -> dict[str, Row]:
    """By evaluation the published model and strategy that it repeats, of the zero-shot table or the leaderboard.

    Only an evaluation of the released M3CoT's whole test split without shots repeats a row: the published numbers are
    of nothing else.

    Raises:
        Fault: two evaluations repeat one row.
    """
    rows = {cell.repeats for cell in cells()}
    claimed: dict[Row, str] = {}
    for entry in found:
        row = Row(entry.published or "", entry.strategy)
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
