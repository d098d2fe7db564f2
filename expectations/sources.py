"""What must hold of the tables that the sources group writes."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import (
    ITEM_REASONS,
    LINE_REASONS,
    PICTURE_REASONS,
    SAME_PIXELS,
    SOURCE_REASONS,
)
from expectations import judged_chains, picture_judgements
from expectations.common.judgements import JUDGEMENTS
from expectations.common.manifests import MANIFEST
from expectations.common.pictures import of_pictures
from expectations.common.rules import is_blank, set_aside
from expectations.common.samples import ANSWERABLE, TASK, TOPIC, identified, silent
from expectations.common.suite import Check, Suite, both, build, either, faults, rule

KEY = "{source} {source_id}"


def _unasked(table: pa.Table) -> pa.Array:
    wrong = both(pc.is_null(table["dropped"]), either(is_blank(table["id"]), is_blank(table["question"])))
    return faults(table, wrong, f"{KEY}: id {{id}}, question {{question}}")


def _unclear(table: pa.Table) -> pa.Array:
    lacking = either(*(is_blank(table[name]) for name in ("instance_id", "image_id", "clue", "inference")))
    wrong = both(pc.is_null(table["dropped"]), lacking)
    return faults(table, wrong, "{instance_id}: clue {clue}, inference {inference}, picture {image_id}")


def _in_pieces(table: pa.Table) -> pa.Array:
    pieces = pc.fill_null(pc.list_value_length(table["pieces"]), 0)
    wrong = both(pc.is_null(table["dropped"]), either(is_blank(table["id"]), pc.not_equal(pieces, 7)))
    return faults(table, wrong, "{id}: not seven pieces")


def _headless(table: pa.Table) -> pa.Array:
    lacking = either(is_blank(table["id"]), is_blank(table["image_id"]), pc.is_null(table["heads"]))
    flat = either(*(pc.fill_null(pc.less(table[side], 1), True) for side in ("width", "height")))
    return faults(
        table,
        both(pc.is_null(table["dropped"]), either(lacking, flat)),
        "{source} {id}: picture {image_id}, {width} x {height}",
    )


def _single(table: pa.Table) -> pa.Array:
    lacking = either(*(is_blank(table[name]) for name in ("id", "first", "second")))
    alone = either(lacking, pc.fill_null(pc.equal(table["first"], table["second"]), True))
    boxes = pc.fill_null(pc.list_value_length(table["boxes"]), 0)
    return faults(
        table,
        both(pc.is_null(table["dropped"]), either(alone, pc.equal(boxes, 0))),
        "{source} {id}: pictures {first} and {second}, boxes {boxes}",
    )


def _named(table: pa.Table) -> pa.ChunkedArray:
    names = pc.binary_join_element_wise(pc.cast(table["source"], pa.string()), pc.cast(table["id"], pa.string()), " ")
    return pc.if_else(pc.is_null(table["dropped"]), names, None)


PICTURES = of_pictures((*PICTURE_REASONS, SAME_PIXELS), PICTURE_REASONS)
# Where a picture lies in a row of parquet, what is wrong with the row is wrong with the picture.
_IN_ROWS = (*PICTURE_REASONS, "not_utf8", "duplicate_id")
RELEASED_PICTURES = of_pictures((*_IN_ROWS, SAME_PIXELS), _IN_ROWS)
UPSTREAM = identified(KEY, SOURCE_REASONS, SOURCE_REASONS, lines=False)
RELEASED = identified(
    KEY, (*LINE_REASONS, *ITEM_REASONS, *SOURCE_REASONS), (*LINE_REASONS, *ITEM_REASONS, *SOURCE_REASONS), lines=False
)

_UPSTREAM_REASONS = set_aside("{source} {id}", SOURCE_REASONS, SOURCE_REASONS, lines=False)
KEPT_ONCE = Check(
    "kept_ids_are_unique",
    "expect_column_values_to_be_unique",
    {"column": "kept_id"},
    "No two kept records of an upstream share an id.",
    derived={"kept_id": _named},
)
SUITES: dict[str, Suite] = {**judged_chains.SUITES, **picture_judgements.SUITES}
SUITES |= {
    suite.asset: suite
    for suite in (
        build("sources/generated_upstreams", "manifest", MANIFEST, least_rows=0),
        build("sources/generated_released", "manifest", MANIFEST, least_rows=0),
        # A source may be nowhere: then its tables are empty and the assets say that it is not configured.
        *(
            build(f"sources/{name}_images", "image", PICTURES, least_rows=0)
            for name in ("scienceqa", "tabmwp", "sherlock", "geometry", "crowds", "pairs")
        ),
        *(
            build(f"sources/{name}_released_images", "image", RELEASED_PICTURES, least_rows=0)
            for name in ("m3cot", "comt")
        ),
        build("sources/scienceqa", "sample", (*UPSTREAM, *ANSWERABLE, TOPIC), least_rows=0),
        build(
            "sources/math",
            "sample",
            (
                *UPSTREAM,
                rule("kept_are_asked", _unasked, "A kept problem has an id and a question."),
                rule("kept_are_solved", silent, "A kept problem has a worked solution."),
                TOPIC,
            ),
            least_rows=0,
        ),
        build(
            "sources/tabmwp",
            "sample",
            (*UPSTREAM, rule("kept_are_asked", _unasked, "A kept problem has an id and a question."), TOPIC),
            least_rows=0,
        ),
        build(
            "sources/kilogram",
            "tangram",
            (
                *set_aside("{id}", SOURCE_REASONS, SOURCE_REASONS, lines=False),
                rule("tangrams_have_seven_pieces", _in_pieces, "A tangram has an id and seven pieces."),
            ),
            least_rows=0,
        ),
        build(
            "sources/sherlock",
            "clue",
            (
                # A clue whose region lies outside its picture was read well enough: it is left out, not set aside.
                *set_aside(
                    "{instance_id}",
                    SOURCE_REASONS,
                    [reason for reason in SOURCE_REASONS if reason != "box_outside"],
                    lines=False,
                ),
                rule("kept_are_clues", _unclear, "A kept clue has a picture, what was seen and what was inferred."),
            ),
            least_rows=0,
        ),
        *(build(f"sources/{name}_annotations", "annotation", JUDGEMENTS, least_rows=0) for name in ("m3cot", "comt")),
        build(
            "sources/geometry",
            "sample",
            (*UPSTREAM, *ANSWERABLE),
            least_rows=0,
        ),
        build(
            "sources/crowds",
            "crowd",
            (
                *_UPSTREAM_REASONS,
                KEPT_ONCE,
                rule("kept_are_whole", _headless, "A kept photograph has an id, a picture with its size, and heads."),
            ),
            least_rows=0,
        ),
        build(
            "sources/pairs",
            "pair",
            (
                *_UPSTREAM_REASONS,
                KEPT_ONCE,
                rule("kept_are_pairs", _single, "A kept pair has an id, two different pictures and their differences."),
            ),
            least_rows=0,
        ),
        build("sources/m3cot_released", "sample", (*RELEASED, *ANSWERABLE, TOPIC), least_rows=0),
        build("sources/comt_released", "sample", (*RELEASED, *ANSWERABLE, TASK), least_rows=0),
    )
}
