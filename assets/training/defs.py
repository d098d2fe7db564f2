"""Training: samples and pictures -> weights -> what they reach with the pictures, and without."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import dagster as dg
import pyarrow as pa

from assets import params, samples, statistics
from assets.asset import Made, asset, shown
from assets.images import Pictures
from assets.schema.tables import as_table
from assets.settings_training import Adapted, ImageTextBase, Learned
from assets.training import controls as controlling
from assets.training import families, figure, saved
from assets.training.adapters import families as adapting
from assets.training.bases import image_text, planner
from assets.training.train import Trained

ALL = dg.AllPartitionMapping()
BUILT = {
    "benchmark": dg.AssetIn(key=["m3cot", "benchmark"]),
    "images": dg.AssetIn(key=["m3cot", "images"]),
}
HELD = params.ROOT / "data" / "training"
KEPT = params.ROOT / "var" / "training"
"""Where a training keeps how far it is, so that one that was stopped goes on from its last epoch."""

SPLIT: Final = "test"


def _of(kind: Any) -> dg.StaticPartitionsDefinition:
    return dg.StaticPartitionsDefinition(
        [name for name, one in sorted(params.load().trainings.items()) if isinstance(one, kind)]
    )


def _making() -> Path:
    (params.ROOT / "var").mkdir(exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="making-", dir=params.ROOT / "var"))


def _made(told: Trained, folder: Path) -> dg.Output[Made]:
    return dg.Output(
        Made(folder=folder),
        metadata={
            **told.facts,
            "curves": dg.MetadataValue.json(told.curves),
            "figure": shown(figure.curves(told.curves)),
        },
    )


def _kept(context: dg.AssetExecutionContext, settings: Any, *made_of: Sequence[Any]) -> Path:
    """Where this training keeps its state: of other settings or samples (which name pictures by pixels) elsewhere."""
    return saved.place(KEPT, context.partition_key, settings.model_dump_json(), *(repr(one) for one in made_of))


@asset(
    group="training",
    table="manifest",
    step=[image_text, planner],
    params=["bases.{partition}"],
    folder=True,
    ins=BUILT,
    kinds=["pytorch"],
    partitions_def=dg.StaticPartitionsDefinition(sorted(params.load().bases)),
)
def bases(context: dg.AssetExecutionContext, benchmark: pa.Table, images: Pictures) -> dg.Output[Made]:
    """A tiny checkpoint made here, for want of real weights: one that reads texts and pictures, or one that plans."""
    settings, folder = params.load().bases[context.partition_key], _making()
    told = _telling(context)
    found = [one for one in samples.kept(benchmark) if one.split == "train"]
    if isinstance(settings, ImageTextBase):
        facts = image_text.make(settings, found, images, folder, told)
    else:
        facts = planner.make(settings, found, folder, told)
    return dg.Output(Made(folder=folder), metadata=dict(facts))


@asset(
    group="training",
    table="manifest",
    step=[families, figure, saved],
    params=["trainings.{partition}"],
    folder=True,
    ins=BUILT,
    kinds=["pytorch"],
    partitions_def=_of(Learned),
)
def checkpoints(context: dg.AssetExecutionContext, benchmark: pa.Table, images: Pictures) -> dg.Output[Made]:
    """A model that looks at the picture, learned on the train split and chosen on validation; the folder holds it."""
    settings, folder = params.load().trainings[context.partition_key], _making()
    assert isinstance(settings, Learned)
    found = samples.kept(benchmark)
    keep = _kept(context, settings, found)
    return _made(families.train(settings, found, images, folder, keep, _telling(context)), folder)


@asset(
    group="training",
    table="manifest",
    step=[adapting, figure, saved],
    params=["trainings.{partition}"],
    folder=True,
    ins={**BUILT, "bases": dg.AssetIn(partition_mapping=ALL)},
    kinds=["pytorch"],
    partitions_def=_of(Adapted),
)
def adapted(
    context: dg.AssetExecutionContext, benchmark: pa.Table, images: Pictures, bases: Mapping[str, pa.Table]
) -> dg.Output[Made]:
    """Weights beside those of an image-text checkpoint, learned on the train split and chosen on validation."""
    settings, folder = params.load().trainings[context.partition_key], _making()
    assert isinstance(settings, Adapted)
    found = samples.kept(benchmark)
    keep = _kept(context, settings, found, [(name, table.to_pylist()) for name, table in sorted(bases.items())])
    return _made(adapting.train(settings, found, images, folder, keep, _telling(context)), folder)


def _telling(context: dg.AssetExecutionContext) -> Any:
    name = context.partition_key
    return lambda line: print(f"{name}: {line}", flush=True)


def _interval(row: Mapping[str, Any]) -> dict[str, float]:
    low, high = statistics.wilson(row["correct"], row["n"], params.load().scoring.level) or (0.0, 1.0)
    return {"low": low, "high": high}


@asset(
    group="training",
    table="control",
    step=[controlling, figure, statistics],
    params=["trainings", "scoring"],
    ins={
        **BUILT,
        "bases": dg.AssetIn(partition_mapping=ALL),
        "checkpoints": dg.AssetIn(partition_mapping=ALL),
        "adapted": dg.AssetIn(partition_mapping=ALL),
    },
    kinds=["table"],
)
def controls(
    benchmark: pa.Table,
    images: Pictures,
    bases: Mapping[str, pa.Table],
    checkpoints: Mapping[str, pa.Table],
    adapted: Mapping[str, pa.Table],
) -> dg.Output[pa.Table]:
    """Whether trained models look: on the test split with its pictures, with these shuffled or blank, and by chance."""
    folders = {name: HELD / "checkpoints" / name for name in checkpoints}
    folders |= {name: HELD / "adapted" / name for name in adapted}
    bases_of = {name: one.base for name, one in params.load().trainings.items() if isinstance(one, Adapted)}
    rows = [
        row | {"training": name, "split": SPLIT} | _interval(row)
        for name, folder in sorted(folders.items())
        for row in controlling.report(folder, samples.kept(benchmark), images, SPLIT, base=bases_of.get(name))
    ]
    return dg.Output(as_table("control", rows), metadata={"figure": shown(figure.controls(rows))})
