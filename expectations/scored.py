"""What holds of every table that says how something was scored."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.evaluation.labels import LABEL_SETS
from assets.schema.vocabulary import EXTRACTORS, POLICIES
from expectations.common.rules import values_in
from expectations.common.suite import Check, either, faults, rule


def scored_by() -> tuple[Check, ...]:
    """The checks of the columns that say how something was scored."""
    return (
        values_in("extractor_is_known", "extractor", EXTRACTORS, "The extractor is paper or strict."),
        values_in("policy_is_known", "policy", POLICIES, "The policy of counting is paper or strict."),
        values_in("labels_are_known", "labels", tuple(LABEL_SETS), "The label set is one of the declared ones."),
    )


def mean_f1_holds(key: str) -> Check:
    """The check of the mean over tasks (M3CoT: topics); `key` is a format string that names a row."""

    def beyond(table: pa.Table) -> pa.Array:
        mean, macro = table["mean_f1"], table["macro_accuracy"]
        wrong = either(pc.less(mean, 0), pc.greater(mean, 1), pc.not_equal(pc.is_valid(mean), pc.is_valid(macro)))
        return faults(table, wrong, f"{key}: mean_f1 {{mean_f1}}, macro_accuracy {{macro_accuracy}}")

    return rule(
        "mean_f1_is_over_groups",
        beyond,
        "The mean of the Macro-F1 of tasks (M3CoT: topics) lies within [0, 1], null where their mean accuracy is.",
    )
