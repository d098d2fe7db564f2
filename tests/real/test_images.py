"""The pictures of the slice: every one is read, and which are the same."""

import functools
import json
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest
from PIL import Image

from assets.images import Picture, Pictures, once, read
from assets.m3cot.duplicates import Counts, alike, counts, similar, wanted
from assets.m3cot.thumbnails import thumbnail, thumbnails
from assets.samples import Sample, letter

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the slice of released files is not here")


@functools.cache
def pictures(folder: Path) -> list[Picture]:
    files = sorted(folder.rglob("*.png"))
    return list(once(read(file, file.relative_to(folder).as_posix()) for file in files))


def test_every_picture_of_scienceqa_is_read() -> None:
    rows = pictures(DATA / "scienceqa" / "images")
    assert Counter(row.dropped for row in rows) == {None: 230, "same_pixels": 8}
    # The 71 of RGBA are opaque, so all of them are stored as RGB.
    assert Counter(row.mode for row in rows) == {"RGB": 167, "RGBA": 71}
    stored = Pictures.of(rows)
    assert (len(stored.ids()), len(set(stored.ids().values())), stored.reasons()) == (238, 230, {})
    assert max(row.width or 0 for row in rows) == 760 and max(row.height or 0 for row in rows) == 625


def test_every_picture_of_tabmwp_is_read() -> None:
    rows = pictures(DATA / "tabmwp" / "tables")
    assert Counter(row.dropped for row in rows) == {None: 699, "same_pixels": 1}
    ids = Pictures.of(rows).ids()
    assert len(ids) == 700 and ids["25893.png"] == ids["27106.png"]


def test_the_copies_of_half_the_size_are_nearly_the_same_pictures() -> None:
    values = []
    for file in sorted((DATA / "tabmwp" / "tables").glob("*.png"))[:40]:
        whole = Image.open(file).convert("RGB")
        half = whole.resize((whole.width // 2, whole.height // 2), Image.Resampling.LANCZOS)
        values.append(alike(thumbnail(whole), thumbnail(half)))
    assert mean(values) > 0.99 and min(values) > 0.96


def test_the_repeats_of_scienceqa_have_other_wrong_options() -> None:
    folder = DATA / "scienceqa"
    problems = json.loads((folder / "problems.json").read_text(encoding="utf-8"))
    stored = Pictures.of(pictures(folder / "images"))
    ids = stored.ids()
    samples = [
        Sample(
            f"scienceqa-{pid}",
            "m3cot",
            "scienceqa",
            pid,
            "released",
            question=problem["question"],
            choices=tuple(problem["choices"]),
            answer=letter(problem["answer"]),
            images=(ids[f"test/{pid}/image.png"],),
            split=problem["split"],
        )
        for pid, problem in problems.items()
        if f"test/{pid}/image.png" in ids
    ]
    assert len(samples) == 167
    thumbs = thumbnails(stored, wanted(samples))
    # Twelve repeat a question on the same map, with the same answer among other wrong ones: none is a duplicate
    # while the options have to be the same too.
    assert counts(samples, thumbs) == Counts(pearson=0, pearson_question_alone=12, phash=0, phash_question_alone=12)
    rows = similar(samples, thumbs)
    asked = {sample.id: sample.question for sample in samples}
    again = [row for row in rows if asked[row.a] == asked[row.b]]
    assert len(again) == 13 and not any(row.same_choices for row in again)
    # Four pairs more put the question in other words, to the same answer on nearly the same picture.
    assert len(rows) == 17
    assert [(row.a, row.b) for row in rows if row.same_choices] == [
        ("scienceqa-156", "scienceqa-324"),
        ("scienceqa-406", "scienceqa-1253"),
        ("scienceqa-964", "scienceqa-1672"),
    ]
    right = {sample.id: (sample.choices or ())["ABCDE".index(sample.answer or "")] for sample in samples}
    assert [right[row.a] == right[row.b] for row in rows].count(False) == 0
