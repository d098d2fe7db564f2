"""The embedded default: a small world drawn by rule in the files of five upstreams, and simulated annotators of it.

It is what M3CoT is built from when nothing real is configured: no download, the upstreams' own formats, their defects.
Pictures are drawn for their questions, so that what looks at them can answer. Nothing in it was observed or quoted.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from assets.sources.generated.annotators import Truth, checked, judgement_lines
from assets.sources.generated.kilogram import draw_kilogram
from assets.sources.generated.mathematics import draw_math
from assets.sources.generated.scienceqa import draw_scienceqa
from assets.sources.generated.sherlock import draw_sherlock
from assets.sources.generated.tabmwp import draw_tabmwp

NOTICE = "README.txt"
ANNOTATIONS = "annotations/simulated.jsonl"
SAID = (
    "generated: everything in this folder was drawn and written by rule from a seed, in the file formats of ScienceQA, "
    "MATH, TabMWP, KILOGRAM and Sherlock.\nsimulated: no person judged any of it.\n"
)


def draw(
    folder: Path,
    *,
    seed: int,
    scienceqa: int,
    math: int,
    tabmwp: int,
    kilogram: int,
    sherlock: int,
    annotators: Mapping[str, float],
) -> None:
    """Writes the folder: scienceqa, math, tabmwp, kilogram, sherlock, annotations/simulated.jsonl.

    The numbers are problems, problems, problems, tangrams and instances; of a source with 0 nothing is written, and
    with 0 of all nothing at all. `annotators`: error rates by name, each `simulated-…`. Same arguments, same bytes; a
    source depends on the seed and its own number only.

    Raises:
        ValueError: a number, an annotator or a folder that cannot be used, with what would do.

    Source: arXiv:2405.16473, section 3 (what is built from these), and the upstreams' released files for the forms.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"generated upstreams: {folder.name} is not an empty folder: name one that is, or a new one")
    sources: dict[str, tuple[Callable[..., list[Truth]], int]] = {
        "scienceqa": (draw_scienceqa, scienceqa),
        "math": (draw_math, math),
        "tabmwp": (draw_tabmwp, tabmwp),
        "kilogram": (draw_kilogram, kilogram),
        "sherlock": (draw_sherlock, sherlock),
    }
    wanted = {name: (drawn, count) for name, (drawn, count) in sources.items() if count}
    if not wanted:
        return
    experts = checked(annotators)
    truths = [
        truth for name, (drawn, count) in wanted.items() for truth in drawn(folder / name, seed=seed, count=count)
    ]
    path = folder / ANNOTATIONS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in judgement_lines(truths, experts, seed)).encode())
    (folder / NOTICE).write_bytes(SAID.encode())
