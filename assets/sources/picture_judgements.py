"""Scores that people gave the pictures which models drew in their replies -> rows of table `annotation`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from assets.annotation import Judgement, excerpt, read, to_record

STAGE = "picture_quality"
SETTING = "sources.picture_judgements.recorded"


def judgements(paths: Sequence[tuple[Path, str]]) -> Iterator[Judgement]:
    """The judgements in files of JSON lines; what is none, or of something else than a reply, is quarantined.

    A reply is named `<evaluation>:<sample_id>`. Beside the reasons of `annotation.read` a judgement of another stage
    is set aside as `unknown_stage`, and one that names no reply as `no_sample_id`.

    Args:
        paths: each file or folder of `*.jsonl`, and how to name it.

    Raises:
        SourceError: there is no such file or folder, or no line of a file is a judgement.
    """
    for judgement in read(paths, SETTING):
        evaluation, _, sample = (judgement.sample_id or "").partition(":")
        if judgement.dropped is not None:
            yield judgement
        elif judgement.stage != STAGE:
            yield _set_aside(judgement, "unknown_stage")
        elif not evaluation.strip() or not sample.strip():
            yield _set_aside(judgement, "no_sample_id")
        else:
            yield judgement


def _set_aside(judgement: Judgement, reason: str) -> Judgement:
    return Judgement(
        judgement.sample_id,
        *(None,) * 2,
        judgement.annotator,
        *(None,) * 4,
        source=judgement.source,
        dropped=reason,
        quarantined=(judgement.source, None, excerpt(to_record(judgement))),
    )
