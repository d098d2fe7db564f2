"""Mathematics of M3CoT: which problems are drawn, and what becomes of each with options and picture."""

import json

import pytest

from assets.m3cot.mathematics.notation import shown
from assets.m3cot.mathematics.samples import (
    REASONS,
    figures,
    has_formula,
    mathematics,
    needs_figure,
    question,
    rationale,
    selected,
)
from assets.samples import to_table
from assets.schema.sample import Part, Sample
from assets.writer import Reply

FIGURE = "[asy]\ndraw((0,0)--(1,0));\n[/asy]"


def problem(number=1, text=f"What is $x$?\n\n{FIGURE}", solution=r"So $\boxed{6}$.", topic="geometry"):
    return Sample(
        id=f"math-test-{topic}-{number}",
        benchmark="m3cot",
        source="math",
        source_id=f"test/{topic}/{number}",
        provenance="released",
        topic=topic,
        question=text,
        rationale=(Part("text", solution, None),),
    )


def four(sample, *options):
    return Reply(sample.id, "ok", json.dumps({"options": options or ("6", "7", "8", "9")}))


def built(sample, reply=None, drawn=True, undrawn=None):
    replies = [four(sample)] if reply is None else [reply]
    (row,) = mathematics([sample], replies, {sample.id: "a" * 64} if drawn else {}, undrawn or {}, writer="rules")
    return row


def test_a_problem_becomes_a_question_with_options_answer_and_picture():
    row = built(problem())
    assert row.dropped is None
    assert row.question is not None
    assert "problem" in row.question and "picture" in row.question and "$x$" not in row.question
    assert sorted(row.choices) == ["6", "7", "8", "9"]
    assert row.choices["ABCD".index(row.answer)] == "6"
    assert row.images == ("a" * 64,)
    assert row.text == "So $6$."
    assert row.before == r"So $\boxed{6}$."
    assert row.provenance == "released > options by rules > problem drawn"
    assert to_table([row]).num_rows == 1


def test_the_order_of_options_belongs_to_the_sample_and_every_letter_comes_up():
    rows = [built(problem(number)) for number in range(40)]
    assert rows == [built(problem(number)) for number in range(40)]
    assert {row.answer for row in rows} == set("ABCD")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({"sample": problem(solution="It is 6.")}, "no_boxed_answer"),
        ({"sample": problem(solution=r"The correct graph is $\boxed{\text{D}}$.")}, "answer_is_a_letter"),
        ({"sample": problem(), "reply": Reply("math-test-geometry-1", "empty", "")}, "no_options"),
        ({"sample": problem(), "reply": Reply("math-test-geometry-1", "truncated", "{")}, "no_options"),
        ({"sample": problem(), "reply": Reply("another", "ok", "{}")}, "no_options"),
        ({"sample": problem(), "reply": Reply("math-test-geometry-1", "ok", "Sorry")}, "options_unreadable"),
        ({"sample": problem(), "reply": four(problem(), "6", "6", "7", "8")}, "options_equal"),
        ({"sample": problem(), "drawn": False}, "no_picture"),
        (
            {"sample": problem(), "drawn": False, "undrawn": {"math-test-geometry-1": "unsupported_figure"}},
            "unsupported_figure",
        ),
        ({"sample": problem().drop("over_quota")}, "over_quota"),
    ],
    ids=lambda value: value if isinstance(value, str) else "case",
)
def test_a_problem_without_options_or_picture_is_dropped_with_the_reason(case, reason):
    row = built(**case)
    assert row.dropped == reason
    assert row.choices is None and row.text == case["sample"].text
    assert reason in REASONS or reason == "unsupported_figure"


def test_every_row_comes_back_in_order():
    rows = [problem(3), problem(1).drop("no_figure"), problem(2, solution="none")]
    assert [row.id for row in mathematics(rows, [], {}, {}, writer="rules")] == [row.id for row in rows]


def test_figures_are_the_code_of_the_problem_in_order():
    sample = problem(text="(A) [asy]draw(1);[/asy] (B) [asy]\ndraw(2);\n[/asy] (C) [asy]draw(3);")
    assert needs_figure(sample) and figures(sample) == ["draw(1);", "draw(2);", "draw(3);"]


def test_a_figure_of_the_solution_alone_is_no_figure_of_the_problem():
    sample = problem(text="What is $x$?", solution=f"See {FIGURE} so \\boxed{{6}}.")
    assert not needs_figure(sample) and figures(sample) == []
    assert rationale(sample.text) == "See so 6."


def test_the_question_leaves_the_problem_to_the_picture_and_is_the_same_each_time():
    asked = {question(problem(number)) for number in range(40)}
    assert len(asked) == 4
    assert all("in the picture" in text or text.startswith("The picture shows") for text in asked)
    assert question(problem(3)) == question(problem(3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many are 12 apples?", False),
        ("How many of $12$ apples has $A$?", False),
        (r"Simplify $\frac{1}{2}$.", True),
        ("If $x+1=2$, what is $x$?", True),
        (f"Look: {FIGURE}", False),
    ],
)
def test_a_formula_is_more_than_a_number_or_a_name(text, expected):
    assert has_formula(problem(text=text)) is expected


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("60", "60"),
        ("-1,000.5", "-1,000.5"),
        (r"\frac{1}{2}", r"$\frac{1}{2}$"),
        (r"60^\circ", r"$60^\circ$"),
        (r"\text{east}", "east"),
        ("Wednesday", "Wednesday"),
        ("(2,4)", "$(2,4)$"),
        ("x", "$x$"),
        (r"85,\!184", "85,184"),
        (r"\tfrac59", r"$\frac{5}{9}$"),
        (r"\frac 1{72}", r"$\frac{1}{72}$"),
        (r"\frac{\sqrt6}2", r"$\frac{\sqrt{6}}{2}$"),
        (r"\frac \pi4 + 2 - \sqrt2", r"$\frac\pi4+2-\sqrt{2}$"),
        (r"\left( -\frac{1}{4}, -2 \right)", r"$(-\frac{1}{4},-2)$"),
        (r"\pi a^2", r"$\pi a^2$"),
        (r"5 \text{ square cm}", r"$5\text{ square cm}$"),
        (r"\begin{pmatrix} 6 \\ -33 \end{pmatrix}", r"$\begin{pmatrix}6\\ -33\end{pmatrix}$"),
    ],
)
def test_an_option_is_shown_between_dollars_where_it_is_a_formula(option, text):
    assert shown(option) == text


def test_two_notations_of_one_kind_look_alike():
    assert shown(r"\dfrac{1}{2}") == shown(r"\frac12") == shown(r"\frac 12") == shown(r"\frac{1}{2}")


def test_what_has_nothing_to_draw_is_not_selected():
    rows = [problem(1), problem(2, text=r"Simplify $\frac{2}{4}$."), problem(3, text="How many?")]
    assert [row.dropped for row in selected(rows)] == [None, None, "no_formula_or_figure"]
    assert [row.dropped for row in selected(rows, figures_only=True)] == [None, "no_figure", "no_formula_or_figure"]


def test_the_quota_is_by_topic_and_does_not_depend_on_the_order():
    rows = [problem(n, topic=topic) for topic in ("geometry", "theory") for n in range(6)]
    left = list(selected(rows, 2, seed=3))
    assert [row.id for row in left] == [row.id for row in rows]
    kept = {row.id for row in left if row.dropped is None}
    assert len(kept) == 4 and {row.dropped for row in left} == {None, "over_quota"}
    assert {row.id for row in selected(rows[::-1], 2, seed=3) if row.dropped is None} == kept
    assert {row.id for row in selected(rows, 2, seed=4) if row.dropped is None} != kept
    assert [row for row in selected([*rows, rows[0].drop("no_problem")], 99)][-1].dropped == "no_problem"
