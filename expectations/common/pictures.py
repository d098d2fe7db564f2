"""What must hold of tables of pictures. Checks see empty bytes in place of each picture, so they stay small."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import SAME_PIXELS
from expectations.common.rules import is_blank, set_aside, where_kept
from expectations.common.suite import Check, both, either, faults, placed, rule


def _not_whole(table: pa.Table) -> pa.Array:
    lacking = either(is_blank(table["image_id"]), pc.is_null(table["png"]), is_blank(table["mode"]))
    flat = either(*(pc.fill_null(pc.less(table[side], 1), True) for side in ("width", "height")))
    return faults(
        table, both(pc.is_null(table["dropped"]), either(lacking, flat)), "{file}: {width} x {height}, {mode}"
    )


def _kept_twice(table: pa.Table) -> pa.Array:
    wrong = both(pc.is_valid(table["dropped"]), pc.is_valid(table["png"]))
    return faults(table, wrong, "{file}: dropped ({dropped}) and yet kept as a picture")


def _of_nothing(table: pa.Table) -> pa.Array:
    kept = set(table.filter(pc.is_null(table["dropped"]))["image_id"].to_pylist())
    rows = table.select(["file", "image_id", "dropped"]).to_pylist()
    lost = {
        place: f"{row['file']}: the same pixels as {row['image_id']}, which no row has"
        for place, row in enumerate(rows)
        if row["dropped"] == SAME_PIXELS and row["image_id"] not in kept
    }
    return placed(table, lost)


def _listed(table: pa.Table) -> pa.ChunkedArray:
    return pc.if_else(pc.fill_null(pc.equal(table["dropped"], "duplicate_id"), False), None, table["file"])


def of_pictures(reasons: Sequence[str], quarantine: Sequence[str]) -> tuple[Check, ...]:
    """The checks of a table `image`; `quarantine`: the reasons for which a file is set aside rather than left out."""
    return (
        *set_aside("{file}", reasons, quarantine, lines=False),
        rule("kept_are_whole", _not_whole, "A kept picture has an id, a width, a height, a mode and its bytes."),
        rule("pictures_stand_once", _kept_twice, "Only a kept row holds a picture's bytes."),
        rule(
            "same_pixels_are_there", _of_nothing, "What has the same pixels as another names a picture of this table."
        ),
        Check(
            "kept_pictures_are_unique",
            "expect_column_values_to_be_unique",
            {"column": "kept_image_id"},
            "No two kept pictures have the same pixels.",
            derived={"kept_image_id": where_kept("image_id")},
        ),
        Check(
            "image_id_is_a_digest",
            "expect_column_values_to_match_regex",
            {"column": "image_id", "regex": "^[0-9a-f]{64}$"},
            "A picture's id is 64 lower-case hexadecimal digits.",
        ),
        Check(
            "file_is_listed_once",
            "expect_column_values_to_be_unique",
            {"column": "listed_file"},
            "No file is listed twice, but for a record of the same id as another, which is set aside.",
            derived={"listed_file": _listed},
        ),
    )
