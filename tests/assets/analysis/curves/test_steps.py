"""`assets.analysis.curves.steps`: accuracy by steps of the gold rationale and of the reply; nobody is lost."""

import pytest

from assets.analysis import figures
from assets.analysis.curves import steps as stepped
from assets.analysis.curves import steps_figure
from assets.analysis.curves.steps import BINS, Written, accuracies, gold, replies
from assets.analysis.entries import Entry
from assets.evaluation.rows import Answer
from assets.models import replay
from assets.schema.faults import Fault
from assets.schema.sample import Part, Sample
from assets.schema.tables import TABLES, as_table

ENTRY = Entry("one", "a_model", "cot", 0, "m3cot", "released", "test", None)
RELEASED = ("m3cot", "released")
TWO = "It floats. So it is wood."
FOUR = "It floats. So it is wood. Wood is light. Hence (A)."


def answer(line, sample_id, letter="A", label="A", counted=True, extractor="strict"):
    status = "missing" if line is None else "ok"
    return {
        "evaluation": "one",
        **Answer(line, sample_id, extractor, letter, "rule", None, status, label, counted, letter == label)._asdict(),
    }


def found(answers, written, labels=("released",), entry=ENTRY, **options):
    table = as_table("answer", answers)
    options = {"profile": "roscoe", "level": 0.95} | options
    return list(accuracies(table, [entry], written, labels=labels, **options))


def binned(rows, steps_of):
    return {row["bin"]: (row["n"], row["correct"]) for row in rows if row["steps_of"] == steps_of}


def written(gold_texts, texts):
    return Written({RELEASED: gold_texts}, {"one": texts})


def test_samples_are_counted_by_the_steps_of_their_rationale_and_of_their_reply():
    rows = found(
        [answer(1, "s1"), answer(2, "s2", "B"), answer(3, "s3"), answer(4, "s4", "B")],
        written({"s1": TWO, "s2": FOUR, "s3": FOUR}, {1: "(A)", 2: "(B)", 3: FOUR, 4: TWO}),
    )
    assert all(list(row) == [*row] and set(row) == set(TABLES["step_accuracy"].names) for row in rows)
    assert binned(rows, "rationale") == {
        "2-3": (1, 1),
        "4-5": (2, 1),
        "single_step": (0, 0),
        "multi_step": (3, 2),
    }
    assert binned(rows, "reply") == {
        "1": (2, 1),
        "2-3": (1, 0),
        "4-5": (1, 1),
        "single_step": (2, 1),
        "multi_step": (2, 1),
    }


def test_a_sample_without_a_reply_and_a_blank_one_are_of_no_step():
    rows = found([answer(1, "s1"), answer(None, "s2", None)], written({}, {1: " \n"}))
    assert binned(rows, "reply") == {"0": (2, 1), "single_step": (2, 1), "multi_step": (0, 0)}


def test_without_a_gold_rationale_there_are_no_rows_of_it():
    assert {row["steps_of"] for row in found([answer(1, "s1")], written({}, {1: TWO}))} == {"reply"}


def test_what_is_not_counted_is_in_no_bin():
    rows = found([answer(1, "s1"), answer(2, "s1", counted=False)], written({"s1": TWO}, {1: TWO, 2: FOUR}))
    assert (
        binned(rows, "reply")
        == binned(rows, "rationale")
        == {
            "2-3": (1, 1),
            "single_step": (0, 0),
            "multi_step": (1, 1),
        }
    )


def test_both_extractors_and_every_label_set_have_their_rows():
    erratum = "social-commonsense-1274"
    answers = [answer(1, erratum, "A", "B", extractor=extractor) for extractor in ("paper", "strict")]
    rows = found(answers, written({}, {1: TWO}), labels=("released", "paper"))
    correct = {(row["extractor"], row["labels"]): row["correct"] for row in rows if row["bin"] == "2-3"}
    assert correct == {
        ("paper", "released"): 0,
        ("paper", "paper"): 1,
        ("strict", "released"): 0,
        ("strict", "paper"): 1,
    }


def test_the_intervals_are_wilsons():
    from scipy.stats import binomtest

    rows = found(
        [answer(line, f"s{line}", "A" if line < 7 else "B") for line in range(1, 10)],
        written({}, dict.fromkeys(range(1, 10), TWO)),
        level=0.9,
    )
    [row] = [row for row in rows if row["bin"] == "2-3"]
    interval = binomtest(6, 9).proportion_ci(0.9, "wilson")
    assert (row["accuracy"], row["low"], row["high"]) == pytest.approx((6 / 9, interval.low, interval.high))
    [single] = [row for row in rows if row["bin"] == "single_step"]
    assert (single["n"], single["accuracy"], single["low"], single["high"]) == (0, None, None, None)


def test_every_number_of_steps_has_one_bin_and_one_part():
    for number in range(40):
        for ranges in (BINS, stepped.PARTS):
            assert sum(least <= number and (most is None or number <= most) for _, least, most in ranges) == 1


def test_equal_texts_are_segmented_once(monkeypatch):
    asked = []
    monkeypatch.setattr(stepped.chains, "segment", lambda text, profile: asked.append((text, profile)) or ["a step"])
    answers = [answer(line, f"s{line}", extractor=extractor) for line in (1, 2) for extractor in ("paper", "strict")]
    found(answers, written({"s1": TWO, "s2": FOUR}, {1: TWO, 2: TWO}), profile="marked", labels=("released", "paper"))
    assert sorted(asked) == sorted([(TWO, "marked"), (FOUR, "marked")])


def test_an_end_token_is_no_step_and_makes_none():
    rows = list(found([answer(1, "s1"), answer(2, "s2")], written({}, {1: "</s>", 2: "The answer is (B). </s>"})))
    bins = {row["bin"]: row["n"] for row in rows if row["extractor"] == "strict"}
    assert (bins["0"], bins["1"], bins["multi_step"]) == (1, 1, 0)


def test_answers_to_replies_that_are_gone_are_refused():
    with pytest.raises(Fault, match=r"one has answers to 1 replies that are not there .*: materialize"):
        found([answer(2, "s1")], written({}, {1: TWO}))


def test_answers_of_an_evaluation_that_is_gone_are_refused():
    with pytest.raises(Fault, match=r"still holds one, which params.yaml has not"):
        found([answer(1, "s1")], written({}, {1: TWO}), entry=ENTRY._replace(evaluation="two"))


def test_the_gold_rationale_is_its_texts_without_its_pictures():
    parts = (Part("text", "See the line.", None), Part("image", "[IMAGE1]", "0" * 64), Part("text", "So (A).", None))
    kept = Sample("s1", "comt", "comt_released", "1", "released", rationale=parts)
    table = as_table(
        "sample",
        [
            kept,
            kept._replace(id="s2", rationale=None),
            kept._replace(id="s3", rationale=(Part("text", " ", None),)),
            kept._replace(id="s4", dropped="no_answer"),
        ],
    )
    assert gold(table) == {"s1": "See the line.\nSo (A)."}


def predictions(*messages):
    lines = [(number, {"id": f"s{number}", "messages": list(one)}) for number, one in enumerate(messages, start=1)]
    return as_table("prediction", replay.rows("one", "replies.jsonl", replay.replies(lines), "m3cot"))


def test_what_the_model_wrote_first_is_its_rationale():
    table = predictions(
        ["Think!", FOUR, "Answer.", "(A)"], ["Answer.", "(B)"], ["Think!", TWO, "Answer.", ""], ["Answer.", "REJECT"]
    )
    assert replies(table) == {1: FOUR, 2: "(B)", 3: TWO, 4: ""}


def test_a_text_split_into_characters_is_no_rationale():
    assert replies(predictions([*"Think!", *"REJECT"])) == {1: ""}


def many(evaluations):
    rows = []
    for place in range(evaluations):
        for name, least, most in (BINS[1], BINS[2], stepped.MULTI_STEP):
            row = {"evaluation": f"e{place:02}", "extractor": "strict", "labels": "released", "steps_of": "reply"}
            row |= {"bin": name, "least": least, "most": most, "n": 20 + place, "correct": 10}
            rows.append(row | {"accuracy": 10 / (20 + place), "low": 0.1, "high": 0.9})
    return rows


def test_the_figure_has_a_panel_for_each_of_the_twelve_with_most_samples():
    figure = steps_figure.draw(many(14))
    titles = [axes.get_title() for axes in figure.axes if axes.get_visible()]
    assert titles == [f"e{place:02} (n={2 * (20 + place)})" for place in range(2, 14)]
    assert [text.get_text() for text in figure.axes[0].texts] == ["22", "22"]
    assert len(figures.png(figure)) < 200_000


def test_without_answers_the_figure_says_so():
    [axes] = steps_figure.draw([]).axes
    assert "no curve to draw" in axes.texts[0].get_text()


def test_the_plot_has_the_bins_of_the_replies():
    assert stepped.plot(many(1)) == [
        {"evaluation": "e00", "steps": 1, "accuracy": 0.5},
        {"evaluation": "e00", "steps": 2, "accuracy": 0.5},
    ]
