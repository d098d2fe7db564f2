"""`assets.evaluation.dialogue`: dialogues of both benchmarks, what is refused before anything is asked, versions."""

import itertools
from pathlib import Path

import pytest

from assets.comt.template import filled
from assets.evaluation import dialogue as door
from assets.evaluation import dialogue_comt, strategy, strategy_m3cot
from assets.evaluation.dialogue import Asked, DialogueError, counts, dialogues, offered, template
from assets.evaluation.strategy_file import StrategyError
from assets.models.model import REPLY, Ask, Dialogue
from assets.schema.sample import Part, Sample


def m3cot(name, split="test", **changes):
    return Sample(
        id=name,
        benchmark="m3cot",
        source="scienceqa",
        source_id=name,
        provenance="hand",
        domain="commonsense",
        topic="social-commonsense",
        category="Jobs",
        question=f"Who is {name}?",
        choices=("a cook", "a judge"),
        answer="A",
        rationale=(Part("text", f"{name} has a spoon.", None),),
        images=(f"{name}-1",),
        split=split,
    )._replace(**changes)


def comt(name, split="test", task="update"):
    return filled(
        sample_id=name,
        source="kilogram",
        source_id=name,
        provenance="hand",
        task=task,
        question="[IMAGE0]\nWhat is it?",
        choices=("a bird", "a cat", f"the {name}", "a tree"),
        right=2,
        rationale="A head. [IMAGE1] It is.",
        images=(f"{name}-0", f"{name}-1"),
        annotations={},
    )._replace(split=split)


class Names(set):
    """Which pictures there are; none is ever looked at."""

    def png(self, image_id):
        raise AssertionError(image_id)

    image = png


def text(said):
    return Part("text", said, None)


def picture(image_id):
    return Part("image", None, image_id)


ALL = Names(f"{name}-{n}" for name in ("ann", "ben", "cat", "dan") for n in range(3))
COT = Asked("cot")


def test_a_dialogue_of_m3cot_has_the_samples_id_asks_and_options():
    [found] = dialogues("m3cot", [m3cot("ann")], [], COT, ALL)
    assert found == Dialogue(
        "ann",
        (
            Ask(
                (
                    picture("ann-1"),
                    text("[Question]\nWho is ann?\n[Choices]\n(A) a cook\n(B) a judge\n\nLet's think step-by-step!"),
                )
            ),
            Ask((text('Please select the correct answer from the ["(A)","(B)"] options.'),)),
        ),
        ("a cook", "a judge"),
    )


def test_a_dialogue_of_comt_is_its_prompt_with_its_demonstrations():
    dev = [comt(name, "validation") for name in ("ben", "cat")]
    [found] = dialogues("comt", [comt("ann")], dev, Asked("vot", shots=2, rationales="text", seed=3), ALL)
    words = strategy.strategy("comt", "vot")
    shots = dialogue_comt.shots(dev, comt("ann"), 2, 3)
    turns = dialogue_comt.prompt(comt("ann"), words, dialogue_comt.demonstrations(shots, "text"))
    assert found.asks == tuple(Ask(turn.parts) for turn in turns)
    assert found.asks[1] == Ask((text("Therefore, among A through D, the answer is"),))
    assert [part.image_id for part in found.asks[0].parts if part.image_id] == [
        *(f"{shot.id}-0" for shot in shots),
        "ann-0",
    ]
    assert found.choices == ("a bird", "a cat", "the ann", "a tree")


def test_dialogues_come_in_the_order_of_the_samples_and_one_at_a_time():
    found = dialogues("m3cot", (m3cot(name) for name in ("cat", "ann", "ben")), [], COT, ALL)
    assert iter(found) is found
    assert [one.id for one in found] == ["cat", "ann", "ben"]


def test_the_reply_stands_in_a_fresh_second_ask():
    [found] = dialogues("m3cot", [m3cot("ann")], [], Asked("desp-cot", "gemini"), ALL)
    assert REPLY in found.asks[1].parts
    [turn] = found.replied((text("A woman with a spoon."),)).conversation()
    assert turn.parts[0] == picture("ann-1")
    assert "[Description] " in str(turn.parts[1].text)
    assert turn.parts[2] == text("A woman with a spoon.")


def test_shots_of_m3cot_are_chosen_by_seed_and_shown_before_the_question():
    dev = [m3cot(name, "validation") for name in ("ben", "cat", "dan")]
    [found] = dialogues("m3cot", [m3cot("ann")], dev, Asked("cot", shots=2, seed=5), ALL)
    shown = [part.image_id for part in found.asks[0].parts if part.image_id]
    assert len(shown) == 3
    assert shown[2] == "ann-1"
    assert set(shown[:2]) < {"ben-1", "cat-1", "dan-1"}
    [told] = dialogues("m3cot", [m3cot("ann")], dev, Asked("cot", shots=2, rationales="text", seed=5), ALL)
    assert [part.image_id for part in told.asks[0].parts if part.image_id] == ["ann-1"]
    assert f"{shown[0][:3]} has a spoon." in str(told.asks[0].parts[0].text)


@pytest.mark.parametrize("benchmark", ["m3cot", "comt"])
def test_a_missing_picture_of_a_sample_fails_with_its_id_before_anything_is_given(benchmark):
    make = {"m3cot": m3cot, "comt": comt}[benchmark]
    gone = "zoe-1" if benchmark == "m3cot" else "zoe-0"
    with pytest.raises(DialogueError) as raised:
        dialogues(benchmark, [make("ann"), make("zoe")], [], COT, ALL)
    assert str(raised.value) == f"zoe: its picture {gone} is not there: give it, or leave the sample out"
    assert len(list(dialogues(benchmark, [make("ann"), make("zoe")], [], COT, None))) == 2


@pytest.mark.parametrize("benchmark", ["m3cot", "comt"])
def test_a_missing_picture_of_a_shot_fails_with_the_shots_id(benchmark):
    make = {"m3cot": m3cot, "comt": comt}[benchmark]
    with pytest.raises(DialogueError, match=r"zoe: its picture zoe-[01] is not there"):
        dialogues(benchmark, [make("ann")], [make("zoe", "validation")], Asked("cot", shots=1), ALL)
    dialogues("m3cot", [m3cot("ann")], [m3cot("zoe", "validation")], Asked("cot", shots=1, rationales="text"), ALL)


def test_a_shot_that_has_no_picture_in_the_release_fails_with_its_id():
    bare = m3cot("ben", "validation", images=None)
    with pytest.raises(DialogueError, match="ben: has no picture to show: give it one, or leave it out"):
        dialogues("m3cot", [m3cot("ann")], [bare], Asked("cot", shots=1), ALL)


def test_too_few_shots_are_said_before_anything_is_given():
    dev = [m3cot("ben", "validation")]
    with pytest.raises(DialogueError, match="ann: 2 samples are to be shown before it"):
        dialogues("m3cot", [m3cot("cat"), m3cot("ann")][::-1], dev, Asked("cot", shots=2), ALL)


def test_samples_without_an_id_or_with_one_that_stands_there_twice_are_refused():
    with pytest.raises(DialogueError, match="ann: stands among the samples twice: ask it once"):
        dialogues("m3cot", [m3cot("ann"), m3cot("ann")], [], COT, ALL)
    with pytest.raises(DialogueError, match="scienceqa: a sample of it has no id: leave it out"):
        dialogues("m3cot", [m3cot(None)], [], COT, ALL)


def test_shots_that_were_filled_up_and_refused_are_counted():
    dev = [
        m3cot("ben", "validation"),
        m3cot("cat", "validation", category="Homes"),
        m3cot("dan", "validation", images=("ann-1",)),
    ]
    asked = Asked("cot", shots=2)
    assert counts("m3cot", [m3cot("ann")], dev, asked, ALL) == (1, 2, 1, 1)
    assert counts("m3cot", [m3cot("ann")], dev, COT, ALL) == (1, 0, 0, 0)
    again = comt("dan", "validation")._replace(images=("ann-0", "dan-1"))
    assert counts("comt", [comt("ann")], [comt("ben", "validation"), again], Asked("cot", shots=1), ALL) == (1, 1, 0, 1)


def test_what_is_offered_is_what_can_be_asked():
    assert offered("comt") == dict.fromkeys(("direct", "cot", "desp-cot", "vot"), ("default",))
    assert offered("m3cot")["ccot"] == ("default", "llava")
    for name, variants in offered("m3cot").items():
        for variant in variants:
            assert len(list(dialogues("m3cot", [m3cot("ann")], [], Asked(name, variant), ALL))) == 1


def test_what_is_not_offered_is_refused_with_what_is():
    with pytest.raises(StrategyError, match="benchmark mmmu: has no strategies: use one of m3cot, comt"):
        dialogues("mmmu", [], [], COT, None)
    with pytest.raises(StrategyError, match="benchmark mmmu"):
        offered("mmmu")
    with pytest.raises(StrategyError, match="strategy vot: m3cot has none of that name"):
        dialogues("m3cot", [], [], Asked("vot"), None)
    with pytest.raises(StrategyError, match="strategy ccot: comt has none of that name"):
        template("comt", Asked("ccot"))
    with pytest.raises(StrategyError, match="variant llava: strategies of comt have default alone: use it"):
        template("comt", Asked("cot", "llava"))


def reworded(monkeypatch, benchmark, old, new):
    module = {"m3cot": strategy_m3cot, "comt": strategy}[benchmark]
    path = f"{module.__file__.rpartition('/')[0]}/{module.FILES[0]}"
    content = Path(path).read_text(encoding="utf-8")
    assert old in content
    content = content.replace(old, new)
    if benchmark == "m3cot":
        found = strategy_m3cot.read(content, "mine.yaml")
        monkeypatch.setattr(door, "manner", lambda name, variant: strategy_m3cot.chosen(found, name, variant))
    else:
        listed = strategy.read(content, "comt", "mine.yaml")
        monkeypatch.setattr(door, "strategy", lambda benchmark, name: listed[name])


@pytest.mark.parametrize(
    ("benchmark", "asked", "old", "new"),
    [
        ("m3cot", COT, "Let's think step-by-step!", "Think!"),
        ("m3cot", COT, "Please select", "Select"),
        ("m3cot", COT, "version: 1", "version: 2"),
        ("m3cot", COT, 'rest: "[Question]', 'rest: "[Q]'),
        ("m3cot", Asked("desp-cot", "gemini"), "[Description] ", "[Picture] "),
        ("m3cot", Asked("desp-cot", "gemini"), "<CHOICE>", "<OPTIONS>"),
        ("m3cot", Asked("desp-cot", shots=1), "[Rationale]", "[Why]"),
        ("comt", COT, "Therefore, among", "So, among"),
        ("comt", COT, "an expert in tangrams", "good at tangrams"),
        ("comt", COT, '"[Choices]"', '"[Options]"'),
        ("comt", COT, "version: 1", "version: 2"),
        ("comt", Asked("cot", shots=1), '"[Rationale]"', '"[Why]"'),
    ],
)
def test_another_wording_is_another_version(monkeypatch, benchmark, asked, old, new):
    before = template(benchmark, asked)
    reworded(monkeypatch, benchmark, old, new)
    assert template(benchmark, asked) != before


@pytest.mark.parametrize(
    ("benchmark", "asked", "old", "new"),
    [
        ("m3cot", COT, "[Description] ", "[Picture] "),
        ("m3cot", COT, "<CHOICE>", "<OPTIONS>"),
        ("m3cot", Asked("desp-cot"), "[Rationale]", "[Why]"),
        ("comt", COT, '"[Rationale]"', '"[Why]"'),
        ("comt", COT, "Visualize", "Draw"),
    ],
)
def test_a_text_that_is_not_said_changes_no_version(monkeypatch, benchmark, asked, old, new):
    before = template(benchmark, asked)
    reworded(monkeypatch, benchmark, old, new)
    assert template(benchmark, asked) == before


def test_every_strategy_and_variant_has_a_version_of_its_own():
    versions = [
        template(benchmark, Asked(name, variant, shots))
        for benchmark in ("m3cot", "comt")
        for name, variants in offered(benchmark).items()
        for variant, shots in itertools.product(variants, (0, 1))
    ]
    assert len(set(versions)) == len(versions) == 2 * (7 + 7 + 6 + 2 + 4)
    assert template("m3cot", COT).startswith("m3cot/cot/default/1/")
    assert template("m3cot", COT) == template("m3cot", Asked("cot", seed=4))
