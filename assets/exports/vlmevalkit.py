"""A benchmark as the TSV files that VLMEvalKit reads: a question a line, its pictures in it as base64."""

import base64
import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from assets import images
from assets.exports.card import card
from assets.exports.questions import asked_pictures, unfit
from assets.exports.written import (
    ExportError,
    PictureTable,
    Progress,
    Written,
    carried,
    named,
    new_folder,
    splits_of,
    spooled,
    users,
)
from assets.schema.sample import LETTERS, Sample

MISSING = frozenset(
    (
        *("None", "NULL", "null", "NA", "<NA>", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA"),
        *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)
"""Texts that pandas, with which VLMEvalKit reads, takes for a missing value. Source: pandas.read_csv, na_values."""

GUARD = "\u00a0"
"""What keeps a text a text for pandas: a no-break space behind it."""

GROUPS = ("category", "l2-category")
"""Columns by whose values results are counted: a guard behind one of them stands behind every one."""

SHORTEST = 64
"""VLMEvalKit takes an `image` of so many characters or fewer for the index of another line. Source: image_base.py."""


def why_not(sample: Sample) -> str | None:
    """Why VLMEvalKit cannot ask a sample; None when it can."""
    if why := unfit(sample):
        return why
    texts = (sample.id, sample.question, sample.context, _category(sample), sample.domain, *(sample.choices or ()))
    if any("\0" in (text or "") for text in texts):
        return "a text of theirs holds a NUL, where pandas ends a text"
    return None if asked_pictures(sample) else "it passes over a question without a picture"


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "M3CoT"
) -> Written:
    """Write a file for each split, such as M3CoT_test.tsv, and README.md with their MD5s.

    Columns: index (from 1), id, image (base64 of a PNG, or a list of them as Python writes it), image_path (the names
    under which VLMEvalKit keeps them), question, hint (the context), A, B and so on, answer, category, l2-category,
    split. Every value but the index is in quotation marks, so tabs and line breaks within texts are kept. Transparency
    is on white. Memory holds one line.

    Raises:
        ExportError: the folder is taken or cannot be written, a picture is not in the table, or none can be asked.

    Where pandas would read a text as missing, or a column of texts as numbers, GUARD stands behind it (`_Guard`).

    Source: docs/en/Development.md and vlmeval/dataset/image_base.py of VLMEvalKit.
    """
    kept, notes = carried(samples, why_not, "vlmevalkit")
    name = "CoMT" if kept[0].benchmark == "comt" else "M3CoT"
    shown = users(kept, asked_pictures)
    with new_folder(folder) as making:
        spool = making / "images"
        spooled(pictures, shown, spool, progress)
        records = splits_of(kept)
        md5s = {}
        for split in records:
            those = [sample for sample in kept if (sample.split or "test") == split]
            path = making / f"{name}_{split}.tsv"
            with path.open("w", encoding="utf-8", newline="") as file:
                notes += [f"{path.name}: {note}" for note in _table(those, spool, file)]
            with path.open("rb") as written:
                md5s[path.name] = hashlib.file_digest(written, "md5").hexdigest()
        shutil.rmtree(spool)
        several = [sample.id or "" for sample in kept if len(asked_pictures(sample)) > 1]
        if several:
            notes.append(f"{len(several):,} questions have several pictures, a list in `image` ({named(several)})")
        form = "\n".join([_FORM[kept[0].benchmark], "", *(f"- `{file}`: MD5 `{md5}`" for file, md5 in md5s.items())])
        (making / "README.md").write_text(card(kept, records, title, form, notes), encoding="utf-8", newline="\n")
    return Written(records, sum(map(len, shown.values())), notes=tuple(notes))


def _table(samples: Sequence[Sample], spool: Path, file: IO[str]) -> list[str]:
    """Writes the lines of a split; what had to be done to its texts comes out."""
    options = max(len(sample.choices or ()) for sample in samples)
    head = ["index", "id", "image", "image_path", "question", "hint", *LETTERS[:options]]
    file.write(_line([*head, "answer", "category", "l2-category", "split"]))
    guard = _Guard(samples, options)
    for number, sample in enumerate(samples, start=1):
        asked = asked_pictures(sample)
        coded = [_coded(spool / f"{image_id}.png", sample) for image_id in asked]
        paths = [f"{number}_{place}.png" for place in range(1, len(asked) + 1)]
        file.write(
            _line(
                [
                    number,
                    guard.text("id", sample.id),
                    coded[0] if len(coded) == 1 else str(coded),
                    f"{number}.png" if len(coded) == 1 else str(paths),
                    guard.text("question", sample.question),
                    guard.text("hint", sample.context),
                    *guard.options(sample),
                    guard.text("answer", sample.answer),
                    guard.text("category", _category(sample)),
                    guard.text("l2-category", sample.domain),
                    sample.split or "test",
                ]
            )
        )
    return guard.notes()


def _line(values: Iterable[str | int]) -> str:
    """A line of TSV, every text in quotation marks; the csv module would look at each character of the pictures."""
    texts = (f'"{value.replace(chr(34), chr(34) * 2)}"' if isinstance(value, str) else str(value) for value in values)
    return "\t".join(texts) + "\n"


def _category(sample: Sample) -> str | None:
    return sample.task if sample.benchmark == "comt" else sample.topic


class _Guard:
    """Keeps texts what they are for pandas, which would read some as missing and whole columns as numbers."""

    def __init__(self, samples: Sequence[Sample], options: int) -> None:
        self._width = options
        self._missing = 0
        columns: dict[str, list[str | None]] = {
            "id": [sample.id for sample in samples],
            "question": [sample.question for sample in samples],
            "hint": [sample.context for sample in samples],
            "answer": [sample.answer for sample in samples],
            "category": [_category(sample) for sample in samples],
            "l2-category": [sample.domain for sample in samples],
        }
        for place in range(options):
            having = (sample.choices or () for sample in samples if place < len(sample.choices or ()))
            columns[LETTERS[place]] = [choices[place] for choices in having]
        # an empty cell makes no column a text, nor does it need a guard
        numbers = [
            name
            for name, texts in columns.items()
            if (name in LETTERS or any(texts)) and all(_is_no_text(text or "") for text in texts)
        ]
        # one text suffices: a column of numbers and a text is a column of texts
        self._first = {name for name in numbers if name not in GROUPS}
        self._every = {name for name in numbers if name in GROUPS}
        self._told = numbers

    def text(self, column: str, text: str | None) -> str:
        if not text:
            return ""
        guarded = text
        if text in MISSING:
            self._missing += 1
            guarded += GUARD
        if column in self._first | self._every and not guarded.endswith(GUARD):
            guarded += GUARD
        self._first.discard(column)
        return guarded

    def options(self, sample: Sample) -> Iterator[str]:
        choices = sample.choices or ()
        for place in range(self._width):
            if place < len(choices) and not choices[place]:
                self._missing += 1
                self._first.discard(LETTERS[place])
                yield GUARD
            else:
                yield self.text(LETTERS[place], choices[place]) if place < len(choices) else ""

    def notes(self) -> list[str]:
        told = []
        if self._missing:
            told.append(
                f"{self._missing:,} texts, such as None or an empty option, end in a no-break space: pandas takes "
                "them for missing"
            )
        of_first = [name for name in self._told if name not in GROUPS]
        if of_first:
            told.append(
                f"the first text of {', '.join(of_first)} ends in a no-break space: pandas would turn the column of "
                "numbers into other ones (35 into 35.0)"
            )
        if of_all := [name for name in self._told if name in GROUPS]:
            told.append(
                f"every text of {', '.join(of_all)} ends in a no-break space: pandas would turn the column of numbers "
                "into other ones (001 into 1)"
            )
        return told


def _is_no_text(text: str) -> bool:
    """Whether pandas may read the value as a number, a truth value or nothing."""
    if text in MISSING or text.strip().lower() in ("", "true", "false"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _coded(path: Path, sample: Sample) -> str:
    coded = base64.b64encode(shown_on_white(path.read_bytes())).decode()
    if len(coded) <= SHORTEST:
        raise ExportError(f"{sample.id}: its picture has {len(coded)} characters, which stand for another line's")
    return coded


def shown_on_white(png: bytes) -> bytes:
    """The PNG as a model is to see it: one that is see-through on white, any other as it is."""
    # the colour type of the header: 4 and 6 have an alpha channel
    if png[25:26] not in (b"\x04", b"\x06"):
        return png
    return images.encode(images.on_white(images.decode(png)))


_FORM = {
    "m3cot": (
        "A TSV file for each split, for VLMEvalKit: put it into `LMUData` and name it (without `.tsv`) as the data "
        "set, a custom multiple-choice one. `category` is the topic, `l2-category` the domain. Where options have "
        "pictures these follow the question's in `image`, in their order. Rationales are not in this form."
    ),
    "comt": (
        "A TSV file for each split, for VLMEvalKit: put it into `LMUData` and name it (without `.tsv`) as the data "
        "set, a custom multiple-choice one. `category` is the task, `l2-category` the domain. `image` has the pictures "
        "that the question names, in the order in which identifiers such as `[IMAGE0]` stand there. Rationales and "
        "their pictures are not in this form."
    ),
}
