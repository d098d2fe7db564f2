"""What stage picture_quality asks: the replies whose pictures people judge, each as a sample that the page can show."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from assets import params, samples
from assets.analysis.drawn.replies import DrawnReply, replies
from assets.analysis.drawn.sampled import sampled
from assets.analysis.entries import entries
from assets.evaluation import stored
from assets.evaluation.rows import Evaluation
from assets.schema.sample import Part, Sample
from assets.settings_evaluation import made_by
from orchestration import annotation_made as made
from orchestration import storage
from orchestration.annotation_made import AnnotateError

STAGE = "picture_quality"
PICTURES = ("evaluation", "pictures")
"""Where the pictures stand that models drew."""


def asked() -> list[Sample]:
    """The replies that people judge: each the sample that was asked, by the reply's name, with the reply as rationale.

    They are those that `analysis/drawn` counts on. An evaluation without replies has none.

    Raises:
        AnnotateError: no reply holds a picture, or the samples that were asked have not been made.
    """
    settings = params.load()
    predictions = {name: storage.read_table(path) for name, path in _files().items() if path.exists()}
    if not predictions:
        raise AnnotateError("evaluation/recorded: no evaluation has replies yet: cotline materialize evaluation")
    evaluations = {name: _evaluation(name) for name in predictions}
    tables = {edition: made.table(*_key(*edition)) for edition in {one.asked[:2] for one in evaluations.values()}}
    items = stored.items_by_evaluation(tables, evaluations)
    said = {name: one.model_dump() for name, one in settings.evaluations.items()}
    every = {one.evaluation: one for one in entries(said, dict.fromkeys(settings.models))}
    people = frozenset(name for name, one in evaluations.items() if one.several)
    quality = settings.analysis.picture_quality
    chosen = sampled(replies(predictions, items, every, people), seed=quality.seed, per_task=quality.per_task)
    if not chosen:
        raise AnnotateError(
            f"picture_quality: no reply of {len(predictions)} evaluations holds a picture that people could judge: "
            "add an evaluation of a model that draws"
        )
    wanted = {(one.evaluation, one.sample_id) for one in chosen.values()}
    told = _told({name: predictions[name] for name, _ in wanted}, wanted)
    known = _known(tables, chosen)
    return [
        known[reply.asked[:2]][reply.sample_id]._replace(
            id=name, source_id=reply.sample_id, rationale=told[reply.evaluation, reply.sample_id]
        )
        for name, reply in chosen.items()
    ]


def picture_keys() -> list[tuple[str, str]]:
    """The tables that hold the pictures of replies, and those of the samples that evaluations with replies asked."""
    settings = params.load()
    made_of = [settings.evaluations[name] for name, path in _files().items() if path.exists()]
    editions = {(one.benchmark, one.edition) for one in made_of}
    return [PICTURES, *(_pictures_of(*edition) for edition in sorted(editions))]


def _files() -> dict[str, Path]:
    """Where the replies of each evaluation stand, once they are made."""
    settings = params.load()
    found = {}
    for name, one in sorted(settings.evaluations.items()):
        asset = made_by(settings.models[one.model].kind)
        found[name] = storage.table_file(("evaluation", asset), name)
    return found


def _evaluation(name: str) -> Evaluation:
    settings = params.load()
    one = settings.evaluations[name]
    several = settings.models[one.model].kind == "human"
    return Evaluation(one.benchmark, one.split, one.replies, one.edition, one.limit, several=several)


def _key(benchmark: str, edition: str) -> tuple[str, str]:
    return ("sources", f"{benchmark}_released") if edition == "released" else (benchmark, "benchmark")


def _pictures_of(benchmark: str, edition: str) -> tuple[str, str]:
    return ("sources", f"{benchmark}_released_images") if edition == "released" else (benchmark, "images")


def _known(
    tables: Mapping[tuple[str, str], pa.Table], chosen: Mapping[str, DrawnReply]
) -> dict[tuple[str, str], dict[str, Sample]]:
    """The samples of the editions whose replies are judged, by id."""
    editions = {(one.asked[0], one.asked[1]) for one in chosen.values()}
    return {
        edition: {str(sample.id): sample for sample in samples.kept(tables[edition])} for edition in sorted(editions)
    }


def _told(predictions: Mapping[str, pa.Table], wanted: set[tuple[str, str]]) -> dict[tuple[str, str], tuple[Part, ...]]:
    """What the model says and draws, by evaluation and sample, of the first reply to it."""
    found: dict[tuple[str, str], tuple[Part, ...]] = {}
    for name, table in sorted(predictions.items()):
        rows = table.select(["line", "sample_id", "dropped", "turns"]).to_pylist()
        for row in sorted(rows, key=lambda row: row["line"]):
            place = name, row["sample_id"]
            if place in wanted and place not in found and row["dropped"] is None:
                said = [part for turn in row["turns"] or () if turn["role"] == "assistant" for part in turn["parts"]]
                numbers = itertools.count(1)
                found[place] = tuple(
                    Part("image", f"[picture {next(numbers)}]", part["image_id"])
                    if part["kind"] == "image"
                    else Part("text", part["text"], None)
                    for part in said
                )
    return found
