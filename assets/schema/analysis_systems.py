"""The tables of the papers' explorations: how tools were used, and every system that the papers name."""

import pyarrow as pa

from assets.schema.columns import Column, Table, count, fraction, text

EXPLORATIONS = (
    Table(
        "tool_use",
        "How often something came of the runs with tools of one evaluation.",
        (
            text("evaluation", "The evaluation's name in params.yaml."),
            text("model", "The model's name in params.yaml."),
            text("policy", "chameleon, hugginggpt, visualchatgpt or idealgpt."),
            text(
                "kind",
                "status (of a run), reason (why it ended without an answer), fault (of a plan or a call), tool (calls "
                "of it), redundant (calls) or turn (of a role).",
            ),
            text("name", "Which status, reason, fault, tool, way of being redundant, or role."),
            count("n", "How often: runs of a status or reason or fault, calls of a tool or redundant ones, turns."),
            count("of", "Runs (status, reason, fault), calls (tool, redundant) or turns (turn) there were."),
            fraction("share", "n / of, in [0, 1]; null when of is 0.", nullable=True),
            fraction("low", "Lower end of the Wilson interval of share.", nullable=True),
            fraction("high", "Upper end of the Wilson interval of share.", nullable=True),
            fraction("a_run", "n divided by the runs of the evaluation."),
        ),
    ),
    Table(
        "system",
        "One system that one of the papers names, how it is run here, and what it reached where it was.",
        (
            text("paper", "m3cot or comt."),
            text("system", "As the paper's table, or its text, names it."),
            text(
                "setting",
                "baseline, zero-shot, in-context, tool-usage, finetuned-vlm, finetuned-vllm, drawing or human.",
            ),
            text("kind", "The kind of model, here."),
            text("how", "What params.yaml says of it."),
            text("needs", "What a person has to have: weights, an endpoint, an extra, replies."),
            fraction("published", "Its best total in the paper, in per cent; null where none is kept here.", True),
            text("published_as", "The table and strategy of that number; null where there is none.", nullable=True),
            text("evaluation", "The evaluation here that is this system; null where none was run.", nullable=True),
            text("asked", "Of that evaluation: benchmark, edition and split.", nullable=True),
            count("n", "Samples in our denominator (strict extractor, released labels).", nullable=True),
            count("correct", "Samples answered right.", nullable=True),
            fraction("ours", "Accuracy in per cent; null where none was run.", nullable=True),
            fraction("low", "Lower end of its Wilson interval, in per cent.", nullable=True),
            fraction("high", "Upper end of its Wilson interval, in per cent.", nullable=True),
            Column(
                "alike",
                pa.list_(pa.string()),
                "Evaluations that ran the same way with other weights: not this system.",
            ),
        ),
    ),
)
