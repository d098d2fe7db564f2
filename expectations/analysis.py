"""What must hold of the tables that the analysis group writes: the leaderboard and the papers' tables beside ours."""

import itertools
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.evaluation.labels import LABEL_SETS
from assets.schema.vocabulary import BENCHMARKS, EDITIONS, EXTRACTORS, SPLITS
from expectations import analysis_audit, analysis_curves, analysis_rationales, analysis_tools
from expectations.common.rules import (
    TOLERANCE,
    counted_results,
    is_apart,
    no_negatives,
    unique_together,
    values_in,
)
from expectations.common.suite import Check, Suite, both, build, either, faults, placed, rule
from expectations.published import published_cells
from expectations.scored import mean_f1_holds, scored_by

ROUNDING = 0.005 + TOLERANCE
"""Half of the last digit that is published, in percentage points."""

_BOARD = "{evaluation} by {extractor}, labels {labels}"
_CELL = "{table} {model} {strategy} {column}"
_OURS = ("extractor", "labels", "n", "correct", "ours", "difference", "equal")


_ALIKE = ("benchmark", "edition", "split", "extractor", "policy", "labels")


def _out_of_rank(table: pa.Table) -> pa.Array:
    """Faults of ranks that do not follow accuracy among the rows scored alike on one split of a benchmark."""
    columns = [*_ALIKE, "evaluation", "rank", "accuracy", "n", "missing"]
    alike: dict[tuple[str, ...], list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    texts = {}
    for index, row in enumerate(table.select(columns).to_pylist()):
        what = f"{row['evaluation']} by {row['extractor']}, labels {row['labels']}"
        if row["rank"] is None:
            if row["accuracy"] is not None and row["missing"] < row["n"]:
                texts[index] = f"{what}: no rank, accuracy {row['accuracy']}"
        elif row["accuracy"] is None or row["rank"] < 1:
            texts[index] = f"{what}: rank {row['rank']}, accuracy {row['accuracy']}"
        else:
            alike[tuple(row[name] for name in _ALIKE)].append((index, row))
    for rows in alike.values():
        rows.sort(key=lambda entry: (-entry[1]["accuracy"], entry[1]["rank"]))
        for (_, above), (index, below) in itertools.pairwise(rows):
            tied = above["accuracy"] == below["accuracy"]
            if (tied and above["rank"] != below["rank"]) or (not tied and above["rank"] >= below["rank"]):
                texts[index] = (
                    f"{below['evaluation']} has rank {below['rank']} with {below['accuracy']}, {above['evaluation']} "
                    f"{above['rank']} with {above['accuracy']} ({below['extractor']}, labels {below['labels']})"
                )
    return placed(table, texts)


def _published_of_another(table: pa.Table) -> pa.Array:
    printed = both(
        pc.equal(table["benchmark"], "m3cot"),
        pc.equal(table["edition"], "released"),
        pc.equal(table["split"], "test"),
        pc.equal(table["shots"], 0),
    )
    wrong = both(pc.is_valid(table["published"]), pc.invert(printed))
    return faults(table, wrong, "{evaluation}: published {published}, of {edition} {benchmark} {split}, shots {shots}")


def _unpublished(table: pa.Table) -> pa.Array:
    cells = published_cells()
    texts = {}
    for index, row in enumerate(table.select(["table", "model", "strategy", "column", "published"]).to_pylist()):
        cell = (row["table"], row["model"], row["strategy"], row["column"])
        if cell not in cells:
            texts[index] = f"{_CELL.format(**row)}: no such cell is published"
        elif (cells[cell] is None) != (row["published"] is None) or (
            cells[cell] is not None and abs(cells[cell] - row["published"]) > TOLERANCE
        ):
            texts[index] = f"{_CELL.format(**row)}: {row['published']} where the published table has {cells[cell]}"
    return placed(table, texts)


def _absent(table: pa.Table) -> pa.Array:
    """A fault at the first row of a published row's cells that are not all there; wholly absent rows at row 0."""
    columns: dict[tuple[Any, ...], dict[tuple[Any, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
    first: dict[tuple[Any, ...], int] = {}
    for index, row in enumerate(table.select(["table", "model", "strategy", "column", *_WAYS]).to_pylist()):
        of, way = (row["table"], row["model"], row["strategy"]), tuple(row[name] for name in _WAYS)
        columns[of][way].add(row["column"])
        first.setdefault((*of, *way), index)
    wanted: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for published, model, strategy, column in published_cells():
        wanted[published, model, strategy].append(column)
    texts: dict[int, str] = {}
    for printed, names in wanted.items():
        for way, there in columns[printed].items():
            if lacking := [name for name in names if name not in there]:
                texts[first[*printed, *way]] = f"{' '.join(printed)} {_said(way)}: no cell {', '.join(lacking)}"
    lost = [" ".join(printed) for printed in wanted if not columns[printed]]
    if lost and table.num_rows:
        before = [texts[0]] if 0 in texts else []
        texts[0] = "; ".join([*before, f"{len(lost)} published rows are absent: {', '.join(lost)}"])
    return placed(table, texts)


_WAYS = ("evaluation", "extractor", "labels")


def _said(way: tuple[Any, ...]) -> str:
    evaluation, extractor, labels = way
    return f"beside {evaluation} by {extractor}, labels {labels}" if evaluation else "without an evaluation"


def _half_there(table: pa.Table) -> pa.Array:
    ours = pc.is_valid(table["evaluation"])
    without = both(pc.invert(ours), either(*(pc.is_valid(table[name]) for name in _OURS)))
    unscored = both(
        ours,
        either(*(pc.is_null(table[name]) for name in ("extractor", "labels", "n", "correct"))),
    )
    shown = ", ".join(f"{name} {{{name}}}" for name in _OURS)
    return faults(table, either(without, unscored), f"{_CELL}: evaluation {{evaluation}}, {shown}")


def _ours_apart(table: pa.Table) -> pa.Array:
    counted = pc.fill_null(pc.greater(table["n"], 0), False)
    share = pc.divide(pc.cast(table["correct"], pa.float64()), pc.if_else(counted, table["n"], None))
    wrong = either(
        pc.not_equal(counted, pc.is_valid(table["ours"])),
        is_apart(table["ours"], pc.multiply(share, 100.0), ROUNDING),
    )
    return faults(table, wrong, f"{_CELL}: ours {{ours}}, correct {{correct}}, n {{n}}")


def _difference_apart(table: pa.Table) -> pa.Array:
    expected = pc.subtract(table["ours"], table["published"])
    wrong = either(
        pc.not_equal(pc.is_valid(expected), pc.is_valid(table["difference"])),
        is_apart(table["difference"], expected, TOLERANCE),
    )
    return faults(table, wrong, f"{_CELL}: ours {{ours}}, published {{published}}, difference {{difference}}")


def _equal_apart(table: pa.Table) -> pa.Array:
    same = pc.less(pc.abs(pc.subtract(table["ours"], table["published"])), ROUNDING)
    wrong = either(pc.not_equal(pc.is_valid(same), pc.is_valid(table["equal"])), pc.not_equal(same, table["equal"]))
    return faults(table, wrong, f"{_CELL}: ours {{ours}}, published {{published}}, equal {{equal}}")


def _beyond_percent(table: pa.Table) -> pa.Array:
    wrong = either(
        *(test for name in ("ours", "published") for test in (pc.less(table[name], 0), pc.greater(table[name], 100)))
    )
    return faults(table, wrong, f"{_CELL}: ours {{ours}}, published {{published}}")


SUITES: dict[str, Suite] = {
    **analysis_audit.SUITES,
    **analysis_curves.SUITES,
    **analysis_rationales.SUITES,
    **analysis_tools.SUITES,
}
SUITES |= {
    suite.asset: suite
    for suite in (
        build(
            "analysis/leaderboard",
            "leaderboard",
            (
                *scored_by(),
                values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
                values_in("edition_is_known", "edition", EDITIONS, "The edition is released or built."),
                values_in("split_is_known", "split", SPLITS, "The split is train, validation or test."),
                no_negatives("{evaluation}", ("shots",), "No number of shots is negative."),
                unique_together(
                    "ranked_once",
                    ("evaluation", "extractor", "labels"),
                    "An evaluation stands once under each extractor and label set.",
                ),
                *counted_results(_BOARD),
                mean_f1_holds(_BOARD),
                rule(
                    "rank_follows_accuracy",
                    _out_of_rank,
                    "Among rows scored alike on one split a better accuracy has a smaller rank, the same the same; "
                    "only an evaluation without replies has none.",
                ),
                Check(
                    "published_is_a_fraction",
                    "expect_column_values_to_be_between",
                    {"column": "published", "min_value": 0, "max_value": 1},
                    "A published total is given as a fraction.",
                ),
                rule(
                    "published_is_of_the_same",
                    _published_of_another,
                    "A published total stands only beside released M3CoT's test split without shots, of which it is.",
                ),
            ),
        ),
        build(
            "analysis/paper_comparison",
            "comparison",
            (
                values_in("extractor_is_known", "extractor", EXTRACTORS, "The extractor is paper or strict."),
                values_in(
                    "labels_are_known", "labels", tuple(LABEL_SETS), "The label set is one of the declared ones."
                ),
                unique_together(
                    "cell_is_compared_once",
                    ("table", "model", "strategy", "column", *_WAYS),
                    "A cell is compared once with an evaluation by extractor and label set.",
                ),
                rule(
                    "cells_are_as_published",
                    _unpublished,
                    "Each cell is one of the published tables', with the value printed there.",
                ),
                rule(
                    "cells_are_all_there",
                    _absent,
                    "Every row of the published tables is there with all its cells, however it is compared.",
                ),
                rule(
                    "percentages_are_of_100", _beyond_percent, "Ours and the published accuracy lie within 0 and 100."
                ),
                rule(
                    "ours_is_whole_or_absent",
                    _half_there,
                    "A cell with an evaluation says how it was scored and counts; one without has nothing of ours.",
                ),
                rule("ours_is_of_counts", _ours_apart, "Ours is 100 correct / n to two decimals, null where n is 0."),
                rule("difference_is_ours_less_published", _difference_apart, "The difference is ours - published."),
                rule("equal_iff_difference_rounds_to_0", _equal_apart, "Equal says that both agree to two decimals."),
            ),
        ),
    )
}
