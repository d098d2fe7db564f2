"""The pictures of CoMT's benchmark under the names that its release gives them."""

from collections.abc import Iterable, Iterator, Sequence

from assets.comt import template
from assets.images import Picture, Pictures
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.schema.vocabulary import SAME_PIXELS

ORIGINALS = "selection/original"
"""Where the release keeps the pictures that selection's are cut from."""


def files(samples: Iterable[Sample]) -> dict[str, list[str]]:
    """The files of the release by image id: `<task>/<image name>.png`, and the originals of selection apart.

    In the order of the samples; a picture that several names show has them all.
    """
    found: dict[str, list[str]] = {}
    for sample in samples:
        named = zip(sample.images or (), sample.image_names or (), strict=True)
        here = [(image_id, f"{sample.task}/{name}.png") for image_id, name in named]
        said = template.annotations(sample)
        originals = said.get("originals", ()) if isinstance(said, dict) else ()
        here += [
            (image_id, f"{ORIGINALS}/{sample.id}-{side}.png") for side, image_id in zip("ab", originals, strict=False)
        ]
        for image_id, file in here:
            if file not in found.setdefault(image_id, []):
                found[image_id].append(file)
    return found


def benchmark(samples: Sequence[Sample], tables: Iterable[Pictures]) -> Iterator[Picture]:
    """One row a file of the release: a picture's bytes stand with its first name, its other names are `same_pixels`.

    The pictures come as they are stored in the tables, some at a time.

    Raises:
        Fault: no table has a picture that a sample shows.
    """
    wanted = files(samples)
    for table in tables:
        for picture in table.stream(wanted.keys()):
            # a picture that a later table has too was handed out
            first, *others = wanted.pop(str(picture.image_id), ("",))
            if first:
                yield picture._replace(file=first, dropped=None, quarantined=None, original=None)
                yield from (
                    picture._replace(file=file, png=None, dropped=SAME_PIXELS, original=None) for file in others
                )
    if wanted:
        lost = min(file for named in wanted.values() for file in named)
        raise Fault(f"comt/images: {len(wanted)} pictures are in no table, such as {lost}: materialize the comt group")
