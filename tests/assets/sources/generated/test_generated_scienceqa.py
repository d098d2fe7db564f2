import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assets.sources.generated.annotators import Truth
from assets.sources.generated.drawing import COLOURS, UNREADABLE
from assets.sources.generated.scienceqa import draw_scienceqa, planted
from assets.steps import annotated, segment

COUNT = 240
KEYS = (
    *("question", "choices", "answer", "hint", "image", "task", "grade", "subject", "topic", "category", "skill"),
    *("lecture", "solution", "split"),
)


@dataclass(frozen=True)
class World:
    folder: Path
    truths: list[Truth]
    problems: dict[str, dict[str, Any]]

    def picture(self, pid: str) -> Path:
        return self.folder / "images" / str(self.problems[pid]["split"]) / pid / "image.png"

    def planted(self, *kinds: str) -> set[str]:
        return {truth.sample_id.rpartition("-")[2] for truth in self.truths if truth.defect in kinds}

    def sound(self, pid: str) -> bool:
        return self.picture(pid).exists() and pid not in self.planted(*UNREADABLE)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("scienceqa")
    truths = draw_scienceqa(folder, seed=7, count=COUNT)
    return World(folder, truths, json.loads((folder / "problems.json").read_bytes()))


def test_scienceqa_is_written_as_upstream_writes_it(world: World) -> None:
    assert {tuple(problem) for problem in world.problems.values()} == {KEYS}
    text = (world.folder / "problems.json").read_bytes()
    assert text.startswith(b'{\r\n    "1": {\r\n        "question": ')
    splits = json.loads((world.folder / "pid_splits.json").read_bytes())
    assert set(splits) == {"train", "val", "test", "trainval", "minitrain", "minival", "minitest"}
    assert sorted(map(int, splits["trainval"] + splits["test"])) == list(range(1, COUNT + 1))
    assert list(world.problems) == [str(pid) for pid in range(1, 241)]
    assert len({problem["category"] for problem in world.problems.values() if problem["image"]}) >= 12
    assert {problem["subject"] for problem in world.problems.values()} == {
        "natural science", "social science", "language science",
    }  # fmt: skip


def test_what_was_planted_in_scienceqa_is_there(world: World) -> None:
    counts = Counter(truth.defect for truth in world.truths)
    assert {kind: counts[kind] for kind in planted(COUNT)} == planted(COUNT)
    problems = world.problems
    for pid in world.planted("no_image"):
        assert problems[pid]["image"] is None
        assert not world.picture(pid).parent.exists()
    for pid in world.planted("choice_images_only"):
        found = sorted(path.name for path in world.picture(pid).parent.iterdir())
        assert found == [f"choice_{place}.png" for place in range(len(problems[pid]["choices"]))]
        assert problems[pid]["image"] is None
    for pid in world.planted("missing_picture"):
        assert problems[pid]["image"] == "image.png"
        assert not world.picture(pid).exists()
    assert all(not problems[pid]["choices"] for pid in world.planted("no_choices"))
    for pid in world.planted("answer_past_choices"):
        assert problems[pid]["answer"] >= len(problems[pid]["choices"]) > 0
    assert all(len(segment(problems[pid]["solution"])) < 2 for pid in world.planted("too_few_steps"))


@pytest.mark.parametrize("kind", UNREADABLE)
def test_unreadable_pictures_are_unreadable(world: World, kind: str) -> None:
    for pid in world.planted(kind):
        with pytest.raises((OSError, SyntaxError, Image.DecompressionBombError)):
            Image.open(world.picture(pid)).load()


def test_all_other_pictures_open_and_are_small(world: World) -> None:
    opened = 0
    for path in world.folder.glob("images/*/*/*.png"):
        if path.parent.name in world.planted(*UNREADABLE):
            continue
        with Image.open(path) as picture:
            picture.load()
            assert picture.width <= 330 and not {"dpi", "exif", "icc_profile", "Software"} & set(picture.info)
            opened += 1
    assert opened > 180
    modes = Counter(Image.open(world.picture(pid)).mode for pid in world.problems if world.sound(pid))
    assert set(modes) == {"RGB", "RGBA", "P"}


def thumbnail(path: Path) -> np.ndarray:
    grey = Image.open(path).convert("RGBA")
    white = Image.new("RGBA", grey.size, "white")
    white.alpha_composite(grey)
    small = np.asarray(white.convert("L").resize((64, 64), Image.Resampling.BOX), dtype=float).ravel()
    small -= small.mean()
    return np.asarray(small / np.linalg.norm(small))


def asked(problem: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    return problem["question"], tuple(sorted(problem["choices"]))


def test_copies_are_over_99_percent_alike_and_nothing_else_with_their_answer_is(world: World) -> None:
    kept = [t.sample_id.rpartition("-")[2] for t in world.truths if t.arrives and t.needed and len(t.visual) > 1]
    groups: dict[tuple[Any, ...], list[str]] = {}
    for pid in kept:
        problem = world.problems[pid]
        groups.setdefault((*asked(problem), problem["choices"][problem["answer"]]), []).append(pid)
    copies, alike = world.planted("duplicate"), set()
    for pids in groups.values():
        thumbnails = {pid: thumbnail(world.picture(pid)) for pid in pids}
        for place, one in enumerate(pids):
            for other in pids[place + 1 :]:
                if thumbnails[one] @ thumbnails[other] > 0.99:
                    assert {one, other} & copies, (one, other)
                    alike |= {one, other} & copies
    assert alike == copies


def test_look_alikes_share_their_words_and_differ_in_answer_and_picture(world: World) -> None:
    problems = world.problems
    pids = world.planted("look_alike")
    for pid in pids:
        twins = [p for p in pids if p != pid and asked(problems[p]) == asked(problems[pid])]
        assert any(problems[p]["answer"] != problems[pid]["answer"] for p in twins)
        assert all(world.picture(p).read_bytes() != world.picture(pid).read_bytes() for p in twins)


def test_steps_are_as_many_as_were_written(world: World) -> None:
    for truth in world.truths:
        solution = world.problems[truth.sample_id.rpartition("-")[2]]["solution"]
        assert len(segment(solution)) == len(annotated(solution)) == truth.steps, solution
        assert all(step <= truth.steps for step in truth.visual)


Pixels = np.ndarray


def area(pixels: Pixels, colour: str, most: float = 40) -> Pixels:
    wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return np.asarray(np.abs(pixels - np.array(wanted)).sum(axis=2) <= most)


def columns(mask: Pixels) -> Pixels:
    return np.flatnonzero(mask.any(axis=0))


def magnets(pixels: Pixels, _choices: list[str], _question: str) -> str:
    red, blue = columns(area(pixels, COLOURS["red"])), columns(area(pixels, COLOURS["blue"]))
    both = np.union1d(red, blue)
    gap = int(np.argmax(np.diff(both)))
    return "repel" if (both[gap] in red) == (both[gap + 1] in red) else "attract"


def net_force(pixels: Pixels, _choices: list[str], _question: str) -> str:
    left, right = (np.ptp(columns(area(pixels, COLOURS[name]))) for name in ("red", "blue"))
    return "it stays where it is" if abs(left - right) < 4 else "to the left" if left > right else "to the right"


def day(pixels: Pixels, _choices: list[str], _question: str) -> str:
    sun, globe, cross = (columns(area(pixels, c)).mean() for c in (COLOURS["yellow"], "#7fb4e6", COLOURS["red"]))
    return "day" if (sun < globe) == (cross < globe) else "night"


def rain(pixels: Pixels, _choices: list[str], question: str) -> str:
    colours = {"spring": "green", "summer": "yellow", "autumn": "orange", "winter": "blue"}
    heights = {name: np.ptp(np.flatnonzero(area(pixels, COLOURS[c]).any(axis=1))) for name, c in colours.items()}
    pick = max if "most" in question else min
    return str(pick(heights, key=lambda name: heights[name]))


def crowd(pixels: Pixels, _choices: list[str], question: str) -> str:
    colour = next(name for name in COLOURS if f"{name} particles" in question)
    half = pixels.shape[1] // 2
    found = []
    for part in (pixels[:, :half], pixels[:, half:]):
        balls = round(area(part, COLOURS[colour], 60).sum() / (math.pi * 25))
        water = np.flatnonzero(area(part, "#cfe6f5", 12).any(axis=1))
        found.append(Fraction(balls, round(np.ptp(water) / 24) * 10))
    if found[0] == found[1]:
        return "neither; their concentrations are the same"
    return "solution A" if found[0] > found[1] else "solution B"


def balance(pixels: Pixels, choices: list[str], _question: str) -> str:
    out, into = (np.ptp(np.flatnonzero(area(pixels, COLOURS[c]).any(axis=1))) for c in ("green", "orange"))
    sign = 0 if abs(out - into) < 3 else 1 if out > into else -1
    if "a surplus" in choices:
        return {1: "a surplus", -1: "a deficit", 0: "neither; trade is balanced"}[sign]
    return {1: "+", -1: "-", 0: "0"}[sign]


ORACLES: dict[str, Callable[..., str]] = {
    "Predict whether magnets attract or repel": magnets,
    "Find the net force": net_force,
    "Day and night": day,
    "Read climate graphs": rain,
    "Compare concentrations of solutions": crowd,
    "Read trade figures": balance,
}


@pytest.mark.parametrize("skill", sorted(ORACLES))
def test_answers_follow_from_the_pixels(world: World, skill: str) -> None:
    left_out = world.planted("answer_past_choices", "no_choices", "transparent_palette")
    checked = 0
    for pid, problem in world.problems.items():
        if problem["skill"] != skill or pid in left_out or not world.sound(pid):
            continue
        pixels = np.asarray(Image.open(world.picture(pid)).convert("RGB"), dtype=int)
        right = problem["choices"][problem["answer"]]
        found = ORACLES[skill](pixels, problem["choices"], problem["question"])
        if found in ("+", "-", "0"):
            number = int(right.split()[0])
            right = "+" if number > 0 else "-" if number < 0 else "0"
        assert found == right, (pid, found, problem)
        checked += 1
    assert checked >= 3


def test_at_least_thirty_percent_of_the_pictures_serve_for_nothing(world: World) -> None:
    seen = [truth for truth in world.truths if truth.arrives]
    assert sum(not truth.needed for truth in seen) >= 0.3 * len(seen)
