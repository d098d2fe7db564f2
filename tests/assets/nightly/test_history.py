"""The history of three nights, and its figure."""

import io

import numpy as np
from PIL import Image

from assets.nightly import figure
from assets.nightly.history import history
from assets.schema.tables import as_table
from tests.assets.nightly.night_tables import Book


def three_nights() -> Book:
    book = Book()
    book.night("2026-11-28", {"alpha": 16, "beta": 10})
    book.night("2026-11-29", {"alpha": 8, "beta": "connection refused"})
    book.night("2026-11-30", {"alpha": 8, "beta": 11})
    return book


def rows(book: Book) -> list[dict[str, object]]:
    return list(history(book.asked, book.scores, book.changes, "released"))


def test_the_history_has_a_row_a_night_and_evaluation() -> None:
    found = rows(three_nights())
    columns = ("day", "evaluation", "good", "reason", "accuracy", "compared_with", "difference", "p")
    assert [tuple(row[column] for column in columns) for row in found] == [
        ("2026-11-28", "alpha", True, None, 0.8, None, None, None),
        ("2026-11-28", "beta", True, None, 0.5, None, None, None),
        ("2026-11-29", "alpha", True, None, 0.4, "2026-11-28", -0.4, 0.0078125),
        ("2026-11-29", "beta", False, "connection refused", None, None, None, None),
        ("2026-11-30", "alpha", True, None, 0.4, "2026-11-29", 0.0, 1.0),
        ("2026-11-30", "beta", True, None, 0.55, "2026-11-28", 0.05, 1.0),
    ]
    assert as_table("night", found).num_rows == 6
    [lost] = [row for row in found if not row["good"]]
    assert {lost[name] for name in ("n", "correct", "low", "high", "labels")} == {None}


def test_a_night_whose_scores_were_never_made_stays_in_the_history_without_them() -> None:
    book = three_nights()
    del book.scores["2026-11-30"], book.changes["2026-11-30"]
    last = rows(book)[-1]
    assert (last["day"], last["good"], last["accuracy"], last["difference"]) == ("2026-11-30", True, None, None)
    figure.history(rows(book), 0.05)


def pixels(png: bytes, colour: str) -> int:
    shade = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    picture = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)
    return int((np.abs(picture - shade).sum(axis=2) < 24).sum())


def test_the_figure_shows_each_evaluation_and_rings_what_moved() -> None:
    found = rows(three_nights())
    shown = figure.history(found, 0.05)
    assert shown.startswith(b"\x89PNG") and len(shown) < 150_000
    first, second = figure.COLOURS[:2]
    alone = figure.history([row for row in found if row["evaluation"] == "alpha"], 0.05)
    assert pixels(shown, second) > 100 > pixels(alone, second)
    # p of alpha's second night is 0.0078: below 0.05 it has a ring, below 0.001 it has none
    assert (
        pixels(alone, first)
        > pixels(figure.history([row for row in found if row["evaluation"] == "alpha"], 0.001), first) + 20
    )


def test_the_figure_marks_a_night_that_was_not_asked() -> None:
    found = [row for row in rows(three_nights()) if row["evaluation"] == "beta"]
    without = [row for row in found if row["good"]]
    colour = figure.COLOURS[0]
    assert pixels(figure.history(found, 0.05), colour) > pixels(figure.history(without, 0.05), colour)


def test_the_figure_of_no_nights_and_of_many_can_be_drawn() -> None:
    assert figure.history([], 0.05).startswith(b"\x89PNG")
    [row] = [row for row in rows(three_nights()) if row["day"] == "2026-11-28" and row["evaluation"] == "alpha"]
    many = [row | {"evaluation": f"one_{number}", "day": f"2026-10-{day:02}"} for number in range(9) for day in (1, 9)]
    assert figure.history(many, 0.05, shown=1).startswith(b"\x89PNG")
