"""What must hold of the scores that people gave the pictures which models drew."""

import pyarrow as pa
import pyarrow.compute as pc

from expectations.common.judgements import JUDGEMENTS
from expectations.common.suite import Suite, both, build, faults, one_of, rule

_LINE = "{source}: {verdict} on {sample_id} by {annotator}, stage {stage}"
SCORES = ("0", "1", "2", "3", "4")


def _no_reply(table: pa.Table) -> pa.Array:
    named = pc.match_substring_regex(table["sample_id"], r"^[a-z0-9_]+:.*\S")
    return faults(table, both(pc.is_null(table["dropped"]), pc.invert(named)), _LINE)


def _no_score(table: pa.Table) -> pa.Array:
    score = both(pc.equal(table["stage"], "picture_quality"), one_of(table["verdict"], SCORES))
    # What is no known verdict or stage at all, and what lacks one, the checks of every judgement say.
    known = both(pc.is_valid(table["stage"]), pc.is_valid(table["verdict"]))
    return faults(table, both(known, pc.invert(score)), _LINE)


def _edited(table: pa.Table) -> pa.Array:
    changed = both(pc.is_null(table["dropped"]), pc.greater(pc.list_value_length(table["edits"]), 0))
    return faults(table, changed, f"{_LINE}: edits {{edits}}")


SUITES: dict[str, Suite] = {
    "sources/picture_judgements": build(
        "sources/picture_judgements",
        "annotation",
        (
            *JUDGEMENTS,
            rule("kept_are_of_replies", _no_reply, "A judgement that counts names a reply: `evaluation:sample`."),
            rule("verdicts_are_scores", _no_score, "A verdict is a score from 0 to 4, of stage picture_quality."),
            rule("nothing_is_edited", _edited, "A reply is judged as it is: there are no edits."),
        ),
        least_rows=0,
    )
}
