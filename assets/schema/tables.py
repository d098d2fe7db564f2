"""Every table of the project: its columns, their types and meanings. Storage, checks, docs and UI read it here."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from assets.schema.analysis import ANALYSIS
from assets.schema.analysis_systems import EXPLORATIONS
from assets.schema.building import BUILDING
from assets.schema.columns import (
    COUNTED_REASON,
    COUNTED_STATUS,
    DROPPED,
    TURN,
    Column,
    Table,
    count,
    fraction,
    text,
)
from assets.schema.nightly import NIGHTLY

_SCORED = (
    text("extractor", "Text to letter: paper (the published rule) or strict (the ordered grammar)."),
    text("policy", "Counting: paper (as published) or strict (every sample of the split counts)."),
    text("labels", "The label set scored against, such as released or paper."),
)
_RESULT = (
    count("n", "Samples in the denominator."),
    count("correct", "Samples answered with the label's letter."),
    fraction("accuracy", "correct / n, in [0, 1] (micro); null when n is 0.", nullable=True),
    fraction("low", "Lower end of the Wilson interval of accuracy, in [0, 1].", nullable=True),
    fraction("high", "Upper end of the Wilson interval of accuracy, in [0, 1].", nullable=True),
    fraction("macro_accuracy", "Unweighted mean of the accuracies of the topics (CoMT: tasks) within.", nullable=True),
    fraction("macro_f1", "Mean F1 over the letters that occur as labels; no answer is a miss, never a class.", True),
    fraction(
        "mean_f1",
        "Unweighted mean of the Macro-F1 of the tasks (M3CoT: topics) within, tasks without a counted sample left out; "
        "null when none.",
        nullable=True,
    ),
    fraction("errors_excluded", "Accuracy over the samples whose reply is neither error nor missing.", nullable=True),
    count("missing", "Samples of the split without a reply."),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        *BUILDING,
        *NIGHTLY,
        *ANALYSIS,
        *EXPLORATIONS,
        Table(
            "prediction",
            "One reply of a model to one sample, or one record of a replies file that could not be read.",
            (
                text("evaluation", "The evaluation's name in params.yaml."),
                count("line", "Position of the record in its file or asking, from 1."),
                text("sample_id", "The sample that was asked; null when the record names none.", nullable=True),
                Column("choices", pa.list_(pa.string()), "The options as the record gives them, if it does.", True),
                Column("turns", pa.list_(TURN), "The dialogue: prompts and replies as text and image parts.", True),
                text(
                    "status",
                    "ok, refusal, filtered, empty, truncated, error; of tools plan_error, tool_error, bound_reached.",
                ),
                text("finish_reason", "Why generation ended, where the model said.", nullable=True),
                count("tokens_in", "Prompt tokens, where counted.", nullable=True),
                count("tokens_out", "Reply tokens, where counted.", nullable=True),
                text("fingerprint", "The model's own version string, where it gives one.", nullable=True),
                *DROPPED,
            ),
        ),
        Table(
            "dialogue",
            "One sample exactly as an evaluation asks it: the user's turns, between which the model replies.",
            (
                text("evaluation", "The evaluation's name in params.yaml."),
                text("sample_id", "The sample that is asked."),
                Column("turns", pa.list_(TURN), "The user's turns as text and image parts."),
                count("pictures", "Pictures that are sent."),
                count("characters", "Characters of text that are sent."),
            ),
        ),
        Table(
            "control",
            "What a trained model reaches within one scope of a split, with the pictures or without.",
            (
                text("training", "The training's name in params.yaml."),
                text("split", "train, validation or test."),
                text("control", "seen (the pictures as they are), shuffled among the samples, blank, or random."),
                text("scope", "total, topic, subtopic or category."),
                text("name", "Which topic, subtopic or category; total for the whole."),
                count("n", "Samples in the denominator."),
                count("correct", "Samples answered with the label's letter."),
                fraction("accuracy", "correct / n, in [0, 1]."),
                fraction("low", "Lower end of the Wilson interval of accuracy."),
                fraction("high", "Upper end of the Wilson interval of accuracy."),
                fraction("p", "Two-sided exact McNemar value against seen; null for seen itself.", nullable=True),
            ),
        ),
        Table(
            "answer",
            "One reply as one extractor reads it, or one sample that has no reply (status missing).",
            (
                text("evaluation", "The evaluation's name in params.yaml."),
                count("line", "Position of the reply in its file; null when missing.", nullable=True),
                text("sample_id", "The sample that was asked."),
                text("extractor", "paper or strict."),
                text("letter", "The letter read, upper case; null when none.", nullable=True),
                text("rule", "The extractor's rule that decided."),
                Column("span", pa.list_(pa.int32()), "Start and end of the deciding text in the reply.", True),
                text("status", "The reply's status, or none, ambiguous, not_evaluable, missing."),
                text("label", "The recorded label (label set released)."),
                Column("counted", pa.bool_(), "Whether the extractor's policy counts the row in the denominator."),
                Column("correct", pa.bool_(), "Whether the letter equals the recorded label."),
            ),
        ),
        Table(
            "flow",
            "What one source brought into one stage and what became of it.",
            (
                text("stage", "The step of the chain."),
                text("source", "The file, upstream or evaluation the rows come from."),
                count("entered", "Rows that came in."),
                count("generated", "Rows that the stage made."),
                count("retained", "Rows that go on."),
                count("discarded", "Rows that were read and left out by a rule."),
                count("quarantined", "Rows that could not be read, or cannot be counted."),
                Column("reasons", pa.list_(COUNTED_REASON), "Counts by reason of the discarded and quarantined."),
            ),
        ),
        Table(
            "quarantine",
            "One record that was set aside, with where it stands and why.",
            (
                text("source", "The asset or evaluation that read it."),
                text("file", "The file it stands in, as params.yaml names it.", nullable=True),
                count("line", "Its line there, from 1.", nullable=True),
                text("key", "Its id, where it has one.", nullable=True),
                text("reason", "Why it was set aside."),
                text("excerpt", "The first characters of the raw record.", nullable=True),
            ),
        ),
        Table(
            "score",
            "The score of one evaluation under one extractor and label set within one scope.",
            (
                text("evaluation", "The evaluation's name in params.yaml."),
                *_SCORED,
                text("scope", "total, domain, topic, category or task."),
                text("name", "Which domain, topic, category or task; total for the whole."),
                *_RESULT,
                Column("statuses", pa.list_(COUNTED_STATUS), "Counted samples by answer status."),
            ),
        ),
        Table(
            "baseline",
            "What guessing, or one letter for every sample, reaches within one scope of a split of an edition.",
            (
                text("benchmark", "m3cot or comt."),
                text("edition", "Of the benchmark: released, or built here."),
                text("split", "train, validation or test."),
                text("baseline", "random (one of the sample's options) or majority (the letter that is right most)."),
                text("scope", "total, domain, topic, category or task."),
                text("name", "Which domain, topic, category or task; total for the whole."),
                text("letter", "What majority answers: the split's most frequent label; null for random.", True),
                count("n", "Samples in the denominator."),
                fraction(
                    "accuracy", "Share answered right, in [0, 1], the mean over the seeds; null when n is 0.", True
                ),
                fraction("low", "Lower end of the Wilson interval of accuracy, all seeds together.", nullable=True),
                fraction("high", "Upper end of the Wilson interval of accuracy, all seeds together.", nullable=True),
                fraction("lowest", "The lowest accuracy among the seeds.", nullable=True),
                fraction("highest", "The highest accuracy among the seeds.", nullable=True),
                fraction("macro_accuracy", "As in table score, the mean over the seeds.", nullable=True),
                fraction("macro_f1", "As in table score, the mean over the seeds.", nullable=True),
                fraction("mean_f1", "As in table score, the mean over the seeds.", nullable=True),
                fraction("expected", "Mean over the samples of 1 / number of options: the accuracy of guessing.", True),
                Column("seeds", pa.list_(pa.int32()), "The seeds of random, one attempt each; none for majority."),
            ),
        ),
        Table(
            "leaderboard",
            "One evaluation under one extractor and label set, best first within its benchmark, edition and split, "
            "those without replies last.",
            (
                count("rank", "1 for the best of its split, extractor and label set; ties share it.", True),
                text("evaluation", "The evaluation's name in params.yaml."),
                text("model", "The model's name in params.yaml."),
                text("strategy", "The prompting strategy."),
                count("shots", "Solved samples shown before the question."),
                text("benchmark", "m3cot or comt."),
                text("edition", "Of the benchmark: released, or built here."),
                text("split", "train, validation or test."),
                *_SCORED,
                *_RESULT[:-1],
                count("missing", "Samples of the split without a reply; null when there are no predictions.", True),
                fraction("published", "The paper's total (M3CoT, test, no shots) as a fraction; null if none.", True),
            ),
        ),
        Table(
            "difference",
            "Two evaluations compared on the samples that both were asked, one extractor and label set.",
            (
                text("a", "The evaluation whose accuracy comes first."),
                text("b", "The evaluation it is compared with."),
                *_SCORED,
                count("n", "Samples that both count."),
                count("both", "Samples both have right."),
                count("only_a", "Samples only a has right."),
                count("only_b", "Samples only b has right."),
                count("neither", "Samples neither has right."),
                fraction("difference", "Accuracy of a minus accuracy of b, in [-1, 1].", nullable=True),
                fraction("low", "Lower end of the paired interval of the difference.", nullable=True),
                fraction("high", "Upper end of the paired interval of the difference.", nullable=True),
                fraction("p", "Two-sided exact McNemar p value.", nullable=True),
            ),
        ),
        Table(
            "comparison",
            "One cell of a published table beside ours; a published cell without an evaluation here has no ours.",
            (
                text("table", "The published table: zero_shot, exploration or leaderboard."),
                text("model", "The model as the published row names it."),
                text("strategy", "Its strategy; of the others its setting, and what tells its row apart."),
                text("column", "The topic of the cell, or total."),
                text("evaluation", "Our evaluation of that row; null when there is none.", nullable=True),
                text("extractor", "paper or strict; null when there is no evaluation.", nullable=True),
                text("labels", "The label set scored against; null when there is no evaluation.", nullable=True),
                count("n", "Samples in our denominator.", nullable=True),
                count("correct", "Samples we count as right.", nullable=True),
                fraction("ours", "Our accuracy in per cent, rounded to two decimals as published.", nullable=True),
                fraction("published", "The published accuracy in per cent.", nullable=True),
                fraction("difference", "ours - published, in percentage points.", nullable=True),
                Column("equal", pa.bool_(), "Whether both agree to two decimals.", nullable=True),
            ),
        ),
    )
}


def as_table(kind: str, rows: Iterable[Any]) -> pa.Table:
    """The rows as the declared table `kind`; a row is a mapping or a named tuple with the table's columns.

    For a struct column a tuple may stand, its fields in order; for a list of counts ({reason or status, n}) a
    mapping from what is counted to its count.

    Raises:
        KeyError: a row lacks a column.
    """
    declared = TABLES[kind]
    plain = [row._asdict() if hasattr(row, "_asdict") else row for row in rows]
    arrays = [
        pa.array([_arrow_value(row[column.name], column.type) for row in plain], column.type)
        for column in declared.columns
    ]
    return pa.table(arrays, schema=declared.schema)


def _arrow_value(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, tuple) and pa.types.is_struct(kind):
        return {kind.field(place).name: part for place, part in enumerate(value)}
    if isinstance(value, Mapping) and pa.types.is_list(kind):
        name = kind.value_type.field(0).name
        return [{name: counted, "n": number} for counted, number in value.items()]
    return value
