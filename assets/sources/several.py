"""Several upstreams in one table of pictures: the upstream's name stands before each file's."""

from collections.abc import Iterable, Iterator, Mapping

from assets.images import Picture


def prefixed(found: Iterable[Picture], upstream: str) -> Iterator[Picture]:
    """The pictures of one upstream as rows of a table that several share."""
    for picture in found:
        where = picture.quarantined
        yield picture._replace(
            file=f"{upstream}/{picture.file}",
            quarantined=None if where is None else (f"{upstream}/{where[0]}", *where[1:]),
        )


def own(files: Mapping[str, str], upstream: str) -> dict[str, str]:
    """What is said of one upstream's files, by their names there, of what a shared table says of all."""
    start = f"{upstream}/"
    return {file.removeprefix(start): said for file, said in files.items() if file.startswith(start)}
