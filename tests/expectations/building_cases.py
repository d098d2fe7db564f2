"""Cases of the suites of M3CoT's sources and construction."""

from typing import Any

from tests.expectations.building_tables import CHAIN, ID, IMAGES_DRAWN, IMAGES_OF_SOURCES, STEPPED, UNREAD, built, said
from tests.expectations.cases import Case, Rows

MANIFEST, SCIENCEQA, MATH, TABMWP, KILOGRAM, SHERLOCK, ANNOTATIONS = (
    f"sources/{name}"
    for name in ("generated_upstreams", "scienceqa", "math", "tabmwp", "kilogram", "sherlock", "m3cot_annotations")
)
NEEDED, BALANCED, RECHECKED, BENCHMARK, IMAGES, SIMILAR, AGREEMENT, AUDIT, QUARANTINE, FLOW, STATISTICS = (
    f"m3cot/{name}"
    for name in (
        "image_needed",
        "balanced",
        "rechecked",
        "benchmark",
        "images",
        "similar",
        "agreement",
        "audit",
        "quarantine",
        "flow",
        "statistics",
    )
)
STEP, READ, DRAWN = STEPPED[0], IMAGES_OF_SOURCES[0], IMAGES_DRAWN[0]
"""Of the suites that are the same but for their asset, those whose cases are tried one by one."""

LIKE = {
    **{asset: STEP for asset in CHAIN if asset != STEP},
    **{asset: READ for asset in IMAGES_OF_SOURCES if asset != READ},
    **{asset: DRAWN for asset in IMAGES_DRAWN if asset != DRAWN},
}
"""The other ones: what fails a check there fails the same check here, all in one table."""


def _samples(asset: str, unread: int = 2) -> list[Case]:
    return [
        Case(asset, "benchmark_is_known", {0: {"benchmark": "mmlu"}}),
        Case(asset, "split_is_known", {0: {"split": "dev"}}),
        Case(asset, "dropped_reason_is_known", {unread: {"dropped": "whim", "quarantined": None}}),
        Case(asset, "quarantined_iff_unreadable", {0: {"quarantined": UNREAD}}),
        Case(asset, "pictures_are_digests", {0: {"images": ["figure.png"]}}),
        Case(asset, "pictures_are_digests", {unread: {"choice_images": [ID[7], None, ID[8]]}}),
    ]


def _answerable(asset: str) -> list[Case]:
    return [
        Case(asset, "kept_are_complete", {0: {"question": " "}}),
        Case(asset, "kept_are_complete", {0: {"choices": None}}),
        Case(asset, "choices_are_2_to_6", {1: {"choices": ["1"]}}),
        Case(asset, "choices_are_2_to_6", {1: {"choices": list("1234567")}}),
        Case(asset, "answer_is_a_choice", {0: {"answer": "D"}}),
        Case(asset, "answer_is_a_choice", {0: {"answer": "b"}}),
        Case(asset, "choices_differ", {0: {"choices": ["Rain", "Train", "Train"]}}),
        Case(asset, "choice_pictures_fit_choices", {0: {"choice_images": [ID[7], ID[8]]}}),
    ]


def _pictures(asset: str) -> list[Case]:
    return [
        Case(asset, "dropped_reason_is_known", {3: {"dropped": "whim", "quarantined": None}}),
        Case(asset, "quarantined_iff_unreadable", {0: {"quarantined": UNREAD}}),
        *(Case(asset, "kept_are_whole", {1: {name: None}}) for name in ("image_id", "png", "width", "height", "mode")),
        Case(asset, "kept_are_whole", {1: {"width": 0}}),
        Case(asset, "kept_are_whole", {1: {"height": -2}}),
        Case(asset, "pictures_stand_once", {2: {"png": b""}}),
        Case(asset, "same_pixels_are_there", {2: {"image_id": ID[7]}}),
        Case(asset, "kept_pictures_are_unique", {1: {"image_id": ID[0]}}),
        Case(asset, "image_id_is_a_digest", {1: {"image_id": "A" * 64}}),
        Case(asset, "file_is_listed_once", {1: {"file": "images/0.png"}}),
    ]


SAME = "scienceqa-1"
CHAINED = [
    *_samples(STEP),
    Case(STEP, "quarantined_iff_unreadable", {2: {"quarantined": UNREAD}}),
    Case(STEP, "kept_ids_are_unique", {1: {"id": SAME}}, also=("ids_are_unique",)),
    Case(STEP, "ids_are_unique", {2: {"id": SAME}}),
    *_answerable(STEP),
    Case(STEP, "kept_have_a_picture", {0: {"images": []}}),
    Case(STEP, "kept_have_a_picture", {0: {"images": None}}),
    Case(STEP, "kept_have_a_rationale", {0: {"rationale": None}}),
    Case(STEP, "kept_have_a_rationale", {0: {"rationale": said(" ", None)}}),
    *(Case(STEP, "kept_have_their_place", {0: {name: None}}) for name in ("domain", "topic", "subtopic", "category")),
    Case(STEP, "kept_have_their_place", {0: {"topic": "alchemy"}}),
    Case(STEP, "rationale_has_steps", {0: {"rationale": said("Opposite poles attract.")}}),
]


def answered(*counts: int, options: int | None = None) -> Rows:
    """As many samples as `counts` says for A, B and so on, of `options` choices each."""
    choices = [str(number) for number in range(options or len(counts))]
    letters = [letter for letter, count in zip("ABCDEF", counts, strict=False) for _ in range(count)]
    return [built(number, answer=letter, choices=choices) for number, letter in enumerate(letters)]


def left_out(kept: int, **reasons: int) -> Rows:
    """As many samples that were kept, and as many as that for each reason."""
    dropped = [None] * kept + [reason for reason, n in reasons.items() for _ in range(n)]
    return [built(number, dropped=reason) for number, reason in enumerate(dropped)]


def _annotation(**columns: Any) -> Case:
    return Case(ANNOTATIONS, "kept_are_judgements", {0: columns})


CASES = [
    Case(MANIFEST, "file_is_listed_once", {1: {"file": "scienceqa/problems.json"}}),
    Case(MANIFEST, "file_is_inside", {0: {"file": "/etc/passwd"}}),
    Case(MANIFEST, "bytes_are_counted", {0: {"bytes": -1}}),
    Case(MANIFEST, "sha256_is_one", {0: {"sha256": "0" * 63}}),
    *_pictures(READ),
    Case(READ, "quarantined_iff_unreadable", {3: {"quarantined": None}}),
    Case(READ, "quarantined_iff_unreadable", {3: {"quarantined": UNREAD | {"file": None}}}),
    Case(READ, "quarantined_iff_unreadable", {3: {"quarantined": UNREAD | {"line": 0}}}),
    Case(READ, "quarantined_iff_unreadable", {2: {"quarantined": UNREAD}}),
    *_pictures(DRAWN),
    *(case._replace(asset=IMAGES) for case in _pictures(DRAWN) if not {2, 3} & set(case.changes)),
    Case(IMAGES, "dropped_reason_is_known", {1: {"dropped": "no_renderer", "png": None}}),
    # No row of this table may be dropped at all, so that a fault of a dropped row is two.
    Case(
        IMAGES,
        "pictures_stand_once",
        {1: {"dropped": "same_pixels", "image_id": ID[0]}},
        None,
        None,
        ("dropped_reason_is_known",),
    ),
    Case(
        IMAGES,
        "same_pixels_are_there",
        {1: {"dropped": "same_pixels", "png": None}},
        None,
        None,
        ("dropped_reason_is_known",),
    ),
    *(case for asset in (SCIENCEQA, MATH, TABMWP) for case in _samples(asset)),
    *(
        case
        for asset in (SCIENCEQA, MATH, TABMWP)
        for case in (
            Case(asset, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
            Case(asset, "kept_ids_are_unique", {1: {"id": SAME}}),
            Case(asset, "topic_is_known", {0: {"topic": "alchemy"}}),
        )
    ),
    *_answerable(SCIENCEQA),
    *(Case(asset, "kept_are_asked", {0: {name: " "}}) for asset in (MATH, TABMWP) for name in ("id", "question")),
    Case(MATH, "kept_are_solved", {0: {"rationale": []}}),
    Case(MATH, "kept_are_solved", {0: {"rationale": said(" ")}}),
    Case(KILOGRAM, "dropped_reason_is_known", {2: {"dropped": "whim", "quarantined": None}}),
    Case(KILOGRAM, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
    Case(KILOGRAM, "tangrams_have_seven_pieces", {0: {"pieces": None}}),
    Case(KILOGRAM, "tangrams_have_seven_pieces", {0: {"pieces": [{"piece": "1", "points": []}] * 6}}),
    Case(KILOGRAM, "tangrams_have_seven_pieces", {0: {"id": None}}),
    Case(SHERLOCK, "dropped_reason_is_known", {1: {"dropped": "whim"}}),
    Case(SHERLOCK, "quarantined_iff_unreadable", {1: {"quarantined": UNREAD}}),
    Case(SHERLOCK, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
    *(Case(SHERLOCK, "kept_are_clues", {0: {name: " "}}) for name in ("instance_id", "image_id", "clue", "inference")),
    Case(ANNOTATIONS, "dropped_reason_is_known", {2: {"dropped": "whim"}}),
    Case(ANNOTATIONS, "quarantined_iff_unreadable", {2: {"quarantined": UNREAD}}),
    Case(ANNOTATIONS, "quarantined_iff_unreadable", {3: {"quarantined": None}}),
    _annotation(sample_id=None),
    _annotation(stage=None),
    _annotation(round=None),
    _annotation(annotator=" "),
    _annotation(verdict=None),
    Case(ANNOTATIONS, "judged_once", {2: {"dropped": None}}),
    Case(ANNOTATIONS, "stage_is_known", {0: {"stage": "mood"}}),
    Case(ANNOTATIONS, "verdict_is_known", {0: {"verdict": "maybe"}}),
    *CHAINED,
    Case(NEEDED, "vote_removes_30_percent", {2: {"dropped": "pending"}}),
    Case(NEEDED, "vote_removes_30_percent", rows=left_out(71, image_not_needed=29)),
    Case(BALANCED, "letters_are_even", rows=answered(60, 40)),
    Case(BALANCED, "letters_are_even", rows=answered(34, 33, 33, options=4)),
    Case(RECHECKED, "second_recheck_discards_few", {2: {"dropped": "recheck_2_no"}}),
    Case(RECHECKED, "second_recheck_discards_few", rows=left_out(19, recheck_2_no=1)),
    Case(BENCHMARK, "every_sample_has_a_split", {0: {"split": None}}),
    Case(BENCHMARK, "every_sample_has_a_split", {0: {"dropped": "pending"}}),
    Case(BENCHMARK, "no_picture_in_two_splits", {1: {"images": [ID[1]]}}),
    Case(BENCHMARK, "no_picture_in_two_splits", {1: {"choice_images": [ID[1], ID[8], ID[9]]}}),
    Case(
        BENCHMARK,
        "no_picture_in_two_splits",
        {1: {"rationale": [*said("One.\nTwo."), {"kind": "image", "text": None, "image_id": ID[1]}]}},
    ),
    Case(SIMILAR, "no_pair_across_splits", {0: {"split_b": "train"}}),
    Case(SIMILAR, "split_a_is_known", {0: {"split_a": "dev"}}, also=("no_pair_across_splits",)),
    Case(SIMILAR, "split_b_is_known", {0: {"split_b": "dev"}}, also=("no_pair_across_splits",)),
    Case(SIMILAR, "pair_once", copied=0),
    Case(AGREEMENT, "stage_is_known", {0: {"stage": "mood"}}),
    Case(AGREEMENT, "measure_is_known", {0: {"measure": "krippendorff"}}),
    Case(AGREEMENT, "no_negative_counts", {0: {"n": -1}}),
    Case(AGREEMENT, "kappa_is_within_range", {1: {"kappa": -1.5}}),
    Case(AGREEMENT, "kappa_is_within_range", {1: {"kappa": 1.5}}),
    Case(AGREEMENT, "observed_is_within_range", {1: {"observed": -0.1}}),
    Case(AUDIT, "no_negative_counts", {1: {"population": -1, "sampled": -2, "judged": -3, "multimodal": -4}}),
    Case(AUDIT, "counts_nest", {0: {"sampled": 11}}),
    Case(AUDIT, "counts_nest", {1: {"judged": 0, "multimodal": 1}}),
    Case(AUDIT, "share_is_within_range", {0: {"share": 1.5, "high": 1.6}}, also=("share_is_of_counts",)),
    Case(AUDIT, "share_is_of_counts", {0: {"share": 0.3}}),
    Case(AUDIT, "share_is_of_counts", {0: {"low": 0.3}}),
    Case(AUDIT, "share_is_of_counts", {1: {"share": 0.0}}),
    Case(QUARANTINE, "reason_is_known", {0: {"reason": "whim"}}),
    Case(QUARANTINE, "line_counts_from_1", {0: {"line": 0}}),
    Case(QUARANTINE, "can_be_found", {2: {"file": " ", "key": None}}),
    Case(QUARANTINE, "set_aside_once", copied=0),
    Case(FLOW, "stage_and_source_once", copied=0),
    Case(FLOW, "no_negative_counts", {-1: {"generated": -1, "retained": 0}}),
    Case(FLOW, "balance", {0: {"entered": 13}}),
    Case(FLOW, "reasons_add_up", {0: {"reasons": []}}),
    Case(FLOW, "reasons_are_known", {0: {"reasons": [{"reason": "whim", "n": 2}]}}),
    Case(FLOW, "reasons_are_known", {0: {"reasons": [{"reason": "no_question", "n": 1}] * 2}}),
    Case(FLOW, "stages_follow", {-1: {"entered": 2, "retained": 2}}),
    # The source loses all its samples, and has no row, at the last stage; at the first of the chain; on its way.
    *(Case(FLOW, "stages_follow", left_out=place) for place in (-1, 0, 3, 4)),
    Case(STATISTICS, "figure_once", copied=0),
    Case(STATISTICS, "values_are_not_negative", {0: {"value": -1.0}}),
]

PASSING = [
    Case(NEEDED, "vote_removes_30_percent", rows=left_out(70, image_not_needed=30, no_image=400)),
    Case(NEEDED, "vote_removes_30_percent", rows=left_out(0, no_image=2)),
    Case(BALANCED, "letters_are_even", rows=answered(60, 39)),
    Case(BALANCED, "letters_are_even", rows=answered(55, 45)),
    Case(RECHECKED, "second_recheck_discards_few", rows=left_out(20, recheck_2_no=1, recheck_1_no=40)),
    Case(BENCHMARK, "no_picture_in_two_splits", {1: {"images": [ID[1]], "split": "test"}}),
    Case(STEP, "rationale_has_steps", {2: {"rationale": None, "choices": None, "images": None}}),
    Case(STEP, "choice_pictures_fit_choices", {0: {"choice_images": [ID[7], ID[8], ID[9]]}}),
    Case(AUDIT, "share_is_of_counts", {0: {"low": None, "high": None}}),
    Case(ANNOTATIONS, "judged_once", {1: {"annotator": "ada", "round": 2}}),
    Case(IMAGES_OF_SOURCES[-1], "file_is_listed_once", {3: {"dropped": "duplicate_id", "file": "images/0.png"}}),
    Case(IMAGES_OF_SOURCES[-1], "dropped_reason_is_known", {3: {"dropped": "not_utf8"}}),
    Case(QUARANTINE, "set_aside_once", {0: {"key": None}, 1: {"key": None, "excerpt": "{}"}}),
]
"""Tables at the border of a rule, which they pass with all others."""

GAPS: dict[str, tuple[int, str, float | None]] = {
    **{asset: (0, "provenance", None) for asset in (*CHAIN, SCIENCEQA, MATH, TABMWP, KILOGRAM, SHERLOCK)},
    **{asset: (0, "file", None) for asset in (*IMAGES_OF_SOURCES, *IMAGES_DRAWN, IMAGES)},
    MANIFEST: (0, "bytes", None),
    ANNOTATIONS: (0, "source", None),
    SIMILAR: (0, "same_choices", None),
    AGREEMENT: (0, "round", None),
    AUDIT: (0, "source", None),
    QUARANTINE: (2, "source", None),
    FLOW: (0, "generated", None),
    STATISTICS: (0, "value", float("nan")),
}
