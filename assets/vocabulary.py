"""The fixed names that tables, steps and checks share, each declared once; the standard library alone.

Label sets are named where their letters are: `assets.evaluation.labels`.
"""

BENCHMARKS = ("m3cot", "comt")
SPLITS = ("train", "validation", "test")

DOMAINS = ("science", "commonsense", "mathematics")
"""The domains of M3CoT, in the order of its tables. Source: arXiv:2405.16473, table 3."""

TOPICS = (
    "language-science",
    "natural-science",
    "social-science",
    "physical-commonsense",
    "social-commonsense",
    "temporal-commonsense",
    "algebra",
    "geometry",
    "theory",
)
"""The topic columns of M3CoT's tables, in their order. Source: arXiv:2405.16473, table 3."""

TASKS = ("creation", "deletion", "update", "selection")
"""The visual operations of CoMT, in the order of its sections. Source: arXiv:2412.12932, section 2."""

EXTRACTORS = ("paper", "strict")
POLICIES = ("paper", "strict")
SCOPES = ("total", "domain", "topic", "category", "task")

REPLY_STATUSES = ("ok", "refusal", "filtered", "empty", "truncated", "error")
ANSWER_STATUSES = (*REPLY_STATUSES, "none", "ambiguous", "not_evaluable", "missing")

LINE_REASONS = (
    "blank_line",
    "line_too_long",
    "not_utf8",
    "invalid_json",
    "not_an_object",
    "duplicate_key",
    "not_a_number",
    "too_deep",
    "lone_surrogate",
    "truncated_gzip",
    "damaged_gzip",
    "stream_too_long",
    "too_many_unreadable_lines",
)
"""Why a line of a file, or what follows it, is no record: what `assets.sources.jsonlines` says."""

ITEM_REASONS = ("no_id", "no_choices", "too_many_choices", "no_answer", "answer_past_choices", "duplicate_id")
"""Why a record is no item to score against: what `assets.sources.m3cot_released` says."""

REPLY_REASONS = ("no_id",)
"""Why a record is no reply: what `assets.models.replay` says."""

COUNTING_REASONS = ("duplicate_id", "unknown_id", "other_split")
"""Why a reply is not counted: what `assets.evaluation.answers` and `stored` say, beside the item's own reason."""

QUARANTINE_REASONS = tuple(dict.fromkeys((*LINE_REASONS, *ITEM_REASONS, *REPLY_REASONS, *COUNTING_REASONS)))
"""All of them: a record that is set aside for one of these says where it stands."""
