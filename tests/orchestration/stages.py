"""The stages of the checkout that `make_project` makes, as both engines name them."""

SOURCES = {
    "sources-comt_annotations",
    "sources-comt_released",
    "sources-comt_released_images",
    "sources-crowds",
    "sources-crowds_images",
    "sources-generated_released",
    "sources-generated_upstreams",
    "sources-geometry",
    "sources-geometry_images",
    "sources-kilogram",
    "sources-m3cot_annotations",
    "sources-m3cot_released",
    "sources-m3cot_released_images",
    "sources-math",
    "sources-pairs",
    "sources-pairs_images",
    "sources-scienceqa",
    "sources-scienceqa_images",
    "sources-sherlock",
    "sources-sherlock_images",
    "sources-tabmwp",
    "sources-tabmwp_images",
}
M3COT = {
    "m3cot-agreement",
    "m3cot-annotated",
    "m3cot-audit",
    "m3cot-balanced",
    "m3cot-benchmark",
    "m3cot-commonsense",
    "m3cot-deduplicated",
    "m3cot-flow",
    "m3cot-image_needed",
    "m3cot-images",
    "m3cot-mathematics",
    "m3cot-mathematics_images",
    "m3cot-multistep",
    "m3cot-quarantine",
    "m3cot-rechecked",
    "m3cot-rewritten",
    "m3cot-science",
    "m3cot-science_images",
    "m3cot-similar",
    "m3cot-statistics",
    "m3cot-synthesis",
}
COMT = {
    "comt-benchmark",
    "comt-creation",
    "comt-deletion",
    "comt-deletion_images",
    "comt-flow",
    "comt-images",
    "comt-quarantine",
    "comt-rechecked",
    "comt-selection",
    "comt-selection_images",
    "comt-statistics",
    "comt-update",
    "comt-update_images",
}
EVALUATED = {
    "evaluation-recorded@brief_cot",
    "evaluation-recorded@lively_direct",
    "evaluation-recorded@own_direct",
    "evaluation-asked@guessing_m3cot",
    "evaluation-answers",
    "evaluation-baselines",
    "evaluation-dialogues",
    "evaluation-differences",
    "evaluation-flow",
    "evaluation-pictures",
    "evaluation-quarantine",
    "evaluation-scores",
    "analysis-leaderboard",
    "analysis-paper_comparison",
}
TRAINED = {"training-controls"}
"""Of trainings there is none: only what reads them all."""

ALL = SOURCES | M3COT | COMT | TRAINED | EVALUATED
READERS_OF_SAMPLES = {"evaluation-baselines", "evaluation-pictures"}
READERS_OF_EVALUATIONS = {
    name for name in ALL - READERS_OF_SAMPLES if name.startswith(("evaluation-", "analysis-")) and "@" not in name
}
