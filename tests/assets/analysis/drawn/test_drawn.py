"""How often models draw, and which scores count, on tables small enough to count by hand."""

from typing import Any

import pytest

from assets.analysis.drawn import drawn, drawn_figure
from assets.analysis.drawn.replies import DrawnReply, replies
from assets.analysis.entries import Entry
from assets.annotation import Judgement, of_record
from assets.evaluation.rows import Item
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table

COMT = ("comt", "released", "test")


def entry(name: str, benchmark: str = "comt") -> Entry:
    return Entry(name, "drawer", "cot", 0, benchmark, "released", "test", None)


def reply(sample: str, pictures: int, task: str | None = "creation", evaluation: str = "draws_cot") -> DrawnReply:
    asked = COMT if task else ("m3cot", "released", "test")
    return DrawnReply(evaluation, "drawer", "cot", asked, task, sample, pictures, 0)


def vote(reply: str, who: str, score: int, **more: Any) -> Judgement:
    turn = {"sample_id": reply, "stage": "picture_quality", "round": 1, "annotator": who}
    return of_record({**turn, "verdict": str(score), **more}, "votes.jsonl")


def votes(reply: str, *scores: int) -> list[Judgement]:
    return [vote(reply, f"annotator-{place}", score) for place, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "score"),
    [
        ((), None),
        ((2, 2), None),
        ((2, 2, 2), 2),
        ((0, 0, 0, 1), 0),
        ((4, 3, 4, 4), 4),
        ((0, 1, 2), None),
        ((1, 1, 1, 3, 3, 3), None),
        ((1, 1, 1, 1, 3, 3, 3), 1),
    ],
)
def test_a_score_counts_when_three_give_it_and_no_other_is_as_frequent(scores: tuple[int, ...], score: int) -> None:
    assert drawn.agreed(votes("a:b", *scores), 3) == score


def test_an_annotator_has_one_vote_the_last_and_dropped_rows_have_none() -> None:
    twice = [vote("a:b", "ada", 0), vote("a:b", "ben", 3), vote("a:b", "ada", 3)]
    assert drawn.agreed(twice, 3) is None
    assert drawn.agreed([*twice, vote("a:b", "cy", 3)], 3) == 3
    assert drawn.agreed([*twice, vote("a:b", "cy", 3)._replace(dropped="superseded")], 3) is None


def table() -> list[dict[str, Any]]:
    """Four replies of creation, three of which draw; two of update, one of which draws; scores on four of them."""
    given = [
        *(reply("c1", 1), reply("c2", 2), reply("c3", 1), reply("c4", 0)),
        *(reply("u1", 1, "update"), reply("u2", 0, "update")),
        reply("m1", 0, None, "words_cot"),
        reply("m2", 1, None, "m3_cot"),
    ]
    judged = [
        *votes("draws_cot:c1", 3, 3, 3, 4),
        *votes("draws_cot:c2", 0, 0, 0, 0),
        *votes("draws_cot:c3", 1, 1),
        *votes("draws_cot:u1", 2, 2, 2),
        *votes("draws_cot:c4", 4, 4, 4),
        *votes("gone_cot:c1", 4, 4, 4),
        vote("draws_cot:c3", "zoe", 1)._replace(stage="recheck"),
    ]
    sampled = {"draws_cot:c1", "draws_cot:c2", "draws_cot:c3", "draws_cot:u1"}
    entries = [entry("words_cot", "m3cot"), entry("draws_cot"), entry("m3_cot", "m3cot"), entry("silent_cot")]
    assert drawn.unused(judged, sampled) == 6
    return list(drawn.shares(entries, given, sampled, judged, needed=3, level=0.95))


def test_shares_and_scores_are_counted_by_task() -> None:
    found = {(row["evaluation"], row["name"]): row for row in table()}
    whole = found["draws_cot", "total"]
    assert [whole[name] for name in ("n", "drawing", "pictures", "share")] == [6, 4, 5, 4 / 6]
    from scipy.stats import binomtest

    interval = binomtest(4, 6).proportion_ci(0.95, method="wilson")
    assert (whole["low"], whole["high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert [whole[name] for name in ("sampled", "judged", "agreed", "mean")] == [4, 4, 3, 5 / 3]
    assert whole["scores"] == [{"score": 0, "n": 1}, {"score": 2, "n": 1}, {"score": 3, "n": 1}]
    creation = found["draws_cot", "creation"]
    assert [creation[name] for name in ("n", "drawing", "judged", "agreed", "mean")] == [4, 3, 3, 2, 1.5]
    update = found["draws_cot", "update"]
    assert [update[name] for name in ("n", "drawing", "judged", "agreed", "mean")] == [2, 1, 1, 1, 2.0]


def test_nothing_known_is_null_and_not_zero() -> None:
    found = {(row["evaluation"], row["name"]): row for row in table()}
    for name in ("deletion", "total"):
        row = found["draws_cot" if name == "deletion" else "silent_cot", name]
        assert [row[column] for column in ("share", "low", "high", "mean")] == [None] * 4
        assert (row["n"], row["scores"]) == (0, [])


def test_comt_stands_with_all_its_tasks_and_another_benchmark_where_a_reply_draws() -> None:
    names = [(row["evaluation"], row["scope"], row["name"]) for row in table()]
    tasks = [("task", task) for task in ("creation", "deletion", "update", "selection")]
    comt = [(name, *place) for name in ("draws_cot", "silent_cot") for place in (("total", "total"), *tasks)]
    assert names == [*comt[:5], ("m3_cot", "total", "total"), *comt[5:]]


def prediction(line: int, sample: str | None, *parts: str, **more: Any) -> dict[str, Any]:
    told = [
        {"kind": "text", "text": part, "image_id": None}
        if not part.startswith("picture")
        else {"kind": "image", "text": None, "image_id": part if part != "picture lost" else None}
        for part in parts
    ]
    asked = {"role": "user", "parts": [{"kind": "image", "text": None, "image_id": "picture of the question"}]}
    turns = [asked, {"role": "assistant", "parts": told}]
    nothing = dict.fromkeys(TABLES["prediction"].names)
    return {**nothing, "evaluation": "e", "line": line, "sample_id": sample, "turns": turns, "status": "ok", **more}


def item(name: str) -> Item:
    return Item(name, ("1", "2"), "A", None, None, None, "creation")


def test_the_first_reply_to_a_sample_that_was_asked_is_looked_at_with_the_pictures_of_the_model_alone() -> None:
    rows = [
        prediction(4, "c1", "Again.", "picture b"),
        prediction(1, "c1", "So.", "picture a", "picture lost", "(A)"),
        prediction(2, "c2", "(B)"),
        prediction(3, "strange", "picture a"),
        prediction(5, None, "picture a", dropped="no_id", quarantined={"file": "f", "line": 5, "excerpt": "{"}),
        prediction(6, "c3", turns=None, status="error"),
    ]
    predictions = {"e": as_table("prediction", rows)}
    items = {"e": {name: item(name) for name in ("c1", "c2", "c3")}}
    found = replies(predictions, items, {"e": entry("e")})
    assert [(one.name, one.pictures, one.lost) for one in found] == [("e:c1", 2, 1), ("e:c2", 0, 0), ("e:c3", 0, 0)]
    every = replies(predictions, items, {"e": entry("e")}, frozenset({"e"}))
    assert [one.name for one in every] == ["e:c1", "e:c2", "e:c1", "e:c3"]
    with pytest.raises(Fault, match=r"there are replies of e, which params\.yaml has not"):
        replies(predictions, items, {})


def test_replies_without_any_picture_are_counted_all_the_same() -> None:
    table = as_table("prediction", [prediction(1, "c1", "(A)"), prediction(2, "c2", "(B)")])
    [first, _] = replies({"e": table}, {"e": {name: item(name) for name in ("c1", "c2")}}, {"e": entry("e")})
    assert (first.pictures, first.asked, first.model, first.strategy) == (0, COMT, "drawer", "cot")


def test_the_figure_shows_n_and_says_why_there_is_nothing() -> None:
    from assets.analysis import figures

    shown = figures.svg(drawn_figure.draw(table()))
    assert "draws_cot  (n=6)" in shown and "draws_cot  (n=3, mean 1.67)" in shown and "m3_cot" in shown
    nobody = [{**row, "agreed": 0, "mean": None, "scores": []} for row in table()]
    assert "cotline annotate picture_quality" in figures.svg(drawn_figure.draw(nobody))
    assert "no evaluation of CoMT has replies yet" in figures.svg(drawn_figure.draw([]))
    assert len(figures.png(drawn_figure.draw(table()))) < 100_000
