import io
from collections.abc import Sequence
from typing import Any

from PIL import Image

from assets.training import figure


def controlled(trainings: Sequence[str], topics: dict[str, int]) -> list[dict[str, Any]]:
    """Rows of table `control`, with as many samples as the topics have."""
    named = [("total", "total", sum(topics.values())), *(("topic", name, n) for name, n in topics.items())]
    return [
        {"training": training, "scope": scope, "name": name, "n": n, "control": control}
        | {"accuracy": 0.5, "low": 0.4, "high": 0.6}
        for training in trainings
        for scope, name, n in named
        for control in figure.COLOURS
    ]


def row(stage: str, epoch: int, **others: Any) -> dict[str, Any]:
    told = {"loss": 1.0, "loss_validation": 1.0, "accuracy_validation": 0.5} | others
    return {"stage": stage, "epoch": epoch, "step": 10 * epoch, **told}


def size(png: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(png)).size


def test_totals_come_first_and_a_topic_is_shown_of_all_trainings_or_of_none() -> None:
    shown = figure.lines(controlled(("a", "b", "c", "d", "e"), {"few": 3, "many": 9, "some": 6}))
    assert [(training, name) for training, _, name, _ in shown[:5]] == [(one, "total") for one in "abcde"]
    # Five more make ten lines, ten more would make fifteen.
    assert [(training, name, n) for training, _, name, n in shown[5:]] == [(one, "many", 9) for one in "abcde"]


def test_one_training_has_its_largest_topics_and_twenty_have_their_totals() -> None:
    topics = {f"topic {number}": 40 - number for number in range(20)}
    alone = figure.lines(controlled(("a",), topics))
    assert [name for _, _, name, _ in alone] == ["total", *(f"topic {number}" for number in range(13))]
    many = figure.lines(controlled([f"training {number}" for number in range(20)], topics))
    assert [scope for _, scope, _, _ in many] == ["total"] * 20


def test_a_line_of_a_control_takes_as_much_room_however_many_there_are() -> None:
    heights = [
        size(figure.controls(controlled([f"training {number}" for number in range(n)], {"a": 2})))[1] for n in (8, 20)
    ]
    assert heights[1] - heights[0] == round(0.34 * figure.DPI) * 12
    assert size(figure.controls([]))[0] == 750


def test_curves_of_one_stage_are_one_panel_and_those_of_a_search_stand_in_rows_of_three() -> None:
    panel = size(figure.curves([row("adapter", 1)]))
    assert panel == (340, 280)
    nine = [row(stage, epoch) for stage in "abcdefghi" for epoch in (1, 2)]
    assert size(figure.curves(nine)) == (3 * panel[0], 3 * panel[1])
    assert size(figure.curves([row(stage, 1) for stage in "abcd"])) == (3 * panel[0], 2 * panel[1])
    assert size(figure.curves([])) == panel


def test_losses_that_are_missing_or_no_numbers_are_not_drawn() -> None:
    rows = [
        row("seeing", 1, loss_validation=None, accuracy_validation=None),
        row("rationale", 1, loss=float("nan"), loss_validation=float("inf"), accuracy_validation=None),
    ]
    assert size(figure.curves(rows)) == (680, 280)


def test_names_that_look_like_formulas_or_are_long_are_drawn_as_they_are() -> None:
    hostile, plain = (r"$\frac{1$ bad {", "line\nline", "$x_1$"), ("a", "b", "c")
    drawn = [size(figure.controls(controlled(names, {names[0]: 3}))) for names in (hostile, plain)]
    assert drawn[0] == drawn[1]
    # Two names of 33 characters each and what stands around them are more than 45: the figure is wider, not higher.
    wide, high = size(figure.controls(controlled(("a" * 60, "b", "c"), {"t" * 60: 3})))
    assert (wide > drawn[1][0] + 150, high) == (True, drawn[1][1])
    assert size(figure.curves([row(r"$\frac{1$", 1)])) == size(figure.curves([row("seeing", 1)]))


def test_a_long_name_loses_its_middle() -> None:
    assert figure.short("a_model") == "a_model"
    assert figure.short(f"begin{'-' * 60}end") == f"begin{'-' * 11}…{'-' * 13}end"
