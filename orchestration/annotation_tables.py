"""What the annotation page works on: the samples that enter a stage, their pictures, the judgements so far."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from assets import annotation, params, samples
from assets.annotation import Judgement, Log
from assets.images import Pictures
from assets.m3cot import judged
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.steps import segment
from orchestration import storage

SOURCE_PICTURES = (("sources", "scienceqa_images"), ("sources", "tabmwp_images"))
ALL_PICTURES = (
    *SOURCE_PICTURES,
    ("sources", "sherlock_images"),
    ("m3cot", "mathematics_images"),
    ("m3cot", "science_images"),
)


class AnnotateError(Fault):
    """The stage cannot be judged, or its judgements not be moved; the message says what is missing."""


class Given:
    """The judgements in the files of the settings, each file read again when it has changed."""

    def __init__(self, places: Sequence[tuple[Path, str]]) -> None:
        """Take the files and folders, and how to name them; what is not there yet holds none."""
        self._places = places
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
            before = self._read[file] = (now, list(annotation.read([(file, name)])))
        return before[1]


def given() -> Given:
    """The judgements as the source `m3cot_annotations` would read them now; a folder that is not there yet holds none.

    Raises:
        AnnotateError: the recorded ones that params.yaml names are not there.
    """
    where = params.load().sources.m3cot_annotations
    if where.recorded is not None and not (params.ROOT / where.recorded).exists():
        made = "cotline materialize sources/generated_upstreams, or " if "generated" in where.recorded else ""
        raise AnnotateError(
            f"sources.m3cot_annotations.recorded: {where.recorded} is not there: {made}put it there, or set it to null"
        )
    names = [name for name in (where.recorded, where.own) if name]
    return Given([(params.ROOT / name, name.rstrip("/")) for name in names])


def own_log(stage: str) -> Log:
    """The log that the page writes a stage's judgements to."""
    return Log(params.ROOT / params.load().sources.m3cot_annotations.own / f"{stage}.jsonl")


def entering(stage: str, round: int, judgements: Sequence[Judgement]) -> list[Sample]:
    """The samples that enter a stage: what the step before it kept.

    Raises:
        AnnotateError: its table has not been made yet.
    """
    settings = params.load().m3cot
    if stage == "image_needed":
        return [sample for sample in _kept("sources", "scienceqa") if sample.images]
    if stage == "image_steps":
        least = settings.filter.least_steps
        return [row for row in _kept("m3cot", "image_needed") if len(segment(row.text, settings.steps)) >= least]
    if stage == "quality":
        return _kept("m3cot", "deduplicated")
    if stage == "recheck":
        found = _kept("m3cot", "annotated")
        if round == 1:
            return found
        first = annotation.decisions(judgements, "recheck", 1, settings.votes.needed)
        return [sample for sample in found if first.get(sample.id or "") == "yes"]
    found = [*_kept("sources", "scienceqa"), *_kept("sources", "tabmwp")]
    audited = judged.audit(found, (), fraction=settings.audit.share, seed=settings.audit.seed)
    drawn = set(audited.drawn)
    return [sample for sample in found if sample.id in drawn]


def open_pictures(stage: str) -> list[Pictures]:
    """The tables that hold the pictures of a stage's samples.

    Raises:
        AnnotateError: one of them has not been made yet.
    """
    keys = {"image_needed": SOURCE_PICTURES[:1], "image_steps": SOURCE_PICTURES[:1], "audit": SOURCE_PICTURES}
    return [Pictures(pq.ParquetFile(_file(*key))) for key in keys.get(stage, ALL_PICTURES)]


def _file(group: str, name: str) -> Path:
    path = storage.table_file((group, name))
    if not path.exists():
        raise AnnotateError(f"{group}/{name}: not made yet: cotline materialize {group}/{name}")
    return path


def _kept(group: str, name: str) -> list[Sample]:
    return samples.kept(storage.read_table(_file(group, name)))
