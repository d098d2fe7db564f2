"""What fails each check of the dialogues, of the asked models' replies, and of the trainings."""

from tests.expectations.cases import Case

DIALOGUES, CONTROLS = "evaluation/dialogues", "training/controls"

CASES = [
    Case("evaluation/baselines", "edition_is_known", {0: {"edition": "pirated"}}),
    Case("analysis/leaderboard", "edition_is_known", {4: {"edition": "pirated"}}),
    Case(DIALOGUES, "shown_once", {1: {"sample_id": "physics-1"}}),
    Case(DIALOGUES, "asks_something", {0: {"turns": []}}),
    Case(DIALOGUES, "asks_something", {0: {"turns": [{"role": "assistant", "parts": []}]}}),
    Case(DIALOGUES, "no_negative_counts", {0: {"pictures": -1}}),
    Case(CONTROLS, "split_is_known", {4: {"split": "dev"}}),
    Case(CONTROLS, "control_is_known", {4: {"control": "upside_down", "p": 0.5}}),
    Case(CONTROLS, "stands_once", {4: {"scope": "total", "name": "total"}}),
    Case(CONTROLS, "no_negative_counts", {4: {"correct": -1, "accuracy": -0.01, "low": -1.0}}),
    Case(CONTROLS, "accuracy_is_of_counts", {4: {"correct": 70}}),
    Case(CONTROLS, "accuracy_is_of_counts", {4: {"low": 0.85}}),
    Case(CONTROLS, "p_is_against_seen", {4: {"p": 0.5}}),
    Case(CONTROLS, "model_looks_at_pictures", {1: {"p": 0.2}}),
    Case(CONTROLS, "model_looks_at_pictures", {2: {"correct": 90, "accuracy": 0.9, "high": 0.95}}),
]

LIKE = {
    "evaluation/asked": "evaluation/recorded",
    "evaluation/learned": "evaluation/recorded",
    "evaluation/tooled": "evaluation/recorded",
    "evaluation/pictures": "comt/images",
    **dict.fromkeys(("training/bases", "training/checkpoints", "training/adapted"), "sources/generated_released"),
}

GAPS: dict[str, tuple[int, str, float | None]] = {
    "evaluation/asked": (0, "line", None),
    "evaluation/learned": (0, "line", None),
    "evaluation/tooled": (0, "line", None),
    "evaluation/pictures": (0, "file", None),
    **dict.fromkeys(("training/bases", "training/checkpoints", "training/adapted"), (0, "bytes", None)),
    DIALOGUES: (0, "pictures", None),
    CONTROLS: (4, "scope", None),
}

NEVER_EMPTY = {"evaluation/asked", "evaluation/learned", "evaluation/tooled"}
NEVER_EMPTY |= {"training/bases", "training/checkpoints", "training/adapted"}
