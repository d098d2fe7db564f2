"""What must hold of the tables that the evaluation group writes: replies, answers, scores and what was set aside."""

import pyarrow as pa
import pyarrow.compute as pc

from assets import params
from assets.schema.vocabulary import (
    ANSWER_STATUSES,
    COMT_REASONS,
    EXTRACTORS,
    LINE_REASONS,
    QUARANTINE_REASONS,
    REPLY_REASONS,
    REPLY_STATUSES,
    SAME_PIXELS,
    SOURCE_REASONS,
    TURN_ROLES,
)
from assets.settings_evaluation import MADE
from expectations.common.flows import balanced, set_aside_rows
from expectations.common.pictures import of_pictures
from expectations.common.rules import (
    is_blank,
    no_negatives,
    set_aside,
    unique_together,
    values_in,
    where_kept,
)
from expectations.common.suite import Check, Suite, both, build, either, faults, one_of, placed, rule
from expectations.evaluation_scores import SCORE_SUITES

FEW = 0.05
"""The share of replies that may fail or be empty before a person should look at the file."""

SET_ASIDE = tuple(dict.fromkeys((*QUARANTINE_REASONS, *SOURCE_REASONS, *COMT_REASONS)))
"""Why a record is set aside on the way to the answers; a sample's own record may have a reason of its source."""

WITHOUT_LETTER = ("none", "ambiguous", "not_evaluable", "missing")
"""Answer statuses of which each says that no letter was read."""


def _incomplete_replies(table: pa.Table) -> pa.Array:
    no_turn = pc.equal(pc.fill_null(pc.list_value_length(table["turns"]), 0), 0)
    silent = both(no_turn, pc.not_equal(table["status"], "error"))
    wrong = both(pc.is_null(table["dropped"]), either(is_blank(table["sample_id"]), silent))
    return faults(table, wrong, "{evaluation} line {line}: sample_id {sample_id}, status {status}, turns {turns}")


def _unknown_roles(table: pa.Table) -> pa.Array:
    turns = pc.list_flatten(table["turns"])
    if pc.all(one_of(pc.struct_field(turns, "role"), TURN_ROLES)).as_py() in (True, None):
        return placed(table, {})
    texts = {}
    for index, row in enumerate(table.select(["evaluation", "line", "turns"]).to_pylist()):
        if unknown := sorted({str(turn["role"]) for turn in row["turns"] or ()} - set(TURN_ROLES)):
            texts[index] = f"{row['evaluation']} line {row['line']}: {', '.join(unknown)}"
    return placed(table, texts)


def _says_nothing(table: pa.Table) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.select(["evaluation", "sample_id", "turns"]).to_pylist()):
        turns = row["turns"] or []
        if not turns or any(turn["role"] != "user" or not turn["parts"] for turn in turns):
            texts[index] = f"{row['evaluation']} {row['sample_id']}: {len(turns)} turns, not all of them ask something"
    return placed(table, texts)


def _few(name: str, status: str, meaning: str) -> Check:
    return Check(
        name,
        "expect_column_values_to_not_be_in_set",
        {"column": "kept_status", "value_set": [status], "mostly": 1 - FEW},
        meaning,
        severity="warning",
        derived={"kept_status": _kept_status},
    )


_kept_status = where_kept("status")


def _line_unlike_status(table: pa.Table) -> pa.Array:
    missing = pc.equal(table["status"], "missing")
    wrong = pc.not_equal(missing, pc.is_null(table["line"]))
    return faults(table, wrong, "{evaluation} {sample_id} by {extractor}: status {status}, line {line}")


def _letter_unlike_status(table: pa.Table) -> pa.Array:
    wrong = either(
        both(one_of(table["status"], WITHOUT_LETTER), pc.is_valid(table["letter"])),
        both(pc.equal(table["status"], "ok"), pc.is_null(table["letter"])),
    )
    return faults(table, wrong, "{evaluation} line {line} by {extractor}: status {status}, letter {letter}")


def _no_span(table: pa.Table) -> pa.Array:
    start, end = pc.list_element(table["span"], 0), pc.list_element(table["span"], 1)
    half = both(pc.is_valid(table["span"]), either(pc.is_null(start), pc.is_null(end)))
    wrong = either(half, pc.less(start, 0), pc.greater(start, end))
    return faults(table, wrong, "{evaluation} line {line} by {extractor}: span {span}")


def _correct_uncounted(table: pa.Table) -> pa.Array:
    wrong = both(table["correct"], pc.invert(table["counted"]))
    return faults(table, wrong, "{evaluation} line {line} by {extractor}: {sample_id} is correct and not counted")


def _not_the_label(table: pa.Table) -> pa.Array:
    right = pc.fill_null(pc.equal(table["letter"], table["label"]), False)
    # Of a row that is not counted only the other check speaks.
    wrong = both(table["counted"], pc.not_equal(table["correct"], right))
    return faults(
        table, wrong, "{evaluation} line {line} by {extractor}: letter {letter}, label {label}, correct {correct}"
    )


def _strictly_counted(table: pa.Table) -> pa.ChunkedArray:
    """What the strict policy counts: evaluation and sample; of people, who each answer a sample, the reply too."""
    counts = both(pc.equal(table["extractor"], "strict"), table["counted"])
    of_people = pc.is_in(table["evaluation"], pa.array(_of_people(), pa.string()))
    whose = pc.if_else(of_people, pc.fill_null(pc.cast(table["line"], pa.string()), ""), "")
    named = (pc.cast(table[name], pa.string()) for name in ("evaluation", "sample_id"))
    return pc.if_else(counts, pc.binary_join_element_wise(*named, whose, " "), None)


def _of_people() -> list[str]:
    settings = params.load()
    return [name for name, one in settings.evaluations.items() if settings.models[one.model].kind == "human"]


def _never_counted(table: pa.Table) -> pa.Array:
    rows = table.select(["evaluation", "sample_id", "extractor", "counted"])
    strict = (
        rows.append_column("row", pa.array(range(table.num_rows), pa.int64()))
        .filter(pc.equal(table["extractor"], "strict"))
        .group_by(["evaluation", "sample_id"])
        .aggregate([("counted", "any"), ("row", "min")])
    )
    lacking = strict.filter(pc.invert(pc.fill_null(strict["counted_any"], False))).to_pylist()
    return placed(
        table,
        {row["row_min"]: f"{row['evaluation']}: {row['sample_id']} is in no counted strict row" for row in lacking},
    )


MADE_HERE = frozenset(f"evaluation/{name}" for name in MADE)


def _lost_on_the_way(table: pa.Table) -> pa.Array:
    """Faults of evaluations whose replies kept in one stage are not those that enter the next."""
    went: dict[str, tuple[int, int | None]] = {}
    came: dict[str, tuple[int, int | None]] = {}
    for index, row in enumerate(table.select(["stage", "source", "entered", "retained"]).to_pylist()):
        if row["stage"] in MADE_HERE:
            went[row["source"]] = index, row["retained"]
        elif row["stage"] == "evaluation/answers":
            came[row["source"]] = index, row["entered"]
    texts = {}
    for name in went.keys() | came.keys():
        _, retained = went.get(name, (0, None))
        _, entered = came.get(name, (0, None))
        if retained is None or retained != entered:
            index, _ = came.get(name) or went[name]
            texts[index] = (
                f"{name}: its replies retained {_number(retained)}, evaluation/answers entered {_number(entered)}"
            )
    return placed(table, texts)


def _number(count: int | None) -> str:
    return "nothing (no row)" if count is None else str(count)


def _letter(name: str, column: str, regex: str, meaning: str) -> Check:
    return Check(name, "expect_column_values_to_match_regex", {"column": column, "regex": regex}, meaning)


REPLIES = (
    values_in("status_is_known", "status", REPLY_STATUSES, "The status of a reply is a declared one."),
    *set_aside("{evaluation} line {line}", (*LINE_REASONS, *REPLY_REASONS)),
    rule(
        "kept_are_complete",
        _incomplete_replies,
        "A kept reply names its sample, and has a turn or more unless its status is error.",
    ),
    rule("roles_are_known", _unknown_roles, "Who says a turn is a declared role."),
    Check(
        "evaluation_is_one",
        "expect_column_unique_value_count_to_be_between",
        {"column": "evaluation", "max_value": 1},
        "The replies of one table are those of one evaluation.",
    ),
    Check(
        "line_is_unique",
        "expect_column_values_to_be_unique",
        {"column": "line"},
        "No two rows come from one line.",
    ),
    Check(
        "line_counts_from_1",
        "expect_column_values_to_be_between",
        {"column": "line", "min_value": 1},
        "Lines are counted from 1.",
    ),
    no_negatives("{evaluation} line {line}", ("tokens_in", "tokens_out"), "No count of tokens is negative."),
    _few("errors_are_few", "error", f"At most {FEW:.0%} of the kept replies are errors of the model."),
    _few("empties_are_few", "empty", f"At most {FEW:.0%} of the kept replies are empty."),
)

DIALOGUES = (
    unique_together("shown_once", ("evaluation", "sample_id"), "A sample's dialogue stands once in an evaluation."),
    rule("asks_something", _says_nothing, "A dialogue has a turn of the user, and each of its turns says something."),
    no_negatives("{evaluation} {sample_id}", ("pictures", "characters")),
)

SUITES: dict[str, Suite] = {
    suite.asset: suite
    for suite in (
        *(
            build(f"evaluation/{name}", "prediction", REPLIES, least_rows=0 if name == "recorded" else 1)
            for name in MADE
        ),
        build("evaluation/dialogues", "dialogue", DIALOGUES, least_rows=0),
        build("evaluation/pictures", "image", of_pictures((SAME_PIXELS,), ()), least_rows=0),
        build(
            "evaluation/answers",
            "answer",
            (
                values_in("status_is_known", "status", ANSWER_STATUSES, "The status of an answer is a declared one."),
                values_in("extractor_is_known", "extractor", EXTRACTORS, "The extractor is paper or strict."),
                unique_together(
                    "reply_is_read_once",
                    ("evaluation", "line", "extractor"),
                    "An extractor reads each reply of an evaluation once.",
                    ignore="any_value_is_missing",
                ),
                rule(
                    "missing_has_no_line", _line_unlike_status, "A row has no line exactly where the reply is missing."
                ),
                _letter("letter_is_one_capital", "letter", "^[A-Z]$", "A letter is one of A to Z, or null."),
                _letter(
                    "label_is_one_capital",
                    "label",
                    "^[A-Z]?$",
                    "A label is one of A to Z, or empty for an id that has none.",
                ),
                rule(
                    "letter_fits_status",
                    _letter_unlike_status,
                    "Where the status is ok a letter was read; where it is none, ambiguous, not_evaluable or missing, "
                    "none was.",
                ),
                rule("span_is_in_order", _no_span, "A span has a start of 0 or more and an end that is not before it."),
                rule("correct_is_counted", _correct_uncounted, "An answer that is correct is counted."),
                rule(
                    "correct_is_the_label",
                    _not_the_label,
                    "A counted answer is correct exactly where its letter is the recorded label.",
                ),
                Check(
                    "strict_counts_a_sample_once",
                    "expect_column_values_to_be_unique",
                    {"column": "strictly_counted"},
                    "The strict policy counts no sample of an evaluation twice.",
                    derived={"strictly_counted": _strictly_counted},
                ),
                rule(
                    "strict_counts_every_sample",
                    _never_counted,
                    "The strict policy counts every sample that an evaluation was asked, missing replies included.",
                ),
            ),
        ),
        build("evaluation/quarantine", "quarantine", set_aside_rows(SET_ASIDE, lines=True), least_rows=0),
        build(
            "evaluation/flow",
            "flow",
            (
                *balanced(SET_ASIDE),
                rule(
                    "stages_follow",
                    _lost_on_the_way,
                    "What the replies of an evaluation retained is what entered its answers.",
                ),
            ),
        ),
        *SCORE_SUITES,
    )
}
