"""What fails each check of the part of analysis that audits, and its good tables."""

from collections.abc import Callable
from typing import Any

from tests.expectations.cases import Case, Rows

EXTRACTION, DISAGREEMENTS, GAP, LABELS, ITEMS, CONSENSUS = (
    "analysis/extraction",
    "analysis/disagreements",
    "analysis/gaps",
    "analysis/label_audit",
    "analysis/items",
    "analysis/consensus",
)
_TEST = {"benchmark": "m3cot", "edition": "released", "split": "test"}


def _decision(extractor: str, rule: str, n: int, correct: int) -> dict[str, Any]:
    return {"evaluation": "gpt4v_direct", "extractor": extractor, "rule": rule, "n": n, "correct": correct}


def _disagreement(line: int, paper: str | None, strict: str | None) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_direct",
        "line": line,
        "sample_id": f"physics-{line}",
        "label": "B",
        "paper": paper,
        "paper_rule": "failed" if paper is None else "parentheses",
        "strict": strict,
        "strict_rule": "none" if strict is None else "whole_reply",
        "paper_correct": paper == "B",
        "strict_correct": strict == "B",
        "shape": "letter_and_end_token",
        "excerpt": "B</s>",
    }


def _gap(shape: str, replies: int, n: int, paper: int, strict: int, moved: float) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_direct",
        "shape": shape,
        "replies": replies,
        "n": n,
        "paper_correct": paper,
        "strict_correct": strict,
        "paper_accuracy": 0.25,
        "strict_accuracy": 0.5,
        "moved": moved,
        "sentence": f"{replies} replies are {shape}.",
    }


def _finding(sample_id: str, finding: str, other: str | None, evaluation: str | None = None) -> dict[str, Any]:
    said = {"label": "B", "other": other, "detail": "B is 'rain'; A is 'Rain'", "evaluation": evaluation}
    return {**_TEST, "sample_id": sample_id, "finding": finding, **said}


def _item(sample_id: str, evaluations: int, correct: int, **columns: Any) -> dict[str, Any]:
    return {
        **_TEST,
        "sample_id": sample_id,
        "topic": "natural-science",
        "label": "B",
        "evaluations": evaluations,
        "correct": correct,
        "difficulty": (evaluations - correct) / evaluations if evaluations else None,
        "discrimination": None,
        "models": min(evaluations, 2),
        "consensus": None,
        "agreement": None,
        "support": None,
        **columns,
    }


def _suspect(rank: int, sample_id: str, surprise: float) -> dict[str, Any]:
    votes = {"models": 4, "agreement": 0.75, "support": 0.25, "surprise": surprise}
    letters = {"sample_id": sample_id, "label": "B", "consensus": "A"}
    return {"rank": rank, **_TEST, **letters, **votes, "question": "Which one floats?"}


GOOD: dict[str, Callable[[], Rows]] = {
    EXTRACTION: lambda: [
        _decision("paper", "parentheses", 3, 2),
        _decision("paper", "failed", 1, 0),
        _decision("strict", "whole_reply", 4, 4),
    ],
    DISAGREEMENTS: lambda: [_disagreement(1, None, "B"), _disagreement(2, "B", "C"), _disagreement(3, "A", None)],
    GAP: lambda: [
        _gap("letter_and_end_token", 2, 2, 0, 2, 0.5),
        _gap("letter", 2, 0, 0, 0, 0.0),
        _gap("counting", 1, 1, 0, 0, -0.25),
        _gap("total", 5, 3, 0, 2, 0.25),
    ],
    LABELS: lambda: [
        _finding("physics-1", "rationale_concludes_other", "A"),
        _finding("physics-1", "options_equal", None),
        _finding("physics-2", "record_options_differ", None, "gpt4v_direct"),
    ],
    ITEMS: lambda: [
        _item("physics-1", 4, 2, discrimination=-0.5, consensus="B", agreement=0.5, support=0.5),
        _item("physics-2", 4, 0, consensus="A", agreement=1.0, support=0.0),
        _item("physics-3", 2, 1, support=0.5),
        _item("physics-4", 0, 0),
    ],
    CONSENSUS: lambda: [
        _suspect(1, "physics-1", 3.5),
        _suspect(2, "physics-2", 0.5),
        _suspect(1, "physics-3", 0.25) | {"split": "train"},
    ],
}
"""By asset the rows of a table that passes, anew at each call."""

CASES: list[Case] = [
    Case(EXTRACTION, "extractor_is_known", {0: {"extractor": "lenient"}}),
    Case(EXTRACTION, "rule_once", {}, copied=0),
    Case(EXTRACTION, "correct_within_n", {0: {"correct": 4}}),
    Case(EXTRACTION, "correct_within_n", {1: {"n": 0}}),
    Case(EXTRACTION, "unread_is_never_right", {1: {"correct": 1}}),
    Case(DISAGREEMENTS, "reply_once", {1: {"line": 1}}),
    Case(DISAGREEMENTS, "line_counts_from_1", {0: {"line": 0}}),
    Case(DISAGREEMENTS, "paper_is_one_capital", {2: {"paper": "a"}}),
    Case(DISAGREEMENTS, "strict_is_one_capital", {1: {"strict": "CD"}}),
    Case(DISAGREEMENTS, "shape_is_known", {0: {"shape": "round"}}),
    Case(DISAGREEMENTS, "letters_differ", {2: {"paper": None}}),
    Case(DISAGREEMENTS, "correct_is_the_label", {0: {"strict_correct": False}}),
    Case(DISAGREEMENTS, "correct_is_the_label", {2: {"paper_correct": True}}),
    Case(DISAGREEMENTS, "excerpt_is_printable", {0: {"excerpt": "B\n"}}),
    Case(GAP, "shape_is_known", {1: {"shape": "round"}}),
    Case(GAP, "shape_once", {1: {"shape": "letter_and_end_token"}}),
    Case(GAP, "counts_nest", {1: {"n": 3}, 3: {"n": 6}}),
    Case(GAP, "counts_nest", {0: {"paper_correct": 1}, 3: {"paper_correct": 1}}),
    Case(GAP, "accuracies_are_of_evaluation", {1: {"paper_accuracy": 0.3}}),
    Case(GAP, "accuracies_are_of_evaluation", {1: {"moved": None}}),
    Case(GAP, "total_is_the_sum", {3: {"replies": 6}}),
    Case(GAP, "total_is_the_sum", {}, left_out=3),
    Case(GAP, "moved_is_the_sum", {0: {"moved": 0.4}}),
    Case(GAP, "moved_is_the_sum", {0: {"moved": 0.4}, 3: {"moved": 0.15}}),
    Case(GAP, "sentence_says_count", {0: {"sentence": "3 replies are letters."}}),
    Case(LABELS, "benchmark_is_known", {0: {"benchmark": "mmlu"}}),
    Case(LABELS, "edition_is_known", {0: {"edition": "pirated"}}),
    Case(LABELS, "split_is_known", {0: {"split": "dev"}}),
    Case(LABELS, "finding_is_known", {1: {"finding": "ugly"}}),
    Case(LABELS, "found_once", {}, copied=1),
    Case(LABELS, "label_is_one_capital", {1: {"label": "b"}}),
    Case(LABELS, "other_is_one_capital", {0: {"other": "AC"}}),
    Case(LABELS, "other_is_not_the_label", {0: {"other": "B"}}),
    Case(LABELS, "evaluation_is_of_records", {1: {"evaluation": "gpt4v_direct"}}),
    Case(LABELS, "rationale_names_another", {0: {"other": None}}),
    Case(LABELS, "detail_says_texts", {0: {"detail": " "}}),
    Case(ITEMS, "benchmark_is_known", {0: {"benchmark": "mmlu"}}),
    Case(ITEMS, "edition_is_known", {0: {"edition": "pirated"}}),
    Case(ITEMS, "split_is_known", {0: {"split": "dev"}}),
    Case(ITEMS, "item_once", {}, copied=3),
    Case(ITEMS, "counts_nest", {0: {"models": 5}}),
    Case(ITEMS, "counts_nest", {3: {"models": 1}}),
    Case(ITEMS, "difficulty_is_of_counts", {0: {"difficulty": 0.4}}),
    Case(ITEMS, "difficulty_is_of_counts", {3: {"difficulty": 0.0}}),
    Case(ITEMS, "discrimination_is_known", {0: {"discrimination": -1.5}}),
    Case(ITEMS, "discrimination_is_known", {1: {"discrimination": 0.0}}),
    Case(ITEMS, "discrimination_is_known", {2: {"discrimination": 0.0}}),
    Case(ITEMS, "consensus_is_one_capital", {1: {"consensus": "a"}}),
    Case(ITEMS, "shares_fit_consensus", {0: {"support": 0.25}}),
    Case(ITEMS, "shares_fit_consensus", {1: {"agreement": 0.25, "support": 0.5}}),
    Case(ITEMS, "shares_fit_consensus", {2: {"agreement": 0.5}}),
    Case(CONSENSUS, "benchmark_is_known", {2: {"benchmark": "mmlu"}}),
    Case(CONSENSUS, "edition_is_known", {2: {"edition": "pirated"}}),
    Case(CONSENSUS, "split_is_known", {2: {"split": "dev"}}),
    Case(CONSENSUS, "suspect_once", {1: {"sample_id": "physics-1"}}),
    Case(CONSENSUS, "votes_speak_against_label", {0: {"consensus": "B"}}),
    Case(CONSENSUS, "votes_speak_against_label", {2: {"surprise": -0.25}}),
    Case(CONSENSUS, "shares_are_of_votes", {0: {"agreement": 0.7}}),
    Case(CONSENSUS, "shares_are_of_votes", {0: {"support": 0.75}}),
    Case(CONSENSUS, "rank_follows_surprise", {1: {"rank": 3}}),
    Case(CONSENSUS, "rank_follows_surprise", {0: {"surprise": 0.25}}),
]
PASSING: list[Case] = [
    Case(GAP, "moved_is_the_sum", {row: {"paper_accuracy": None, "moved": None} for row in range(4)}),
    Case(CONSENSUS, "rank_follows_surprise", {1: {"surprise": 3.5}}),
]
LIKE: dict[str, str] = {}
GAPS: dict[str, tuple[int, str, float | None]] = {
    EXTRACTION: (0, "rule", None),
    DISAGREEMENTS: (0, "excerpt", None),
    GAP: (1, "sentence", None),
    LABELS: (2, "sample_id", None),
    ITEMS: (3, "label", None),
    CONSENSUS: (2, "question", None),
}
NEVER_EMPTY: set[str] = set()
