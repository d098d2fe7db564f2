"""A small ScienceQA drawn by rule, in its own files: problems.json, pid_splits.json and a folder of pictures each.

Every picture is drawn for its problem, and most answers hang on two things seen or more. The rest are what the filters
are for: no picture, a picture that serves for nothing or for one step, and files and records that are broken.
"""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.sources.generated import scienceqa_language as language
from assets.sources.generated import scienceqa_physics as physics
from assets.sources.generated import scienceqa_society as society
from assets.sources.generated.annotators import Truth
from assets.sources.generated.drawing import COLOURS, UNREADABLE, Sheet, Unlike, copied, png, unreadable
from assets.sources.generated.problem import Family, Problem, Step, say, see
from assets.sources.generated.scienceqa_plain import ONE_SEEN, TEXT_SUFFICES

if TYPE_CHECKING:
    from PIL import Image

LEAST = 120
# Two pictures of one question with one answer are told apart at this correlation of their thumbnails or less.
MOST_ALIKE = 0.975
TRIES = 12
# Share of the problems by what was planted in them; the rest is good. Each occurs at least twice.
PLANTED = {
    "no_image": 0.1,
    "choice_images_only": 0.008,
    "image_not_needed": 0.28,
    "too_few_steps": 0.03,
    "too_few_image_steps": 0.05,
    "answer_past_choices": 0.002,
    "no_choices": 0.002,
    "missing_picture": 0.004,
    "truncated": 0.002,
    "empty": 0.002,
    "no_picture": 0.002,
    "bomb": 0.002,
    "duplicate": 0.018,
    "look_alike": 0.018,
    "contradicting": 0.014,
    "doubled_word": 0.012,
    "choice_pictures": 0.006,
    "opaque_rgba": 0.03,
    "transparent_palette": 0.012,
}
# What no annotator sees: there is no such sample, or no picture of it.
GONE = ("answer_past_choices", "no_choices", "missing_picture", "no_image", "choice_images_only", *UNREADABLE)
SPLITS = (("train", 0.6), ("val", 0.2), ("test", 0.2))
_PLAIN = ("no_image", "image_not_needed", "too_few_image_steps")
GOOD = physics.FAMILIES + society.FAMILIES + language.FAMILIES
# Words that a rewriting by rule takes out where they stand twice: an annotator's edit is of another one.
MENDED_BY_RULE = frozenset(("the", "an", "of", "in", "to", "and", "with", "for", "by", "from", "are"))


class _Drawn(NamedTuple):
    problem: Problem
    choices: tuple[str, ...]
    planted: str | None

    @property
    def answer(self) -> int:
        return self.choices.index(self.problem.right)


def draw_scienceqa(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each problem, by pid; writes problems.json, pid_splits.json and images/<split>/<pid>/*.png.

    Same arguments, same bytes. `planted(count)` says how many problems have which defect or quirk.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: format and quirks of ScienceQA (problems.json of the original release); the contents are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated ScienceQA: {count} problems cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/scienceqa")
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    kinds += [None] * (count - len(kinds))
    rng.shuffle(kinds)
    drawn = _all(kinds, rng)
    problems: dict[str, dict[str, Any]] = {}
    truths = []
    for pid, one in enumerate(drawn, start=1):
        own = random.Random(f"{seed}/scienceqa/{pid}")
        split = own.choices([name for name, _ in SPLITS], [share for _, share in SPLITS])[0]
        rationale, edits = _rationale(one, own)
        problems[str(pid)] = _record(one, split, rationale, own)
        _write_pictures(folder / "images" / split / str(pid), one, own)
        truths.append(_truth(pid, one, len(rationale), edits))
    _write_json(folder / "problems.json", problems, newline="\r\n", indent=4)
    _write_json(folder / "pid_splits.json", _pid_splits(problems), newline="\n", indent=None)
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of `count` problems have each defect or quirk: its share, and two at least; look-alikes go in twos."""
    counts = {kind: max(2, round(share * count)) for kind, share in PLANTED.items()}
    return counts | {"look_alike": counts["look_alike"] // 2 * 2}


def _all(kinds: Sequence[str | None], rng: random.Random) -> list[_Drawn]:
    """The problems in their order; copies and look-alikes are made of others once these are there."""
    unlike = Unlike(MOST_ALIKE)
    drawn: dict[int, _Drawn] = {}
    for place, kind in enumerate(kinds):
        if kind == "choice_images_only":
            drawn[place] = _coloured(rng)
        elif kind not in ("duplicate", "look_alike"):
            drawn[place] = _drawn(_alone(kind, unlike, rng), kind, rng)
    whole = [place for place in sorted(drawn) if drawn[place].planted is None]
    places = [place for place, kind in enumerate(kinds) if kind == "look_alike"]
    for one, other in zip(places[::2], places[1::2], strict=True):
        drawn[one], drawn[other] = _look_alikes(rng)
    for place in (place for place, kind in enumerate(kinds) if kind == "duplicate"):
        original = drawn[rng.choice(whole)]
        twin = original.problem._replace(picture=copied(original.problem.picture, place))
        drawn[place] = _Drawn(twin, original.choices, "duplicate")
    return [drawn[place] for place in sorted(drawn)]


def _look_alikes(rng: random.Random) -> tuple[_Drawn, _Drawn]:
    """Two problems with the same words and nearly the same picture, whose answers are not the same."""
    seed = rng.random()
    one, other = (society.day_and_night(random.Random(seed), crossed=crossed) for crossed in (True, False))
    first = _drawn(one, "look_alike", rng)
    return first, _Drawn(other, first.choices, "look_alike")


def _coloured(rng: random.Random) -> _Drawn:
    """A problem whose pictures are those of its choices: each is a sheet of one colour, in the order of COLOURS."""
    count = rng.randint(2, 4)
    choices = tuple(f"picture {letter}" for letter in "ABCD"[:count])
    place = rng.randrange(count)
    colour = list(COLOURS)[place]
    problem = Problem(
        question=f"Which of the pictures is {colour}?",
        right=choices[place],
        wrong=tuple(choice for choice in choices if choice != choices[place]),
        steps=(see(f"The sheet of {choices[place]} is {colour}."), say(f"So the answer is {choices[place]}.")),
        picture=Sheet(8, 8).image,
        subject=language.LANGUAGE,
        topic="vocabulary",
        category="Descriptive details",
        skill="Name colours",
    )
    return _Drawn(problem, choices, "choice_images_only")


def _family(kind: str | None, rng: random.Random) -> Family:
    if kind in _PLAIN:
        return rng.choice(ONE_SEEN if kind == "too_few_image_steps" else TEXT_SUFFICES)
    if kind == "choice_pictures":
        return society.day_and_night
    return rng.choices([family for family, _ in GOOD], [weight for _, weight in GOOD])[0]


def _alone(kind: str | None, unlike: Unlike, rng: random.Random) -> Problem:
    """A problem whose picture is not nearly that of another with the same question.

    Where a family has no such picture left within some tries, another family has its turn.
    """
    for _ in range(TRIES):
        family = _family(kind, rng)
        if kind in _PLAIN:
            return family(rng)
        for _ in range(TRIES):
            problem = family(rng)
            if unlike.admit((problem.question,), problem.picture):
                return problem
    raise ValueError("generated ScienceQA: no new pictures: ask for fewer problems")


def _drawn(problem: Problem, kind: str | None, rng: random.Random) -> _Drawn:
    choices = [problem.right, *problem.wrong]
    rng.shuffle(choices)
    return _Drawn(problem, tuple(choices), kind)


def _rationale(one: _Drawn, rng: random.Random) -> tuple[list[Step], tuple[tuple[int, str], ...]]:
    steps = list(one.problem.steps)
    if one.planted == "too_few_steps":
        return (steps[-1:] if rng.random() < 0.7 else []), ()
    if one.planted == "contradicting":
        wrong = next(choice for choice in one.choices if choice != one.problem.right)
        return [*steps[:-1], Step(f"Hence the right choice must be {wrong}.", False)], ()
    if one.planted == "doubled_word":
        first = steps[0].text
        words = first.split(" ")
        place = rng.choice([i for i, word in enumerate(words) if word.isalpha() and word not in MENDED_BY_RULE][1:])
        doubled = " ".join([*words[:place], words[place], *words[place:]])
        # What an annotator has before them is the rewritten rationale, whose steps are numbered.
        return [Step(doubled, steps[0].seen), *steps[1:]], ((1, f"Step 1: {first}"),)
    return steps, ()


def _record(one: _Drawn, split: str, rationale: Sequence[Step], rng: random.Random) -> dict[str, Any]:
    problem = one.problem
    choices = [] if one.planted == "no_choices" else list(one.choices)
    answer = len(choices) + rng.randint(0, 3) if one.planted == "answer_past_choices" else one.answer
    joint = rng.choice((" ", " ", "\n"))
    return {
        "question": problem.question,
        "choices": choices,
        "answer": answer,
        "hint": problem.hint,
        "image": None if one.planted in ("no_image", "choice_images_only") else "image.png",
        "task": "closed choice",
        "grade": f"grade{rng.randint(2, 8)}",
        "subject": problem.subject,
        "topic": problem.topic,
        "category": problem.category,
        "skill": problem.skill,
        "lecture": problem.lecture,
        "solution": joint.join(step.text for step in rationale),
        "split": split,
    }


def _write_pictures(folder: Path, one: _Drawn, rng: random.Random) -> None:
    pictures: dict[str, bytes] = {}
    whole = png(_in_mode(one.problem.picture, one.planted))
    if one.planted in UNREADABLE:
        pictures["image.png"] = unreadable(whole, one.planted)
    elif one.planted not in ("no_image", "choice_images_only", "missing_picture"):
        pictures["image.png"] = whole
    if one.planted == "choice_images_only":
        for place in range(len(one.choices)):
            page = Sheet(rng.randint(60, 90), 60, COLOURS[list(COLOURS)[place]])
            pictures[f"choice_{place}.png"] = png(page.image)
    elif one.planted == "choice_pictures":
        for place, choice in enumerate(one.choices):
            page = Sheet(rng.randint(60, 90), 60, {"day": "#bfe0f2", "night": "#1c2340"}.get(choice, "#8c7a9a"))
            pictures[f"choice_{place}.png"] = png(page.image)
    for name, content in sorted(pictures.items()):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _in_mode(picture: "Image.Image", planted: str | None) -> "Image.Image":
    from PIL import Image

    if planted == "opaque_rgba":
        return picture.convert("RGBA")
    if planted == "transparent_palette":
        flat = picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=64)
        # The colour of the ground, as its corner has it, is the one that is seen through.
        flat.info["transparency"] = flat.getpixel((0, 0))
        return flat
    return picture


def _truth(pid: int, one: _Drawn, steps: int, edits: tuple[tuple[int, str], ...]) -> Truth:
    problem = one.problem
    return Truth(
        sample_id=f"scienceqa-{pid}",
        steps=steps,
        visual=tuple(step for step in problem.visual if step <= steps) if one.planted != "too_few_steps" else (),
        needed=problem.needed,
        voted=True,
        edits=edits,
        flaw="quality" if one.planted == "contradicting" else None,
        defect=one.planted,
        arrives=one.planted not in GONE,
    )


def _pid_splits(problems: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    by = {name: [pid for pid, problem in problems.items() if problem["split"] == name] for name, _ in SPLITS}
    small = {f"mini{name}": pids[: len(pids) // 4] for name, pids in by.items()}
    trainval = [pid for pid, problem in problems.items() if problem["split"] != "test"]
    return {**by, "trainval": trainval, **small}


def _write_json(path: Path, value: object, *, newline: str, indent: int | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    path.write_bytes(text.replace("\n", newline).encode())
