import json
import re
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from assets.m3cot.mathematics import asymptote, cards
from assets.m3cot.mathematics.cards import Figure, Formula, parts
from assets.m3cot.mathematics.formulas import Unsupported, drawn

MATH = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "math"

pytestmark = pytest.mark.skipif(not MATH.is_dir(), reason="the slice of upstream data is not beside the checkout")


@pytest.fixture(scope="module")
def problems() -> dict[str, str]:
    files = sorted(MATH.glob("*/*/*.json"))
    return {
        file.relative_to(MATH).with_suffix("").as_posix(): json.loads(file.read_text(encoding="utf-8"))["problem"]
        for file in files
    }


def test_all_but_two_formulas_are_drawn_and_those_are_refused_by_name(problems: dict[str, str]) -> None:
    seen: Counter[str] = Counter()
    refused: dict[str, str] = {}
    for name, problem in problems.items():
        for part in parts(problem):
            if isinstance(part, Formula):
                seen["formulas"] += 1
                try:
                    drawn(part.latex, cards.SIZE, part.display)
                except Unsupported as fault:
                    refused[name] = fault.detail.partition(":")[0]
    assert seen["formulas"] == 4188
    assert refused == {"test/number_theory/50": "\\hline", "train/number_theory/41": "\\mathop"}


def test_every_fifth_problem_makes_a_card(problems: dict[str, str]) -> None:
    reasons: Counter[str] = Counter()
    for name in list(problems)[::5]:
        figures = [Image.new("RGB", (300, 200))] * problems[name].count("[asy]")
        try:
            reasons[str(cards.card(problems[name], figures).width)] += 1
        except Unsupported as fault:
            reasons[fault.reason] += 1
    assert reasons["640"] >= 253
    assert sum(reasons.values()) == 255


def test_each_figure_of_a_problem_is_found_once(problems: dict[str, str]) -> None:
    for problem in problems.values():
        codes = [part.code for part in parts(problem) if isinstance(part, Figure)]
        assert codes == [code.strip() for code in re.findall(r"\[asy\](.*?)\[/asy\]", problem, re.DOTALL)]


@pytest.mark.skipif(asymptote.available() is None, reason="Asymptote is not installed: apt install asymptote")
def test_nearly_all_geometry_figures_are_drawn(problems: dict[str, str]) -> None:
    geometry = {name: text for name, text in problems.items() if "/geometry/" in name and "[asy]" in text}
    assert len(geometry) == 328
    figures = [
        (f"{name}/{part.place}", part.code)
        for name in list(geometry)[::8]
        for part in parts(geometry[name])
        if isinstance(part, Figure)
    ]
    reasons = Counter(reason for _, _, reason in asymptote.draw(figures, executable=asymptote.available()))
    # of all 502 figures of the slice, all are drawn; room for a slow machine's time-outs
    assert reasons[None] >= 0.95 * len(figures)
