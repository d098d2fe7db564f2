"""Tangrams counted as what is made of them: one row a description."""

import pyarrow as pa
import pyarrow.compute as pc


def of_tangrams(table: pa.Table) -> pa.Table:
    """A table `tangram` with each kept row as often as it has descriptions, once where it has none."""
    described = pc.fill_null(pc.list_value_length(table["descriptions"]), 0)
    times = pc.if_else(pc.is_null(table["dropped"]), pc.max_element_wise(described, 1), 1).to_pylist()
    return table.take(pa.array([place for place, n in enumerate(times) for _ in range(n)], pa.int64()))
