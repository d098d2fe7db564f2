"""What must hold of the tables that the sources group writes."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.vocabulary import BENCHMARKS, ITEM_REASONS, LINE_REASONS, SPLITS, TASKS, TOPICS
from expectations.rules import is_blank, set_aside, values_in, where_kept
from expectations.suite import Check, Suite, both, build, either, faults, one_of, placed, places, rule


def _astray(table: pa.Table) -> pa.Array:
    inside = pc.match_substring_regex(table["file"], r"^[^/\\]+(/[^/\\]+)*$")
    climbs = pc.match_substring_regex(table["file"], r"(^|/)\.\.?(/|$)|^[A-Za-z]:")
    return faults(table, either(pc.invert(inside), climbs), "{file}: not a path within the folder")


def _incomplete(table: pa.Table) -> pa.Array:
    lacking = either(is_blank(table["id"]), is_blank(table["question"]), is_blank(table["answer"]))
    wrong = both(pc.is_null(table["dropped"]), either(lacking, pc.is_null(table["choices"])))
    return faults(
        table, wrong, "{source} {source_id}: id {id}, answer {answer}, choices {choices}, question {question}"
    )


def _n_choices(table: pa.Table) -> pa.ChunkedArray:
    return pc.if_else(pc.is_null(table["dropped"]), pc.list_value_length(table["choices"]), None)


def _answer_outside(table: pa.Table) -> pa.Array:
    place = pc.index_in(table["answer"], value_set=pa.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), table["answer"].type))
    there = pc.less(place, pc.list_value_length(table["choices"]))
    wrong = both(
        pc.is_null(table["dropped"]),
        pc.invert(is_blank(table["answer"])),
        pc.is_valid(table["choices"]),
        pc.invert(pc.fill_null(there, False)),
    )
    return faults(table, wrong, "{id}: answer {answer}, choices {choices}")


def _no_task(table: pa.Table) -> pa.Array:
    wrong = both(pc.is_null(table["dropped"]), pc.invert(one_of(table["task"], TASKS)))
    return faults(table, wrong, "{id}: task {task}")


def _alike(table: pa.Table) -> pa.Array:
    kept = both(pc.is_null(table["dropped"]), pc.is_valid(table["choices"]))
    rows = places(kept)
    texts = {}
    for index, row in zip(
        rows, table.select(["id", "choices"]).take(pa.array(rows, pa.int64())).to_pylist(), strict=True
    ):
        choices = row["choices"]
        if len(set(choices)) < len(choices):
            twice = sorted({str(choice) for choice in choices if choices.count(choice) > 1})
            texts[index] = f"{row['id']}: {twice} more than once in {choices}"
    return placed(table, texts)


SAMPLES = (
    values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
    values_in("split_is_known", "split", SPLITS, "The split is train, validation or test."),
    *set_aside("{source} {source_id}", (*LINE_REASONS, *ITEM_REASONS)),
    rule(
        "kept_are_complete",
        _incomplete,
        "A kept sample has an id, a question, choices and an answer.",
    ),
    Check(
        "kept_ids_are_unique",
        "expect_column_values_to_be_unique",
        {"column": "kept_id"},
        "No two kept samples share an id.",
        derived={"kept_id": where_kept("id")},
    ),
    Check(
        "choices_are_2_to_6",
        "expect_column_values_to_be_between",
        {"column": "n_choices", "min_value": 2, "max_value": 6},
        "A kept sample has 2 to 6 choices.",
        derived={"n_choices": _n_choices},
    ),
    rule(
        "answer_is_a_choice",
        _answer_outside,
        "The answer of a kept sample is the capital letter of one of its choices.",
    ),
    rule(
        "choices_differ",
        _alike,
        "No kept sample offers exactly the same text twice.",
        severity="warning",
    ),
)
"""What holds of every table of samples."""

TOPIC = Check(
    "topic_is_known",
    "expect_column_values_to_be_in_set",
    {"column": "topic", "value_set": list(TOPICS)},
    "A topic is one of the nine that the published tables have a column for.",
    severity="warning",
)

TASK = rule(
    "task_is_known",
    _no_task,
    "A kept sample of CoMT is of one of its four visual operations.",
)

SUITES: dict[str, Suite] = {
    suite.asset: suite
    for suite in (
        build(
            "sources/generated_released",
            "manifest",
            (
                Check(
                    "file_is_listed_once",
                    "expect_column_values_to_be_unique",
                    {"column": "file"},
                    "No file of the folder is listed twice.",
                ),
                rule(
                    "file_is_inside",
                    _astray,
                    "A file is named by its path within the folder, with forward slashes and without `..`.",
                ),
                Check(
                    "bytes_are_counted",
                    "expect_column_values_to_be_between",
                    {"column": "bytes", "min_value": 0},
                    "A length is 0 bytes or more.",
                ),
                Check(
                    "sha256_is_one",
                    "expect_column_values_to_match_regex",
                    {"column": "sha256", "regex": "^[0-9a-f]{64}$"},
                    "A SHA-256 is 64 lower-case hexadecimal digits.",
                ),
            ),
            least_rows=0,
        ),
        build("sources/m3cot_released", "sample", (*SAMPLES, TOPIC)),
        # CoMT's items may be nowhere yet: then the table is empty and the asset says that it is not configured.
        build("sources/comt_released", "sample", (*SAMPLES, TASK), least_rows=0),
    )
}
