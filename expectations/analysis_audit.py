"""What must hold of the tables that audit: extractors that disagree, labels, items, suspects."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.analysis_vocabulary import COUNTING, FINDINGS, SHAPES
from assets.schema.vocabulary import BENCHMARKS, EDITIONS, EXTRACTORS, SPLITS
from expectations.common.rules import TOLERANCE, is_apart, is_blank, unique_together, values_in
from expectations.common.suite import Check, Suite, both, build, either, faults, one_of, placed, rule

TOTAL = "total"
_ROUNDING = 1e-6
"""Room for a number that is kept to six digits."""

_NO_LETTER = ("failed", "none", "refusal", "status", "thought", "beyond_item", "option_count")
_NO_TEXT = ("text_not_a_string", "choices_not_a_sequence", "option_not_a_string", "option_past_letter_table")
UNREAD = (*_NO_LETTER, *_NO_TEXT, "missing", "unknown_id", "unknown_task")
"""Rules of the extractors that end without a letter, and what is counted without a reading."""

_SAMPLE = "{benchmark} ({edition}) {split} {sample_id}"
_OF_SAMPLES = (
    values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
    values_in("edition_is_known", "edition", EDITIONS, "The edition is released or built."),
    values_in("split_is_known", "split", SPLITS, "The split is train, validation or test."),
)
_SHAPES = (*SHAPES, COUNTING, TOTAL)
_OF_RECORDS = ("prompt_options_differ", "record_options_differ")
_OF_RATIONALES = ("rationale_concludes_other", "rationale_argues_other")


def _letter(column: str, meaning: str, regex: str = "^[A-Z]$") -> Check:
    return Check(
        f"{column}_is_one_capital", "expect_column_values_to_match_regex", {"column": column, "regex": regex}, meaning
    )


def _decided_beyond(table: pa.Table) -> pa.Array:
    wrong = either(pc.less(table["n"], 1), pc.less(table["correct"], 0), pc.greater(table["correct"], table["n"]))
    return faults(table, wrong, "{evaluation} by {extractor}, rule {rule}: correct {correct} of {n}")


def _right_unread(table: pa.Table) -> pa.Array:
    wrong = both(one_of(table["rule"], UNREAD), pc.greater(table["correct"], 0))
    return faults(table, wrong, "{evaluation} by {extractor}, rule {rule}: correct {correct} without a letter")


_REPLY = "{evaluation} line {line}"


def _read_alike(table: pa.Table) -> pa.Array:
    paper, strict = (pc.fill_null(table[name], "") for name in ("paper", "strict"))
    return faults(table, pc.equal(paper, strict), f"{_REPLY}: paper {{paper}}, strict {{strict}}")


def _wrongly_right(table: pa.Table) -> pa.Array:
    wrong = either(
        *(
            pc.not_equal(table[f"{name}_correct"], pc.fill_null(pc.equal(table[name], table["label"]), False))
            for name in EXTRACTORS
        )
    )
    shown = "label {label}, paper {paper} ({paper_correct}), strict {strict} ({strict_correct})"
    return faults(table, wrong, f"{_REPLY}: {shown}")


_GAP = "{evaluation} {shape}"
_COUNTS = ("replies", "n", "paper_correct", "strict_correct")


def _counts_beyond(table: pa.Table) -> pa.Array:
    right = pc.add(table["paper_correct"], table["strict_correct"])
    wrong = either(
        *(pc.less(table[name], 0) for name in _COUNTS),
        pc.greater(table["n"], table["replies"]),
        pc.greater(right, table["n"]),
    )
    shown = ", ".join(f"{name} {{{name}}}" for name in _COUNTS)
    return faults(table, wrong, f"{_GAP}: {shown}")


def _accuracies_apart(table: pa.Table) -> pa.Array:
    """Faults of rows whose accuracies are no fractions, are not those of their evaluation, or do not fit `moved`."""
    names = ("paper_accuracy", "strict_accuracy")
    columns = ["evaluation", "shape", *names, "moved"]
    first: dict[str, tuple[Any, ...]] = {}
    texts = {}
    for index, row in enumerate(table.select(columns).to_pylist()):
        both_sides = tuple(row[name] for name in names)
        outside = any(share is not None and not 0 <= share <= 1 for share in both_sides)
        if (
            outside
            or first.setdefault(row["evaluation"], both_sides) != both_sides
            or (row["moved"] is None) != (None in both_sides)
        ):
            texts[index] = (
                f"{row['evaluation']} {row['shape']}: paper {row['paper_accuracy']}, strict {row['strict_accuracy']}, "
                f"moved {row['moved']}"
            )
    return placed(table, texts)


def _by_evaluation(table: pa.Table) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    found: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    for index, row in enumerate(table.to_pylist()):
        found[row["evaluation"]].append((index, row))
    return found


def _totals_apart(table: pa.Table) -> pa.Array:
    texts = {}
    for name, rows in _by_evaluation(table).items():
        parts = [row for _, row in rows if row["shape"] != TOTAL]
        totals = [(index, row) for index, row in rows if row["shape"] == TOTAL]
        if not totals:
            texts[rows[0][0]] = f"{name}: has no row total"
        for index, row in totals:
            sums = {count: sum(part[count] or 0 for part in parts) for count in _COUNTS}
            if apart := [f"{count} {row[count]}, together {n}" for count, n in sums.items() if row[count] != n]:
                texts[index] = f"{name} total: {'; '.join(apart)}"
    return placed(table, texts)


def _moved_apart(table: pa.Table) -> pa.Array:
    texts = {}
    for name, rows in _by_evaluation(table).items():
        parts = [row["moved"] for _, row in rows if row["shape"] != TOTAL and row["moved"] is not None]
        for index, row in rows:
            sides = row["paper_accuracy"], row["strict_accuracy"]
            if row["shape"] != TOTAL or row["moved"] is None or None in sides:
                continue
            if abs(sum(parts) - row["moved"]) > TOLERANCE or abs(sides[1] - sides[0] - row["moved"]) > TOLERANCE:
                texts[index] = (
                    f"{name} total: moved {row['moved']}, its parts {sum(parts)}, strict less paper "
                    f"{sides[1] - sides[0]}"
                )
    return placed(table, texts)


def _says_other_counts(table: pa.Table) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.select(["evaluation", "shape", "replies", "n", "sentence"]).to_pylist()):
        if row["shape"] not in SHAPES or row["sentence"] is None or row["replies"] is None:
            continue
        if not row["sentence"].startswith(f"{row['replies']:,} "):
            texts[index] = f"{row['evaluation']} {row['shape']}: {row['replies']} replies, {row['sentence']!r}"
    return placed(table, texts)


def _against_itself(table: pa.Table) -> pa.Array:
    return faults(table, pc.equal(table["other"], table["label"]), f"{_SAMPLE}: {{finding}}, other {{other}}")


def _elsewhere(table: pa.Table) -> pa.Array:
    wrong = both(pc.is_valid(table["evaluation"]), pc.invert(one_of(table["finding"], _OF_RECORDS)))
    return faults(table, wrong, f"{_SAMPLE}: {{finding}} in the record of {{evaluation}}")


def _no_other(table: pa.Table) -> pa.Array:
    wrong = both(one_of(table["finding"], _OF_RATIONALES), pc.is_null(table["other"]))
    return faults(table, wrong, f"{_SAMPLE}: {{finding}}, and no letter")


def _blank_detail(table: pa.Table) -> pa.Array:
    return faults(table, is_blank(table["detail"]), f"{_SAMPLE}: {{finding}} says no texts")


def _items_beyond(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.less(table["correct"], 0),
        pc.greater(table["correct"], table["evaluations"]),
        pc.greater(table["models"], table["evaluations"]),
        pc.not_equal(pc.greater(table["models"], 0), pc.greater(table["evaluations"], 0)),
    )
    shown = "correct {correct} of {evaluations} evaluations, {models} models"
    return faults(table, wrong, f"{_SAMPLE}: {shown}")


def _difficulty_apart(table: pa.Table) -> pa.Array:
    asked = pc.greater(table["evaluations"], 0)
    wrong_ones = pc.cast(pc.subtract(table["evaluations"], table["correct"]), pa.float64())
    share = pc.divide(wrong_ones, pc.if_else(asked, table["evaluations"], None))
    wrong = either(
        pc.not_equal(asked, pc.is_valid(table["difficulty"])), is_apart(table["difficulty"], share, TOLERANCE)
    )
    shown = "difficulty {difficulty}, correct {correct} of {evaluations}"
    return faults(table, wrong, f"{_SAMPLE}: {shown}")


def _discrimination_misplaced(table: pa.Table) -> pa.Array:
    value = table["discrimination"]
    alike = either(
        pc.equal(table["correct"], 0),
        pc.equal(table["correct"], table["evaluations"]),
        pc.less(table["evaluations"], 3),
    )
    wrong = either(pc.greater(pc.abs(value), 1 + _ROUNDING), both(alike, pc.is_valid(value)))
    shown = "discrimination {discrimination}, correct {correct} of {evaluations}"
    return faults(table, wrong, f"{_SAMPLE}: {shown}")


def _votes_apart(table: pa.Table) -> pa.Array:
    agreement, support = table["agreement"], table["support"]
    ours = pc.equal(table["consensus"], table["label"])
    wrong = either(
        pc.not_equal(pc.is_valid(table["consensus"]), pc.is_valid(agreement)),
        both(pc.is_valid(agreement), pc.is_null(support)),
        pc.less_equal(agreement, 0),
        pc.greater(agreement, 1),
        pc.less(support, 0),
        pc.greater(support, 1),
        both(ours, is_apart(agreement, support, TOLERANCE)),
        both(pc.invert(ours), pc.less_equal(agreement, support)),
    )
    shown = "consensus {consensus}, label {label}, agreement {agreement}, support {support}"
    return faults(table, wrong, f"{_SAMPLE}: {shown}")


def _no_suspect(table: pa.Table) -> pa.Array:
    wrong = either(pc.equal(table["consensus"], table["label"]), pc.less_equal(table["surprise"], 0))
    shown = "label {label}, consensus {consensus}, surprise {surprise}"
    return faults(table, wrong, f"{_SAMPLE}: {shown}")


def _shares_apart(table: pa.Table) -> pa.Array:
    agreement, support = table["agreement"], table["support"]
    votes = pc.multiply(agreement, table["models"])
    wrong = either(
        pc.less(support, 0),
        pc.less_equal(agreement, support),
        pc.greater(pc.add(agreement, support), 1 + TOLERANCE),
        is_apart(votes, pc.round(votes), _ROUNDING),
    )
    return faults(table, wrong, f"{_SAMPLE}: agreement {{agreement}}, support {{support}}, {{models}} models")


def _out_of_rank(table: pa.Table) -> pa.Array:
    """Faults of ranks of a split that do not count its rows from 1, the largest surprise first."""
    splits: dict[tuple[Any, ...], list[tuple[int, Any, Any]]] = defaultdict(list)
    columns = ["benchmark", "edition", "split", "rank", "surprise"]
    for index, row in enumerate(table.select(columns).to_pylist()):
        *split, rank, surprise = (row[name] for name in columns)
        splits[tuple(split)].append((index, rank, surprise))
    texts = {}
    for of, rows in splits.items():
        known = [row for row in rows if row[1] is not None and row[2] is not None]
        known.sort(key=lambda row: (row[1], -row[2]))
        above = float("inf")
        for place, (index, rank, surprise) in enumerate(known, start=1):
            if rank != place or surprise > above:
                texts[index] = f"{' '.join(map(str, of))}: rank {rank} at place {place}, surprise {surprise}"
            above = surprise
    return placed(table, texts)


SUITES: dict[str, Suite] = {
    suite.asset: suite
    for suite in (
        build(
            "analysis/extraction",
            "decision",
            (
                values_in("extractor_is_known", "extractor", EXTRACTORS, "The extractor is paper or strict."),
                unique_together(
                    "rule_once", ("evaluation", "extractor", "rule"), "A rule of an extractor stands once."
                ),
                rule("correct_within_n", _decided_beyond, "A rule decided once or more, rightly at most as often."),
                rule("unread_is_never_right", _right_unread, "A rule that ends without a letter is never right."),
            ),
            least_rows=0,
        ),
        build(
            "analysis/disagreements",
            "disagreement",
            (
                unique_together("reply_once", ("evaluation", "line"), "A reply stands once."),
                Check(
                    "line_counts_from_1",
                    "expect_column_values_to_be_between",
                    {"column": "line", "min_value": 1},
                    "Lines are counted from 1.",
                ),
                *(_letter(name, "A letter is one of A to Z, or null.") for name in EXTRACTORS),
                values_in("shape_is_known", "shape", tuple(SHAPES), "The shape is a declared one."),
                rule("letters_differ", _read_alike, "The two extractors read different letters, or one reads none."),
                rule("correct_is_the_label", _wrongly_right, "A reading is right exactly where it is the label."),
                Check(
                    "excerpt_is_printable",
                    "expect_column_values_to_not_match_regex",
                    {"column": "excerpt", "regex": r"[\x00-\x1f\x7f]"},
                    "An excerpt has its control characters written out.",
                ),
            ),
            least_rows=0,
        ),
        build(
            "analysis/gaps",
            "gap",
            (
                values_in("shape_is_known", "shape", _SHAPES, "The shape is a declared one, counting or total."),
                unique_together("shape_once", ("evaluation", "shape"), "A shape stands once in an evaluation."),
                rule(
                    "counts_nest",
                    _counts_beyond,
                    "Not more replies are read apart than there are, and of each at most one reading is right.",
                ),
                rule(
                    "accuracies_are_of_evaluation",
                    _accuracies_apart,
                    "The accuracies are the same fractions in all rows of an evaluation; without them nothing moves.",
                ),
                rule("total_is_the_sum", _totals_apart, "Each evaluation has a total, whose counts are the sums."),
                rule(
                    "moved_is_the_sum",
                    _moved_apart,
                    "What the shapes move together is the strict accuracy less the published rule's.",
                ),
                rule("sentence_says_count", _says_other_counts, "A shape's sentence begins with its count."),
            ),
            least_rows=0,
        ),
        build(
            "analysis/label_audit",
            "finding",
            (
                *_OF_SAMPLES,
                values_in("finding_is_known", "finding", tuple(FINDINGS), "The finding is a declared one."),
                unique_together(
                    "found_once",
                    ("benchmark", "edition", "split", "sample_id", "finding", "detail"),
                    "A finding stands once.",
                ),
                _letter("label", "A label is one of A to Z, or empty where there is none.", "^[A-Z]?$"),
                _letter("other", "The letter that speaks against a label is one of A to Z, or null."),
                rule("other_is_not_the_label", _against_itself, "No letter speaks against itself."),
                rule("evaluation_is_of_records", _elsewhere, "Only what a record shows names an evaluation."),
                rule("rationale_names_another", _no_other, "What a rationale speaks for is a letter."),
                rule("detail_says_texts", _blank_detail, "A finding says in which texts."),
            ),
            least_rows=0,
        ),
        build(
            "analysis/items",
            "item",
            (
                *_OF_SAMPLES,
                unique_together("item_once", ("benchmark", "edition", "split", "sample_id"), "A sample stands once."),
                rule(
                    "counts_nest",
                    _items_beyond,
                    "Not more evaluations are right than were asked, and a model has one or more of them.",
                ),
                rule("difficulty_is_of_counts", _difficulty_apart, "The difficulty is the share that has it wrong."),
                rule(
                    "discrimination_is_known",
                    _discrimination_misplaced,
                    "Discrimination is a correlation, and null where all or none are right or fewer than three asked.",
                ),
                _letter("consensus", "A consensus is one of A to Z, or null."),
                rule(
                    "shares_fit_consensus",
                    _votes_apart,
                    "The consensus has the most votes; agreement is its share of them, and support the label's.",
                ),
            ),
            least_rows=0,
        ),
        build(
            "analysis/consensus",
            "suspect",
            (
                *_OF_SAMPLES,
                unique_together(
                    "suspect_once", ("benchmark", "edition", "split", "sample_id"), "A suspect stands once."
                ),
                rule(
                    "votes_speak_against_label",
                    _no_suspect,
                    "The consensus is another letter than the label, and likelier.",
                ),
                rule(
                    "shares_are_of_votes",
                    _shares_apart,
                    "Agreement and support are shares of the same votes, of which the consensus has more.",
                ),
                rule("rank_follows_surprise", _out_of_rank, "The ranks of a split count from the largest surprise."),
            ),
            least_rows=0,
        ),
    )
}
