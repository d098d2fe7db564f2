"""What fails each check of how often models draw, and of the scores of what they drew."""

from collections.abc import Callable
from typing import Any

from tests.expectations.cases import Case, Rows

DRAWN = "analysis/drawn"
_NOTHING = {
    **dict.fromkeys(("n", "drawing", "pictures", "sampled", "judged", "agreed"), 0),
    **dict.fromkeys(("share", "low", "high", "mean")),
    "scores": [],
}


def _part(name: str, **columns: Any) -> dict[str, Any]:
    scope = "total" if name == "total" else "task"
    return {"evaluation": "gill_cot", "scope": scope, "name": name, **_NOTHING, **columns}


def _drawn() -> Rows:
    draws = {"share": 0.5, "low": 0.3, "high": 0.7, "sampled": 9, "judged": 8, "agreed": 3, "mean": 1.0}
    draws |= {"scores": [{"score": 0, "n": 2}, {"score": 3, "n": 1}]}
    rest = {"n": 10, "drawing": 1, "pictures": 1, "share": 0.1, "low": 0.02, "high": 0.4}
    whole = {"n": 30, "drawing": 11, "pictures": 15, "share": 11 / 30, "low": 0.22, "high": 0.55}
    return [
        _part("total", **draws | whole),
        _part("creation", n=20, drawing=10, pictures=14, **draws),
        _part("update", **rest),
        _part("selection"),
        _part("total", **rest) | {"evaluation": "m3cot_draws"},
    ]


GOOD: dict[str, Callable[[], Rows]] = {DRAWN: _drawn}
_FEWER = {"n": 19, "share": 10 / 19}

CASES: list[Case] = [
    *(Case(DRAWN, check, changes) for check, changes in (
        ("scope_is_known", {4: {"scope": "topic"}}),
        ("name_fits_scope", {4: {"name": "all"}}),
        ("name_fits_scope", {3: {"name": "rotation"}}),
        ("counts_follow", {4: {"pictures": 0}}),
        ("counts_follow", {4: {"sampled": 2}}),
        ("counts_follow", {4: {"judged": 1}}),
        ("counts_follow", {4: {"drawing": 0, "share": 0.0, "low": 0.0}}),
        ("share_is_of_counts", {0: {"share": 0.5}}),
        ("interval_holds_share", {0: {"low": 0.4}}),
        ("interval_holds_share", {3: {"low": 0.0}}),
        ("interval_holds_share", {1: {"high": 1.2}}),
        ("scores_add_up", {4: {"scores": [{"score": 2, "n": 1}], "mean": 2.0}}),
        ("scores_add_up", {1: {"scores": [{"score": 3, "n": 1}, {"score": 0, "n": 2}]}}),
        ("scores_add_up", {1: {"scores": [{"score": -1, "n": 1}, {"score": 2, "n": 2}]}}),
        ("mean_is_of_scores", {1: {"mean": 1.5}}),
        ("mean_is_of_scores", {3: {"mean": 0.0}}),
        ("mean_is_of_scores", {1: {"mean": None}}),
        ("tasks_add_up", {1: _FEWER}),
        ("tasks_add_up", {0: {"judged": 7}}),
    )),
    Case(DRAWN, "tasks_add_up", {}, left_out=2),
    Case(DRAWN, "stands_once", {}, copied=4),
    Case(DRAWN, "no_negative_counts", {4: {"agreed": -1}}, also=("scores_add_up",)),
]  # fmt: skip
PASSING: list[Case] = [Case(DRAWN, "interval_holds_share", {4: {"low": 0.1, "high": 0.1}})]
LIKE: dict[str, str] = {}
GAPS: dict[str, tuple[int, str, float | None]] = {DRAWN: (0, "evaluation", None)}
NEVER_EMPTY: set[str] = set()
