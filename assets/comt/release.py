"""CoMT in the form of its release: a record a line of data.jsonl, and its pictures as files."""

import contextlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from assets.comt.picture_files import PictureFiles, entries
from assets.comt.template import written
from assets.images import Picture
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.schema.vocabulary import TASKS
from assets.sources.folders import place

Progress = Callable[[Iterable[Picture]], Iterable[Picture]]

SPLIT_OF = {"data": "test", "dev": "validation"}
"""The file of records that a split is in. The dev set: arXiv:2412.12932, D.2."""


class ExportError(Fault):
    """The release cannot be written: the sentence names what is in the way."""


class PictureTable(Protocol):
    """What is asked of a table of pictures: `assets.images.Pictures`."""

    def ids(self) -> dict[str, str]:
        """Image id by file."""

    def files(self) -> Iterator[Picture]:
        """A row for every file, with its bytes."""


class Written(NamedTuple):
    """What was written: records by split, picture files, and files that this form has no place for."""

    records: dict[str, int]
    pictures: int
    left_out: int = 0


def record(sample: Sample) -> dict[str, Any]:
    """The released record of a sample, its keys in the release's order, unknown ones behind them.

    What the key `other` of the sample holds goes back where it was, so a record that was read comes out as it was.

    Source: the README of CoMT's release.
    """
    told = json.loads(sample.other) if sample.other else {}
    if "split" in told:
        told["split"] = told["split"][1]
    found = {
        "id": sample.id,
        "question": sample.question,
        "option": list(sample.choices or ()),
        "image": entries(sample.image_names or ()),
        "rationale": written(sample.rationale or ()),
        "answer": sample.answer,
        "type": sample.task,
    }
    first = {"annotations": told["annotations"]} if "annotations" in told else {}
    return found | first | told


def lines(samples: Iterable[Sample]) -> Iterator[bytes]:
    """The samples as JSON lines, UTF-8."""
    for sample in samples:
        yield json.dumps(record(sample), ensure_ascii=False, allow_nan=False).encode() + b"\n"


def home(sample: Sample) -> str:
    """The file of records that the sample is in: data or dev. What was read goes where it was."""
    told = json.loads(sample.other).get("split") if sample.other else None
    if told is not None:
        return str(told[0])
    return next((stem for stem, split in SPLIT_OF.items() if split == sample.split), "data")


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "CoMT"
) -> Written:
    """Write the release as a folder: data.jsonl, dev.jsonl where there is a dev set, images/<type>/…, README.md.

    Every file of the table of pictures is written at `images/<file>`, byte for byte where the table has its original;
    those of selection's whole pictures are below `images/selection/original`. The folder appears whole or not at all.

    Args:
        samples: what was kept; the order of the lines.
        pictures: the table of their pictures, a row a file.
        folder: a new one, or an empty one.
        progress: wraps the pictures as they are written.
        title: the heading of the README.

    Raises:
        ExportError: the folder is taken or cannot be written, or a picture of a sample is not among the files.
    """
    picture_files(samples, pictures.ids())
    with new_folder(folder) as making:
        count = 0
        for picture in progress(pictures.files()):
            path = making / "images" / safe(picture.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(picture))
            count += 1
        by_home = grouped(samples, home, SPLIT_OF)
        for stem, those in by_home.items():
            with (making / f"{stem}.jsonl").open("wb") as file:
                file.writelines(lines(those))
        told = {SPLIT_OF[stem]: len(those) for stem, those in by_home.items()}
        (making / "README.md").write_text(card(samples, told, title, _FORM), encoding="utf-8", newline="\n")
    return Written(told, count)


def picture_files(samples: Iterable[Sample], ids: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """The files of each sample's pictures, by the sample's id, in the order of their numbers.

    Raises:
        ExportError: a picture has no file, or its file holds another picture.
    """
    finder = PictureFiles(ids)
    found: dict[str, tuple[str, ...]] = {}
    for sample in samples:
        files = []
        for number, (name, image_id) in enumerate(
            zip(sample.image_names or (), sample.images or (), strict=True),
        ):
            file = finder.file(sample.task or "", name)
            if file is None or ids[file] != image_id:
                what = "no file" if file is None else f"another picture in {file}"
                raise ExportError(
                    f"{sample.id}: its picture {number} ({name}) has {what}: make the samples and their pictures again"
                )
            files.append(file)
        if not files:
            raise ExportError(f"{sample.id}: has no picture: a release of CoMT has one in each record")
        found[sample.id or ""] = tuple(files)
    return found


def grouped(samples: Iterable[Sample], key: Callable[[Sample], str], always: Iterable[str]) -> dict[str, list[Sample]]:
    """The samples by file or split: the first always there, the others where they have any."""
    found: dict[str, list[Sample]] = {name: [] for name in always}
    for sample in samples:
        found.setdefault(key(sample), []).append(sample)
    first = next(iter(found))
    return {name: those for name, those in found.items() if those or name == first}


def content(picture: Picture) -> bytes:
    """The bytes of a picture's file."""
    return (picture.png if picture.original is None else picture.original) or b""


def safe(file: str) -> str:
    """The path of a picture within the release.

    Raises:
        ExportError: it would lead out of it.
    """
    if place(file) != file:
        raise ExportError(f"the picture {file!r} has no name that a file below images can have")
    return file


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that takes its place when all went well, and is gone otherwise.

    Raises:
        ExportError: `folder` is a file or holds something, or cannot be written.
    """
    target = folder.resolve()
    if target.exists() and not target.is_dir():
        raise ExportError(f"{folder}: is a file: name a new folder")
    making: Path | None = None
    try:
        if target.exists() and any(target.iterdir()):
            raise ExportError(f"{folder}: holds something already: name a new folder, or empty that one")
        target.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        yield making
        making.chmod(0o755)
        os.rename(making, target)
    except OSError as error:
        raise ExportError(f"{folder}: cannot be written ({error.strerror or error}): name another folder") from None
    finally:
        if making is not None:
            shutil.rmtree(making, ignore_errors=True)


def card(samples: Sequence[Sample], records: dict[str, int], title: str, form: str) -> str:
    """The README: what lies there, how many records of which task and split, and where they come from."""
    tasks = Counter(sample.task for sample in samples)
    came = Counter(sample.provenance.partition(" > ")[0] for sample in samples)
    simulated = sum("simulated" in sample.provenance for sample in samples)
    origins = [f"{name} {came.get(name, 0):,}" for name in ("released", "generated")]
    origins += [f"{name} {n:,}" for name, n in sorted(came.items()) if name not in ("released", "generated")]
    found = "\n".join(f"- `{name}`: {n:,}" for name, n in sorted(Counter(s.provenance for s in samples).items()))
    return f"""# {title}

Questions whose rationales reason with pictures, in the form of CoMT's release (arXiv:2412.12932).
{form}
An identifier such as `[IMAGE0]` in a text stands for the picture that the key `image` gives that number.

- Records: {", ".join(f"{split} {n:,}" for split, n in records.items())}
- Tasks: {", ".join(f"{task} {tasks[task]:,}" for task in TASKS)}
- Where the data comes from: {", ".join([*origins, f"simulated {simulated:,}"])}
  (released: from people's data; generated: drawn by rule; simulated: descriptions completed by simulated annotators)

Which steps made them:

{found or "- nothing: there is no record"}
"""


_FORM = (
    "`data.jsonl` holds the test records, `dev.jsonl` the development set where there is one, "
    "`images/<type>/` the pictures, `images/selection/original/` whole pictures that selections are cut from."
)
