"""What holds of every table that says how something was scored."""

from assets.evaluation.labels import LABEL_SETS
from assets.schema.vocabulary import EXTRACTORS, POLICIES
from expectations.common.rules import values_in
from expectations.common.suite import Check


def scored_by() -> tuple[Check, ...]:
    """The checks of the columns that say how something was scored."""
    return (
        values_in("extractor_is_known", "extractor", EXTRACTORS, "The extractor is paper or strict."),
        values_in("policy_is_known", "policy", POLICIES, "The policy of counting is paper or strict."),
        values_in("labels_are_known", "labels", tuple(LABEL_SETS), "The label set is one of the declared ones."),
    )
