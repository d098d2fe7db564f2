import json

import pytest

from assets.m3cot.commonsense import Question, Scene, checked, requests, rule, samples, scenes
from assets.writer import Reply, Rules


def clue(instance: str, picture: str, seen: str, inferred: str) -> dict:
    return {
        "instance_id": instance,
        "image_id": picture,
        "clue": seen,
        "inference": inferred,
        "source": "sherlock",
        "provenance": "generated",
        "split": "train",
    }


CLUES = [
    clue("a1", "p1", "an open umbrella over a man", "It is raining"),
    clue("a2", "p1", "wet pavement with puddles", "the rain began some time ago."),
    clue("a3", "p1", "a lit street lamp", "it is evening"),
    clue("b1", "p2", "a cake with seven candles", "a child turns seven"),
    clue("b2", "p2", "balloons on the wall", "there is a party"),
    clue("b3", "p2", "Balloons on the wall", "there is a party."),
    clue("c1", "p3", "snow on a roof", "it is winter"),
    clue("c2", "p3", "smoke from the chimney", "someone is at home"),
    clue("c3", "p3", "tracks to the door", "a visitor came"),
    clue("c4", "p3", "a sledge at the wall", "children live there"),
]
SCENE = Scene("sherlock-a1", "p1", tuple((row["clue"], row["inference"]) for row in CLUES[:3]))
GOOD = {
    "question": "What is the weather like?",
    "options": ["rainy", "sunny", "snowy", "windy"],
    "answer": "A",
    "rationale": "An umbrella is open over the man. The pavement is wet with puddles. So it is rainy.",
}


def reply(**changed) -> Reply:
    return Reply("sherlock-a1", "ok", json.dumps(GOOD | changed))


def test_clues_of_one_picture_make_one_question_and_each_row_is_accounted_for() -> None:
    found, reasons = scenes(CLUES, least=3, most=3)
    assert {key: len(scene.clues) for key, scene in found.items()} == {"a1": 3, "c1": 3}
    assert reasons == {
        "a2": "joined",
        "a3": "joined",
        "b1": "too_few_clues",
        "b2": "too_few_clues",
        "b3": "too_few_clues",
        "c2": "joined",
        "c3": "joined",
        "c4": "over_most_clues",
    }


def test_a_good_reply_is_a_question() -> None:
    assert checked(SCENE, reply()) == Question(GOOD["question"], tuple(GOOD["options"]), "A", GOOD["rationale"])


@pytest.mark.parametrize(
    ("changed", "answer"),
    [
        ({"answer": "Rainy"}, "A"),
        ({"answer": "(B)"}, "B"),
        ({"answer": "C: snowy"}, "C"),
        ({"options": ["A. rainy", "B. sunny", "C. snowy", "D. windy"], "answer": "D"}, "D"),
        ({"options": {"B": "sunny", "A": "rainy", "C": "snowy", "D": "windy"}, "answer": "rainy"}, "A"),
    ],
    ids=["text", "brackets", "letter_and_text", "lettered", "by_letter"],
)
def test_what_can_be_repaired_is(changed: dict, answer: str) -> None:
    question = checked(SCENE, reply(**changed))
    assert isinstance(question, Question)
    assert (question.answer, question.options) == (answer, ("rainy", "sunny", "snowy", "windy"))


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Reply("x", "refusal", "I cannot"), "question_refused"),
        (Reply("x", "ok", "no object here"), "question_unreadable"),
        (reply(rationale=" "), "question_incomplete"),
        (reply(options=["rainy", 4, "a", "b"]), "question_incomplete"),
        (reply(options=["rainy", "sunny"]), "wrong_option_count"),
        (reply(options=["rainy", "sunny", "Rainy.", "b"]), "options_equal"),
        (reply(answer="foggy"), "answer_unknown"),
        (reply(rationale="An umbrella is open over the man. So it is rainy."), "single_clue"),
    ],
    ids=lambda value: value if isinstance(value, str) else "reply",
)
def test_what_cannot_is_refused_with_its_reason(found: Reply, reason: str) -> None:
    assert checked(SCENE, found) == reason


def test_the_rules_question_passes_its_own_checks_and_its_wrong_options_are_foreign() -> None:
    found, _ = scenes(CLUES, least=3, most=5)
    asked = list(requests(found.values(), seed=1))
    for request, answer in zip(asked, Rules({"question": rule}).write(asked), strict=True):
        scene = next(scene for scene in found.values() if scene.id == request.id)
        question = checked(scene, answer)
        assert isinstance(question, Question)
        own = {inference.lower().rstrip(".") for _, inference in scene.clues}
        right = [all(half.lower() in own for half in option.split("; ")) for option in question.options]
        assert [place for place, is_right in enumerate(right) if is_right] == ["ABCD".index(question.answer)]


def test_the_prompt_holds_the_clues_and_not_the_facts_of_other_pictures() -> None:
    found, _ = scenes(CLUES, least=3, most=5)
    prompt = next(iter(requests(found.values(), seed=1))).prompt
    assert "2. In another region: wet pavement with puddles. Inferred: the rain began some time ago." in prompt
    assert "snow on a roof" not in prompt


def test_too_few_other_pictures_leave_the_rule_without_a_question() -> None:
    assert rule({"clues": SCENE.clues, "foreign": (("it is raining", "wet"), ("the rain began",)), "seed": "s"}) is None


def halves(options: list[str]) -> list[tuple[str, str]]:
    pairs = [option.split("; ") for option in options]
    return [(first.lower(), second.lower()) for first, second in pairs]


@pytest.mark.parametrize("seed", range(8))
def test_every_half_stands_in_two_options_so_that_the_options_alone_do_not_tell(seed: int) -> None:
    found, _ = scenes(CLUES, least=3, most=5)
    for request in requests(found.values(), seed=seed):
        made = json.loads(rule(request.facts) or "")
        pairs = halves(made["options"])
        for place in (0, 1):
            counted = [pair[place] for pair in pairs]
            assert sorted(counted.count(half) for half in counted) == [2, 2, 2, 2]
        assert len(set(pairs)) == 4
        own = [inference.lower().rstrip(".") for _, inference in request.facts["clues"]]
        right = pairs["ABCD".index(made["answer"])]
        assert set(right) <= set(own)
        [opposite] = [pair for pair in pairs if pair[0] != right[0] and pair[1] != right[1]]
        assert opposite[0] != opposite[1]
        assert not {*opposite} & {*own}


def test_neither_the_place_nor_the_order_of_the_wrong_options_tells_the_right_one() -> None:
    found, _ = scenes(CLUES, least=3, most=5)
    seen = set()
    for seed in range(60):
        for request in requests(found.values(), seed=seed):
            made = json.loads(rule(request.facts) or "")
            pairs = halves(made["options"])
            place = "ABCD".index(made["answer"])
            right = pairs[place]
            seen.add((place, [pair[0] != right[0] and pair[1] != right[1] for pair in pairs].index(True)))
    assert seen == {(one, other) for one in range(4) for other in range(4) if one != other}


def test_a_wrong_conclusion_does_not_resemble_one_of_the_picture() -> None:
    foreign = (("It rains", "it is evening already", "a dog barks"), ("evenings are long", "ships sail"))
    for seed in range(20):
        text = rule({"clues": SCENE.clues, "foreign": foreign, "seed": str(seed)})
        assert text is not None
        assert "vening are" not in text
        assert "already" not in text


def test_every_clue_is_a_row() -> None:
    found, _ = scenes(CLUES, least=3, most=5)
    replies = Rules({"question": rule}).write(requests(found.values(), seed=1))
    rows = samples(CLUES, replies, least=3, most=5, writer="rules")
    assert [row.source_id for row in rows] == [row["instance_id"] for row in CLUES]
    kept = [row for row in rows if row.dropped is None]
    assert [(row.id, row.topic, row.category, row.images) for row in kept] == [
        ("sherlock-a1", "physical-commonsense", "Status", ("p1",)),
        ("sherlock-c1", "social-commonsense", "Location Identification", ("p3",)),
    ]
    assert {row.provenance for row in kept} == {"generated > question by rules"}


def test_a_scene_without_a_reply_is_dropped_with_the_reason() -> None:
    rows = samples(CLUES[:3], [], least=3, most=5, writer="rules")
    assert [row.dropped for row in rows] == ["question_refused", "joined", "joined"]
