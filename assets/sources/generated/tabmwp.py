"""A small TabMWP drawn by rule, in its own files: problems_generated.json, splits.json and tables/<pid>.png."""

import json
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.sources.generated.annotators import Truth
from assets.sources.generated.drawing import UNREADABLE, Sheet, png, unreadable

if TYPE_CHECKING:
    from PIL import Image

LEAST = 24
TRIES = 200
# Share of the problems by what was planted in them; each occurs at least twice, an unreadable one of each kind once.
PLANTED = {"missing_picture": 0.015, "answer_not_an_option": 0.015, "mojibake": 0.02}
SPLITS = ("train", "dev", "test")
ITEMS = ("apples", "buttons", "candles", "drums", "envelopes", "figs", "gloves", "hats", "inkwells", "jars", "kites")
NAMES = ("Ada", "Bruno", "Cleo", "Dario", "Emi", "Farid", "Greta", "Hugo", "Ines", "Jonas")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
SHOPS = ("quay", "station", "market", "mill", "chapel", "bridge")


class Asked(NamedTuple):
    """A table with a question: `rows` begin with the header; `choices` None where the answer is free text."""

    question: str
    title: str | None
    rows: tuple[tuple[str, ...], ...]
    answer: str
    steps: tuple[str, ...]
    choices: tuple[str, ...] | None = None
    unit: str | None = None
    kind: str = "integer_number"


Draw = Callable[[random.Random], Asked]


def _column(rng: random.Random, labels: Sequence[str], low: int, high: int) -> dict[str, int]:
    return dict(zip(labels, rng.sample(range(low, high), len(labels)), strict=True))


def _rows(header: tuple[str, str], column: dict[str, int], form: str = "{}") -> tuple[tuple[str, ...], ...]:
    return (header, *((label, form.format(value)) for label, value in column.items()))


def together(rng: random.Random) -> Asked:
    """The sum of two rows."""
    shop, days = rng.choice(SHOPS), rng.sample(DAYS, 4)
    column = _column(rng, sorted(days, key=DAYS.index), 12, 90)
    item, (a, b) = rng.choice(ITEMS), rng.sample(days, 2)
    return Asked(
        f"How many {item} did the shop at the {shop} sell on {a} and {b} together?",
        f"{item.capitalize()} sold at the {shop}",
        _rows(("Day", item.capitalize()), column),
        str(column[a] + column[b]),
        (f"In the row of {a}, the table says {column[a]}.", f"In the row of {b}, it says {column[b]}.",
         f"Adding them gives {column[a]} + {column[b]} = {column[a] + column[b]}."),
        unit=item,
    )  # fmt: skip


def more(rng: random.Random) -> Asked:
    """The difference of two rows."""
    names, item = rng.sample(NAMES, 4), rng.choice(ITEMS)
    column = _column(rng, names, 5, 99)
    a, b = sorted(rng.sample(names, 2), key=lambda name: -column[name])
    return Asked(
        f"How many more {item} does {a} have than {b}?",
        f"{item.capitalize()} of four friends",
        _rows(("Name", item.capitalize()), column),
        str(column[a] - column[b]),
        (f"The table says that {a} has {column[a]} of them.", f"It says that {b} has {column[b]}.",
         f"The difference is {column[a]} - {column[b]} = {column[a] - column[b]}."),
        unit=item,
    )  # fmt: skip


def mean(rng: random.Random) -> Asked:
    """The mean of a column, often a decimal."""
    days, place = DAYS[:5], rng.choice(SHOPS)
    column = {day: rng.randint(2, 40) for day in days}
    total = sum(column.values())
    value = f"{total / 5:g}"
    return Asked(
        f"What is the mean of the numbers of boats seen at the {place} in these five days?",
        f"Boats seen at the {place}",
        _rows(("Day", "Boats"), column),
        value,
        (f"The rows of the table say {', '.join(map(str, column.values()))}.", "There are five rows.",
         f"The sum is {total}.", f"Divided by five, this is {value}."),
        kind="integer_number" if total % 5 == 0 else "decimal_number",
    )  # fmt: skip


def spread(rng: random.Random) -> Asked:
    """The range or the median of a column."""
    names, what = rng.sample(NAMES, 5), rng.choice(("range", "median"))
    column = _column(rng, names, 1, 80)
    ordered = sorted(column.values())
    value = ordered[-1] - ordered[0] if what == "range" else ordered[2]
    close = (
        f"The range is the greatest less the least, {ordered[-1]} - {ordered[0]} = {value}."
        if what == "range"
        else f"The median is the one in the middle, {value}."
    )
    return Asked(
        f"{names[0]} wrote down how many pages five friends read in a week. What is the {what} of the numbers?",
        "Pages read in a week",
        _rows(("Name", "Pages"), column),
        str(value),
        (f"The table has the numbers {', '.join(map(str, column.values()))}.",
         f"In order, they are {', '.join(map(str, ordered))}.", close),
    )  # fmt: skip


def price(rng: random.Random) -> Asked:
    """What two things cost together, in dollars and cents."""
    items = rng.sample(ITEMS, 4)
    column = _column(rng, items, 105, 995)
    a, b = rng.sample(items, 2)
    shown = {item: f"{cents / 100:.2f}" for item, cents in column.items()}
    total = f"{(column[a] + column[b]) / 100:.2f}"
    return Asked(
        f"{rng.choice(NAMES)} buys a box of {a} and a box of {b}. How much is that?",
        None,
        tuple((f"box of {item}", f"${text}") for item, text in shown.items()),
        total,
        (f"The table gives ${shown[a]} as the price of a box of {a}.",
         f"It gives ${shown[b]} as the price of a box of {b}.", f"Together that is ${total}."),
        unit="$",
        kind="decimal_number",
    )  # fmt: skip


def share(rng: random.Random) -> Asked:
    """A probability from a table of two rows and two columns, as a fraction."""
    cells = [[rng.randint(1, 9) for _ in range(2)] for _ in range(2)]
    total = sum(map(sum, cells))
    row, column = rng.randrange(2), rng.randrange(2)
    kinds, tints = ("Cups", "Bowls"), ("red", "blue")
    value = Fraction(cells[row][column], total)
    shown = f"{value.numerator}/{value.denominator}"
    who = rng.choice(NAMES)
    return Asked(
        f"{who} takes one piece without looking. What is the probability that it is a {tints[column]} "
        f"{kinds[row].lower()[:-1]}? Simplify any fraction.",
        f"Pottery of {who}",
        (("", *tints), *((kind, *map(str, line)) for kind, line in zip(kinds, cells, strict=True))),
        shown,
        (f"In the row of {kinds[row].lower()}, the column {tints[column]} says {cells[row][column]}.",
         f"The four numbers of the table add up to {total}.",
         f"The probability is {cells[row][column]}/{total}, which is {shown}."),
        kind="decimal_number",
    )  # fmt: skip


def stems(rng: random.Random) -> Asked:
    """A stem-and-leaf plot: how many scores reach a number."""
    numbers = sorted(rng.sample(range(10, 70), rng.randint(9, 13)))
    least = rng.choice((20, 30, 40, 50))
    found = sum(number >= least for number in numbers)
    rows = tuple((str(stem), ", ".join(str(n % 10) for n in numbers if n // 10 == stem)) for stem in range(1, 7))
    who = rng.choice(NAMES)
    return Asked(
        f"{who} kept the scores of a game. How many scores are {least} or more?",
        "Scores",
        (("Stem", "Leaf "), *rows),
        str(found),
        (f"The rows with the stems from {least // 10} on hold the scores of {least} or more.",
         f"These rows have {found} leaves together.", f"So there are {found} such scores."),
        unit="scores",
    )  # fmt: skip


def line(rng: random.Random) -> Asked:
    """Whether a function is linear."""
    x, slope, start = rng.randint(-5, 12), rng.choice((-4, -3, -2, 2, 3, 4, 5)), rng.randint(-9, 20)
    straight = rng.random() < 0.5
    values = [start, start + slope, start + 2 * slope + (0 if straight else rng.choice((-2, -1, 1, 3)))]
    first, second = values[1] - values[0], values[2] - values[1]
    answer = "linear" if straight else "nonlinear"
    return Asked(
        f"{rng.choice(NAMES)} made this table of a function for the {rng.choice(SHOPS)}. "
        "Is the function linear or nonlinear?",
        None,
        (("x", "y"), *((str(x + step), str(value)) for step, value in enumerate(values))),
        answer,
        (f"From the first row to the second, y changes by {first}.",
         f"From the second to the third, it changes by {second}.",
         f"The two changes are {'equal' if straight else 'not equal'}.", f"So the function is {answer}."),
        choices=("linear", "nonlinear"),
        kind="boolean_text",
    )  # fmt: skip


def most(rng: random.Random) -> Asked:
    """Which row has the most or the fewest."""
    names = rng.sample(NAMES, 4)
    item, top = rng.choice(ITEMS), rng.random() < 0.5
    column = _column(rng, names, 4, 120)
    ordered = sorted(names, key=lambda name: column[name], reverse=top)
    word = "most" if top else "fewest"
    return Asked(
        f"The {len(names)} friends compared their {item}. Who has the {word} {item}?",
        f"{item.capitalize()}",
        _rows(("Name", "Number"), column),
        ordered[0],
        (f"The {'greatest' if top else 'least'} number in the table is {column[ordered[0]]}.",
         f"It stands in the row of {ordered[0]}.", f"The next is {column[ordered[1]]} in the row of {ordered[1]}.",
         f"So {ordered[0]} has the {word}."),
        choices=tuple(names),
        kind="extractive_text",
    )  # fmt: skip


def rate(rng: random.Random) -> Asked:
    """A rate of change between two years."""
    first, club = rng.randint(1990, 2015), rng.choice(SHOPS)
    column = {str(first + step): rng.randint(5, 60) for step in range(4)}
    step = rng.randrange(3)
    a, b = str(first + step), str(first + step + 1)
    return Asked(
        f"According to the table, what was the rate of change of the members between {a} and {b}?",
        f"Members of the rowing club at the {club}",
        _rows(("Year", "Members"), column),
        str(column[b] - column[a]).replace("-", "\u2212"),
        (f"In {a} the club had {column[a]} members.", f"In {b} it had {column[b]}.",
         f"The change in one year is {column[b]} - {column[a]} = {column[b] - column[a]} members."),
        unit="members per year",
    )  # fmt: skip


DRAWS: tuple[Draw, ...] = (together, more, mean, spread, price, share, stems, line, most, rate)


def draw_tabmwp(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each problem, by pid; writes problems_generated.json, splits.json and tables/<pid>.png.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: format and quirks of TabMWP (problems_*.json of the original release); the contents are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated TabMWP: {count} problems cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/tabmwp")
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    kinds += [None] * (count - len(kinds))
    rng.shuffle(kinds)
    seen: set[tuple[object, ...]] = set()
    pid, truths = 0, []
    problems: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        # Upstream's numbers have gaps.
        pid += rng.choice((1, 1, 2, 3, 7))
        asked = _new(kind, seen, rng)
        problems[str(pid)] = _record(asked, kind, rng)
        _write_table(folder / "tables" / f"{pid}.png", asked, kind)
        bad = kind in ("missing_picture", "answer_not_an_option", *UNREADABLE)
        truths.append(Truth(f"tabmwp-{pid}", len(asked.steps), (1, 2), defect=kind, arrives=not bad))
    folder.mkdir(parents=True, exist_ok=True)
    splits = {name: [int(pid) for pid, one in problems.items() if one["split"] == name] for name in SPLITS}
    for name, content in (("problems_generated.json", problems), ("splits.json", splits)):
        (folder / name).write_bytes(json.dumps(content, ensure_ascii=False, indent=2).encode())
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of `count` problems have each defect or quirk."""
    shares = {kind: max(2, round(part * count)) for kind, part in PLANTED.items()}
    return shares | dict.fromkeys(UNREADABLE, 1)


def _new(kind: str | None, seen: set[tuple[object, ...]], rng: random.Random) -> Asked:
    for _ in range(TRIES):
        asked = (most if kind == "answer_not_an_option" else rng.choice(DRAWS))(rng)
        if (asked.question, asked.rows) not in seen:
            seen.add((asked.question, asked.rows))
            return asked
    raise ValueError("generated TabMWP: no new problem: ask for fewer")


def _record(asked: Asked, kind: str | None, rng: random.Random) -> dict[str, Any]:
    headed = _headed(asked)
    body = asked.rows[1:] if headed else asked.rows
    width = len(asked.rows[0])
    names = asked.rows[0] if headed else tuple(f"Column {place + 1}" for place in range(width))
    title = asked.title
    if kind == "mojibake":
        # As upstream has it: a degree sign in UTF-8 that was read as Latin-1.
        title = f"{title or 'Table'} (at 20 \u00c2\u00b0C)"
    return {
        "question": asked.question,
        "choices": None if asked.choices is None else list(asked.choices),
        "answer": "nobody" if kind == "answer_not_an_option" else asked.answer,
        "unit": asked.unit,
        "table_title": title,
        "table": "\n".join(" | ".join(row) for row in asked.rows),
        "table_for_pd": {name: [row[place] for row in body] for place, name in enumerate(names)},
        "row_num": len(asked.rows),
        "column_num": width,
        "solution": rng.choice(("\n", "\n", " ")).join(asked.steps),
        "ques_type": "free_text" if asked.choices is None else "multi_choice",
        "ans_type": asked.kind,
        "grade": rng.randint(2, 8),
        "split": rng.choices(SPLITS, (3, 1, 1))[0],
    }


def _headed(asked: Asked) -> bool:
    """Whether the first row names the columns: price lists, which have no title, have none."""
    return asked.title is not None or asked.kind == "boolean_text"


def _write_table(path: Path, asked: Asked, kind: str | None) -> None:
    if kind == "missing_picture":
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = png(_table(asked))
    path.write_bytes(unreadable(whole, kind) if kind in UNREADABLE else whole)


def _table(asked: Asked) -> "Image.Image":
    ruler = Sheet(1, 1)
    widths = [max(ruler.length(row[place], 12) for row in asked.rows) + 22 for place in range(len(asked.rows[0]))]
    title = asked.title
    wide = max(sum(widths), ruler.length(title or "", 12)) + 16
    top = 30 if title else 8
    page = Sheet(round(wide), top + 22 * len(asked.rows) + 8)
    if title:
        page.text(page.width / 2, 16, title, 12)
    left = (page.width - sum(widths)) / 2
    headed = _headed(asked)
    for number, row in enumerate(asked.rows):
        x, y = left, top + 22 * number
        for width, cell in zip(widths, row, strict=True):
            page.box(x, y, x + width, y + 22, "#cfe0f5" if headed and number == 0 else "#ffffff", "#7a8aa0")
            page.text(x + 10, y + 11, cell, 12, anchor="lm")
            x += width
    return page.image
