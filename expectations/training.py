"""What must hold of what a training leaves: its checkpoint, and what it reaches with the pictures and without."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import CONTROLS, SPLITS
from expectations.common.manifests import MANIFEST
from expectations.common.rules import is_apart, no_negatives, unique_together, values_in
from expectations.common.suite import Suite, both, build, either, faults, rule

_CONTROL = "{training} {control} on {split}, {scope} {name}"
TOLERANCE = 1e-9
LEVEL = 0.01
"""Of the exact McNemar value that says that a model looks at the picture, or knows more than chance does."""


def _accuracy_apart(table: pa.Table) -> pa.Array:
    share = pc.divide(pc.cast(table["correct"], pa.float64()), table["n"])
    outside = either(pc.greater(table["low"], table["accuracy"]), pc.less(table["high"], table["accuracy"]))
    wrong = either(is_apart(table["accuracy"], share, TOLERANCE), outside)
    return faults(table, wrong, f"{_CONTROL}: {{accuracy}} ({{low}} to {{high}}), correct {{correct}} of {{n}}")


def _p_misplaced(table: pa.Table) -> pa.Array:
    wrong = pc.not_equal(pc.equal(table["control"], "seen"), pc.is_null(table["p"]))
    return faults(table, wrong, f"{_CONTROL}: p {{p}}")


def _no_better(table: pa.Table) -> pa.Array:
    """Faults of trained models that are not clearly better than a control on the whole."""
    seen = {
        (row["training"], row["split"]): row["accuracy"]
        for row in table.to_pylist()
        if (row["control"], row["scope"]) == ("seen", "total")
    }
    best = [seen.get((row["training"], row["split"]), 0.0) for row in table.select(["training", "split"]).to_pylist()]
    unclear = either(pc.greater_equal(table["p"], LEVEL), pc.greater_equal(table["accuracy"], pa.array(best)))
    wrong = both(pc.equal(table["scope"], "total"), pc.not_equal(table["control"], "seen"), unclear)
    return faults(table, wrong, f"{_CONTROL}: accuracy {{accuracy}}, p {{p}} against seen")


SUITES: dict[str, Suite] = {
    suite.asset: suite
    for suite in (
        *(build(f"training/{made}", "manifest", MANIFEST) for made in ("bases", "checkpoints", "adapted")),
        build(
            "training/controls",
            "control",
            (
                values_in("split_is_known", "split", SPLITS, "The split is train, validation or test."),
                values_in("control_is_known", "control", CONTROLS, "The control is a declared one."),
                unique_together(
                    "stands_once",
                    ("training", "split", "control", "scope", "name"),
                    "A control stands once by training, split, scope and name.",
                ),
                no_negatives(_CONTROL, ("n", "correct")),
                rule("accuracy_is_of_counts", _accuracy_apart, "The accuracy is correct / n, within its interval."),
                rule("p_is_against_seen", _p_misplaced, "Every control but seen has its value against seen."),
                rule(
                    "model_looks_at_pictures",
                    _no_better,
                    f"On the whole the model is better than by chance, and than with the pictures shuffled or blank, "
                    f"each with p < {LEVEL:g}.",
                    severity="warning",
                ),
            ),
            least_rows=0,
        ),
    )
}
