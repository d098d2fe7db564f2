"""M3CoT as ScienceQA's files: problems.json, pid_splits.json, images/<split>/<pid>/image.png."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assets.exports import pictures as checked
from assets.exports.card import card
from assets.exports.names import stem, stems
from assets.exports.questions import unfit
from assets.exports.written import (
    ExportError,
    PictureTable,
    Progress,
    Written,
    carried,
    named,
    new_folder,
    splits_of,
    users,
    within,
)
from assets.images import Picture
from assets.schema.sample import LETTERS, Sample
from assets.sources.scienceqa import FILE, PICTURES, SPLITS_FILE, SUBJECTS

SPLIT_OF = {"train": "train", "validation": "val", "test": "test"}

UNIONS = {"trainval": ("train", "val")}
"""Lists of pid_splits.json that are of several splits. Source: its data; those that are cuts of others are left out."""


def why_not(sample: Sample) -> str | None:
    """Why ScienceQA's files have no place for a sample; None when they have."""
    if why := unfit(sample):
        return why
    if sample.benchmark == "comt" and any(part.kind != "text" for part in sample.rationale or ()):
        return "a solution is a text, and these rationales show pictures"
    if len(sample.images or ()) > 1:
        return "a problem has one picture, and these have several"
    return None if sample.split in SPLIT_OF else "their split is none of ScienceQA's"


def problem(sample: Sample) -> dict[str, Any]:
    """The sample as an entry of problems.json, its keys in their order; what the tables do not have is empty.

    Source: problems.json of ScienceQA; task and the mapping of hint and solution: utils/data.py of M3CoT's code.
    """
    return {
        "question": sample.question,
        "choices": list(sample.choices or ()),
        "answer": LETTERS.index(sample.answer or ""),
        "hint": sample.context or "",
        "image": "image.png" if sample.images else None,
        "task": "closed choice",
        "grade": "",
        "subject": (sample.topic or "").replace("-", " "),
        "topic": sample.subtopic or "",
        "category": sample.category or "",
        "skill": "",
        "lecture": "",
        "solution": sample.text,
        "split": SPLIT_OF[sample.split or "test"],
    }


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "M3CoT"
) -> Written:
    """Write problems.json, pid_splits.json, images/<split>/<pid>/image.png and, of options, choice_0.png; README.md.

    A problem's pid is the sample's id. A picture at a time is in memory.

    Raises:
        ExportError: the folder is taken or cannot be written, a picture is not in the table or no PNG, an id can be no
            folder's name or is another's, or no sample has a place in this form.
    """
    kept, notes = carried(samples, why_not, "scienceqa")
    stems(kept)
    with new_folder(folder) as making:
        count = _pictures(kept, pictures, making, progress)
        _put(making / FILE, {sample.id: problem(sample) for sample in kept})
        splits: dict[str, list[str]] = {name: [] for name in SPLIT_OF.values()}
        for sample in kept:
            splits[SPLIT_OF[sample.split or "test"]].append(sample.id or "")
        unions = {name: [pid for one in parts for pid in splits[one]] for name, parts in UNIONS.items()}
        _put(making / SPLITS_FILE, splits | unions)
        records = splits_of(kept)
        notes += _remarks(kept)
        (making / "README.md").write_text(card(kept, records, title, _FORM, notes), encoding="utf-8", newline="\n")
    return Written(records, count, notes=tuple(notes))


def _remarks(samples: Sequence[Sample]) -> list[str]:
    told = []
    if without := [sample.id or "" for sample in samples if not sample.images]:
        told.append(f"{len(without):,} problems have no picture, their image is null ({named(without)})")
    others = sorted({sample.topic or "" for sample in samples} - set(SUBJECTS.values()))
    if others:
        count = sum(sample.topic in others for sample in samples)
        subjects = ", ".join(topic.replace("-", " ") or "none" for topic in others)
        told.append(f"{count:,} problems have a subject that ScienceQA has not ({subjects})")
    return told


def _pictures(samples: Sequence[Sample], pictures: PictureTable, making: Path, progress: Progress) -> int:
    places: dict[str, list[str]] = {}
    for sample in samples:
        below = f"{PICTURES}/{SPLIT_OF[sample.split or 'test']}/{stem(sample)}"
        for image_id in sample.images or ():
            places.setdefault(image_id, []).append(f"{below}/image.png")
        for number, image_id in enumerate(sample.choice_images or ()):
            places.setdefault(image_id, []).append(f"{below}/choice_{number}.png")
    (making / PICTURES).mkdir()
    found: set[str] = set()
    rows = pictures.stream(places) if places else iter(list[Picture]())
    for picture in progress(rows):
        content = checked.png(picture)
        for place in places.get(picture.image_id or "", ()):
            path = within(making, place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        found.add(picture.image_id or "")
    if missing := sorted(places.keys() - found):
        who = users(samples, lambda sample: (*(sample.images or ()), *(sample.choice_images or ())))[missing[0]][0]
        raise ExportError(
            f"{who}: its picture {missing[0][:12]} is not in the table of pictures: "
            "make the samples and their pictures again"
        )
    return sum(map(len, places.values()))


def _put(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=4) + "\n", encoding="utf-8", newline="\n")


_FORM = (
    "`problems.json`, `pid_splits.json` and `images/<split>/<pid>/image.png` as ScienceQA has them; the pid is the id, "
    "the subject M3CoT's topic, the topic its subtopic, the hint its context, the solution its rationale. Grade, skill "
    "and lecture are empty: M3CoT has none. Pictures of options are `choice_0.png` and so on."
)
