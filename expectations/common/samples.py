"""What must hold of tables of samples, whichever source or step wrote them."""

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import BENCHMARKS, DOMAINS, SPLITS, TASKS, TOPICS
from expectations.common.rules import is_blank, set_aside, values_in, where_kept
from expectations.common.suite import Check, both, either, faults, one_of, placed, places, rule

_DIGEST = re.compile(r"[0-9a-f]{64}")


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


def _pictureless(table: pa.Table) -> pa.Array:
    wrong = both(pc.is_null(table["dropped"]), pc.equal(pc.fill_null(pc.list_value_length(table["images"]), 0), 0))
    return faults(table, wrong, "{id}: has no picture")


def _other_names(table: pa.Table) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.select(["id", "images", "choice_images"]).to_pylist()):
        named = (*(row["images"] or ()), *(row["choice_images"] or ()))
        if wrong := [image_id for image_id in named if not _DIGEST.fullmatch(image_id or "")]:
            texts[index] = f"{row['id']}: names the pictures {wrong}"
    return placed(table, texts)


def _other_pictures(table: pa.Table) -> pa.Array:
    pictures, choices = (pc.list_value_length(table[name]) for name in ("choice_images", "choices"))
    wrong = both(pc.is_null(table["dropped"]), pc.greater(pictures, 0), pc.not_equal(pictures, choices))
    return faults(table, wrong, "{id}: choices {choices}, pictures of them {choice_images}")


def silent(table: pa.Table) -> pa.Array:
    """A text for each kept sample whose rationale has no words."""
    texts = {}
    for index, row in enumerate(table.select(["id", "rationale", "dropped"]).to_pylist()):
        said = [part for part in row["rationale"] or () if part["kind"] == "text" and (part["text"] or "").strip()]
        if row["dropped"] is None and not said:
            texts[index] = f"{row['id']}: has no rationale"
    return placed(table, texts)


def _unplaced(table: pa.Table) -> pa.Array:
    lost = either(pc.invert(one_of(table["domain"], DOMAINS)), pc.invert(one_of(table["topic"], TOPICS)))
    wrong = both(pc.is_null(table["dropped"]), either(lost, is_blank(table["category"]), is_blank(table["subtopic"])))
    return faults(table, wrong, "{id}: domain {domain}, topic {topic}, subtopic {subtopic}, category {category}")


def identified(key: str, reasons: Sequence[str], quarantine: Sequence[str], *, lines: bool) -> tuple[Check, ...]:
    """The checks of who a sample is, and of the reasons for which it goes no further."""
    return (
        values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
        values_in("split_is_known", "split", SPLITS, "The split, where there is one, is train, validation or test."),
        *set_aside(key, reasons, quarantine, lines=lines),
        Check(
            "kept_ids_are_unique",
            "expect_column_values_to_be_unique",
            {"column": "kept_id"},
            "No two kept samples share an id.",
            derived={"kept_id": where_kept("id")},
        ),
        rule(
            "pictures_are_digests",
            _other_names,
            "Every picture is named by its id, 64 lower-case hexadecimal digits.",
        ),
    )


ANSWERABLE = (
    rule("kept_are_complete", _incomplete, "A kept sample has an id, a question, choices and an answer."),
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
    rule("choices_differ", _alike, "No kept sample offers exactly the same text twice.", severity="warning"),
    rule(
        "choice_pictures_fit_choices",
        _other_pictures,
        "A kept sample has a picture of each of its choices or of none.",
    ),
)
"""What holds of samples that can be answered."""

REASONED = (
    rule("kept_have_a_picture", _pictureless, "A kept sample has a picture."),
    rule("kept_have_a_rationale", silent, "A kept sample has a rationale."),
    rule("kept_have_their_place", _unplaced, "A kept sample has a domain, topic, subtopic and category."),
)
"""What holds of samples of M3CoT from the first filter on."""


def _unsplit(table: pa.Table) -> pa.Array:
    return faults(table, either(is_blank(table["split"]), pc.is_valid(table["dropped"])), "{id}: split {split}")


def _pictures_astray(table: pa.Table) -> pa.Array:
    places: dict[str, tuple[str, str]] = {}
    texts = {}
    for index, row in enumerate(table.select(["id", "rationale", "images", "choice_images", "split"]).to_pylist()):
        within = (part["image_id"] for part in row["rationale"] or () if part["image_id"] is not None)
        for image_id in (*(row["images"] or ()), *(row["choice_images"] or ()), *within):
            first, split = places.setdefault(image_id, (row["id"], row["split"]))
            if split != row["split"]:
                texts[index] = f"{row['id']} ({row['split']}) has the picture of {first} ({split})"
    return placed(table, texts)


SPLIT = rule("every_sample_has_a_split", _unsplit, "Every sample of the benchmark was kept and has a split.")
PICTURES_IN_ONE_SPLIT = rule("no_picture_in_two_splits", _pictures_astray, "No picture stands in two splits.")

TOPIC = Check(
    "topic_is_known",
    "expect_column_values_to_be_in_set",
    {"column": "topic", "value_set": list(TOPICS)},
    "A topic is one of the nine that the published tables have a column for.",
    severity="warning",
)

TASK = rule("task_is_known", _no_task, "A kept sample of CoMT is of one of its four visual operations.")
