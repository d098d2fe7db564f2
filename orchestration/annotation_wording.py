"""What the annotation page says, in words of our own: questions, verdicts and guidelines by benchmark and stage."""

from typing import NamedTuple

KEYS = {"yes": "y", "accept": "y", "no": "n", "discard": "d", **{score: score for score in "01234"}}


class Wording(NamedTuple):
    """What a stage asks, before and after the picture is shown, what its verdicts mean, and how to judge.

    Before is empty where the picture is shown at once.
    """

    title: str
    text_alone: str
    with_picture: str
    verdicts: dict[str, str]
    guidelines: tuple[str, ...]


_DISCARD = "Discard"
_STEPS = (
    "A step needs the picture when it states something that has to be seen: a colour, a place, a count, a shape, an "
    "arrow, a number that stands only there. Tick each such step.",
    "A step that repeats the text, states a rule or a fact, or draws a conclusion from steps before it does not.",
)
_BROKEN = "Discard: question, picture and answer do not belong together, or nobody could understand it."

_M3COT = {
    "image_needed": Wording(
        "Is the picture needed?",
        "From the text alone: would you need the picture to get there?",
        "With the picture: is it needed to arrive at the rationale?",
        {"yes": "Needed", "no": "Not needed", "discard": _DISCARD},
        (
            "Read the question, the context and the options as if there were no picture, and ask yourself whether "
            "somebody who knows the subject could write this rationale.",
            "Needed: the rationale states at least one thing that only the picture can tell.",
            "Not needed: all of it follows from the text and from general knowledge; the picture illustrates.",
            "Then see the picture, and confirm what you said or change it.",
            _BROKEN,
        ),
    ),
    "image_steps": Wording(
        "Do several steps need the picture?",
        "From the text alone: do two or more steps need the picture?",
        "With the picture: do two or more steps need it?",
        {"yes": "Two steps or more", "no": "One step or none", "discard": _DISCARD},
        (*_STEPS, "Two steps or more that need it make the sample multi-step and multimodal.", _BROKEN),
    ),
    "quality": Wording(
        "Is the rationale right?",
        "From the text alone: is the rationale coherent, and does it lead to the answer?",
        "With the picture: is the rationale right, your edits included?",
        {"accept": "Accept, with my edits", "discard": _DISCARD},
        (
            "Compare each step with the picture, the question and the options: what it states must be there, and must "
            "follow from what was said before.",
            "Mend a step in its box. Empty the box to remove the step; the last, empty box adds one.",
            "Change as little as makes it right; leave a style that is not yours.",
            "Discard what cannot be mended: a wrong answer, a picture that does not belong, a question without sense.",
        ),
    ),
    "recheck": Wording(
        "Does the sample hold?",
        "From the text alone: do two or more steps need the picture, and is the rationale coherent?",
        "With the picture: do two or more steps need it, and is the rationale coherent?",
        {"yes": "Yes, it holds", "no": "No, it does not", "discard": _DISCARD},
        (*_STEPS, "Yes asks for both: two such steps or more, and no step that is wrong or out of place.", _BROKEN),
    ),
    "audit": Wording(
        "Is it multi-step and multimodal?",
        "From the text alone: do two or more steps need the picture?",
        "With the picture: do two or more steps need it?",
        {"yes": "Two steps or more", "no": "One step or none", "discard": _DISCARD},
        (*_STEPS, "Judge the sample as its source gives it; nothing has been filtered or mended.", _BROKEN),
    ),
}

_COMT = {
    "quality": Wording(
        "Does the question say all that the picture shows?",
        "",
        "Could the picture be drawn from the question, with your edits?",
        {"accept": "Accept, with my edits", "discard": _DISCARD},
        (
            "Whoever is asked does not see the picture. What it shows must be told: which points are joined, on which "
            "side of a line a point lies, what is equal, parallel or at right angles.",
            "Write what is missing into the question, in its own language and manner, such as: connect A and B; "
            "C and D lie on opposite sides of the diameter AB.",
            "Change nothing else, and tell nothing that only the solution says.",
            "Discard what cannot be mended: a picture of another problem, or an answer that is wrong.",
        ),
    ),
    "recheck": Wording(
        "Does the sample hold?",
        "",
        "Does it think in pictures and words, and is the rationale coherent?",
        {"yes": "Yes, it holds", "no": "No, it does not"},
        (
            "Multimodal thought: every picture of the rationale shows what the words before it announce, and what "
            "follows makes use of it.",
            "Coherent: no step is wrong, missing or out of place, and they lead to the option marked as the answer.",
            "One option alone is right. Yes asks for all of this.",
        ),
    ),
    "picture_quality": Wording(
        "How good are the pictures of the reply?",
        "",
        "How good is what the reply draws?",
        {
            "0": "Not relevant at all",
            "1": "Relevant, but wrong",
            "2": "Relevant, right in part",
            "3": "Relevant and right",
            "4": "Relevant, right and beautiful",
        },
        (
            "Look first whether the pictures have to do with the matter at all: what has not gets 0, however well it "
            "is drawn.",
            "Then hold them against the words of the reply, not against the answer: a picture is right when it shows "
            "what the reply says, even where the reply is mistaken.",
            "1: the matter, but nothing of it as it is said. 2: some of it. 3: all of it.",
            "4: all of it, and clear and pleasant to look at as well.",
            "Of several pictures judge what they show together.",
        ),
    ),
}

WORDING = {"m3cot": _M3COT, "comt": _COMT}
"""By benchmark and stage."""

TASKS = {
    "creation": (
        "Visual creation",
        "The question describes a figure and does not show it; the rationale draws it, and solves the problem with it. "
        "Whatever the solution takes from the figure must stand in the question.",
    ),
    "deletion": (
        "Visual deletion",
        "People are counted by masking their heads, some at a time (ten, as a rule) from the left to the right, until "
        "none is left. Each picture must mask the heads that its step counts, and the counts must make the answer.",
    ),
    "update": (
        "Visual update",
        "A tangram is understood part by part: each picture colours one more group of pieces and names it beside an "
        "arrow. A name must fit its pieces and be readable, and together they must lead to the shape of the answer.",
    ),
    "selection": (
        "Visual selection",
        "Two pictures stand side by side, a see-through gap between them; each picture of the rationale keeps some "
        "of the places where they differ, from left to right. Each must show the differences that its step counts, "
        "and the counts must make the answer.",
    ),
}
"""What each task of CoMT is, and what makes a sample of it good. Source: arXiv:2412.12932, C.2."""

DRAWN = {
    "creation": (
        "Visual creation",
        "Relevant: there are geometric shapes in the picture.",
        "Right: its shapes, points and lines are those that the reply describes.",
    ),
    "deletion": (
        "Visual deletion",
        "Relevant: there is a crowd in the picture.",
        "Right: about as many people are in it as the reply counts, or it is the scene that the reply tells of.",
    ),
    "update": (
        "Visual update",
        "Relevant: what is in the picture resembles the tangram.",
        "Right: the things that the reply names are the things that the picture shows.",
    ),
    "selection": (
        "Visual selection",
        "Relevant: the picture shows the scene of the pictures in the question.",
        "Right: the scene that the reply describes is the one in the picture.",
    ),
}
"""When what a reply to a task draws is relevant, and when right. Source: arXiv:2412.12932, C.3."""

ANY_DRAWN = (
    "The pictures of the reply",
    "Relevant: the pictures show what the question is about.",
    "Right: they show what the reply says.",
)
"""The same for a question of no task of CoMT."""

HELP = (
    ("y n d", "judge: yes or accept, no, discard"),
    ("s", "show the picture"),
    ("Enter or Space", "show the picture; then save and go on"),
    ("1 … 9", "tick a step that needs the picture"),
    ("b", "back to the sample before"),
    ("Up, Down, PgUp, PgDn", "scroll the sample"),
    ("Esc, Ctrl+Enter", "in a text box: leave it; save"),
    ("?", "this help"),
)
UNMASKED_HELP = (
    HELP[0],
    ("Enter or Space", "save and go on"),
    ("click on a picture", "see it large; Esc or another click closes it"),
    *HELP[4:],
)
SCORING_HELP = (("0 1 2 3 4", "score the pictures"), *UNMASKED_HELP[1:])
"""Keys by what they do: of stages that hide the picture at first, of those that do not, and of those with scores."""
