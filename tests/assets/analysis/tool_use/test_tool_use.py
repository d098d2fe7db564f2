"""`assets.analysis.tool_use`: what came of runs with tools, counted by hand."""

import json

import pytest

from assets.analysis import figures
from assets.analysis.tool_use import tool_use_figure
from assets.analysis.tool_use.tool_use import FAULTS, Planned, means, planned, plot, tool_use
from assets.models import tools_open
from assets.models.tools.tool import Use
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table
from assets.schema.vocabulary import BOUNDS, PLAN_FAULTS, TOOL_FAULTS, TOOL_STATUSES, TOOL_USE_KINDS

ONE = Planned("one", "tiny_chameleon", "chameleon")


def said(role, text, *image_ids):
    parts = [{"kind": "text", "text": text, "image_id": None}]
    return {"role": role, "parts": parts + [{"kind": "image", "text": None, "image_id": name} for name in image_ids]}


def call(tool, **arguments):
    return said("call", json.dumps({"arguments": arguments, "tool": tool}))


def run(status, *between, reason=None, evaluation="one", dropped=None):
    turns = [said("user", "Which one floats?"), *between, said("assistant", "The answer is (B).")]
    nothing = dict.fromkeys(TABLES["prediction"].names)
    row = {"evaluation": evaluation, "line": 1, "sample_id": "s", "turns": turns, "status": status}
    return nothing | row | {"finish_reason": reason, "dropped": dropped}


def found(*runs, level=0.95):
    return list(tool_use({"one": as_table("prediction", runs)}, [ONE], level=level))


def shares(rows, kind):
    return {row["name"]: (row["n"], row["of"]) for row in rows if row["kind"] == kind}


def test_only_evaluations_whose_model_uses_tools_are_planned():
    models = {"b": "tiny_chameleon", "a": "tiny_chameleon", "c": "small"}
    assert planned(models, {"tiny_chameleon": "chameleon", "unused": "idealgpt"}) == [
        Planned("a", "tiny_chameleon", "chameleon"),
        Planned("b", "tiny_chameleon", "chameleon"),
    ]


def test_runs_are_counted_by_how_they_end_and_why():
    rows = found(
        run("ok", reason="stop"),
        run("ok"),
        run("plan_error", said("fault", "cycle: tasks 1 and 2 wait for each other"), reason="cycle"),
        run("bound_reached", reason="too_many_calls"),
        run("error", reason="ConnectError: no route"),
    )
    assert [list(row) for row in rows] == [TABLES["tool_use"].names] * len(rows)
    assert shares(rows, "status") == {"ok": (2, 5), "error": (1, 5), "plan_error": (1, 5), "bound_reached": (1, 5)}
    assert shares(rows, "reason") == {"cycle": (1, 5), "too_many_calls": (1, 5)}
    assert [row["share"] for row in rows if row["kind"] == "status"] == [0.4, 0.2, 0.2, 0.2]
    assert {(row["evaluation"], row["model"], row["policy"]) for row in rows} == {ONE}


def test_a_fault_counts_once_in_a_run_however_often_it_was_made():
    twice = [said("fault", "bad_arguments: box is no box"), said("fault", "bad_arguments: number is no number: x")]
    rows = found(run("ok", *twice, said("fault", "timeout: ocr took 30 s")), run("ok", twice[0]), run("ok"))
    assert shares(rows, "fault") == {"bad_arguments": (2, 3), "timeout": (1, 3)}
    assert shares(rows, "turn")["fault"] == (4, 10)


def test_calls_are_counted_by_tool_and_those_of_no_tool_together():
    rows = found(
        run(
            "ok",
            call("ocr", picture="picture_1"),
            said("observation", "42"),
            call("Image Wizard", picture="picture_1"),
            said("fault", "unknown_tool: there is no tool Image Wizard"),
            call("calculator", expression="6*7"),
            said("fault", "bad_arguments: expression is none"),
        ),
        run("ok", call("sorcery"), said("fault", "unknown_tool: there is no tool sorcery")),
    )
    assert shares(rows, "tool") == {"calculator": (1, 4), "ocr": (1, 4), "unknown_tool": (2, 4)}
    assert [row["a_run"] for row in rows if (row["kind"], row["name"]) == ("turn", "call")] == [2.0]


def test_a_call_is_read_as_a_run_keeps_it():
    kept = tools_open.call(Use("crop", {"picture": "picture_1", "box": (0, 0, 1, 1)}))
    rows = found(
        run(
            "ok",
            said("call", kept),
            said("observation", "picture_2"),
            call("crop", picture="picture_1", box=[0, 0, 1, 1]),
        )
    )
    assert shares(rows, "tool") == {"crop": (2, 2)}
    assert shares(rows, "redundant")["repeated_call"] == (1, 2)


def test_a_plan_that_names_an_unknown_tool_is_not_laid_on_the_call_before():
    rows = found(
        run(
            "ok",
            call("ocr", picture="picture_1"),
            said("observation", "42"),
            said("thought", "Action: sorcery"),
            said("fault", "unknown_tool: there is no tool sorcery"),
        )
    )
    assert shares(rows, "tool") == {"ocr": (1, 1)}
    assert shares(rows, "fault") == {"unknown_tool": (1, 1)}


def test_the_same_call_again_is_redundant_however_its_arguments_are_spelled():
    again = said("call", '{"tool": "crop", "arguments": {"picture": "picture_1", "box": [0, 0, 1, 1]}}')
    rows = found(
        run(
            "ok",
            call("crop", box=[0, 0, 1, 1], picture="picture_1"),
            said("observation", "picture_2", "a" * 64),
            again,
            said("observation", "picture_3", "a" * 64),
            call("crop", box=[0, 0, 1, 0.5], picture="picture_1"),
            said("observation", "picture_4", "b" * 64),
        ),
        run("ok", again, said("observation", "picture_2", "a" * 64)),
    )
    assert shares(rows, "redundant") == {"repeated_call": (1, 4), "repeated_observation": (0, 4)}


def test_a_call_is_made_again_whatever_was_called_in_between():
    rows = found(
        run("ok", call("ocr", picture="picture_1"), call("knowledge", question="x"), call("ocr", picture="picture_1"))
    )
    assert shares(rows, "redundant")["repeated_call"] == (1, 3)


def test_another_call_that_observes_the_same_words_is_redundant_in_its_own_way():
    rows = found(
        run(
            "ok",
            call("picture_description", picture="picture_1"),
            said("observation", "a red boat"),
            call("visual_question_answering", picture="picture_1", question="What is it?"),
            said("observation", "a red boat"),
            call("visual_question_answering", picture="picture_1", question="What is it?"),
            said("observation", "a red boat"),
            call("ocr", picture="picture_1"),
            said("observation", "a red boat."),
        )
    )
    assert shares(rows, "redundant") == {"repeated_call": (1, 4), "repeated_observation": (1, 4)}


def test_calls_without_an_observation_do_not_repeat_one():
    faults = [call("ocr", picture="x"), said("fault", "bad_arguments: x is no picture")]
    others = [call("ocr", picture="y"), said("fault", "bad_arguments: x is no picture"), call("ocr", picture="z")]
    assert shares(found(run("ok", *faults, *others)), "redundant")["repeated_observation"] == (0, 3)


def test_without_a_call_the_shares_of_redundant_calls_are_null():
    rows = [row for row in found(run("ok")) if row["kind"] == "redundant"]
    assert [(row["n"], row["of"], row["share"], row["low"], row["high"]) for row in rows] == [
        (0, 0, None, None, None)
    ] * 2


def test_the_intervals_are_wilsons():
    from scipy.stats import binomtest

    row = found(run("ok"), run("ok"), run("plan_error", reason="cycle"), level=0.8)[0]
    interval = binomtest(2, 3).proportion_ci(0.8, "wilson")
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))


def test_a_record_that_was_set_aside_is_no_run_and_one_without_turns_is():
    rows = found(run("ok"), run("ok", dropped="invalid_json"), run("error") | {"turns": None})
    assert shares(rows, "status") == {"ok": (1, 2), "error": (1, 2)}
    assert found(run("ok", dropped="invalid_json")) == []


def test_evaluations_without_replies_have_no_row():
    other = Planned("other", "tiny_idealgpt", "idealgpt")
    rows = list(tool_use({"one": as_table("prediction", [run("ok")])}, [ONE, other], level=0.95))
    assert {row["evaluation"] for row in rows} == {"one"}


@pytest.mark.parametrize("text", ["ocr(picture_1)", "[]", '{"tool": "ocr"}', "7"])
def test_a_call_that_is_kept_otherwise_is_refused(text):
    with pytest.raises(Fault, match=r"one line 1: the call .* is no JSON of a tool and its arguments"):
        found(run("ok", said("call", text)))


def test_rows_come_in_the_order_of_kinds_and_of_their_vocabulary():
    rows = found(
        run("tool_error", call("zoom"), call("crop"), reason="timeout"), run("ok"), run("plan_error", reason="cycle")
    )
    assert [row["kind"] for row in rows] == sorted((row["kind"] for row in rows), key=TOOL_USE_KINDS.index)
    assert [row["name"] for row in rows] == [
        *("ok", "plan_error", "tool_error", "cycle", "timeout", "crop", "zoom"),
        *("repeated_call", "repeated_observation", "user", "assistant", "call"),
    ]


def test_every_declared_fault_can_be_counted():
    assert set(FAULTS) == {*PLAN_FAULTS, *TOOL_FAULTS, *BOUNDS}
    rows = found(*(run(TOOL_STATUSES[0], said("fault", f"{fault}: so"), reason=fault) for fault in FAULTS))
    assert [row["name"] for row in rows if row["kind"] == "fault"] == list(FAULTS)


def busy():
    return [
        *found(
            run("ok", said("plan", "p"), call("ocr"), said("observation", "4"), call("ocr"), said("observation", "4")),
            run("plan_error", said("plan", "p"), said("plan", "p"), said("fault", "cycle: so"), reason="cycle"),
        )
    ]


def test_means_are_by_run():
    assert means(busy()) == {
        "one": {
            "runs": 2,
            "ok": 0.5,
            "calls_a_run": 1.0,
            "plans_a_run": 1.5,
            "thoughts_a_run": 0.0,
            "redundant": 0.5,
        }
    }
    assert means(found(run("plan_error", reason="cycle")))["one"]["ok"] == 0.0
    assert means(found(run("ok")))["one"]["redundant"] is None


def test_the_plot_has_what_went_wrong():
    assert plot(busy()) == [
        {"use": "one status plan_error", "share": 0.5},
        {"use": "one fault cycle", "share": 0.5},
        {"use": "one redundant repeated_call", "share": 0.5},
        {"use": "one redundant repeated_observation", "share": 0.0},
    ]


def test_the_figure_has_a_band_an_evaluation_and_a_mark_for_what_happened():
    other = [row | {"evaluation": "other", "policy": "idealgpt"} for row in found(run("ok"))]
    figure = tool_use_figure.draw([*busy(), *other])
    [axes] = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "one\nchameleon, 2 runs, 2 calls",
        "other\nidealgpt, 1 runs, 0 calls",
    ]
    marks = {box.get_label(): list(box[0].get_xdata()) for box in axes.containers}
    assert marks["runs: the plan cannot be carried out (1)"] == [50.0]
    assert marks["calls made before (1)"] == [50.0]
    assert marks["runs: the tools failed (0)"] == []
    assert len(figures.png(figure)) < 200_000


def test_every_mark_has_a_look_of_its_own():
    looks = [figures.series(place) for place in range(len(tool_use_figure.SHOWN))]
    assert len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == len(looks)


def test_without_runs_the_figure_says_so():
    [axes] = tool_use_figure.draw([]).axes
    assert "no evaluation of a model that uses tools" in axes.texts[0].get_text()
