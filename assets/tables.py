"""Every table of the project: its columns, their types and meanings. Storage, checks, docs and UI read it here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

PART = pa.struct([("kind", pa.string()), ("text", pa.string()), ("image_id", pa.string())])
TURN = pa.struct([("role", pa.string()), ("parts", pa.list_(PART))])
QUARANTINED = pa.struct([("file", pa.string()), ("line", pa.int32()), ("excerpt", pa.string())])
COUNTED_REASON = pa.struct([("reason", pa.string()), ("n", pa.int32())])
COUNTED_STATUS = pa.struct([("status", pa.string()), ("n", pa.int32())])


@dataclass(frozen=True)
class Column:
    """One column: its name, arrow type, what it means, and whether a row may lack it."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True)
class Table:
    """One kind of table: its name in the singular, what one row is, its columns in order."""

    name: str
    row: str
    columns: tuple[Column, ...]
    schema: pa.Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Derive the arrow schema, which storage casts every table to."""
        object.__setattr__(self, "schema", pa.schema([(column.name, column.type) for column in self.columns]))

    @property
    def names(self) -> list[str]:
        """The column names in order."""
        return [column.name for column in self.columns]


def _text(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.string(), meaning, nullable)


def _count(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.int32(), meaning, nullable)


def _fraction(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.float64(), meaning, nullable)


_DROPPED = (
    _text("dropped", "Why the row goes no further; null when it is kept.", nullable=True),
    Column(
        "quarantined",
        QUARANTINED,
        "For a record that could not be read: its file, line and a raw excerpt; null for a row that was read.",
        nullable=True,
    ),
)
_SCORED = (
    _text("extractor", "Text to letter: paper (the published rule) or strict (the ordered grammar)."),
    _text("policy", "Counting: paper (as published) or strict (every sample of the split counts)."),
    _text("labels", "The label set scored against, such as released or paper."),
)
_RESULT = (
    _count("n", "Samples in the denominator."),
    _count("correct", "Samples answered with the label's letter."),
    _fraction("accuracy", "correct / n, in [0, 1] (micro); null when n is 0.", nullable=True),
    _fraction("low", "Lower end of the Wilson interval of accuracy, in [0, 1].", nullable=True),
    _fraction("high", "Upper end of the Wilson interval of accuracy, in [0, 1].", nullable=True),
    _fraction("macro_accuracy", "Unweighted mean of the accuracies of the topics (CoMT: tasks) within.", nullable=True),
    _fraction("macro_f1", "Mean F1 over the letters that occur as labels; no answer is a miss, never a class.", True),
    _fraction("errors_excluded", "Accuracy over the samples whose reply is neither error nor missing.", nullable=True),
    _count("missing", "Samples of the split without a reply."),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            "manifest",
            "One file of a folder that an asset writes.",
            (
                _text("file", "Path within the folder, with forward slashes."),
                Column("bytes", pa.int64(), "Length of the file in bytes."),
                _text("sha256", "SHA-256 of the file's bytes, as 64 hexadecimal digits."),
            ),
        ),
        Table(
            "sample",
            "One question of a benchmark, or one record of its file that could not be read.",
            (
                _text("id", "Identifier as released; null when the record has none that can be read.", nullable=True),
                _text("benchmark", "m3cot or comt."),
                _text("domain", "science, commonsense or mathematics (M3CoT).", nullable=True),
                _text("topic", "One of the nine topic columns of the published tables.", nullable=True),
                _text("subtopic", "One of the 17 topics: the prefix of the released id.", nullable=True),
                _text("category", "One of the 263 categories; empty where the release leaves it so.", nullable=True),
                _text("task", "CoMT's visual operation: creation, deletion, update or selection.", nullable=True),
                _text("question", "The question's text.", nullable=True),
                _text("context", "Text given with the question; may be empty.", nullable=True),
                Column("choices", pa.list_(pa.string()), "Option texts in letter order.", nullable=True),
                _text("answer", "The recorded label, a letter.", nullable=True),
                Column("rationale", pa.list_(PART), "Reasoning steps as text and image parts.", nullable=True),
                Column("images", pa.list_(pa.string()), "Image ids in placeholder order.", nullable=True),
                _text("source", "The upstream that the sample comes from."),
                _text("source_id", "Its identifier there.", nullable=True),
                _text("provenance", "Which step made or changed it; says so where it was generated."),
                _text("split", "train, validation or test."),
                *_DROPPED,
            ),
        ),
        Table(
            "prediction",
            "One reply of a model to one sample, or one record of a replies file that could not be read.",
            (
                _text("evaluation", "The evaluation's name in params.yaml."),
                _count("line", "Position of the record in its file or asking, from 1."),
                _text("sample_id", "The sample that was asked; null when the record names none.", nullable=True),
                Column("choices", pa.list_(pa.string()), "The options as the record gives them, if it does.", True),
                Column("turns", pa.list_(TURN), "The dialogue: prompts and replies as text and image parts.", True),
                _text("status", "ok, refusal, filtered, empty, truncated or error."),
                _text("finish_reason", "Why generation ended, where the model said.", nullable=True),
                _count("tokens_in", "Prompt tokens, where counted.", nullable=True),
                _count("tokens_out", "Reply tokens, where counted.", nullable=True),
                _text("fingerprint", "The model's own version string, where it gives one.", nullable=True),
                *_DROPPED,
            ),
        ),
        Table(
            "answer",
            "One reply as one extractor reads it, or one sample that has no reply (status missing).",
            (
                _text("evaluation", "The evaluation's name in params.yaml."),
                _count("line", "Position of the reply in its file; null when missing.", nullable=True),
                _text("sample_id", "The sample that was asked."),
                _text("extractor", "paper or strict."),
                _text("letter", "The letter read, upper case; null when none.", nullable=True),
                _text("rule", "The extractor's rule that decided."),
                Column("span", pa.list_(pa.int32()), "Start and end of the deciding text in the reply.", True),
                _text("status", "The reply's status, or none, ambiguous, not_evaluable, missing."),
                _text("label", "The recorded label (label set released)."),
                Column("counted", pa.bool_(), "Whether the extractor's policy counts the row in the denominator."),
                Column("correct", pa.bool_(), "Whether the letter equals the recorded label."),
            ),
        ),
        Table(
            "flow",
            "What one source brought into one stage and what became of it.",
            (
                _text("stage", "The step of the chain."),
                _text("source", "The file, upstream or evaluation the rows come from."),
                _count("entered", "Rows that came in."),
                _count("generated", "Rows that the stage made."),
                _count("retained", "Rows that go on."),
                _count("discarded", "Rows that were read and left out by a rule."),
                _count("quarantined", "Rows that could not be read, or cannot be counted."),
                Column("reasons", pa.list_(COUNTED_REASON), "Counts by reason of the discarded and quarantined."),
            ),
        ),
        Table(
            "quarantine",
            "One record that was set aside, with where it stands and why.",
            (
                _text("source", "The asset or evaluation that read it."),
                _text("file", "The file it stands in, as params.yaml names it.", nullable=True),
                _count("line", "Its line there, from 1.", nullable=True),
                _text("key", "Its id, where it has one.", nullable=True),
                _text("reason", "Why it was set aside."),
                _text("excerpt", "The first characters of the raw record.", nullable=True),
            ),
        ),
        Table(
            "score",
            "The score of one evaluation under one extractor and label set within one scope.",
            (
                _text("evaluation", "The evaluation's name in params.yaml."),
                *_SCORED,
                _text("scope", "total, domain, topic, category or task."),
                _text("name", "Which domain, topic, category or task; total for the whole."),
                *_RESULT,
                Column("statuses", pa.list_(COUNTED_STATUS), "Counted samples by answer status."),
            ),
        ),
        Table(
            "leaderboard",
            "One evaluation under one extractor and label set, best first within its benchmark and split, "
            "those without replies last.",
            (
                _count("rank", "1 for the best of its benchmark, split, extractor and label set; ties share it.", True),
                _text("evaluation", "The evaluation's name in params.yaml."),
                _text("model", "The model's name in params.yaml."),
                _text("strategy", "The prompting strategy."),
                _count("shots", "Solved samples shown before the question."),
                _text("benchmark", "m3cot or comt."),
                _text("split", "train, validation or test."),
                *_SCORED,
                *_RESULT[:-1],
                _count("missing", "Samples of the split without a reply; null when there are no predictions.", True),
                _fraction("published", "The paper's total (M3CoT, test, no shots) as a fraction; null if none.", True),
            ),
        ),
        Table(
            "difference",
            "Two evaluations compared on the samples that both were asked, one extractor and label set.",
            (
                _text("a", "The evaluation whose accuracy comes first."),
                _text("b", "The evaluation it is compared with."),
                *_SCORED,
                _count("n", "Samples that both count."),
                _count("both", "Samples both have right."),
                _count("only_a", "Samples only a has right."),
                _count("only_b", "Samples only b has right."),
                _count("neither", "Samples neither has right."),
                _fraction("difference", "Accuracy of a minus accuracy of b, in [-1, 1].", nullable=True),
                _fraction("low", "Lower end of the paired interval of the difference.", nullable=True),
                _fraction("high", "Upper end of the paired interval of the difference.", nullable=True),
                _fraction("p", "Two-sided exact McNemar p value.", nullable=True),
            ),
        ),
        Table(
            "comparison",
            "One cell of a published table beside ours; a published cell without an evaluation here has no ours.",
            (
                _text("table", "The published table: zero_shot or exploration."),
                _text("model", "The model as the published row names it."),
                _text("strategy", "Its strategy, or the setting of the exploration."),
                _text("column", "The topic of the cell, or total."),
                _text("evaluation", "Our evaluation of that row; null when there is none.", nullable=True),
                _text("extractor", "paper or strict; null when there is no evaluation.", nullable=True),
                _text("labels", "The label set scored against; null when there is no evaluation.", nullable=True),
                _count("n", "Samples in our denominator.", nullable=True),
                _count("correct", "Samples we count as right.", nullable=True),
                _fraction("ours", "Our accuracy in per cent, rounded to two decimals as published.", nullable=True),
                _fraction("published", "The published accuracy in per cent.", nullable=True),
                _fraction("difference", "ours - published, in percentage points.", nullable=True),
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
