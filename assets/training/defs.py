"""Training: samples and pictures -> a checkpoint -> what it reaches with the pictures, and without."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import dagster as dg
import pyarrow as pa

from assets import params, samples, statistics
from assets.asset import Made, asset, shown
from assets.images import Pictures
from assets.schema.tables import as_table
from assets.training import controls as controlling
from assets.training import figure, train

trainings = dg.StaticPartitionsDefinition(sorted(params.load().trainings))
BUILT = {
    "benchmark": dg.AssetIn(key=["m3cot", "benchmark"]),
    "images": dg.AssetIn(key=["m3cot", "images"]),
}
CHECKPOINTS = params.ROOT / "data" / "training" / "checkpoints"
SPLIT: Final = "test"


@asset(
    group="training",
    table="manifest",
    step=[train, figure],
    params=["trainings.{partition}"],
    folder=True,
    ins=BUILT,
    kinds=["pytorch"],
    partitions_def=trainings,
)
def checkpoints(context: dg.AssetExecutionContext, benchmark: pa.Table, images: Pictures) -> dg.Output[Made]:
    """A model that looks at the picture, learned on the train split and chosen on validation; the folder holds it."""
    settings = params.load().trainings[context.partition_key]
    (params.ROOT / "var").mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="making-", dir=params.ROOT / "var"))
    told = train.train(
        samples.kept(benchmark),
        images,
        train.TrainingSettings(seed=settings.seed),
        folder,
        lambda line: print(f"{context.partition_key}: {line}", flush=True),
    )
    return dg.Output(
        Made(folder=folder),
        metadata={
            **told.facts,
            "curves": dg.MetadataValue.json(told.curves),
            "figure": shown(figure.curves(told.curves)),
        },
    )


def _interval(row: Mapping[str, Any]) -> dict[str, float]:
    low, high = statistics.wilson(row["correct"], row["n"], params.load().scoring.level) or (0.0, 1.0)
    return {"low": low, "high": high}


@asset(
    group="training",
    table="control",
    step=[controlling, figure, statistics],
    params=["trainings", "scoring"],
    ins={**BUILT, "checkpoints": dg.AssetIn(partition_mapping=dg.AllPartitionMapping())},
    kinds=["table"],
)
def controls(benchmark: pa.Table, images: Pictures, checkpoints: Mapping[str, pa.Table]) -> dg.Output[pa.Table]:
    """Whether trained models look: on the test split with its pictures, with these shuffled or blank, and by chance."""
    rows = [
        row | {"training": name, "split": SPLIT} | _interval(row)
        for name in sorted(checkpoints)
        for row in controlling.report(CHECKPOINTS / name, samples.kept(benchmark), images, SPLIT)
    ]
    return dg.Output(as_table("control", rows), metadata={"figure": shown(figure.controls(rows))})
