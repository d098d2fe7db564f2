"""The embedded default: a small world drawn by rule in the files of nine upstreams, and simulated annotators of it.

It is what M3CoT and CoMT are built from when nothing real is configured: no download, the upstreams' own formats,
their defects.
Pictures are drawn for their questions, so that what looks at them can answer. Nothing in it was observed or quoted.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from assets.sources.generated import comt_annotators
from assets.sources.generated.annotators import Truth, checked, judgement_lines
from assets.sources.generated.geoqa import draw_geoqa
from assets.sources.generated.jhu_crowd import draw_jhu_crowd
from assets.sources.generated.judged_chains import draw_judged_chains
from assets.sources.generated.kilogram import descriptions_of, draw_kilogram
from assets.sources.generated.mathematics import draw_math
from assets.sources.generated.scienceqa import draw_scienceqa
from assets.sources.generated.sherlock import draw_sherlock
from assets.sources.generated.spot_diff import draw_spot_diff
from assets.sources.generated.tabmwp import draw_tabmwp

NOTICE = "README.txt"
ANNOTATIONS = "annotations/simulated.jsonl"
COMT_ANNOTATIONS = "comt_annotations/simulated.jsonl"
SAID = (
    "generated: everything in this folder was drawn and written by rule from a seed, in the file formats of ScienceQA, "
    "MATH, TabMWP, KILOGRAM, Sherlock, GeoQA+, JHU-CROWD++, spot-diff and JUDGE-BENCH's ROSCOE.\n"
    "simulated: no person judged any of it.\n"
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
    geoqa: int = 0,
    jhu_crowd: int = 0,
    spot_diff: int = 0,
    judged_chains: int = 0,
    annotators: Mapping[str, float],
) -> None:
    """Writes the folder: one for each source, annotations/simulated.jsonl (M3CoT) and comt_annotations/simulated.jsonl.

    The numbers are problems, problems, problems, tangrams, instances, problems, pictures, pairs and chains; of a source
    with 0 nothing is written, and with 0 of all nothing at all. `annotators`: error rates by name, each
    `simulated-…`. Same arguments, same bytes; a source depends on the seed and its own number only. The descriptions
    of tangrams are judged for CoMT where one of its own sources (the last three but the chains) is drawn.

    Raises:
        ValueError: a number, an annotator or a folder that cannot be used, with what would do.

    Source: arXiv:2405.16473, section 3, and arXiv:2412.12932, section 2 (what is built from these), and the
    upstreams' released files for the forms.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"generated upstreams: {folder.name} is not an empty folder: name one that is, or a new one")
    m3cot: dict[str, tuple[Callable[..., list[Truth]], int]] = {
        "scienceqa": (draw_scienceqa, scienceqa),
        "math": (draw_math, math),
        "tabmwp": (draw_tabmwp, tabmwp),
        "kilogram": (draw_kilogram, kilogram),
        "sherlock": (draw_sherlock, sherlock),
    }
    comt: dict[str, tuple[Callable[..., list[Truth]], int]] = {
        "geoqa": (draw_geoqa, geoqa),
        "jhu_crowd": (draw_jhu_crowd, jhu_crowd),
        "spot_diff": (draw_spot_diff, spot_diff),
    }
    wanted = {name: (drawn, count) for name, (drawn, count) in (m3cot | comt).items() if count}
    if not wanted and not judged_chains:
        return
    experts = checked(annotators) if wanted else {}
    truths = {name: drawn(folder / name, seed=seed, count=count) for name, (drawn, count) in wanted.items()}
    if judged := [truth for name in m3cot for truth in truths.get(name, [])]:
        _write(folder / ANNOTATIONS, judgement_lines(judged, experts, seed))
    if judged := [truth for name in comt for truth in truths.get(name, [])]:
        judged += descriptions_of(truths.get("kilogram", []))
        _write(folder / COMT_ANNOTATIONS, comt_annotators.judgement_lines(judged, experts, seed))
    if judged_chains:
        draw_judged_chains(folder / "judged_chains", seed=seed, count=judged_chains)
    (folder / NOTICE).write_bytes(SAID.encode())


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
