"""What must hold of the list of a folder's files."""

import pyarrow as pa
import pyarrow.compute as pc

from expectations.common.suite import Check, either, faults, rule


def _astray(table: pa.Table) -> pa.Array:
    inside = pc.match_substring_regex(table["file"], r"^[^/\\]+(/[^/\\]+)*$")
    climbs = pc.match_substring_regex(table["file"], r"(^|/)\.\.?(/|$)|^[A-Za-z]:")
    return faults(table, either(pc.invert(inside), climbs), "{file}: not a path within the folder")


MANIFEST = (
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
)
"""What holds of the list of a folder's files."""
