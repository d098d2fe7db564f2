"""Quality beside accuracy: means, intervals, the two totals, and why there is none."""

from math import sqrt

import pyarrow as pa
import pytest
from scipy import stats

from assets.analysis import figures
from assets.analysis.quality import quality_figure
from assets.analysis.quality.quality import (
    FIVE,
    correlations,
    of_mode,
    over,
    over_groups,
    quality,
    without_value,
)
from assets.schema.analysis_vocabulary import ROSCOE_SCORES
from assets.schema.tables import TABLES, as_table
from expectations.analysis_rationales import SUITES
from expectations.validation import validate

M3COT, COMT = ("m3cot", "released"), ("comt", "built")


def samples(benchmark, *placed):
    column = "task" if benchmark == "comt" else "topic"
    rows = [{"id": name, column: place, "dropped": None} for name, place in placed]
    return pa.Table.from_pylist(rows, schema=TABLES["sample"].schema)


def scored(evaluation, sample_id, reference=2, **values):
    models = {f"{kind}_model": "no model" for kind in ("inference", "language", "grammar")}
    counts = {"steps": 3, "context_steps": 2, "reference_steps": reference}
    row = {"evaluation": evaluation, "sample_id": sample_id, "mode": "sane", **counts}
    return {**row, **dict.fromkeys(ROSCOE_SCORES), **values, "sentence_model": "small", **models}


def accuracy(evaluation, scope, name, value, extractor="strict"):
    row = {"evaluation": evaluation, "extractor": extractor, "labels": "released", "scope": scope, "name": name}
    return row | {"accuracy": value, "macro_accuracy": None if value is None else value + 0.05, "n": 10}


def measured(rationales, pictures=(), people=(), asked=None):
    of = {"asked": M3COT, "drawn": COMT, "silent": M3COT} if asked is None else asked
    known = {
        M3COT: samples("m3cot", ("a1", "algebra"), ("a2", "algebra"), ("g1", "geometry")),
        COMT: samples("comt", *((f"c{n}", "creation") for n in range(3)), ("u1", "update"), ("u2", "update")),
    }
    scores = [
        accuracy("asked", "total", "total", 0.5),
        accuracy("asked", "topic", "algebra", 0.25),
        accuracy("asked", "total", "total", 0.9, extractor="paper"),
        accuracy("drawn", "total", "total", 0.3),
    ]
    return quality(
        as_table("rationale_score", rationales),
        pa.Table.from_pylist(list(pictures), schema=TABLES["alignment"].schema),
        pa.Table.from_pylist(scores, schema=TABLES["score"].schema),
        of,
        known,
        people,
    )


def one(rows, **wanted):
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


FAITHFUL = [
    scored("asked", "a1", faithfulness=0.8),
    scored("asked", "a2", faithfulness=0.6),
    scored("asked", "g1", faithfulness=0.1),
    *(scored("drawn", f"c{n}", faithfulness=0.9) for n in range(3)),
    scored("drawn", "u1", faithfulness=0.1),
    scored("drawn", "u2", faithfulness=None),
]


def test_the_total_of_m3cot_is_over_replies_and_that_of_comt_over_tasks():
    rows = measured(FAITHFUL)
    m3cot = one(rows, evaluation="asked", measure="faithfulness", scope="total")
    assert (m3cot["n"], m3cot["undefined"], m3cot["mean"]) == (3, 0, 0.5)
    comt = one(rows, evaluation="drawn", measure="faithfulness", scope="total")
    # over the four replies it would be (3 * 0.9 + 0.1) / 4 = 0.7
    assert (comt["n"], comt["undefined"], comt["mean"]) == (4, 1, 0.5)
    assert (comt["low"], comt["high"]) == (None, None)


def test_topics_and_tasks_stand_beside_with_the_accuracy_of_the_strict_extractor():
    rows = measured(FAITHFUL)
    algebra = one(rows, evaluation="asked", measure="faithfulness", name="algebra")
    assert (algebra["scope"], algebra["mean"], algebra["accuracy"], algebra["accuracy_n"]) == ("topic", 0.7, 0.25, 10)
    assert one(rows, evaluation="asked", measure="faithfulness", scope="total")["accuracy"] == 0.5
    geometry = one(rows, evaluation="asked", measure="faithfulness", name="geometry")
    assert (geometry["accuracy"], geometry["accuracy_n"], geometry["low"]) == (None, 0, None)
    assert one(rows, evaluation="drawn", measure="faithfulness", name="update")["scope"] == "task"


@pytest.mark.parametrize("values", [(0.1, 0.4), (0.2, 0.9, 0.4, 0.4), tuple(n / 50 for n in range(50))])
def test_the_interval_is_students(values):
    found = over([*values, None])
    low, high = stats.t.interval(0.95, len(values) - 1, loc=sum(values) / len(values), scale=stats.sem(values))
    assert (found.n, found.undefined) == (len(values), 1)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-5)


def test_the_error_of_a_mean_of_means_adds_that_of_each_group():
    one_, other = [0.2, 0.4, 0.9], [0.5, 0.6]
    found = over_groups([*(("x", value) for value in one_), *(("y", value) for value in other), ("z", None)])
    half = 3.182446 * sqrt(stats.sem(one_) ** 2 + stats.sem(other) ** 2) / 2
    assert found.mean == pytest.approx((0.5 + 0.55) / 2, abs=6e-5)
    assert found.high - found.mean == pytest.approx(half, abs=2e-4)
    assert (found.n, found.undefined) == (5, 1)


def test_equal_values_have_no_interval():
    assert over([0.3, 0.3])[2:] == (0.3, None, None)


def test_each_gap_says_why():
    rows = measured([scored("asked", "a1", reference=None, faithfulness=0.4)])
    why = {row["measure"]: row["why"] for row in rows if (row["evaluation"], row["scope"]) == ("asked", "total")}
    assert why["faithfulness"] is None
    assert why["reasoning_alignment"] == "no reference"
    assert why["repetition_word"] == "undefined"
    assert {why[name] for name in ("source_consistency", "perplexity_step", "grammar_step_max")} == {"no model"}
    assert one(rows, evaluation="silent", measure="faithfulness")["why"] == "no reply"
    silent = measured([scored("asked", "a1") | {"steps": 0}])
    assert one(silent, evaluation="asked", measure="faithfulness", scope="total")["why"] == "no steps"


def test_a_named_language_model_leaves_grammar_without_one():
    row = scored("asked", "a1") | {"language_model": "gpt2-large"}
    rows = measured([row])
    assert one(rows, evaluation="asked", measure="perplexity_chain", scope="total")["why"] == "undefined"
    assert one(rows, evaluation="asked", measure="grammar_step", scope="total")["why"] == "no model"


def test_people_have_no_chains_and_it_is_said():
    rows = measured([], people=["silent"])
    assert one(rows, evaluation="silent", measure="faithfulness")["why"] == "answered by people"


def test_pictures_stand_beside_where_they_were_compared():
    def picture(sample_id, value, pictures=1, model="clip"):
        row = {"evaluation": "drawn", "sample_id": sample_id, "measure": "clip_score", "value": value}
        return row | {"pictures": pictures, "excluded": 0, "steps": 2, "truncated": 0, "model": model}

    rows = measured(FAITHFUL, [picture("c0", 0.5), picture("u1", 0.7)])
    row = one(rows, measure="clip_score", scope="total")
    assert (row["mode"], row["group"], row["mean"], row["accuracy"]) == ("picture", "picture_alignment", 0.6, 0.35)
    without = measured(FAITHFUL, [picture("c0", None, model="no model")])
    assert one(without, measure="clip_score", scope="total")["why"] == "no model"
    assert (
        one(measured(FAITHFUL, [picture("c0", None, 0)]), measure="clip_score", scope="total")["why"] == "no pictures"
    )
    assert not [row for row in measured(FAITHFUL) if row["mode"] == "picture"]


def test_the_suite_holds_of_what_is_measured():
    for rows in (measured(FAITHFUL), measured([], asked={})):
        assert validate(SUITES["analysis/quality"], as_table("quality", rows)).failed == ()


def total(evaluation, mean, accuracy, measure="faithfulness", mode="sane", edition="released"):
    said = {"scope": "total", "name": "total", "low": None, "high": None, "why": None if mean else "no model"}
    said |= {"benchmark": "m3cot", "edition": edition}
    return {"evaluation": evaluation, "mode": mode, "measure": measure, "mean": mean, "accuracy": accuracy, **said}


def test_a_measure_goes_with_accuracy_within_a_series():
    means, accuracies = (0.1, 0.5, 0.4, 0.9), (0.3, 0.2, 0.6, 0.7)
    rows = [total(f"e{n}", *pair) for n, pair in enumerate(zip(means, accuracies, strict=True))]
    rows += [total("f1", 0.9, 0.1, edition="built"), total("f2", 0.1, 0.9, edition="built"), total("e9", None, 0.5)]
    built, released = correlations(rows)
    assert (built.series, built.n, built.rho) == ("m3cot built", 2, None)
    assert (released.n, released.rho) == (4, pytest.approx(stats.spearmanr(means, accuracies).statistic, abs=5e-5))


def test_measures_that_never_vary_have_no_correlation():
    (found,) = correlations([total(f"e{n}", 0.5, n / 10) for n in range(5)])
    assert found.rho is None


def test_one_mode_is_shown_and_measures_without_any_value_are_named():
    rows = [total("e", 0.5, 0.5, mode="reference"), total("e", 0.6, 0.5), total("e", 3.0, 0.5, "steps", "picture")]
    assert [row["mode"] for row in of_mode(rows)] == ["sane", "picture"]
    assert [row["mode"] for row in of_mode(rows[:1])] == ["reference"]
    assert without_value([*rows, total("e", None, 0.5, "grammar_step")]) == {"no model": ["grammar_step"]}


def test_the_five_dimensions_need_no_model_but_the_sentence_encoder():
    assert len(set(FIVE)) == 5
    assert set(FIVE) <= set(ROSCOE_SCORES[:13])


def test_the_figure_says_what_it_cannot_show():
    figure = quality_figure.draw(measured(FAITHFUL))
    said = {axes.get_title(): [text.get_text() for text in axes.texts] for axes in figure.axes}
    assert said["faithfulness"] == []
    assert said["reasoning_alignment"] == ["no value: no reply, undefined"]
    assert said["clip_score"] == ["no value: nothing was measured"]
    assert len(figures.png(figure)) < 200_000
    assert len(figures.png(quality_figure.draw([]))) < 200_000
