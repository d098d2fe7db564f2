"""The fixed names that analysis uses beside those of `vocabulary`, each declared once; the standard library alone."""

ROSCOE_GROUPS = {
    "semantic_alignment": (
        "faithfulness",
        "faithfulness_ww",
        "informativeness_step",
        "repetition_word",
        "reasoning_alignment",
        "redundancy",
        "missing_step",
        "external_hallucination",
        "common_sense_error",
        "semantic_coverage_step",
    ),
    "semantic_similarity": ("informativeness_chain", "repetition_step", "semantic_coverage_chain"),
    "logical_inference": ("source_consistency", "self_consistency"),
    "language_coherence": (
        "perplexity_chain",
        "perplexity_step",
        "perplexity_step_max",
        "grammar_step",
        "grammar_step_max",
    ),
}
"""The scores of ROSCOE by group. Source: arXiv:2212.07919, section 4."""

ROSCOE_SCORES = tuple(score for scores in ROSCOE_GROUPS.values() for score in scores)

NEEDS_REFERENCE = (
    "reasoning_alignment",
    "redundancy",
    "missing_step",
    "external_hallucination",
    "common_sense_error",
    "semantic_coverage_step",
    "semantic_coverage_chain",
)
"""Scores that compare with a gold rationale."""

ROSCOE_MODES = ("reference", "sane")
"""The public code's values, its scalings included; or the paper's forms, with nulls counted."""

PICTURE_MEASURES = ("clip_score", "interaction_steps")
"""How a reply fits the pictures. Source: arXiv:2412.12932, E.2; arXiv:2405.16473, figure 9."""

MEASURE_GROUPS = (*ROSCOE_GROUPS, "picture_alignment")

NO_MODEL = "no model"
"""What stands for a model that nobody named: its scores are null."""

STEPS_OF = ("rationale", "reply")

JUDGED_QUESTIONS = ("overall", "coherency", "missing_steps", "contradiction")
"""What people were asked of a chain. Source: arXiv:2212.07919, appendix."""

SHAPES = {
    "no_text": "no text at all",
    "characters": "a text split into characters where turns belong",
    "empty": "empty, but perhaps for an end-of-text token",
    "withheld": "a harness's word for a reply that was withheld",
    "letter_and_end_token": "one letter and an end-of-text token",
    "letter": "one bare letter",
    "parenthesised_letter": "one parenthesised letter alone",
    "letter_and_punctuation": "one letter within punctuation",
    "lower_case_letter": "one lower-case letter",
    "thought": "text with a thought between tags",
    "structured": "text with an answer field, such as a tag or a key of JSON",
    "letter_and_option_text": "a letter and its own option's text",
    "letter_and_other_text": "a letter and another option's text",
    "announced_letter": "an announcement such as 'the answer is' and one letter",
    "option_text": "an option's text alone",
    "letters": "several letters and no other words, but perhaps an announcement",
    "number": "a number alone",
    "echo": "text that repeats the options or the headings of the prompt",
    "refusal": "prose that says it cannot see or decide",
    "several_parenthesised": "prose with several different parenthesised letters",
    "one_parenthesised": "prose with one parenthesised letter",
    "several_letters": "prose with several different bare letters",
    "one_letter": "prose with one bare letter",
    "no_letter": "prose without a letter",
}
"""What a scored reply looks like, in the order in which it is looked for, each in the words that a sentence uses."""

COUNTING = "counting"
"""In table gap what no reply's reading explains: replies and samples that one of the policies alone counts."""

FINDINGS = {
    "rationale_concludes_other": "The gold rationale concludes another option than the label.",
    "rationale_argues_other": "The gold rationale says of another option alone that it has what the question asks for.",
    "options_equal": "Two options are equal but for case and white space.",
    "options_nested": "An option's text stands within another option's.",
    "prompt_options_differ": "The prompt of a recorded dialogue lists other options than its record.",
    "record_options_differ": "The record of a reply has other options than the sample.",
}
"""What an audit of labels looks for, each in a sentence."""
