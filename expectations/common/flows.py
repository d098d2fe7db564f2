"""What must hold of tables `flow` and `quarantine`, whichever chain they are counted from."""

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from expectations.common.rules import is_blank, list_sum, no_negatives, unique_together, values_in
from expectations.common.suite import Check, Derive, both, either, faults, placed, rule


def balanced(reasons: Collection[str]) -> tuple[Check, ...]:
    """The checks of a table `flow` in which rows go for these reasons alone."""
    return (
        unique_together("stage_and_source_once", ("stage", "source"), "A stage counts each source once."),
        no_negatives("{stage} {source}", ("entered", "generated", "retained", "discarded", "quarantined")),
        rule("balance", _unbalanced, "entered + generated = retained + discarded + quarantined."),
        rule("reasons_add_up", _unexplained, "The counts by reason add up to discarded + quarantined."),
        rule(
            "reasons_are_known",
            _unnamed(reasons),
            "Each reason is a known one, is named once and has a count of 1 or more.",
        ),
    )


def set_aside_rows(reasons: Sequence[str], *, lines: bool) -> tuple[Check, ...]:
    """The checks of a table `quarantine` of records set aside for these reasons; `lines`: each has a line of its own.

    Otherwise several may stand in one line, as in a JSON file that is written in a single one.
    """
    return (
        values_in("reason_is_known", "reason", reasons, "A record was set aside for one of the fixed reasons."),
        Check(
            "line_counts_from_1",
            "expect_column_values_to_be_between",
            {"column": "line", "min_value": 1},
            "Lines are counted from 1.",
        ),
        rule(
            "can_be_found",
            _nowhere if lines else _without_a_file,
            f"A record that was set aside is found again by file{' and line' if lines else ''}, or by key.",
        ),
        unique_together(
            "set_aside_once",
            ("source", "file", "line") if lines else ("source", "file", "line", "key", "excerpt"),
            f"No {'line' if lines else 'record'} of a file is set aside twice by one source.",
            ignore="any_value_is_missing",
        ),
    )


def _unbalanced(table: pa.Table) -> pa.Array:
    came = pc.add(table["entered"], table["generated"])
    went = pc.add(pc.add(table["retained"], table["discarded"]), table["quarantined"])
    return faults(
        table,
        pc.not_equal(came, went),
        "{stage} {source}: entered {entered} + generated {generated} is not "
        "retained {retained} + discarded {discarded} + quarantined {quarantined}",
    )


def _unexplained(table: pa.Table) -> pa.Array:
    left = pc.cast(pc.add(table["discarded"], table["quarantined"]), pa.int64())
    wrong = pc.not_equal(list_sum(table, "reasons", "n"), left)
    return faults(
        table, wrong, "{stage} {source}: discarded {discarded} + quarantined {quarantined}, reasons {reasons}"
    )


def _unnamed(known: Collection[str]) -> Derive:
    def unnamed(table: pa.Table) -> pa.Array:
        return _unnamed_reasons(table, known)

    return unnamed


def _unnamed_reasons(table: pa.Table, known: Collection[str]) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.select(["stage", "source", "reasons"]).to_pylist()):
        counted = [part["reason"] for part in row["reasons"] or ()]
        wrong = sorted({str(reason) for reason in counted if reason not in known or counted.count(reason) > 1})
        if wrong or any((part["n"] or 0) < 1 for part in row["reasons"] or ()):
            texts[index] = f"{row['stage']} {row['source']}: reasons {row['reasons']}"
    return placed(table, texts)


def _nowhere(table: pa.Table) -> pa.Array:
    wrong = both(either(pc.is_null(table["file"]), pc.is_null(table["line"])), is_blank(table["key"]))
    return faults(table, wrong, "{source}: {reason} with file {file}, line {line}, key {key}")


def _without_a_file(table: pa.Table) -> pa.Array:
    return faults(
        table, both(is_blank(table["file"]), is_blank(table["key"])), "{source}: {reason} without file or key"
    )


def following(stages: Mapping[str, Sequence[str]]) -> Check:
    """The check that a stage took in what those before it kept; `stages`: by stage, where what enters it comes from."""

    def lost(table: pa.Table) -> pa.Array:
        return _lost_on_the_way(table, stages)

    return rule("stages_follow", lost, "What a stage takes in is what those before it kept.")


def _lost_on_the_way(table: pa.Table, stages: Mapping[str, Sequence[str]]) -> pa.Array:
    """Faults of stages that did not take in what those before them kept; one that lost all has no row of its own."""
    rows = table.select(["stage", "source", "entered", "retained"]).to_pylist()
    places = {(row["stage"], row["source"]): index for index, row in enumerate(rows)}
    texts: dict[int, str] = {}
    for stage, before in stages.items():
        for source in dict.fromkeys(row["source"] for row in rows if row["stage"] in (stage, *before)):
            went = [places[each, source] for each in before if (each, source) in places]
            kept = sum(rows[index]["retained"] or 0 for index in went)
            here = places.get((stage, source))
            came = 0 if here is None else rows[here]["entered"] or 0
            if came != kept:
                text = f"{stage} {source}: {kept} were kept before ({', '.join(before)}), {came} came"
                index = went[0] if here is None else here
                texts[index] = "; ".join([*([texts[index]] if index in texts else []), text])
    return placed(table, texts)
