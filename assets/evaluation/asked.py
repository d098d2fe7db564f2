"""One evaluation asked: samples -> dialogues -> replies, with the store between -> table `prediction`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from assets import images, samples
from assets.evaluation import dialogue
from assets.evaluation.asking import Progress, ask
from assets.evaluation.drawn import Drawn
from assets.models.model import Dialogue, Model
from assets.models.stored_pictures import StoredPictures
from assets.replies_store import RepliesStore
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.schema.tables import as_table
from assets.settings_evaluation import Evaluation, OpenAI

MILLION = 1_000_000


class Asked(NamedTuple):
    """The replies as a table `prediction`, and what the asking came to, for the person who looks at it."""

    table: pa.Table
    facts: dict[str, Any]


class Tables(NamedTuple):
    """What an evaluation is asked from: its edition's samples, and the pictures that they name."""

    samples: pa.Table
    pictures: Sequence[images.Pictures]


def of_split(table: pa.Table, split: str, limit: int | None = None) -> list[Sample]:
    """The kept samples of a split in the table's order, the first `limit` of them."""
    found = [sample for sample in samples.kept(table) if sample.split == split]
    return found[:limit]


def dialogues(name: str, evaluation: Evaluation, tables: Tables, pictures: StoredPictures) -> list[Dialogue]:
    """The dialogues of an evaluation, in the order of its samples, exactly as they will be sent.

    Raises:
        Fault: the split has no sample, or one of them, or a shot, cannot be shown.
    """
    chosen, shown = _chosen(evaluation, tables)
    if not chosen:
        raise Fault(
            f"evaluations.{name}.split: {evaluation.benchmark} ({evaluation.edition}) has no {evaluation.split} "
            "samples: name a split or an edition that has some"
        )
    try:
        return list(dialogue.dialogues(evaluation.benchmark, chosen, shown, _asked(evaluation), pictures))
    except Fault as fault:
        raise Fault(f"evaluations.{name}: {fault}") from None


def asked(
    name: str,
    evaluation: Evaluation,
    tables: Tables,
    model: Model,
    *,
    folder: Path,
    most_failures: float,
    asking: str | None = None,
    told: Callable[[Progress], None] | None = None,
) -> Asked:
    """The replies to an evaluation's dialogues: those that the store has, and the model's to the rest.

    Args:
        name: of the evaluation.
        evaluation: what params.yaml says of it.
        tables: its samples and their pictures.
        model: what answers; its replies do not depend on which dialogues it is given.
        folder: the store of replies; the pictures that models draw are kept in it too.
        most_failures: the share of dialogues that may fail.
        asking: instead of the evaluation's own.
        told: how far it has come.

    Raises:
        Fault: the evaluation cannot be asked, or too much of it failed; what came is kept.
    """
    pictures = StoredPictures(tables.pictures)
    spoken = dialogues(name, evaluation, tables, pictures)
    with RepliesStore(folder) as store:
        found = ask(
            name,
            spoken,
            model,
            pictures,
            store,
            template=dialogue.template(evaluation.benchmark, _asked(evaluation)),
            asking=asking or evaluation.asking,
            most_failures=most_failures,
            told=told,
            drawn=Drawn(folder / "pictures"),
        )
    facts = _facts(found.progress, model, asking or evaluation.asking)
    if evaluation.shots:
        counted = dialogue.counts(evaluation.benchmark, *_chosen(evaluation, tables), _asked(evaluation), pictures)
        facts |= {"shots": counted.shots, "shots_of_another_category": counted.filled, "shots_refused": counted.refused}
    return Asked(as_table("prediction", found.rows), facts)


def cost(facts: Mapping[str, Any], model: OpenAI) -> dict[str, float]:
    """What the tokens cost at the model's prices for a million of them; nothing where it has none."""
    if model.price_in is None and model.price_out is None:
        return {}
    tokens = facts["tokens_in"] * (model.price_in or 0) + facts["tokens_out"] * (model.price_out or 0)
    return {"cost": tokens / MILLION}


def majority(tables: Tables, split: str) -> str | None:
    """The letter that is right most often in the train split, or, of an edition without one, in `split` itself."""
    counted = of_split(tables.samples, "train") or of_split(tables.samples, split)
    letters = Counter(sample.answer for sample in counted if sample.answer)
    return min(letters, key=lambda letter: (-letters[letter], letter), default=None)


def told(progress: Progress) -> dict[str, Any]:
    """How far an evaluation has come, as metadata."""
    return {
        "dialogues": progress.done,
        "of": progress.total,
        "asked": progress.asked,
        "reused": progress.reused,
        "failed": progress.failed,
    }


def _chosen(evaluation: Evaluation, tables: Tables) -> tuple[list[Sample], list[Sample]]:
    """The samples that an evaluation asks, and those that it may show as solved."""
    shown = of_split(tables.samples, "validation") if evaluation.shots else []
    return of_split(tables.samples, evaluation.split, evaluation.limit), shown


def _asked(evaluation: Evaluation) -> dialogue.Asked:
    return dialogue.Asked(
        evaluation.strategy, evaluation.variant, evaluation.shots, evaluation.shot_rationales, evaluation.seed
    )


def _facts(progress: Progress, model: Model, asking: str) -> dict[str, Any]:
    facts: Mapping[str, Any] = getattr(model, "facts", {})
    return {
        "asking": asking,
        "dialogues": progress.done,
        "asked": progress.asked,
        "reused": progress.reused,
        "failed": progress.failed,
        "status": dict(sorted(progress.statuses.items())),
        "tokens_in": progress.tokens_in,
        "tokens_out": progress.tokens_out,
        **facts,
    }
