"""What fails each check of the scores that people gave the pictures which models drew."""

from collections.abc import Callable

from tests.expectations import building_cases
from tests.expectations.building_tables import sources
from tests.expectations.cases import Case, Rows

JUDGEMENTS = "sources/picture_judgements"


def _judgements() -> Rows:
    score = {"sample_id": "gill_cot:creation-1", "stage": "picture_quality", "verdict": "3", "edits": None}
    kept = sources("sources/m3cot_annotations")
    return [row | score if row["stage"] else row for row in kept[:2]] + [kept[2] | score | {"verdict": "0"}, kept[3]]


GOOD: dict[str, Callable[[], Rows]] = {JUDGEMENTS: _judgements}

CASES: list[Case] = [
    Case(JUDGEMENTS, "kept_are_of_replies", {0: {"sample_id": "creation-1"}}),
    Case(JUDGEMENTS, "kept_are_of_replies", {0: {"sample_id": "gill_cot: "}}),
    Case(JUDGEMENTS, "verdicts_are_scores", {0: {"verdict": "yes"}}),
    Case(JUDGEMENTS, "verdicts_are_scores", {0: {"stage": "recheck"}}),
    Case(JUDGEMENTS, "nothing_is_edited", {1: {"edits": [{"step": 1, "text": "x"}]}}),
]
PASSING: list[Case] = []
LIKE: dict[str, str] = {JUDGEMENTS: building_cases.ANNOTATIONS}
GAPS: dict[str, tuple[int, str, float | None]] = {JUDGEMENTS: (0, "source", None)}
NEVER_EMPTY: set[str] = set()
