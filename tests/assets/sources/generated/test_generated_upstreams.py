import hashlib
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assets import annotation
from assets.sources.generated import kilogram, mathematics, scienceqa, sherlock, tabmwp
from assets.sources.generated.annotators import Truth, judgement_lines
from assets.sources.generated.drawing import UNREADABLE
from assets.sources.generated.math_problems import quadratic_roots
from assets.sources.generated.problem import with_articles
from assets.sources.generated.scienceqa_physics import magnets_strength, particles
from assets.sources.generated.scienceqa_society import altitude
from assets.sources.generated.upstreams import draw

COUNTS = {"scienceqa": 240, "math": 90, "tabmwp": 50, "kilogram": 30, "sherlock": 150}
ANNOTATORS = {"simulated-a": 0.03, "simulated-b": 0.04, "simulated-c": 0.05}
EXACT = dict.fromkeys(ANNOTATORS, 0.0)
TABMWP_KEYS = (
    *("question", "choices", "answer", "unit", "table_title", "table", "table_for_pd", "row_num", "column_num"),
    *("solution", "ques_type", "ans_type", "grade", "split"),
)


@dataclass
class World:
    folder: Path

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_bytes())

    @cached_property
    def judgements(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "annotations/simulated.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world")
    draw(folder, seed=7, **COUNTS, annotators=ANNOTATORS)
    return World(folder)


@pytest.fixture(scope="module")
def science(tmp_path_factory: pytest.TempPathFactory) -> list[Truth]:
    return scienceqa.draw_scienceqa(tmp_path_factory.mktemp("science"), seed=7, count=COUNTS["scienceqa"])


def digest(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_bytes(world: World, tmp_path: Path) -> None:
    draw(tmp_path, seed=7, **COUNTS, annotators=ANNOTATORS)
    assert digest(tmp_path) == digest(world.folder)


def test_another_seed_gives_other_bytes(world: World, tmp_path: Path) -> None:
    mathematics.draw_math(tmp_path, seed=8, count=COUNTS["math"])
    assert digest(tmp_path) != digest(world.folder / "math")


def test_the_folder_holds_what_was_asked_for(world: World) -> None:
    assert len(world.json("scienceqa/problems.json")) == 240
    assert len(list(world.folder.glob("math/*/*/*.json"))) == 90
    assert len(world.json("tabmwp/problems_generated.json")) == 50
    assert len(list(world.folder.glob("kilogram/tangrams-svg/*.svg"))) == 30
    assert len(world.json("sherlock/sherlock_train_v1_1.json")) == 150
    assert (world.folder / "README.txt").read_text().startswith("generated")


def test_every_record_has_the_keys_of_its_upstream_in_their_order(world: World) -> None:
    tables = world.json("tabmwp/problems_generated.json")
    assert {tuple(problem) for problem in tables.values()} == {TABMWP_KEYS}
    instances = world.json("sherlock/sherlock_train_v1_1.json")
    assert {tuple(one) for one in instances} == {("inputs", "targets", "instance_id")}
    assert {tuple(one["inputs"]) for one in instances} == {("image", "bboxes", "clue", "confidence", "obs_idx")}
    assert {tuple(one["inputs"]["image"]) for one in instances} == {("url", "width", "height")}
    assert {tuple(box) for one in instances for box in one["inputs"]["bboxes"]} == {("left", "top", "width", "height")}
    for entry in world.json("kilogram/dense10.json").values():
        assert list(entry) == ["snd", "pnd", "psa", "annotations"]
        assert len(entry["annotations"]) == 10
        for told in entry["annotations"]:
            assert set(told) == {"whole", "part", "workerId", "metadata"}
            assert sorted(told["part"]) == list("1234567")
            assert told["workerId"].startswith("simulated-")


def maths(world: World) -> list[dict[str, Any]]:
    found = []
    for path in sorted(world.folder.glob("math/*/*/*.json")):
        try:
            found.append(json.loads(path.read_text()))
        except ValueError:
            continue
    return [record for record in found if "solution" in record]


def test_what_was_planted_in_math_is_there(world: World) -> None:
    planted = mathematics.planted(90)
    records = maths(world)
    assert 90 - len(records) == planted["not_json"] + planted["no_solution"]
    assert sum("\\boxed" not in record["solution"] for record in records) == planted["no_boxed_answer"]
    assert sum("[asy]" in record["problem"] for record in records) == planted["asy_figure"]
    assert sum(record["level"] == "Level ?" for record in records) == planted["level_unknown"]
    bare = sum(bool(re.search(r"\\boxed \d", record["solution"])) for record in records)
    assert bare == planted["boxed_without_braces"]
    odd = ("\\mathop", "\\overarc", "\\not=")
    assert sum(any(mark in r["problem"] for mark in odd) for r in records) == planted["unsupported_formula"]
    assert {record["type"] for record in records} == set(mathematics.FOLDERS)


def test_answers_of_math_are_computed_right(world: World, tmp_path: Path) -> None:
    mathematics.draw_math(tmp_path, seed=3, count=300)
    checked: Counter[str] = Counter()
    for path in sorted(tmp_path.glob("*/*/*.json")):
        found = re.search(r'"problem": "(.*)",\n.*\n.*\n    "solution": "(.*)"', path.read_text())
        boxed = found and re.search(r"\\\\boxed\{(-?[\d.]+)\}", found[2])
        if not found or not boxed:
            continue
        numbers = [int(number) for number in re.findall(r"\d+", found[1])]
        for words, right in COMPUTED.items():
            if words in found[1]:
                assert Fraction(boxed[1]) == right(numbers), found[1]
                checked[words] += 1
    assert set(checked) == set(COMPUTED) and min(checked.values()) >= 3


COMPUTED: dict[str, Callable[[list[int]], Fraction | int]] = {
    "greatest common divisor": lambda numbers: math.gcd(*numbers),
    "remainder when": lambda numbers: numbers[0] ** numbers[1] % numbers[2],
    "average of": lambda numbers: Fraction(sum(numbers), 4),
    "order does not matter": lambda numbers: math.comb(numbers[1], numbers[0]),
}


def test_what_was_planted_in_tabmwp_is_there(world: World) -> None:
    problems = world.json("tabmwp/problems_generated.json")
    planted = tabmwp.planted(50)
    pictures = {path.stem for path in world.folder.glob("tabmwp/tables/*.png")}
    assert len(problems) - len(pictures) == planted["missing_picture"]
    off = [one for one in problems.values() if one["choices"] is not None and one["answer"] not in one["choices"]]
    assert len(off) == planted["answer_not_an_option"]
    assert sum("\u00c2\u00b0" in (one["table_title"] or "") for one in problems.values()) == planted["mojibake"]
    readable = 0
    for pid in pictures:
        try:
            Image.open(world.folder / f"tabmwp/tables/{pid}.png").load()
            readable += 1
        except (OSError, SyntaxError, Image.DecompressionBombError):
            continue
    assert len(pictures) - readable == len(UNREADABLE)
    assert {one["ques_type"] for one in problems.values()} == {"free_text", "multi_choice"}
    splits = world.json("tabmwp/splits.json")
    assert sorted(pid for pids in splits.values() for pid in pids) == [int(pid) for pid in problems]


def test_sums_of_tables_are_right(tmp_path: Path) -> None:
    tabmwp.draw_tabmwp(tmp_path, seed=5, count=150)
    checked = 0
    for one in json.loads((tmp_path / "problems_generated.json").read_bytes()).values():
        if found := re.search(r"sell on (\w+) and (\w+) together", one["question"]):
            rows = dict(line.split(" | ") for line in one["table"].split("\n"))
            assert int(one["answer"]) == int(rows[found[1]]) + int(rows[found[2]])
            checked += 1
        assert one["row_num"] == len(one["table"].split("\n"))
        assert all(len(column) in (one["row_num"], one["row_num"] - 1) for column in one["table_for_pd"].values())
    assert checked >= 5


@pytest.mark.parametrize("figure", kilogram.FIGURES, ids=lambda figure: figure.label)
def test_a_figure_is_the_seven_pieces_of_a_tangram_and_none_covers_another(figure: kilogram.Figure) -> None:
    from PIL import ImageDraw

    def size(points: kilogram.Points) -> float:
        pairs = zip(points, (*points[1:], points[0]), strict=True)
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2

    assert sorted(size(points) for _, points in figure.pieces) == [2, 2, 4, 4, 4, 8, 8]
    covered = np.zeros((700, 800), dtype=int)
    for _, points in figure.pieces:
        page = Image.new("1", (800, 700))
        ImageDraw.Draw(page).polygon([(x * 40 + 120, y * 40 + 120) for x, y in points], fill=1)
        covered += np.asarray(page, dtype=int)
    # Edges that touch share a line of pixels.
    assert (covered > 1).sum() < 0.06 * (covered > 0).sum()


def test_what_was_planted_in_kilogram_is_there(world: World) -> None:
    planted = kilogram.planted(30)
    texts = {path.stem: path.read_text() for path in world.folder.glob("kilogram/tangrams-svg/*.svg")}
    described = world.json("kilogram/dense10.json")
    assert sum("<!ENTITY" in text for text in texts.values()) == planted["entity"]
    assert sum("<!DOCTYPE" in text for text in texts.values()) == planted["entity"] + planted["doctype"]
    assert sum(not text.endswith("</svg>") for text in texts.values()) == planted["not_xml"]
    assert len(set(texts) - set(described)) == planted["undescribed"]
    assert set(described) - set(texts) == {kilogram.MISSING_DRAWING}
    wholes = [one["whole"]["wholeAnnotation"] for entry in described.values() for one in entry["annotations"]]
    assert wholes.count("UNKNOWN") == wholes.count("") == planted["unknown"]
    groups = [g for e in described.values() for one in e["annotations"] for g in one["metadata"].values()]
    assert any(not group["final"] for group in groups)


def test_sherlock_holds_clues_by_picture_and_what_was_planted(world: World) -> None:
    planted = sherlock.planted(150)
    instances = world.json("sherlock/sherlock_train_v1_1.json")
    pictures: dict[str, list[dict[str, Any]]] = {}
    for one in instances:
        pictures.setdefault(one["inputs"]["image"]["url"], []).append(one)
    sizes = Counter(len(ones) for ones in pictures.values())
    assert sizes[1] >= planted["single_clue"] and sizes[2] == planted["two_clues"] and set(sizes) <= {1, 2, 3, 4}
    outside, over, absent = 0, 0, 0
    for url, ones in pictures.items():
        assert url.startswith("https://example.org/generated/")
        assert [one["inputs"]["obs_idx"] for one in ones] == list(range(len(ones)))
        assert ones[0]["instance_id"] == min(one["instance_id"] for one in ones)
        assert re.fullmatch("[0-9a-f]{32}", ones[0]["instance_id"])
        absent += not (world.folder / "sherlock/images" / "/".join(url.split("/")[-2:])).exists()
        for one in ones:
            image, box = one["inputs"]["image"], one["inputs"]["bboxes"][0]
            outside += box["left"] >= image["width"]
            over += box["left"] < image["width"] and box["top"] + box["height"] > image["height"]
    assert (outside, over, absent) == (planted["box_outside"], planted["box_over_edge"], planted["missing_picture"])
    assert sum(not one["targets"]["inference"].strip() for one in instances) == planted["no_inference"]
    assert 150 - len({one["instance_id"] for one in instances}) == planted["duplicate_id"]


def test_every_judgement_can_be_read_and_says_that_it_is_simulated(world: World) -> None:
    path = world.folder / "annotations/simulated.jsonl"
    read = list(annotation.read([(path, path.name)]))
    assert len(read) == len(world.judgements) and all(one.dropped is None for one in read)
    assert {one["annotator"] for one in world.judgements} == set(ANNOTATORS)
    assert all(one["note"].startswith("simulated") for one in world.judgements)


def test_judgements_cover_the_stages_as_the_paper_has_them(world: World, science: list[Truth]) -> None:
    by: dict[tuple[str, int], dict[str, list[dict[str, Any]]]] = {}
    for one in world.judgements:
        by.setdefault((one["stage"], one["round"]), {}).setdefault(one["sample_id"], []).append(one)
    seen = {truth.sample_id for truth in science if truth.arrives}
    assert set(by["image_needed", 1]) == seen
    yes = {
        (one["sample_id"], one["annotator"])
        for ones in by["image_needed", 1].values()
        for one in ones
        if one["verdict"] == "yes"
    }
    assert {(o["sample_id"], o["annotator"]) for ones in by["image_steps", 1].values() for o in ones} <= yes
    assert all(len(ones) == 1 for ones in by["quality", 1].values())
    assert {sample.partition("-")[0] for sample in by["recheck", 1]} == set(COUNTS)
    assert set(by["recheck", 2]) < set(by["recheck", 1])
    assert {sample.partition("-")[0] for sample in by["audit", 1]} == {"scienceqa"}
    assert any("edits" in one for ones in by["quality", 1].values() for one in ones)


def test_annotators_without_errors_say_what_is_true(science: list[Truth]) -> None:
    lines = [json.loads(line) for line in judgement_lines(science, EXACT, 7)]
    truths = {truth.sample_id: truth for truth in science}
    for one in lines:
        truth = truths[one["sample_id"]]
        if one["stage"] == "image_needed":
            assert one["verdict"] == ("yes" if truth.needed else "no")
        if one["stage"] in ("image_steps", "audit"):
            assert one["verdict"] == ("yes" if truth.needed and len(truth.visual) > 1 else "no")
        if one["stage"] == "quality":
            assert one["verdict"] == ("discard" if truth.defect == "contradicting" else "accept")
    assert 0 < sum(one["verdict"] == "no" for one in lines if one["stage"] == "recheck") < 0.15 * len(lines)


def test_no_count_at_all_writes_nothing(tmp_path: Path) -> None:
    draw(tmp_path, seed=7, scienceqa=0, math=0, tabmwp=0, kilogram=0, sherlock=0, annotators={})
    assert not any(tmp_path.iterdir())


def test_a_source_does_not_depend_on_the_others(world: World, tmp_path: Path) -> None:
    draw(tmp_path, seed=7, scienceqa=0, math=90, tabmwp=0, kilogram=0, sherlock=0, annotators=ANNOTATORS)
    assert digest(tmp_path / "math") == digest(world.folder / "math")
    assert not (tmp_path / "scienceqa").exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scienceqa": 10}, "give 120 or more"),
        ({"math": 10}, "give 60 or more"),
        ({"annotators": {"simulated-a": 0.1}}, "name 3 or more"),
        ({"annotators": {"simulated-a": 0.1, "simulated-b": 0.1, "ada": 0.1}}, "reads like a person"),
        ({"annotators": {"simulated-a": 0.1, "simulated-b": 0.1, "simulated-c": 0.9}}, "give a number from 0"),
    ],
    ids=["few problems", "few maths", "few annotators", "no simulated name", "high rate"],
)
def test_what_cannot_be_drawn_is_refused_with_the_way_out(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    none: dict[str, Any] = dict.fromkeys(COUNTS, 0) | {"math": 60, "annotators": ANNOTATORS}
    with pytest.raises(ValueError, match=said):
        draw(tmp_path, seed=7, **none | changed)


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not an empty folder"):
        draw(tmp_path, seed=7, **COUNTS, annotators=ANNOTATORS)


@pytest.mark.parametrize("seed", range(40))
def test_an_answer_in_the_box_is_worked_out(seed):
    solution = quadratic_roots(random.Random(seed)).solution
    answer = re.search(r"\\boxed\{(.*)\}\$", solution)[1]
    assert not re.fullmatch(r"-?\d+ [-+] \d+", answer)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a orange bucket", "an orange bucket"), ("marks a island", "marks an island"), ("point A is a red one", None)],
)
def test_an_stands_before_a_vowel(text, expected):
    assert with_articles(text) == (expected or text)


@pytest.mark.parametrize("family", [magnets_strength, particles, altitude], ids=lambda family: family.__name__)
def test_each_outcome_of_a_comparison_is_as_likely(family):
    rng = random.Random(1)
    told = Counter(family(rng).right for _ in range(180))
    assert len(told) == 3
    assert min(told.values()) > 40
