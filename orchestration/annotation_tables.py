"""What the annotation page works on: the samples that enter a stage, their pictures, the judgements so far."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from assets import annotation, params
from assets.annotation import Judgement, Log
from assets.comt import judged as comt_judged
from assets.images import Pictures
from assets.m3cot import judged
from assets.schema.sample import Sample
from assets.settings import Annotations, Comt, M3cot
from assets.steps import segment
from orchestration import annotation_made as made
from orchestration import annotation_replies
from orchestration.annotation_made import AnnotateError

STAGES = {
    "m3cot": ("image_needed", "image_steps", "quality", "recheck", "audit"),
    "comt": ("quality", "recheck", annotation_replies.STAGE),
}
"""What is judged of each benchmark, in the order of its chain; last of CoMT the pictures of all models' replies."""

SOURCE_PICTURES = (("sources", "scienceqa_images"), ("sources", "tabmwp_images"))
ALL_PICTURES = (
    *SOURCE_PICTURES,
    ("sources", "sherlock_images"),
    ("m3cot", "mathematics_images"),
    ("m3cot", "science_images"),
)
COMT_TASKS = (("comt", "creation"), ("comt", "deletion"), ("comt", "update"), ("comt", "selection"))
COMT_PICTURES = (
    ("sources", "geometry_images"),
    ("sources", "crowds_images"),
    ("comt", "deletion_images"),
    ("comt", "update_images"),
    ("comt", "selection_images"),
)
"""Creation's picture is its source's, deletion's question shows its source's; all others are drawn."""


class Given:
    """The judgements in the files of the settings, each file read again when it has changed."""

    def __init__(self, places: Sequence[tuple[Path, str]], setting: str = annotation.SETTING) -> None:
        """Take the files and folders, how to name them, and what names them; what is not there yet holds none."""
        self._places, self._setting = places, setting
        self._read: dict[Path, tuple[tuple[int, int, int], list[Judgement]]] = {}

    def __call__(self) -> list[Judgement]:
        """All of them, in the order of the files; of what somebody judged twice the first is superseded."""
        return list(annotation.superseded([row for file, name in self._files() for row in self._of(file, name)]))

    def _files(self) -> Iterator[tuple[Path, str]]:
        for path, name in self._places:
            if not path.is_dir():
                yield from [(path, name)] if path.exists() else []
                continue
            folder = path.resolve()
            for file in sorted(path.glob("*.jsonl"), key=lambda file: file.name):
                if file.is_file() and file.resolve().is_relative_to(folder):
                    yield file, f"{name}/{file.name}"

    def _of(self, file: Path, name: str) -> list[Judgement]:
        facts = file.stat()
        now = facts.st_ino, facts.st_size, facts.st_mtime_ns
        before = self._read.get(file)
        if before is None or before[0] != now:
            before = self._read[file] = (now, list(annotation.read([(file, name)], self._setting)))
        return before[1]


def knobs(benchmark: str) -> M3cot | Comt:
    """How the benchmark is built."""
    settings = params.load()
    return settings.comt if benchmark == "comt" else settings.m3cot


def needed(benchmark: str, stage: str) -> int:
    """How many annotators have to agree at a stage."""
    settings = params.load()
    if stage == annotation_replies.STAGE:
        return settings.analysis.picture_quality.agree
    return knobs(benchmark).votes.needed


def given(benchmark: str, stage: str = "") -> Given:
    """The benchmark's judgements as their source would read them now; a folder that is not there yet holds none.

    Those of stage picture_quality have a source of their own.

    Raises:
        AnnotateError: the recorded ones that params.yaml names are not there.
    """
    name = _source(benchmark, stage)
    where, setting = _where(name), f"sources.{name}.recorded"
    if where.recorded is not None and not (params.ROOT / where.recorded).exists():
        maker = "generated_released" if stage == annotation_replies.STAGE else "generated_upstreams"
        how = f"cotline materialize sources/{maker}, or " if "generated" in where.recorded else ""
        raise AnnotateError(f"{setting}: {where.recorded} is not there: {how}put it there, or set it to null")
    names = [name for name in (where.recorded, where.own) if name]
    return Given([(params.ROOT / name, name.rstrip("/")) for name in names], setting)


def own_log(benchmark: str, stage: str) -> Log:
    """The log that the page writes a stage's judgements to."""
    return Log(params.ROOT / _where(_source(benchmark, stage)).own / f"{stage}.jsonl")


def entering(benchmark: str, stage: str, round: int, judgements: Sequence[Judgement]) -> list[Sample]:
    """The samples that enter a stage: what the step before it kept.

    Raises:
        AnnotateError: its table has not been made yet.
        AnnotationError: a judgement's edits cannot be made.
    """
    if stage == annotation_replies.STAGE:
        return annotation_replies.asked()
    if benchmark == "comt":
        return _of_comt(stage, round, judgements)
    settings = params.load().m3cot
    if stage == "image_needed":
        return [sample for sample in made.kept("sources", "scienceqa") if sample.images]
    if stage == "image_steps":
        least = settings.filter.least_steps
        return [row for row in made.kept("m3cot", "image_needed") if len(segment(row.text, settings.steps)) >= least]
    if stage == "quality":
        return made.kept("m3cot", "deduplicated")
    if stage == "recheck":
        found = made.kept("m3cot", "annotated")
        return found if round == 1 else _passed(found, judgements, settings.votes.needed)
    found = [*made.kept("sources", "scienceqa"), *made.kept("sources", "tabmwp")]
    audited = judged.audit(found, (), fraction=settings.audit.share, seed=settings.audit.seed)
    drawn = set(audited.drawn)
    return [sample for sample in found if sample.id in drawn]


def open_pictures(benchmark: str, stage: str) -> list[Pictures]:
    """The tables that hold the pictures of a stage's samples.

    Raises:
        AnnotateError: one of them has not been made yet.
    """
    keys: Sequence[tuple[str, str]]
    if stage == annotation_replies.STAGE:
        keys = annotation_replies.picture_keys()
    elif benchmark == "comt":
        keys = COMT_PICTURES[:1] if stage == "quality" else COMT_PICTURES
    else:
        few = {"image_needed": SOURCE_PICTURES[:1], "image_steps": SOURCE_PICTURES[:1], "audit": SOURCE_PICTURES}
        keys = few.get(stage, ALL_PICTURES)
    return [Pictures(pq.ParquetFile(made.file(*key))) for key in keys]


def _source(benchmark: str, stage: str) -> str:
    return "picture_judgements" if stage == annotation_replies.STAGE else f"{benchmark}_annotations"


def _where(source: str) -> Annotations:
    sources = params.load().sources
    of = {
        "m3cot_annotations": sources.m3cot_annotations,
        "comt_annotations": sources.comt_annotations,
        "picture_judgements": sources.picture_judgements,
    }
    return of[source]


def _of_comt(stage: str, round: int, judgements: Sequence[Judgement]) -> list[Sample]:
    """Creation alone has a description to complete; rechecked are all, as `comt/rechecked` has them after that."""
    if stage == "quality":
        return made.kept(*COMT_TASKS[0])
    votes = params.load().comt.votes
    entered = [sample for key in COMT_TASKS for sample in made.kept(*key)]
    completed = comt_judged.quality(entered, judgements, pending=votes.pending).samples
    found = [sample for sample in completed if sample.dropped is None]
    return found if round == 1 else _passed(found, judgements, votes.needed)


def _passed(found: Sequence[Sample], judgements: Sequence[Judgement], needed: int) -> list[Sample]:
    first = annotation.decisions(judgements, "recheck", 1, needed)
    return [sample for sample in found if first.get(sample.id or "") == "yes"]
