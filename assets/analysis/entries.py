"""What an analysis has to know of an evaluation beside its scores: who answered what, and how."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from assets.settings_evaluation import Sampling


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
