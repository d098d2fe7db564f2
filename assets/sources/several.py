"""Several upstreams in one table of pictures: the upstream's name stands before each file's."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assets.images import Picture


def prefixed(found: Iterable[Picture], upstream: str) -> Iterator[Picture]:
    """The pictures of one upstream as rows of a table that several share."""
    for picture in placed(found, upstream):
        yield picture._replace(file=f"{upstream}/{picture.file}")


def placed(rows: Iterable[Any], upstream: str) -> Iterator[Any]:
    """The rows of one upstream; those that were set aside say that the file is of this one."""
    for row in rows:
        where = row.quarantined
        yield row if where is None else row._replace(quarantined=(f"{upstream}/{where[0]}", *where[1:]))


def own(files: Mapping[str, str], upstream: str) -> dict[str, str]:
    """What is said of one upstream's files, by their names there, of what a shared table says of all."""
    start = f"{upstream}/"
    return {file.removeprefix(start): said for file, said in files.items() if file.startswith(start)}
