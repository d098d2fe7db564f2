"""`assets.evaluation.dialogue_comt`: what a model is shown, and which solved samples may stand before a question."""

import pytest

from assets.comt.template import filled
from assets.evaluation.dialogue_comt import demonstrations, prompt, shots
from assets.evaluation.dialogue_parts import DialogueError
from assets.evaluation.preview import shown
from assets.evaluation.strategy import Headings, Strategy, strategy
from assets.models.model import Turn
from assets.schema.sample import Part
from assets.schema.vocabulary import TASKS

PLAIN = Strategy(
    benchmark="comt",
    name="plain",
    version=1,
    role={task: f"You {task[0]}." for task in TASKS},
    task={task: f"Do {task}." for task in TASKS},
    words=dict.fromkeys(TASKS, "Think!"),
    second_turn="So",
    headings=Headings("[Q]", "[C]", "[R]", "[A]"),
)


def sample(name, task="update", *, split="validation", **changes):
    creation = task == "creation"
    values = {
        "sample_id": name,
        "source": "kilogram",
        "source_id": name,
        "provenance": "generated",
        "task": task,
        "question": "AB is 3. How long is BC?" if creation else "[IMAGE0]\nWhat is it?",
        "choices": ("a bird", "a cat", f"the {name}", "a tree"),
        "right": 2,
        "rationale": "Draw it. [IMAGE0] So it is." if creation else "A head. [IMAGE1] A tail. [IMAGE2] It is.",
        "images": (f"{name}-a",) if creation else (f"{name}-a", f"{name}-b", f"{name}-c"),
        "annotations": {},
    }
    return filled(**values | changes)._replace(split=split)


def text(said):
    return Part("text", said, None)


def picture(image_id):
    return Part("image", None, image_id)


def test_a_picture_stands_where_the_question_names_it_and_the_four_parts_are_in_order():
    asked = sample("one", question="First [IMAGE0] look. What is it?")
    assert prompt(asked, PLAIN) == (
        Turn(
            "user",
            (
                text("You u. Do update.\n\n[Q]\nFirst "),
                picture("one-a"),
                text(
                    " look. What is it?\n\n[C]\n(A) a bird\n(B) a cat\n(C) the one\n(D) a tree\n\nThink!",
                ),
            ),
        ),
        Turn("user", (text("So"),)),
    )


def test_a_question_of_creation_has_no_picture():
    [first, _] = prompt(sample("one", "creation"), PLAIN)
    assert [part.kind for part in first.parts] == ["text"]


def test_two_pictures_of_a_question_stand_in_their_places():
    asked = sample("one", question="[IMAGE1] or [IMAGE0]?")
    kinds = [part.image_id or "text" for part in prompt(asked, PLAIN)[0].parts]
    assert kinds == ["text", "one-b", "text", "one-a", "text"]


@pytest.mark.parametrize("name", ["direct", "cot", "desp-cot", "vot"])
@pytest.mark.parametrize("task", TASKS)
def test_each_strategy_asks_in_its_turns(name, task):
    turns = prompt(sample("one", task), strategy("comt", name))
    assert len(turns) == (1 if name == "direct" else 2)
    assert [part.text for turn in turns[1:] for part in turn.parts] == [
        "Therefore, among A through D, the answer is" for _ in turns[1:]
    ]


@pytest.mark.parametrize("token", ["<image>", "<|image_pad|>", "[IMAGE]", "[image0]", "[IMAGE00]", "[picture one-a]"])
def test_text_that_looks_like_a_picture_stays_text(token):
    asked = sample("one", question=f"[IMAGE0]\nWhat does {token} mean?", choices=(token, "a", "b", "c"))
    parts = prompt(asked, PLAIN)[0].parts
    assert [part.image_id for part in parts if part.kind == "image"] == ["one-a"]
    assert f"What does {token} mean?\n\n[C]\n(A) {token}\n" in str(parts[2].text)


def test_a_picture_that_is_named_and_not_there_fails_with_the_id():
    asked = sample("one")._replace(images=("one-a",), question="[IMAGE4] What?")
    with pytest.raises(DialogueError, match=r"one: \[IMAGE4\] names no picture"):
        prompt(asked, PLAIN)
    with pytest.raises(DialogueError, match=r"one: \[IMAGE0\] names no picture"):
        prompt(sample("one")._replace(images=None), PLAIN)


def test_a_sample_of_another_kind_fails_with_the_id():
    with pytest.raises(DialogueError, match="one: its task is none: strategies of comt are for creation, deletion"):
        prompt(sample("one")._replace(task=None), PLAIN)
    with pytest.raises(DialogueError, match="one: has no question to show"):
        prompt(sample("one")._replace(question=None), PLAIN)


DEV = [sample(f"dev{n}", task) for task in ("update", "creation") for n in range(10)]
# ids differ between the tasks too
DEV = [one._replace(id=f"{one.task}-{one.id}") for one in DEV]


def names(found):
    return [one.id for one in found]


def test_shots_are_of_the_same_task_and_of_the_development_set():
    others = [one._replace(id=f"t{one.id}", split="test") for one in DEV]
    gone = [one._replace(id=f"x{one.id}", dropped="pending") for one in DEV]
    found = shots([*others, *gone, *DEV], sample("asked", split="test"), 10, seed=1)
    assert sorted(names(found)) == [f"update-dev{n}" for n in range(10)]


def test_a_development_split_of_either_name_is_accepted():
    renamed = [one._replace(split="dev") for one in DEV]
    asked = sample("asked", split="test")
    assert names(shots(renamed, asked, 3, seed=1)) == names(shots(DEV, asked, 3, seed=1))


def test_shots_are_fixed_by_seed_and_id_whatever_the_order_of_the_set():
    asked = sample("asked", split="test")
    found = names(shots(DEV, asked, 4, seed=1))
    assert found == names(shots(DEV[::-1], asked, 4, seed=1))
    assert found == names(shots(DEV, asked, 7, seed=1))[:4]
    assert found != names(shots(DEV, asked, 4, seed=2))
    assert found != names(shots(DEV, sample("another", split="test"), 4, seed=1))
    assert shots(DEV, asked, 0, seed=1) == []


def test_every_shot_is_drawn_about_equally_often():
    drawn = [name for n in range(300) for name in names(shots(DEV, sample(f"asked{n}", split="test"), 2, seed=1))]
    # 60 expected of each; 5 standard deviations are 35
    assert all(25 < drawn.count(f"update-dev{n}") < 95 for n in range(10))


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "update-dev3"},
        {"images": ("mine", "dev3-c")},
        {"choices": ("A  bird", "a tree", "THE DEV3", "a cat"), "question": "what IS it? [IMAGE0]"},
        {"other": '{"annotations": {"originals": ["dev3-b"]}}'},
    ],
    ids=["itself", "its picture", "its question and options", "an original of its picture"],
)
def test_a_shot_that_is_or_shares_with_the_sample_is_refused(changes):
    asked = sample("asked", split="test")._replace(**changes)
    assert sorted(names(shots(DEV, asked, 9, seed=1))) == [f"update-dev{n}" for n in range(10) if n != 3]
    with pytest.raises(DialogueError) as raised:
        shots(DEV, asked, 10, seed=1)
    assert str(raised.value) == (
        f"{asked.id}: 10 samples of update are to be shown before it, and of the 10 in the development set 9 share "
        "nothing with it: ask for 9 or fewer, or add more"
    )


def test_the_same_question_with_other_options_may_be_shown():
    asked = sample("asked", split="test", choices=("a bird", "a cat", "the dev3", "a house"))
    assert len(shots(DEV, asked, 10, seed=1)) == 10


def test_fewer_than_none_cannot_be_shown():
    with pytest.raises(DialogueError, match="asked: -1 samples cannot be shown"):
        shots(DEV, sample("asked"), -1, seed=1)


def test_a_demonstration_is_question_options_rationale_with_pictures_and_answer():
    assert demonstrations([sample("one")], headings=PLAIN.headings) == (
        text("[Q]\n"),
        picture("one-a"),
        text("\nWhat is it?\n\n[C]\n(A) a bird\n(B) a cat\n(C) the one\n(D) a tree\n\n[R]\nA head. "),
        picture("one-b"),
        text(" A tail. "),
        picture("one-c"),
        text(" It is.\n\n[A]\n(C)\n\n"),
    )


def test_a_demonstration_in_text_has_the_pictures_of_its_question_alone():
    told = demonstrations([sample("one")], "text", headings=PLAIN.headings)
    assert [part.image_id for part in told if part.kind == "image"] == ["one-a"]
    assert str(told[-1].text).endswith("\n\n[R]\nA head. A tail. It is.\n\n[A]\n(C)\n\n")
    [told] = demonstrations([sample("one", "creation")], "text", headings=PLAIN.headings)
    assert "IMAGE" not in str(told.text)
    assert "Draw it. So it is." in str(told.text)


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("A head ([IMAGE1]). A tail [IMAGE2], it is.", "A head. A tail, it is."),
        ("[IMAGE1] A head.\n[IMAGE2]\nIt is.", "A head.\nIt is."),
        ("A head. [IMAGE1] [IMAGE2]", "A head."),
        ("A[IMAGE1][IMAGE2]B", "A B"),
        ("f(x) [IMAGE1](see) [IMAGE2]", "f(x) (see)"),
    ],
)
def test_nothing_is_left_of_a_picture_that_is_not_shown(written, left):
    told = demonstrations([sample("one", rationale=written)], "text", headings=PLAIN.headings)
    assert str(told[-1].text).split("[R]\n")[1] == f"{left}\n\n[A]\n(C)\n\n"


def test_a_rationale_in_the_form_of_the_release_is_shown_like_any_other():
    one = sample("one")
    released = one._replace(rationale=(Part("text", "A head. [IMAGE1] A tail. [IMAGE2] It is.", None),))
    assert demonstrations([released]) == demonstrations([one])


@pytest.mark.parametrize("rationale", ["multimodal", "text"])
def test_a_shot_whose_picture_is_missing_fails_with_its_id(rationale):
    good, bad = sample("good"), sample("bad")
    known = {*(good.images or ()), *(bad.images or ())}
    assert demonstrations([good, bad], rationale, pictures=known)
    with pytest.raises(DialogueError, match="bad: its picture bad-a is not there: show another sample"):
        demonstrations([good, bad], rationale, pictures=known - {"bad-a"})
    with pytest.raises(DialogueError, match=r"bad: \[IMAGE0\] names no picture"):
        demonstrations([good, bad._replace(images=())], rationale)
    lost = bad._replace(rationale=(Part("image", "[IMAGE1]", None), text("It is.")))
    with pytest.raises(DialogueError, match=r"bad: its picture \[IMAGE1\] is missing"):
        demonstrations([good, lost], rationale)


def test_a_shot_without_rationale_or_answer_fails_with_its_id():
    with pytest.raises(DialogueError, match="one: has no rationale to show"):
        demonstrations([sample("one")._replace(rationale=None)])
    with pytest.raises(DialogueError, match="one: has no answer to show"):
        demonstrations([sample("one")._replace(answer=None)])


def test_demonstrations_stand_between_task_and_question():
    told = demonstrations([sample("one")], "text", headings=PLAIN.headings)
    seen = shown(prompt(sample("asked"), PLAIN, told))
    assert seen == (
        "user:\n"
        "You u. Do update.\n\n"
        "[Q]\n[picture one-a]\nWhat is it?\n\n[C]\n(A) a bird\n(B) a cat\n(C) the one\n(D) a tree\n\n"
        "[R]\nA head. A tail. It is.\n\n[A]\n(C)\n\n"
        "[Q]\n[picture asked-a]\nWhat is it?\n\n[C]\n(A) a bird\n(B) a cat\n(C) the asked\n(D) a tree\n\n"
        "Think!\n"
        "\n"
        "user:\nSo\n"
    )


def test_a_preview_names_a_picture_by_the_start_of_its_id():
    assert shown([Turn("user", (picture("0123456789abcdef"),))]) == "user:\n[picture 01234567]\n"


def test_a_sample_of_creation_with_the_same_question_and_other_options_is_not_shown() -> None:
    dev = [sample("a", "creation")._replace(choices=("1", "2", "3", "4")), sample("b", "creation", question="Else?")]
    asked = sample("c", "creation", split="test")
    assert [one.id for one in shots(dev, asked, 1, 0)] == ["b"]
    with pytest.raises(DialogueError, match="1 share nothing"):
        shots(dev, asked, 2, 0)


def test_two_samples_of_one_picture_are_shown_together_only_where_others_do_not_suffice() -> None:
    dev = [sample(name, images=("plain" if name in "abc" else name, f"{name}-1", f"{name}-2")) for name in "abcdef"]
    asked = sample("z", split="test")
    for seed in range(20):
        first = [one.images[0] for one in shots(dev, asked, 4, seed)]
        assert len(set(first)) == 4
        assert len(shots(dev, asked, 6, seed)) == 6
