"""Tables of the nights: how each live evaluation was asked, what changed since its last good night, and the history."""

import pyarrow as pa

from assets.schema.columns import COUNTED_STATUS, Column, Table, count, fraction, text

_DAY = text("day", "The night, by the day on which it began (2026-11-30).")
_EVALUATION = text("evaluation", "The evaluation's name in params.yaml.")
_WHERE = (
    text("benchmark", "m3cot or comt."),
    text("edition", "released, or built here."),
    text("split", "train, validation or test."),
)
_ASKING = text("asking", "The name under which the store keeps this night's replies.")
_GOOD = (
    Column("good", pa.bool_(), "Whether it was asked to the end, with no more failures than allowed."),
    text("reason", "Why it is not good; null when it is.", nullable=True),
)
_STATUSES = Column("statuses", pa.list_(COUNTED_STATUS), "Its replies by status; none when it is not good.")
_TESTED = (
    fraction("p", "Two-sided exact McNemar p value.", nullable=True),
    fraction("p_adjusted", "The same, corrected by Holm for the evaluations compared in this night.", nullable=True),
)

NIGHTLY = (
    Table(
        "asked",
        "One live evaluation as one night asked it.",
        (
            _DAY,
            _EVALUATION,
            *_WHERE,
            count("limit", "Only so many samples of the split, its first ones; null for all.", nullable=True),
            _ASKING,
            text("settings", "A digest of what params.yaml said of the evaluation and its model."),
            *_GOOD,
            _STATUSES,
        ),
    ),
    Table(
        "change",
        "One evaluation of one night compared with its last good night before, one extractor and label set.",
        (
            _DAY,
            _EVALUATION,
            text("compared_with", "The last good night of this evaluation before."),
            text("extractor", "Text to letter: paper or strict."),
            text("policy", "Counting: paper or strict."),
            text("labels", "The label set scored against."),
            count("n", "Samples that both nights count."),
            count("both", "Samples right in both nights."),
            count("only_now", "Samples right in this night only."),
            count("only_before", "Samples right in the night before only."),
            count("neither", "Samples right in neither."),
            fraction("difference", "Accuracy of this night minus that of the one before, in [-1, 1].", nullable=True),
            fraction("low", "Lower end of the paired interval of the difference.", nullable=True),
            fraction("high", "Upper end of the paired interval of the difference.", nullable=True),
            *_TESTED,
            Column("same_settings", pa.bool_(), "Whether params.yaml said the same of it and its model both times."),
            count("left_out", "Samples left out because the reply of either night failed (error or filtered)."),
        ),
    ),
    Table(
        "night",
        "One evaluation in one night: its score, strict extractor and first label set, and its change.",
        (
            _DAY,
            _EVALUATION,
            *_WHERE,
            _ASKING,
            *_GOOD,
            _STATUSES,
            text("labels", "The label set scored against; null when it is not good.", nullable=True),
            count("n", "Samples in the denominator; null when it is not good.", nullable=True),
            count("correct", "Samples answered with the label's letter; null when it is not good.", nullable=True),
            fraction("accuracy", "correct / n, in [0, 1]; null when it is not good.", nullable=True),
            fraction("low", "Lower end of the Wilson interval of accuracy.", nullable=True),
            fraction("high", "Upper end of the Wilson interval of accuracy.", nullable=True),
            text("compared_with", "The last good night before; null for the first one.", nullable=True),
            count("compared_n", "Samples that both nights count; null for the first one.", nullable=True),
            fraction("difference", "Accuracy minus that of the night before, on these samples.", nullable=True),
            fraction("difference_low", "Lower end of the paired interval of the difference.", nullable=True),
            fraction("difference_high", "Upper end of the paired interval of the difference.", nullable=True),
            *_TESTED,
            Column("same_settings", pa.bool_(), "Whether params.yaml said the same of it both times.", nullable=True),
        ),
    ),
)
