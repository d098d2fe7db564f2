r"""A small MATH drawn by rule, in its own files: {train,test}/<subject>/<N>.json.

Every answer is computed, and every solution but the planted ones ends in `\boxed{…}`.
"""

import json
import random
from pathlib import Path

from assets.sources.generated.annotators import Truth
from assets.sources.generated.math_problems import DRAWS, Worked

LEAST = 60
TRIES = 200
FOLDERS = {
    "Algebra": "algebra",
    "Counting & Probability": "counting_and_probability",
    "Geometry": "geometry",
    "Intermediate Algebra": "intermediate_algebra",
    "Number Theory": "number_theory",
    "Prealgebra": "prealgebra",
    "Precalculus": "precalculus",
}
# Share of the problems by what was planted in them; each occurs at least twice.
PLANTED = {
    "no_boxed_answer": 0.016,
    "no_options": 0.016,
    "unsupported_formula": 0.016,
    "asy_figure": 0.026,
    "not_json": 0.008,
    "no_solution": 0.005,
    "level_unknown": 0.006,
    "boxed_without_braces": 0.008,
}
GONE = ("no_boxed_answer", "no_options", "unsupported_formula", "not_json", "no_solution")


def draw_math(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each problem; writes {train,test}/<subject>/<N>.json. `planted(count)` says what was planted.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: format and quirks of MATH (Hendrycks et al.); the problems are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated MATH: {count} problems cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/math")
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    kinds += [None] * (count - len(kinds))
    rng.shuffle(kinds)
    seen: set[str] = set()
    numbers = dict.fromkeys((f"{split}/{name}" for split in ("train", "test") for name in FOLDERS.values()), 0)
    truths = []
    for place, kind in enumerate(kinds):
        type_ = list(FOLDERS)[place % len(FOLDERS)]
        type_ = "Geometry" if kind == "asy_figure" else type_
        worked = _new(type_, seen, rng)
        where = f"{rng.choice(('train', 'train', 'test'))}/{FOLDERS[type_]}"
        # Upstream's numbers have gaps.
        numbers[where] += rng.choice((1, 1, 1, 2, 5))
        path = folder / where / f"{numbers[where]}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_file(worked, kind, type_, rng).encode())
        split, subject = where.split("/")
        truths.append(
            Truth(f"math-{split}-{subject}-{numbers[where]}", 3, (1, 2), defect=kind, arrives=kind not in GONE)
        )
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of `count` problems have each defect or quirk: its share, and two at least."""
    return {kind: max(2, round(share * count)) for kind, share in PLANTED.items()}


def _new(type_: str, seen: set[str], rng: random.Random) -> Worked:
    for _ in range(TRIES):
        worked = rng.choice(DRAWS[type_])(rng)
        if worked.problem not in seen:
            seen.add(worked.problem)
            return worked
    raise ValueError(f"generated MATH: no new problem of {type_}: ask for fewer")


def _file(worked: Worked, kind: str | None, type_: str, rng: random.Random) -> str:
    problem, solution = worked
    level = f"Level {rng.randint(1, 5)}"
    if kind == "no_boxed_answer":
        solution = solution.replace("\\boxed", "")
    elif kind == "no_options":
        a = rng.randint(2, 99)
        problem = f"Show that $n^2 + {a}n$ has the same parity as ${a + 1}n$ for every whole number $n$."
        solution = (
            "The square of a number has the parity of the number. So both sides have the same parity. This was to be "
            "shown. $\\boxed{\\text{for every whole number the two sides have one parity, as was to be shown}}$"
        )
    elif kind == "unsupported_formula":
        extra = rng.choice(
            ("\\mathop{\\text{lcm}}(4, 6)", "\\overarc{AB}", "2 \\not= 3", "\\mathop{\\text{lcm}}(3, 5)")
        )
        problem = f"{problem} (Here we also write ${extra}$, which does not matter.)"
    elif kind == "asy_figure":
        problem = f"{problem}\n\n{_asy(rng)}"
    elif kind == "level_unknown":
        level = "Level ?"
    elif kind == "boxed_without_braces":
        digit = rng.randint(2, 9)
        problem = f"What is the value of ${digit * 10} \\div 10$?"
        solution = f"We divide ${digit * 10}$ by $10$. Each ten counts once. So the value is $\\boxed {digit}$."
    record = {"problem": problem, "level": level, "type": type_, "solution": solution}
    if kind == "no_solution":
        del record["solution"]
    text = json.dumps(record, indent=4)
    return text[: len(text) // 2] if kind == "not_json" else text


def _asy(rng: random.Random) -> str:
    a, b = rng.randint(2, 6), rng.randint(2, 6)
    return f'[asy]\nsize(120);\ndraw((0,0)--({a},0)--({a},{b})--cycle);\nlabel("$A$", (0,0), SW);\n[/asy]'
