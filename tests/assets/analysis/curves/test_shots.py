"""`assets.analysis.curves.shots`: evaluations that differ in their number of shots alone, beside the zero-shot one."""

import pyarrow as pa
import pytest

from assets.analysis import figures
from assets.analysis.curves import shots_figure
from assets.analysis.curves.shots import accuracies, plot, series
from assets.analysis.entries import Entry
from assets.schema.tables import TABLES


def entry(evaluation, shots=0, **changes):
    return Entry(evaluation, "gpt4v", "cot", shots, "comt", "built", "test", None)._replace(**changes)


def members(*entries):
    return {one.name: [entry.evaluation for entry in one.members] for one in series(entries)}


def test_evaluations_that_differ_in_shots_alone_are_a_series_fewest_first():
    assert members(entry("b", 4), entry("a", 0), entry("c", 2)) == {"gpt4v, cot, multimodal shots": ["a", "c", "b"]}


def test_an_evaluation_without_any_sibling_is_a_series_of_one():
    assert members(entry("a"), entry("b", 2, strategy="vot")) == {
        "gpt4v, cot": ["a"],
        "gpt4v, vot, multimodal shots": ["b"],
    }


def test_shots_of_text_and_with_pictures_are_apart_and_both_start_at_the_zero_shot_one():
    assert members(entry("a"), entry("b", 2), entry("c", 2, shot_rationales="text"), entry("d", 2, seed=1)) == {
        "gpt4v, cot, multimodal shots": ["a", "b"],
        "gpt4v, cot, multimodal shots, seed 1": ["a", "d"],
        "gpt4v, cot, text shots": ["a", "c"],
    }


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"model": "gemini"}, "gemini, cot, multimodal shots"),
        ({"strategy": "vot"}, "gpt4v, vot, multimodal shots"),
        ({"variant": "brief"}, "gpt4v, cot, variant brief, multimodal shots"),
        ({"limit": 10}, "gpt4v, cot, multimodal shots, limit 10"),
        ({"asking": "second"}, "gpt4v, cot, multimodal shots, asking second"),
        ({"sampling": (("temperature", 0.5),)}, "gpt4v, cot, multimodal shots, temperature 0.5"),
    ],
)
def test_whatever_else_differs_makes_another_series(other, name):
    assert members(entry("a"), entry("b", 2, **other)) == {"gpt4v, cot": ["a"], name: ["b"]}


@pytest.mark.parametrize("other", [{"benchmark": "m3cot"}, {"edition": "released"}, {"split": "validation"}])
def test_another_split_makes_another_series_of_the_same_name(other):
    found = series([entry("a"), entry("b", 2), entry("c", 2, **other)])
    assert sorted(tuple(entry.evaluation for entry in one.members) for one in found) == [("a", "b"), ("c",)]


def score(evaluation, correct, extractor="strict", **columns):
    return {
        "evaluation": evaluation,
        "extractor": extractor,
        "policy": extractor,
        "labels": "released",
        "scope": "total",
        "name": "total",
        "n": 10,
        "correct": correct,
        "accuracy": correct / 10,
        "low": 0.1,
        "high": 0.9,
        "missing": 0,
        "statuses": [],
        **columns,
    }


def difference(a, b, value, p):
    row = dict.fromkeys(("n", "both", "only_a", "only_b", "neither"), 10)
    scored = {"extractor": "strict", "policy": "strict", "labels": "released"}
    return {"a": a, "b": b, **scored, **row, "difference": value, "low": None, "high": None, "p": p}


ENTRIES = [entry("b"), entry("a", 2), entry("c", 4), entry("d", 8)]
SCORES = [score("b", 5), score("a", 7), score("c", 4), score("b", 9, scope="task", name="update")]
DIFFERENCES = [difference("a", "b", 0.2, 0.5), difference("b", "c", 0.1, 0.75), difference("a", "c", 0.3, 0.25)]


def of(kind, rows):
    return pa.Table.from_pylist(rows, TABLES[kind].schema)


def found(scores=SCORES, differences=DIFFERENCES, entries=ENTRIES):
    return list(accuracies(of("score", scores), of("difference", differences), entries))


def test_each_accuracy_stands_with_its_difference_from_the_zero_shot_one():
    rows = found()
    assert [list(row) for row in rows] == [TABLES["shot_accuracy"].names] * 4
    assert [(row["evaluation"], row["shots"], row["accuracy"], row["difference"], row["p"]) for row in rows] == [
        ("b", 0, 0.5, None, None),
        ("a", 2, 0.7, 0.2, 0.5),
        ("c", 4, 0.4, -0.1, 0.75),
        ("d", 8, None, None, None),
    ]
    assert [row["shot_rationales"] for row in rows] == ["none", "multimodal", "multimodal", "multimodal"]
    assert (rows[3]["n"], rows[3]["correct"], rows[3]["low"]) == (0, 0, None)


def test_each_extractor_has_its_rows():
    rows = found([*SCORES, score("b", 1, "paper")])
    assert [(row["extractor"], row["evaluation"], row["n"]) for row in rows[:4]] == [
        ("paper", "b", 10),
        ("paper", "a", 0),
        ("paper", "c", 0),
        ("paper", "d", 0),
    ]


def test_the_curve_says_its_series_and_n():
    figure = shots_figure.draw(found())
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["gpt4v, cot, multimodal shots (comt built test, n=10)"]
    assert len(figures.png(figure)) < 200_000


def test_without_a_series_of_two_the_figure_says_so():
    [axes] = shots_figure.draw(found(entries=[entry("b"), entry("a", 2, strategy="vot")])).axes
    assert axes.texts[0].get_text() == (
        "2 evaluations with an accuracy, and no two of them differ in their number of shots alone"
    )


def test_the_plot_has_the_points_with_an_accuracy():
    assert plot(found())[1:] == [
        {"series": "comt built test: gpt4v, cot, multimodal shots", "shots": 2, "accuracy": 0.7},
        {"series": "comt built test: gpt4v, cot, multimodal shots", "shots": 4, "accuracy": 0.4},
    ]
