"""Cases of the suites of CoMT's sources and construction."""

from tests.expectations import building_cases
from tests.expectations.building_tables import ID, UNREAD
from tests.expectations.cases import Case
from tests.expectations.comt_tables import CHAIN, IMAGES_DRAWN, IMAGES_OF_SOURCES, told

GEOMETRY, CROWDS, PAIRS, ANNOTATIONS = (
    f"sources/{name}" for name in ("geometry", "crowds", "pairs", "comt_annotations")
)
BENCHMARK, IMAGES, QUARANTINE, FLOW, STATISTICS = (
    f"comt/{name}" for name in ("benchmark", "images", "quarantine", "flow", "statistics")
)
STEP, DRAWN = "comt/deletion", IMAGES_DRAWN[0]
"""Of the suites that are the same but for their asset, those whose cases are tried one by one."""

LIKE = {
    **{asset: STEP for asset in CHAIN if asset != STEP},
    **{asset: building_cases.READ for asset in IMAGES_OF_SOURCES},
    **{asset: DRAWN for asset in IMAGES_DRAWN if asset != DRAWN},
}
"""The other ones: what fails a check there fails the same check here, all in one table."""


def _of(asset: str, cases: list[Case]) -> list[Case]:
    return [case._replace(asset=asset) for case in cases]


STEPPED = [
    *building_cases._samples(STEP)[:4],
    Case(STEP, "pictures_are_digests", {2: {"choice_images": [ID[7], None, ID[8]]}}),
    Case(STEP, "quarantined_iff_unreadable", {2: {"quarantined": UNREAD}}),
    Case(STEP, "kept_ids_are_unique", {1: {"id": "deletion-1"}}, also=("ids_are_unique",)),
    Case(STEP, "ids_are_unique", {2: {"id": "deletion-1"}}),
    Case(STEP, "kept_are_complete", {0: {"question": " "}}, also=("kept_hold_the_template",)),
    Case(STEP, "choices_are_2_to_6", {0: {"choices": list("1234567")}}, also=("kept_hold_the_template",)),
    Case(STEP, "answer_is_a_choice", {0: {"answer": "E"}}),
    Case(STEP, "choices_differ", {0: {"choices": ["8", "8", "9", "10"]}}),
    Case(STEP, "choice_pictures_fit_choices", {0: {"choice_images": [ID[7], ID[8]]}}),
    Case(STEP, "task_is_known", {0: {"task": "erasure"}}, also=("task_is_its_own", "kept_hold_the_template")),
    Case(STEP, "task_is_its_own", {0: {"task": "selection"}}),
    Case(STEP, "kept_hold_the_template", {0: {"choices": ["8", "9", "10"]}}),
    Case(STEP, "kept_hold_the_template", {0: {"question": "How many people are there?"}}),
    Case(STEP, "kept_hold_the_template", {0: {"images": [ID[10], ID[11], ID[12]]}}),
    Case(STEP, "kept_hold_the_template", {0: {"images": [ID[10]]}}),
    Case(STEP, "kept_hold_the_template", {0: {"rationale": told("Mask them. ", ("[IMAGE1]", 10))}}),
    Case(STEP, "kept_hold_the_template", {0: {"rationale": told(" ", ("[IMAGE1]", 11))}}),
    Case(STEP, "kept_hold_the_template", {0: {"rationale": told("Mask them."), "images": [ID[10]]}}),
]

CASES = [
    *_of(GEOMETRY, building_cases._samples(STEP)),
    Case(GEOMETRY, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
    Case(GEOMETRY, "kept_ids_are_unique", {1: {"id": "deletion-1"}}),
    Case(GEOMETRY, "kept_are_complete", {0: {"question": " "}}),
    Case(GEOMETRY, "choices_are_2_to_6", {0: {"choices": ["8"]}}, also=("answer_is_a_choice",)),
    Case(GEOMETRY, "answer_is_a_choice", {0: {"answer": "E"}}),
    Case(GEOMETRY, "choices_differ", {0: {"choices": ["8", "8", "9", "10"]}}),
    Case(GEOMETRY, "choice_pictures_fit_choices", {0: {"choice_images": [ID[7], ID[8]]}}),
    Case(CROWDS, "dropped_reason_is_known", {2: {"dropped": "whim", "quarantined": None}}),
    Case(CROWDS, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
    Case(CROWDS, "kept_ids_are_unique", {1: {"id": "train-0001"}}),
    *(Case(CROWDS, "kept_are_whole", {0: {name: None}}) for name in ("id", "image_id", "width", "height", "heads")),
    Case(CROWDS, "kept_are_whole", {0: {"width": 0}}),
    Case(PAIRS, "dropped_reason_is_known", {2: {"dropped": "whim", "quarantined": None}}),
    Case(PAIRS, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
    Case(PAIRS, "kept_ids_are_unique", {1: {"id": "1"}}),
    *(Case(PAIRS, "kept_are_pairs", {0: {name: None}}) for name in ("id", "first", "second", "boxes")),
    Case(PAIRS, "kept_are_pairs", {0: {"second": ID[1]}}),
    Case(PAIRS, "kept_are_pairs", {0: {"boxes": []}}),
    *_of(ANNOTATIONS, [case for case in building_cases.CASES if case.asset == building_cases.ANNOTATIONS]),
    *STEPPED,
    *_of(DRAWN, building_cases._pictures(DRAWN)),
    *(case for case in _of(IMAGES, building_cases._pictures(DRAWN)) if not {3} & set(case.changes)),
    Case(IMAGES, "dropped_reason_is_known", {2: {"dropped": "labels_overlap"}}),
    Case(BENCHMARK, "kept_are_divided", {0: {"split": None}}),
    Case(BENCHMARK, "kept_are_divided", {0: {"split": "train"}}),
    Case(
        BENCHMARK,
        "no_picture_in_two_splits",
        {0: {"images": [ID[30], ID[11]]}},
    ),
    Case(BENCHMARK, "no_picture_in_two_splits", {0: {"other": f'{{"annotations":{{"originals":["{ID[35]}"]}}}}'}}),
    Case(BENCHMARK, "development_has_every_option", {2: {"answer": "B"}}),
    *_of(QUARANTINE, [case for case in building_cases.CASES if case.asset == building_cases.QUARANTINE]),
    Case(FLOW, "stage_and_source_once", copied=0),
    Case(FLOW, "no_negative_counts", {-1: {"generated": -1, "retained": 1}}),
    Case(FLOW, "balance", {0: {"entered": 13}}),
    Case(FLOW, "reasons_add_up", {0: {"reasons": []}}),
    Case(FLOW, "reasons_are_known", {0: {"reasons": [{"reason": "whim", "n": 2}]}}),
    Case(FLOW, "stages_follow", {-1: {"entered": 3, "retained": 3}}),
    # the source has no row at the last stage; at its first; on its way
    *(Case(FLOW, "stages_follow", left_out=place) for place in (-1, 2, 4)),
    Case(STATISTICS, "figure_once", copied=0),
    Case(STATISTICS, "values_are_not_negative", {0: {"value": -1.0}}),
]

PASSING = [
    # evaluations of CoMT are scored against what is built where no release is configured
    Case("evaluation/flow", "reasons_are_known", {0: {"reasons": [{"reason": "picture_in_development", "n": 2}]}}),
    Case(BENCHMARK, "kept_are_divided", {1: {"split": None, "dropped": "picture_in_development"}}),
    # three of a development set cannot have four letters
    Case(BENCHMARK, "development_has_every_option", {2: {"answer": "B"}}, left_out=3),
    Case(CROWDS, "kept_ids_are_unique", {1: {"id": "train-0001", "source": "voc_faces"}}),
]
"""Tables at the border of a rule, which they pass with all others."""

GAPS: dict[str, tuple[int, str, float | None]] = {
    **{asset: (0, "provenance", None) for asset in (*CHAIN, GEOMETRY, CROWDS, PAIRS)},
    **{asset: (0, "file", None) for asset in (*IMAGES_OF_SOURCES, *IMAGES_DRAWN, IMAGES)},
    ANNOTATIONS: (0, "source", None),
    QUARANTINE: (2, "source", None),
    FLOW: (0, "generated", None),
    STATISTICS: (0, "value", float("nan")),
}
