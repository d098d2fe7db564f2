"""Replies that stand in a file, of a model or of people -> table `prediction`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets.evaluation.drawn import Drawn
from assets.evaluation.rows import Reply
from assets.models import human, replay
from assets.models.replay import Illustrated
from assets.schema.faults import Fault
from assets.sources import jsonlines

REPLIES = ("replies.jsonl", "replies.jsonl.gz")
"""What a folder of replies has its replies in; the pictures that they show lie beside it, or below."""


def rows(evaluation: str, kind: str, benchmark: str, root: Path, named: str, drawn: Drawn) -> Iterator[dict[str, Any]]:
    """Rows of table `prediction`: one a record of the file, those that cannot be read included.

    The pictures that a model drew are kept in `drawn`.

    Args:
        evaluation: its name in params.yaml.
        kind: of the model, replay or human.
        benchmark: m3cot or comt.
        root: what `named` is relative to.
        named: the file, or the folder with `REPLIES`, as params.yaml names it.
        drawn: where pictures are kept.

    Raises:
        Fault: there is no such file.
    """
    path, spelled = _file(root / named, named)
    lines = jsonlines.read(path, spelled)
    if kind == "human":
        yield from human.rows(evaluation, spelled, lines, benchmark)
        return
    folder = path.parent if path.name in REPLIES and path.parent == root / named else None
    replies = replay.illustrated(lines, benchmark, folder, evaluation)
    yield from replay.rows(evaluation, spelled, _kept(replies, drawn), benchmark)


def _file(path: Path, named: str) -> tuple[Path, str]:
    if not path.is_dir():
        return path, named
    for name in REPLIES:
        if (path / name).is_file():
            return path / name, f"{named}/{name}"
    raise Fault(f"{named}: is a folder without {REPLIES[0]}: put the replies there, with the pictures beside them")


def _kept(replies: Iterator[Reply | Illustrated], drawn: Drawn) -> Iterator[Reply | Illustrated]:
    for one in replies:
        for picture in one.drawn if isinstance(one, Illustrated) else ():
            if picture.png is not None:
                drawn.put(picture)
        yield one
