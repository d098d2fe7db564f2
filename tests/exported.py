"""Samples of M3CoT and their pictures as the tables hold them, with texts that are meant to break a file."""

import random
from pathlib import Path
from typing import Any

from PIL import Image

from assets import samples as tables
from assets.comt.template import filled
from assets.images import Picture, Pictures, of_pixels, once
from assets.samples import Part, Sample

HOSTILE = "a\tb\n---\n\"c\" 'd' \\n\r\n\u2028 \u4e09 \u00e9 \U0001f600 {{x}} <image> #: - !function x"
"""Tabs, line breaks of all kinds, quotation marks, what YAML and templates would read, what is not ASCII."""

OPTIONS = ("None", "35", 'say "x"\t\n', "[1, 2]", "\u56db")


def drawn(number: int, mode: str = "RGB") -> Image.Image:
    return Image.frombytes("RGB", (6, 5), random.Random(f"3/{number}").randbytes(90)).convert(mode)


def sample(number: int, **changes: Any) -> Sample:
    topics = ("natural-science", "social-science", "algebra")
    made = Sample(
        id=f"physics-{number}",
        benchmark="m3cot",
        source="scienceqa",
        source_id=str(number),
        provenance="generated > rewritten by rules",
        domain="mathematics" if number % 3 == 2 else "science",
        topic=topics[number % 3],
        subtopic="physics",
        category=HOSTILE,
        question=f"{HOSTILE}?",
        context=HOSTILE if number % 2 else "",
        choices=OPTIONS[: 2 + number % 4],
        answer="AB"[number % 2],
        rationale=(Part("text", f"{HOSTILE}\nSo it is.", None),),
        images=(str(of_pixels(drawn(number), "").image_id),),
        split=("train", "validation", "test")[number % 3],
    )
    return made._replace(**changes)


def benchmark(*more: Sample, see_through: bool = False) -> tuple[list[Sample], Pictures]:
    """Six samples, two of which share a picture and one of which has pictures of its options, and what is added."""
    options = [of_pixels(drawn(50 + place), f"option-{place}") for place in range(4)]
    rows = [sample(number) for number in range(6)]
    rows[4] = rows[4]._replace(images=rows[1].images)
    rows[2] = rows[2]._replace(choice_images=tuple(str(one.image_id) for one in options))
    rows += more
    shown = [of_pixels(drawn(number, "RGBA" if see_through else "RGB"), f"p{number}") for number in range(10)]
    return tables.of_table(tables.to_table(rows)), Pictures.of(once([*shown, *options]))


def comt(number: int, question: str, images: list[str], shown: str) -> Sample:
    """A sample of CoMT whose rationale shows a picture."""
    made = filled(
        sample_id=f"c-{number}",
        source="geo",
        source_id=str(number),
        provenance="generated",
        task="selection" if "[" in question else "creation",
        question=question,
        choices=("1", "2", "3", "4"),
        right=0,
        rationale=f"See {shown}.",
        images=images,
        annotations={},
    )
    return made._replace(split="test")


def built_comt() -> tuple[list[Sample], Pictures]:
    """A question that names its second picture, which is see-through, and one that shows none."""
    clear = Image.new("RGBA", (40, 30), (255, 0, 0, 0))
    shown = [of_pixels(drawn(1), "selection/c-0-0.png"), of_pixels(clear, "selection/c-0-1.png")]
    shown.append(of_pixels(drawn(2), "creation/c-1-0.png"))
    ids = [str(each.image_id) for each in shown]
    rows = [comt(0, "How many in [IMAGE1]?", ids[:2], "[IMAGE0]"), comt(1, "Which angle?", ids[2:], "[IMAGE0]")]
    return rows, Pictures.of(once(shown))


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def interrupted(found: Any) -> Any:
    yield next(iter(found))
    raise KeyboardInterrupt


def pictures_of(rows: list[Picture]) -> Pictures:
    return Pictures.of(once(rows))
