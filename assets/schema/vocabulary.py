"""The fixed names that tables, steps and checks share, each declared once; the standard library alone.

Label sets are named where their letters are: `assets.evaluation.labels`.
"""

BENCHMARKS = ("m3cot", "comt")
SPLITS = ("train", "validation", "test")

EDITIONS = ("released", "built")
"""Of a benchmark: as its authors released it, or as it is built here."""

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

CONTROLS = ("seen", "shuffled", "blank", "random")
"""What a trained model is given in place of the pictures, to see whether it looks at them."""

TOOL_STATUSES = ("plan_error", "tool_error", "bound_reached")
"""How a run with tools ends without an answer: its plan was none, its tools failed, or it had no end."""

_REPLY_STATUSES = ("ok", "refusal", "filtered", "empty", "truncated", "error")
REPLY_STATUSES = (*_REPLY_STATUSES, *TOOL_STATUSES)
ANSWER_STATUSES = (*_REPLY_STATUSES, "none", "ambiguous", "not_evaluable", "missing", *TOOL_STATUSES)

TURN_ROLES = ("user", "assistant", "plan", "thought", "selection", "call", "observation", "fault")
"""Who says a turn. In a run with tools: what the planner wrote on the way, a tool as it was called (JSON), what it
gave, or what was wrong."""

PLAN_FAULTS = ("unreadable_plan", "unknown_tool", "bad_arguments", "cycle", "empty_plan", "no_answer", "planner_failed")
"""Why a plan cannot be carried out, or gives no answer: what the modules of `assets.models.policies` say."""

TOOL_FAULTS = ("unknown_tool", "bad_arguments", "timeout", "tool_failed")
"""Why a tool gave nothing: what the modules of `assets.models.tools` say."""

BOUNDS = ("too_many_calls", "too_many_rounds")
"""Which bound a run reached."""

POLICIES_OF_TOOLS = ("chameleon", "hugginggpt", "visualchatgpt", "idealgpt")
"""In the order of the paper's table. Source: arXiv:2405.16473, section 5.4."""

TOOL_USE_KINDS = ("status", "reason", "fault", "tool", "redundant", "turn")
"""What is counted of runs with tools: the first three of runs, tool and redundant of calls, turn of turns."""

REDUNDANT_CALLS = ("repeated_call", "repeated_observation")
"""Ways in which a call is redundant: the same tool with the same arguments as before in the run; or another call, of
which the tool says word for word what one said before. A call is one of them at most.

Source: arXiv:2405.16473, B.3.2, which names the redundancy of tool chains and shows one; the definition is ours.
"""

SYSTEM_SETTINGS = (
    "baseline",
    "zero-shot",
    "in-context",
    "tool-usage",
    "finetuned-vlm",
    "finetuned-vllm",
    "drawing",
    "human",
)
"""How a system of the papers meets a benchmark. Source: arXiv:2405.16473, table 2 and section 5.4; arXiv:2412.12932,
4.5."""

TRAINING_FAMILIES = ("lora", "llama-adapter", "mm-cot", "mc-cot", "mmr")
"""Of trainings. Source: arXiv:2405.16473, B.2.3."""

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

REPLY_REASONS = ("no_id", "no_participant", "no_answer", "duplicate_id")
"""Why a record is no reply: what `assets.models.replay` says, and of people's replies `assets.models.human`."""

COUNTING_REASONS = ("duplicate_id", "unknown_id", "other_split", "past_limit")
"""Why a reply is not counted: what `assets.evaluation.answers` and `stored` say, beside the item's own reason."""

QUARANTINE_REASONS = tuple(dict.fromkeys((*LINE_REASONS, *ITEM_REASONS, *REPLY_REASONS, *COUNTING_REASONS)))
"""All of them: a record that is set aside for one of these says where it stands."""

ANNOTATION_STAGES = ("image_needed", "image_steps", "quality", "recheck", "audit", "picture_quality")
ANNOTATION_VERDICTS = ("yes", "no", "accept", "discard", "0", "1", "2", "3", "4")
"""What an annotator may say; which of them at which stage, `assets.annotation` says."""

FILE_REASONS = (
    "missing_file",
    "path_outside",
    "outside_folder",
    "linked_folder",
    "not_a_file",
    "bad_name",
    "unreadable_name",
    "unreadable_file",
    "empty_file",
    "file_too_long",
    "wrong_suffix",
)
"""Why a file of a source is not read: what `assets.sources.folders` and the readers say."""

SAME_PIXELS = "same_pixels"
"""A picture whose pixels another file of the table has already: it is left out, not set aside."""

PICTURE_REASONS = (
    *FILE_REASONS,
    "missing_picture",
    "not_a_picture",
    "picture_bomb",
    "truncated_picture",
    "broken_picture",
    "unknown_depth",
    "damaged_parquet",
)
"""Why a file gives no picture: what `assets.images` and `assets.sources.released_folder` say."""

JSON_REASONS = (
    "not_utf8",
    "invalid_json",
    "truncated_json",
    "duplicate_key",
    "not_a_number",
    "too_deep",
    "lone_surrogate",
    "not_an_object",
)
"""Why a JSON file or an entry of it gives no record: what `assets.sources.json_files` says."""

DRAWING_REASONS = (
    "not_xml",
    "doctype",
    "entity",
    "processing_instruction",
    "script",
    "style",
    "foreign_object",
    "external_reference",
    "unknown_element",
    "unknown_attribute",
    "unexpected_text",
    "too_many_elements",
    "no_view_box",
    "bad_view_box",
    "view_box_too_large",
    "view_box_too_narrow",
    "unknown_transform",
    "no_number",
    "not_finite",
    "odd_points",
    "too_few_points",
    "too_many_points",
    "too_far_out",
    "not_seven_pieces",
    "missing_drawing",
    "bad_description",
)
"""Why a tangram of KILOGRAM is not used: what `assets.sources.svg` and `kilogram` say."""

PICKLE_REASONS = (
    "truncated_pickle",
    "damaged_pickle",
    "trailing_bytes",
    "not_a_list",
    "forbidden_opcode",
    "pickle_too_large",
    "self_reference",
    "odd_value",
    "forbidden_global",
    "forbidden_call",
    "odd_array",
)
"""Why a pickle is not read: what `assets.sources.plain_pickle` says."""

RECORD_REASONS = (
    "no_id",
    "duplicate_id",
    "no_question",
    "no_problem",
    "no_solution",
    "problem_too_long",
    "unknown_type",
    "unknown_subject",
    "no_choices",
    "too_many_choices",
    "no_answer",
    "answer_past_choices",
    "answer_not_an_option",
    "ambiguous_answer",
    "not_text",
    "unknown_split",
    "missing_picture",
    "unreadable_picture",
    "no_clue",
    "no_inference",
    "bad_confidence",
    "no_boxes",
    "bad_box",
    "box_outside",
    "no_url",
    "damaged_parquet",
    "bad_label",
    "count_differs",
    "size_differs",
    "too_many_boxes",
    "unequal_sizes",
    "disagrees",
)
"""Why a record of an upstream is no sample or clue: what the modules of `assets.sources` say."""

TEMPLATE_REASONS = (
    "unknown_type",
    "wrong_option_count",
    "answer_not_an_option",
    "no_question",
    "no_rationale",
    "bad_identifier",
    "identifier_without_picture",
    "picture_without_identifier",
    "no_picture_in_rationale",
    "question_with_picture",
    "question_without_picture",
)
"""Why a record of CoMT's release does not hold its template: what `assets.sources.comt_released_folder` says."""

SOURCE_REASONS = tuple(
    dict.fromkeys((*FILE_REASONS, *JSON_REASONS, *PICKLE_REASONS, *DRAWING_REASONS, *RECORD_REASONS, *TEMPLATE_REASONS))
)
"""Why a record of a source is set aside."""

SUPERSEDED = "superseded"
"""A judgement that the same annotator gave again later."""

ANNOTATION_REASONS = (
    "unknown_key",
    "no_sample_id",
    "unknown_stage",
    "unknown_round",
    "no_annotator",
    "unknown_verdict",
    "bad_visual_steps",
    "bad_edits",
    "bad_note",
    "not_a_file",
    "outside_folder",
)
"""Why a line is no judgement: what `assets.annotation` says."""

UNDRAWN_REASONS = (
    "no_formula_or_figure",
    "no_figure",
    "over_quota",
    "no_renderer",
    "unsupported_figure",
    "figure_timeout",
    "figure_too_large",
    "figure_missing",
    "unsupported_formula",
    "unsupported_text",
    "card_too_tall",
)
"""Why a problem has no picture drawn of it: what `assets.m3cot.mathematics`, `asymptote` and `cards` say."""

M3COT_REASONS = tuple(
    dict.fromkeys(
        (
            # judged
            "no_image",
            "choice_images_only",
            "image_not_needed",
            "too_few_steps",
            "too_few_image_steps",
            "discarded_by_annotator",
            "recheck_1_no",
            "recheck_2_no",
            "pending",
            # mathematics and its options
            *UNDRAWN_REASONS,
            "no_picture",
            "no_boxed_answer",
            "answer_is_a_letter",
            "no_options",
            "options_unreadable",
            "option_empty",
            "option_too_long",
            "option_of_other_kind",
            "right_option_missing",
            # commonsense
            "too_few_clues",
            "over_most_clues",
            "joined",
            "question_refused",
            "question_unreadable",
            "question_incomplete",
            "wrong_option_count",
            "options_equal",
            "answer_unknown",
            "single_clue",
            # tangrams and new samples
            "no_description",
            "label_unusable",
            "too_few_parts",
            "too_few_options",
            "sample_refused",
            "sample_unreadable",
            "sample_incomplete",
            "repeats_its_source",
            # rewriting and redundancy
            "no_rationale",
            "duplicate",
        )
    )
)
"""Why a sample goes no further in the construction of M3CoT: what the modules of `assets.m3cot` say."""

COMT_REASONS = (
    # creation
    "no_rationale",
    "wrong_option_count",
    "answer_disagrees",
    "not_described",
    "duplicate_question",
    "options_equal",
    "names_a_picture",
    # deletion
    "no_picture",
    "missing_picture",
    "box_outside",
    "no_heads",
    "too_few_people",
    "too_many_people",
    "head_without_size",
    "size_differs",
    # update
    "no_description",
    "overlap",
    "label_unusable",
    "label_names_answer",
    "too_few_groups",
    "too_few_options",
    "labels_overlap",
    "over_quota",
    # selection
    "unequal_sizes",
    "picture_too_large",
    "too_few_differences",
    # judged
    "discarded_by_annotator",
    "recheck_1_no",
    "recheck_2_no",
    "pending",
    # development
    "picture_in_development",
)
"""Why a sample goes no further in the construction of CoMT: what the modules of `assets.comt` say."""
