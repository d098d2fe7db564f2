"""The sections of the page: which stored table each is of, its figure, its columns and what it says beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assets.analysis.report import drawing, sentences

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
Rows = Sequence[Row]
Draw = Callable[[Rows], "Figure"]

SHARES = ("accuracy", "low", "high")
SPLIT = ("benchmark", "edition", "split")


@dataclass(frozen=True)
class Section:
    """One stored table on the page.

    name: of the section's anchor. key, kind: the table. about: what it shows, in a sentence or two, with `{level}` for
    the intervals' level in per cent. columns: of its table, `low..high` for an interval. percent: columns that are
    fractions and shown in per cent. draw: its figure. beside: HTML beside the table, from its rows and the level.
    first: which rows come first. open: whether the table is open at once.
    """

    name: str
    title: str
    key: tuple[str, str]
    kind: str
    about: str
    columns: tuple[str, ...]
    percent: tuple[str, ...] = ()
    draw: Draw | None = None
    beside: Callable[[Rows, float], str] | None = None
    first: Callable[[Row], Any] | None = None
    open: bool = False


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _leading(row: Row) -> tuple[bool, bool, tuple[str, ...]]:
    """Strict extractor and released labels first, as the figure has them; then split by split."""
    return row["extractor"] != "strict", row["labels"] != "released", tuple(row[name] for name in SPLIT)


SECTIONS = (
    Section(
        "leaderboard",
        "Leaderboard",
        ("analysis", "leaderboard"),
        "leaderboard",
        "Every evaluation, best first within its benchmark, edition and split, under both extractors and each label "
        "set; intervals are Wilson's at {level} per cent. Published: the paper's total, where it prints one.",
        _names(
            "rank evaluation model strategy shots benchmark edition split extractor labels n correct "
            "accuracy low..high macro_accuracy macro_f1 mean_f1 errors_excluded missing published"
        ),
        (*SHARES, "macro_accuracy", "macro_f1", "mean_f1", "errors_excluded", "published"),
        drawing.leaderboard,
        first=_leading,
        open=True,
    ),
    Section(
        "pairs",
        "Paired differences",
        ("analysis", "pairs"),
        "paired_difference",
        "Each two evaluations of a split on the samples that both count (strict extractor, released labels): exact "
        "McNemar test, adjusted by Holm's method over the pairs of the split.",
        (*SPLIT, "a", "b", "n", "only_a", "only_b", "difference", "low..high", "p", "p_adjusted", "needed"),
        ("difference", "low", "high"),
        drawing.pairs,
        beside=sentences.matrices,
        first=lambda row: (row["p_adjusted"], row["p"]),
    ),
    Section(
        "comparison",
        "Published against ours",
        ("analysis", "paper_comparison"),
        "comparison",
        "Cells of the published tables beside ours, in per cent; equal where both agree to the two decimals that are "
        "printed.",
        _names("table model strategy column evaluation extractor labels n correct ours published difference equal"),
        (),
        drawing.comparison,
        beside=lambda rows, _: sentences.compared(rows),
        first=lambda row: (row["equal"] is None, row["extractor"] != "paper"),
    ),
    *(
        Section(
            f"{name}-statistics",
            f"Statistics of {title}",
            (name, "statistics"),
            "statistic",
            f"{title} as it is built here, in figures, beside the paper's where the paper has one: the paper's are of "
            "the full data.",
            ("kind", "scope", "name", "value", "unit", "published", "profile"),
            (),
            drawing.statistics,
        )
        for name, title in (("m3cot", "M3CoT"), ("comt", "CoMT"))
    ),
    *(
        Section(
            f"{name}-flow",
            f"Flow of {title}",
            (name, "flow"),
            "flow",
            "What came into each stage of the construction, what went on, and why the rest did not.",
            ("stage", "source", "entered", "generated", "retained", "discarded", "quarantined", "reasons"),
        )
        for name, title in (("m3cot", "M3CoT"), ("comt", "CoMT"))
    ),
    Section(
        "m3cot-agreement",
        "Agreement of the annotators of M3CoT",
        ("m3cot", "agreement"),
        "agreement",
        "How far annotators agree, stage by stage: Cohen's kappa of each two, Fleiss' of all.",
        _names("stage round measure a b annotators n observed kappa published"),
    ),
    Section(
        "m3cot-audit",
        "Audit of M3CoT's sources",
        ("m3cot", "audit"),
        "audit",
        "The share of each source's questions that need several steps and the picture, as annotators judged a sample.",
        _names("source population sampled judged multimodal share low..high published"),
        ("share", "low", "high", "published"),
    ),
    Section(
        "steps",
        "Accuracy by number of steps",
        ("analysis", "steps"),
        "step_accuracy",
        "Accuracy over the samples whose gold rationale, or the model's reply, has so many reasoning steps.",
        ("evaluation", "extractor", "labels", "steps_of", "bin", "n", "correct", "accuracy", "low..high"),
        SHARES,
        drawing.steps,
    ),
    Section(
        "shots",
        "Accuracy by number of shots",
        ("analysis", "shots"),
        "shot_accuracy",
        "Evaluations that differ in their number of solved samples alone, and their paired difference to none.",
        _names(
            "series benchmark edition split evaluation shots shot_rationales extractor labels n correct "
            "accuracy low..high difference p"
        ),
        (*SHARES, "difference"),
        drawing.shots,
    ),
    Section(
        "statuses",
        "How replies end",
        ("analysis", "statuses"),
        "status_count",
        "Replies by status, as each extractor reads them.",
        ("evaluation", "model", "extractor", "status", "n", "of", "share", "low..high"),
        ("share", "low", "high"),
        drawing.statuses,
    ),
    Section(
        "tool_use",
        "Tool usage",
        ("analysis", "tool_use"),
        "tool_use",
        "How runs with tools end, which plans and calls were wrong, which tools were called, and which calls were "
        "redundant; a fault counts once a run. Intervals are Wilson's at {level} per cent.",
        ("evaluation", "model", "policy", "kind", "name", "n", "of", "share", "low..high", "a_run"),
        ("share", "low", "high"),
        drawing.tool_use,
    ),
    Section(
        "systems",
        "Systems of the papers",
        ("analysis", "systems"),
        "system",
        "Every system that the two papers name, how it is run here, its published total, and ours where that system "
        "was run. Alike: what ran the same way with other weights, often on other samples; it is not the system.",
        _names(
            "paper system setting kind published published_as evaluation asked n correct ours low..high alike needs how"
        ),
        (),
        drawing.systems,
    ),
    Section(
        "quality",
        "Quality of rationales",
        ("analysis", "quality"),
        "quality",
        "Scores of the replies' rationales (ROSCOE's, and those that compare with pictures) beside accuracy.",
        _names(
            "benchmark edition evaluation mode group measure scope name n undefined mean low..high "
            "accuracy accuracy_n why"
        ),
        ("accuracy",),
        drawing.quality,
        first=lambda row: (row["mean"] is None, row["scope"] != "total"),
    ),
    Section(
        "roscoe",
        "ROSCOE, reply by reply",
        ("analysis", "roscoe"),
        "rationale_score",
        "Each scored rationale; a score that is not defined, or whose model nobody named, is a dash.",
        _names(
            "evaluation sample_id mode steps context_steps reference_steps faithfulness informativeness_step "
            "reasoning_alignment informativeness_chain source_consistency self_consistency perplexity_chain "
            "grammar_step sentence_model"
        ),
        (),
        drawing.roscoe,
    ),
    Section(
        "judged",
        "ROSCOE against people",
        ("analysis", "judged"),
        "judged_score",
        "How each score goes with what people say of the same chains: Somers' D, 1 where it orders as they do.",
        ("dataset", "mode", "score", "question", "n", "undefined", "somers_d", "p", "why", "sentence_model"),
        (),
        drawing.judged,
        first=lambda row: row["somers_d"] is None,
    ),
    Section(
        "coverage",
        "Spread of gold rationales",
        ("analysis", "coverage"),
        "coverage",
        "How far the gold rationales of each collection spread in the space of meanings.",
        ("collection", "scope", "name", "n", "of", "spread", "dimensions", "area", "overlap", "sentence_model"),
        (),
        drawing.coverage,
    ),
    Section(
        "alignment",
        "Replies and pictures",
        ("analysis", "alignment"),
        "alignment",
        "How replies fit the pictures: CLIPScore of CoMT's rationale pictures, and steps that are about the picture.",
        ("evaluation", "sample_id", "measure", "value", "pictures", "excluded", "steps", "truncated", "model"),
        (),
        drawing.alignment,
        first=lambda row: row["value"] is None,
    ),
    Section(
        "drawn",
        "Drawn pictures",
        ("analysis", "drawn"),
        "drawn_share",
        "How often replies hold a picture that the model drew, and the scores (0 to 4) that people give those.",
        _names("evaluation scope name n drawing pictures share low..high sampled judged agreed mean scores"),
        ("share", "low", "high"),
        drawing.drawn,
    ),
    Section(
        "extraction",
        "Which rule read the answer",
        ("analysis", "extraction"),
        "decision",
        "How often each rule of each extractor decided, and how often its letter is the label's.",
        ("evaluation", "extractor", "rule", "n", "correct"),
        (),
        drawing.extraction,
    ),
    Section(
        "gaps",
        "Why the extractors differ",
        ("analysis", "gaps"),
        "gap",
        "The replies of one shape that the published rule and the strict grammar do not read alike, and what they "
        "move.",
        _names("evaluation shape replies n paper_correct strict_correct paper_accuracy strict_accuracy moved"),
        ("paper_accuracy", "strict_accuracy", "moved"),
        drawing.gaps,
        beside=lambda rows, _: sentences.gaps(rows),
    ),
    Section(
        "disagreements",
        "Replies that are read in two ways",
        ("analysis", "disagreements"),
        "disagreement",
        "Each reply of which the two extractors do not read the same letter.",
        _names(
            "evaluation line sample_id label paper paper_rule strict strict_rule paper_correct "
            "strict_correct shape excerpt"
        ),
    ),
    Section(
        "label-audit",
        "Label audit",
        ("analysis", "label_audit"),
        "finding",
        "What a person should look at before trusting a label.",
        (*SPLIT, "sample_id", "finding", "label", "other", "evaluation", "detail"),
        (),
        drawing.label_audit,
    ),
    Section(
        "consensus",
        "Consensus against the label",
        ("analysis", "consensus"),
        "suspect",
        "Samples that three models or more answered and on which more than half of them agree on another letter than "
        "the label, the least likely by chance first.",
        ("rank", *SPLIT, "sample_id", "label", "consensus", "models", "agreement", "support", "surprise", "question"),
        ("agreement", "support"),
        drawing.consensus,
        beside=lambda rows, _: sentences.consensus(rows),
    ),
    Section(
        "items",
        "Items",
        ("analysis", "items"),
        "item",
        "How hard each sample is, and how well it tells good models from bad ones.",
        _names(
            "benchmark edition split sample_id topic label evaluations correct difficulty discrimination "
            "models consensus agreement support"
        ),
        (),
        drawing.items,
        first=lambda row: (row["discrimination"] is None, row["discrimination"] or 0.0),
    ),
)
"""In the order of the page."""


def of_evaluations(rows: Rows, names: Sequence[str] | None) -> Rows:
    """The rows of these evaluations, and those of none; all where `names` is None."""
    if names is None:
        return rows
    wanted = {None, *names}
    return [row for row in rows if all(row.get(column) in wanted for column in ("evaluation", "a", "b"))]
