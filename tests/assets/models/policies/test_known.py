import contextlib

import pytest

from assets.evaluation.extraction import paper, strict
from assets.models.policies import chameleon, hugginggpt, idealgpt, visualchatgpt
from assets.models.policies.conversation import PlanFault
from assets.models.policies.known import KNOWN
from assets.models.policies.letters import declared, opening
from assets.models.policies.signatures import Slot, lacking, placed, signatures
from assets.schema.vocabulary import BOUNDS, PLAN_FAULTS, POLICIES_OF_TOOLS
from tests.assets.models.policies.bench import Bench


def test_every_policy_that_params_may_name_is_there() -> None:
    assert tuple(KNOWN) == POLICIES_OF_TOOLS


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is (B).", "B"),
        ("the answer is: b", None),
        ("Answer: B", "B"),
        ("The answer is **A**, not B.", "A"),
        ("The answer is (A). No, the answer is (B).", "B"),
        ("The answer is a deficit.", None),
        ("The answer is (E).", None),
        ("(B) may be it.", None),
        ("", None),
    ],
)
def test_a_declared_letter_is_read(text: str, letter: str | None) -> None:
    assert declared(text, ("x", "y", "z")) == letter


@pytest.mark.parametrize(
    ("text", "letter"), [("B", "B"), ("(b) two", "B"), ("B.", "B"), ("A deficit", None), ("E", None), ("", None)]
)
def test_an_opening_letter_is_read(text: str, letter: str | None) -> None:
    assert opening(text, ("x", "y", "z")) == letter


@pytest.mark.parametrize(
    "filling", [" ", "\n", "*", "[", "(", "Action:", "Answer: ", "answer ", "1. ", "{", "? ", "\\"]
)
def test_long_replies_are_read_at_once(filling: str) -> None:
    text = f"Action: answer 1. Answer: {filling * 100_000}x"
    declared(text, ("x",))
    for read in (
        chameleon.program,
        hugginggpt.tasks,
        visualchatgpt.step,
        idealgpt.questions,
        lambda text: idealgpt.reasoned(text, ("x",)),
    ):
        with contextlib.suppress(PlanFault):
            read(text)


def test_signatures_are_read_from_the_description() -> None:
    class Described(Bench):
        def described(self, *, without: tuple[str, ...] = ()) -> str:
            return (
                "Tools:\n- crop(picture: picture, box: box): cuts (a part): of it.\n"
                "zoom(picture: picture, box: box = whole, scale: number = 2): enlarges.\nnow(): tells."
            )

    assert signatures(Described()) == {
        "crop": (Slot("picture", "picture", True), Slot("box", "box", True)),
        "zoom": (Slot("picture", "picture", True), Slot("box", "box", False), Slot("scale", "number", False)),
        "now": (),
    }


def test_values_are_placed_in_the_order_of_the_arguments() -> None:
    slots = (Slot("picture", "picture", True), Slot("scale", "number", False))
    assert placed(slots, ["p"]) == {"picture": "p"}
    assert placed(slots, ["p", 2, 3]) is None
    assert lacking(slots, {"scale": 2}) == (slots[0],)


@pytest.mark.parametrize(
    "text",
    [
        "It reads 19.\nThe answer is (B).",
        "Reasoning: nineteen.\nConfidence: high\nAnswer: The answer is (B).",
    ],
)
def test_both_extractors_read_what_the_prompts_ask_for(text: str) -> None:
    assert paper.extract(text, ["12", "19"]).letter == "B"
    assert strict.extract(text, ["12", "19"]).letter == "B"


def test_the_reasons_of_runs_are_in_the_vocabulary() -> None:
    import re
    from pathlib import Path

    import assets.models.policies as policies

    written = "".join(path.read_text(encoding="utf-8") for path in Path(policies.__path__[0]).glob("*.py"))
    faults = set(re.findall(r'(?:PlanFault|Note)\(\s*"(\w+)"', written))
    bounds = set(re.findall(r'Stopped\(\s*"bound_reached", "(\w+)"', written))
    assert faults == {"unreadable_plan", "unknown_tool", "bad_arguments", "cycle", "empty_plan", "no_answer"}
    assert faults < set(PLAN_FAULTS)
    assert bounds == set(BOUNDS)
