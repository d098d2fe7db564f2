"""What must hold of the chains of reasoning that people judged."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.analysis_vocabulary import JUDGED_QUESTIONS
from assets.schema.vocabulary import SOURCE_REASONS
from expectations.common.rules import is_blank, set_aside
from expectations.common.suite import Check, Suite, both, build, either, faults, rule

_CHAIN = "{dataset} {chain_id}"
WORST, BEST = 1, 5


def _incomplete(table: pa.Table) -> pa.Array:
    silent = both(*(pc.is_null(table[question]) for question in JUDGED_QUESTIONS))
    lacking = either(is_blank(table["chain_id"]), is_blank(table["context"]), pc.is_null(table["steps"]), silent)
    return faults(table, both(pc.is_null(table["dropped"]), lacking), f"{_CHAIN}: context {{context}}, steps {{steps}}")


def _off_scale(table: pa.Table) -> pa.Array:
    graded = ("overall", "coherency")
    wrong = either(*(test for name in graded for test in (pc.less(table[name], WORST), pc.greater(table[name], BEST))))
    return faults(table, wrong, f"{_CHAIN}: overall {{overall}}, coherency {{coherency}}")


def _blank_steps(table: pa.Table) -> pa.Array:
    blank = [any(not (step or "").strip() for step in steps or ()) for steps in table["steps"].to_pylist()]
    return faults(table, pa.array(blank, pa.bool_()), f"{_CHAIN}: steps {{steps}}")


def _named(table: pa.Table) -> pa.ChunkedArray:
    names = pc.binary_join_element_wise(*(pc.cast(table[name], pa.string()) for name in ("dataset", "chain_id")), " ")
    return pc.if_else(pc.is_null(table["dropped"]), names, None)


SUITES: dict[str, Suite] = {
    "sources/judged_chains": build(
        "sources/judged_chains",
        "judged_chain",
        (
            *set_aside(_CHAIN, SOURCE_REASONS, SOURCE_REASONS, lines=False),
            Check(
                "kept_ids_are_unique",
                "expect_column_values_to_be_unique",
                {"column": "kept_chain"},
                "No two kept chains of a dataset share an id.",
                derived={"kept_chain": _named},
            ),
            rule(
                "kept_are_judged",
                _incomplete,
                "A kept chain has an id, a context, its steps (perhaps none) and somebody's judgement.",
            ),
            rule("judgements_are_on_scale", _off_scale, f"Quality and coherency lie within {WORST} and {BEST}."),
            rule("steps_say_something", _blank_steps, "No step is blank."),
        ),
        least_rows=0,
    )
}
