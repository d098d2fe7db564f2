"""Step segmentation: what Punkt does, pinned, and our rule for rationales that number their steps."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.steps import PROFILES, StepsError, annotated, segment

PUNKT = {
    "a number alone is a step": ("1. Find x.", ["1.", "Find x."]),
    "Fig. ends a step": ("See Fig. 3 now.", ["See Fig.", "3 now."]),
    "e.g. ends a step": ("Use e.g. Two.", ["Use e.g.", "Two."]),
    "display maths is split": (r"So \[ a=b. \] Then x.", [r"So \[ a=b.", r"\] Then x."]),
    "a newline ends no step": ("a\nb", ["a\nb"]),
    "a full stop and newlines end a step": ("Find it.\n\nThen go.", ["Find it.", "Then go."]),
    "no split after CJK full stops": ("一。二。三", ["一。二。三"]),
    "no split without a space": ("The cat.The dog", ["The cat.The dog"]),
    "no split after a dollar": ("So $x^2.$ The end.", ["So $x^2.$ The end."]),
    "a lettered option is split off": ("(A). Therefore B.", ["(A).", "Therefore B."]),
    "nothing": ("", []),
    "blanks": (" \n\t ", []),
}


@pytest.mark.parametrize(("text", "steps"), PUNKT.values(), ids=PUNKT.keys())
def test_roscoe_is_punkt(text: str, steps: list[str]) -> None:
    assert segment(text) == segment(text, "roscoe") == steps


def test_roscoe_lines_splits_sentences_at_newlines() -> None:
    text = "It is hot\nand wet. So B.\n\n"
    assert segment(text, "roscoe-lines") == ["It is hot", "and wet.", "So B."]
    assert annotated(text) == ["It is hot", "and wet.", "So B."]


MARKED = {
    "markers begin steps and numbers may skip": ("Step 1: a.\nStep 3: b. c.", ["Step 1: a.", "Step 3: b. c."]),
    "markers within a line": ("Step 1: It is. Step 2: So B.", ["Step 1: It is.", "Step 2: So B."]),
    "a numbered list": ("1. Look. See.\n2. So B.", ["1. Look. See.", "2. So B."]),
    "a list within a step is its own": (
        "1. Two options:\n   1. red\n   2. blue\n2. So red.",
        ["1. Two options:\n   1. red\n   2. blue", "2. So red."],
    ),
    "Step goes before a list": (
        "Step 1: Look:\n1. red\n2. blue\nStep 2: So.",
        ["Step 1: Look:\n1. red\n2. blue", "Step 2: So."],
    ),
    "a number alone joins the sentence after it": ("1. Find x. 2. Solve.", ["1. Find x.", "2. Solve."]),
    "a last letter alone joins the sentence before it": ("It is red. (B).", ["It is red. (B)."]),
    "display maths": (r"So \[ a=b. \] Then x.", [r"So \[ a=b. \]", "Then x."]),
    "maths in brackets": (r"So \(a. B\) holds.", [r"So \(a. B\) holds."]),
    "maths in dollars": ("So $a. B$ holds.", ["So $a. B$ holds."]),
    "maths over lines": ("So $$a.\n\n1. B$$ holds.", ["So $$a.\n\n1. B$$ holds."]),
    "an environment": (
        "So\n\\begin{align*}\nx &= 5. \\\\\n\n1. Y &= 6.\n\\end{align*}\nThen x.",
        ["So\n\\begin{align*}\nx &= 5. \\\\\n\n1. Y &= 6.\n\\end{align*}", "Then x."],
    ),
    "an environment within one of its kind": (
        r"So \begin{array}{c} a. \begin{array}{c} B. \end{array} C \end{array} holds.",
        [r"So \begin{array}{c} a. \begin{array}{c} B. \end{array} C \end{array} holds."],
    ),
    "an environment that never opened": (r"So a. \end{cases} Then x.", ["So a.\n\\end{cases} Then x."]),
    "an environment that never closes": (r"So \begin{cases} a. Then x.", [r"So \begin{cases} a.", "Then x."]),
    "a bracket that never opened": (r"So a. \] Then x.", ["So a.\n\\] Then x."]),
    "money is no maths": ("It costs $5. Then it was $6. So more.", ["It costs $5.", "Then it was $6.", "So more."]),
    "bullets belong to their step": (
        "Step 1: Look.\n- red.\n- blue.\nStep 2: So.",
        ["Step 1: Look.\n- red.\n- blue.", "Step 2: So."],
    ),
    "bullets belong to the sentence before": (
        "See it. Two are:\n- red.\n- blue.\nSo B.",
        ["See it.", "Two are:\n- red.\n- blue.", "So B."],
    ),
    "bullets alone are steps": ("- red.\n- blue.", ["- red.", "- blue."]),
    "table rows belong to their step": ("Look.\n|a|b|\n|1.|2.|\nSo B.", ["Look.\n|a|b|\n|1.|2.|", "So B."]),
    "a table alone is a step": ("|a|b|\n|1|2|", ["|a|b|\n|1|2|"]),
    "an introduction": ("Here is the rewritten rationale:\nIt is. So B.", ["It is.", "So B."]),
    "an introduction alone": ("Here is the rewritten rationale:", []),
    "an introduction in the line of the first step": ("Here is the rationale: Step 1: a.", ["Step 1: a."]),
    "a title line": ("Rationale: Comparing Coats\n\nStep 1: a.\nStep 2: b.", ["Step 1: a.", "Step 2: b."]),
    "a label before a sentence": ("Rationale: The cat is black. So B.", ["The cat is black.", "So B."]),
    "a leftover marker": ("<REWRITTEN RATIONALE>\nStep 1: a.", ["Step 1: a."]),
    "a leftover marker in the line": ("<REWRITTEN RATIONALE> It is. So B.", ["It is.", "So B."]),
    "a leftover marker at the end": ("Step 1: a.\n[RATIONALE]\n[…]\n[...]", ["Step 1: a."]),
    "a paragraph that leads to the steps": ("To find it, do this:\nStep 1: a.", ["Step 1: a."]),
    "a sentence before the steps stays": ("It is hot.\nStep 1: a.", ["It is hot.", "Step 1: a."]),
    "what follows the last step": (
        "1. red\n2. blue.\n\nIt is blue. So B.",
        ["1. red", "2. blue.", "It is blue.", "So B."],
    ),
    "a heading keeps its paragraph": ("Step 1: Look\n\nIt is red.", ["Step 1: Look\n\nIt is red."]),
    "bold markers": ("**Step 1:** a\n\nMore.\n\n**Step 2**: b.", ["**Step 1:** a\n\nMore.", "**Step 2**: b."]),
    "a marker with nothing behind it": ("Step 1:\n\nStep 2: b.", ["Step 2: b."]),
    "line ends of Windows": ("Step 1: a.\r\nStep 2: b.\r\n", ["Step 1: a.", "Step 2: b."]),
    "nothing": (" \n ", []),
}


@pytest.mark.parametrize(("text", "steps"), MARKED.values(), ids=MARKED.keys())
def test_marked_steps(text: str, steps: list[str]) -> None:
    assert segment(text, "marked") == steps


@pytest.mark.parametrize("profile", PROFILES)
@settings(deadline=None)
@given(text=st.text(alphabet="aB1.:)(-|$\\[] \n*#<>Step", max_size=60))
def test_steps_are_pieces_of_the_text_in_order(profile: str, text: str) -> None:
    rest = "".join(text.split())
    for step in segment(text, profile):
        assert step == step.strip() != ""
        piece = "".join(step.split())
        assert piece in rest
        rest = rest[rest.index(piece) + len(piece) :]


@pytest.mark.parametrize(
    "text",
    ["#" * 50_000, " " * 50_000 + "x", "$a " * 20_000, "\\[" * 5_000, "\\begin{a}" * 5_000, "Step 1: a\n" * 5_000],
)
def test_hostile_texts_take_no_time(text: str) -> None:
    started = time.process_time()
    segment(text, "marked")
    assert time.process_time() - started < 5


def test_an_unknown_profile_says_which_there_are() -> None:
    with pytest.raises(StepsError, match="'punkt' is none of roscoe, roscoe-lines, marked"):
        segment("a", "punkt")
