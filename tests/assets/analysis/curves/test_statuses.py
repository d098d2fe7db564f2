"""`assets.analysis.curves.statuses`: counted replies by how they end."""

import pytest

from assets.analysis import figures
from assets.analysis.curves import statuses_figure
from assets.analysis.curves.statuses import plot, statuses
from assets.analysis.entries import Entry
from assets.evaluation.rows import Answer
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table
from assets.schema.vocabulary import ANSWER_STATUSES


def entry(evaluation, model="a_model"):
    return Entry(evaluation, model, "cot", 0, "m3cot", "released", "test", None)


def answers(evaluation, *of, extractor="strict", counted=True):
    return [
        {
            "evaluation": evaluation,
            **Answer(line, f"s{line}", extractor, None, "rule", None, status, "A", counted, False)._asdict(),
        }
        for line, status in enumerate(of, start=1)
    ]


def found(rows, *entries, level=0.95):
    return list(statuses(as_table("answer", rows), entries or [entry("one")], level=level))


def test_a_status_is_counted_among_the_counted_replies_of_its_extractor():
    rows = found(
        [
            *answers("one", "ok", "none", "ok", "empty"),
            *answers("one", "refusal", counted=False),
            *answers("one", "ok", "ok", extractor="paper"),
        ]
    )
    assert [list(row) for row in rows] == [TABLES["status_count"].names] * 4
    assert [(row["extractor"], row["status"], row["n"], row["of"], row["share"]) for row in rows] == [
        ("paper", "ok", 2, 2, 1.0),
        ("strict", "ok", 2, 4, 0.5),
        ("strict", "empty", 1, 4, 0.25),
        ("strict", "none", 1, 4, 0.25),
    ]


def test_each_evaluation_stands_with_its_model():
    rows = found([*answers("two", "ok"), *answers("one", "ok")], entry("one", "first"), entry("two", "second"))
    assert [(row["evaluation"], row["model"]) for row in rows] == [("one", "first"), ("two", "second")]


def test_the_intervals_are_wilsons():
    from scipy.stats import binomtest

    [_, row] = found(answers("one", "ok", "ok", "ok", "none", "none"), level=0.8)
    interval = binomtest(2, 5).proportion_ci(0.8, "wilson")
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))


def test_an_evaluation_that_is_gone_is_refused():
    with pytest.raises(Fault, match=r"still holds two, which params.yaml has not"):
        found(answers("two", "ok"))


def test_the_bars_come_to_100_per_cent_and_say_n():
    rows = found([*answers("one", *ANSWER_STATUSES), *answers("two", "ok", "none")], entry("one"), entry("two"))
    figure = statuses_figure.draw(rows)
    [axes] = figure.axes
    ends = {}
    for bar in axes.patches:
        ends[round(bar.get_y(), 3)] = max(ends.get(round(bar.get_y(), 3), 0), bar.get_x() + bar.get_width())
    assert list(ends.values()) == pytest.approx([100, 100])
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"one  (n={len(ANSWER_STATUSES)})",
        "two  (n=2)",
    ]
    looks = {(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in axes.containers}
    assert len(looks) == len(ANSWER_STATUSES)
    assert len(figures.png(figure)) < 200_000


def test_every_status_has_a_colour_and_a_hatch_of_its_own():
    for looks in (statuses_figure.COLOURS, statuses_figure.HATCHES):
        assert len(set(looks)) == len(looks) == len(ANSWER_STATUSES)


def test_without_replies_the_figure_says_so():
    [axes] = statuses_figure.draw([]).axes
    assert "no status to count" in axes.texts[0].get_text()


def test_the_plot_has_what_did_not_end_well():
    rows = found([*answers("one", "ok", "none", "empty"), *answers("one", "none", extractor="paper")])
    assert plot(rows) == [{"reply": "one empty", "share": 0.333333}, {"reply": "one none", "share": 0.333333}]
