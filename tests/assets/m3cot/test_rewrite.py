"""`assets.m3cot.rewrite`: rationales as numbered steps, by rule or by a model, and what no rewrite may change."""

import json

import pytest

from assets.m3cot.conclusion import argued, concluded
from assets.m3cot.quantities import new_numbers
from assets.m3cot.rewrite import RewriteError, checked, disagreeing, requests, rewritten, rule
from assets.schema.sample import Part, Sample
from assets.steps import segment
from assets.writer import Reply, Rules

WOLF = "Look at the picture of the wolf.\nThe wolf has the the white fur ().\nThe hawk does not have 4 paws."


def sample(rationale=WOLF, answer="A", choices=("weasel", "hawk"), **fields):
    parts = None if rationale is None else (Part("text", rationale, None),)
    made = Sample(
        "s-1", "m3cot", "scienceqa", "1", "released", "science", choices=choices, answer=answer, rationale=parts
    )
    return made._replace(question="Which animal is adapted to snow?", context="Both live in 1 place.")._replace(
        **fields
    )


def by_rule(one):
    [request] = requests([one])
    return json.loads(rule(request.facts))["rationale"]


def by_model(one, text, status="ok"):
    reply = Reply("s-1", status, json.dumps({"rationale": text}) if status == "ok" else "")
    found = rewritten([one], [reply], "toy")
    return found.samples[0], found.refused


def test_the_rule_numbers_the_steps_and_ends_in_the_answer():
    assert by_rule(sample()) == (
        "Step 1: Look at the picture of the wolf.\n"
        "Step 2: The wolf has the white fur.\n"
        "Step 3: The hawk does not have 4 paws.\n"
        "Step 4: Therefore, the answer is (A) weasel."
    )


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("The soft\u00adware\u200b  is\u00a0old .", "The software is old."),
        ("<REWRITTEN RATIONALE>\nStep 1: It is old.", "It is old."),
        ("Rationale: On Age\n\nStep 1: It is old.\nStep 2: So it is.", "It is old."),
        ("To find it, follow these steps:\nStep 1: It is old.\nStep 2: So it is.", "It is old."),
        ("1. It is old.\n2. So it is.", "It is old."),
        ("Analyze the the its gazelle.", "Analyze its gazelle."),
        ("The area [ABCD] is f() and <B> (x).", "The area [ABCD] is f() and <B> (x)."),
        ("He knew that that had had no effect.", "He knew that that had had no effect."),
        ("It is old.. It is", "It is old."),
    ],
)
def test_the_rule_cleans(written, first):
    assert by_rule(sample(written)).split("\n")[0] == f"Step 1: {first}"


@pytest.mark.parametrize(
    "written",
    [
        r"The area is $\frac12 (12)(9) = 54$.",
        r"The area is \frac12 (12) (9) = 54.",
        "Write A(x-5) + B for it.",
        r"So \[x=60.\] holds.",
        "So x = 60. Then it is.",
        "From step 2 we know it.",
        "Step 2 shows it.",
        "A board 5 in in width.",
        "60. Only then is it hot.",
    ],
)
def test_the_rule_takes_nothing_from_within_a_step(written):
    made = by_rule(sample(f"It is white. {written}"))
    said = " ".join(line.split(": ", 1)[1] for line in made.split("\n"))
    assert said.removeprefix("It is white. ").startswith(written)


def test_the_rule_keeps_bullets_and_table_rows_and_renumbers():
    text = (
        "Step 1: Read the table:\n|a|b|\n|-|-|\n|1|2|.\n\n"
        "Step 3: Compare, as step 1 says.\n  - a is small. \n  - b is not.\n"
        "Step 6: So, the answer is option A, by step 3."
    )
    assert by_rule(sample(text)) == (
        "Step 1: Read the table:\n|a|b|\n|-|-|\n|1|2|\n"
        "Step 2: Compare, as step 1 says.\n  - a is small.\n  - b is not.\n"
        "Step 3: So, the answer is option A, by step 2."
    )


def test_the_rule_does_not_conclude_twice_nor_for_another_option():
    assert by_rule(sample("It is white. So option A is the appropriate response.")).count("Step") == 2
    assert by_rule(sample("It is white. Therefore, the answer is (B).")).count("Step") == 2


@pytest.mark.parametrize(
    ("last", "choices"),
    [
        ("So the answer is $(2, 6)$.", ("$(2,6)$", "$(6,2)$")),
        ("So, the answer is weasel.", ("weasel", "hawk")),
        ("These can be made in any order, so the answer is $\\binom{6}{4} = 15$.", ("15", "5")),
        ("Therefore option A is the right choice.", ("weasel", "hawk")),
        ("Taken together, both conclusions hold: it is not over; he waits.", ("It is not over; he waits.", "He left.")),
    ],
)
def test_the_rule_adds_no_answer_to_a_step_that_gives_it(last, choices):
    made = by_rule(sample(f"It is white. {last}", choices=choices))
    assert made.split("\n")[1:] == [f"Step 2: {last}"]
    assert checked(sample(f"It is white. {last}", choices=choices), made) is None


def test_a_number_said_twice_may_be_said_once_and_a_step_number_may_go():
    original = "Step 7: The wolf is white.\nStep 9: The hawk lacks 4 of 4 paws."
    assert checked(sample(original), GOOD) is None


def test_what_the_rule_wrote_it_leaves_as_it_is():
    once = by_rule(sample())
    assert by_rule(sample(once)) == once
    assert len(segment(once, "marked")) == 4


def test_the_rule_and_a_model_go_the_same_way():
    writer = Rules({"rewrite": rule})
    found = rewritten([sample()], writer.write(requests([sample()])), writer.name)
    [one] = found.samples
    assert one.text == by_rule(sample())
    assert (one.before, one.provenance) == (WOLF, "released > rewritten by rules")
    assert (one.answer, one.choices, one.dropped, found.refused) == ("A", ("weasel", "hawk"), None, {})


def test_the_prompt_holds_all_that_the_model_needs_and_facts_are_not_sent():
    [request] = requests([sample()])
    for text in ("Which animal", "Both live", "(A) weasel\n(B) hawk", WOLF, 'object and nothing else: {"rationale"'):
        assert text in request.prompt
    assert (request.id, request.task, request.facts["option"]) == ("s-1", "rewrite", "weasel")


GOOD = "Step 1: The wolf is white.\nStep 2: The hawk lacks 4 paws.\nStep 3: Therefore, the answer is (A) weasel."


def test_a_good_rewrite_is_taken():
    one, refused = by_model(sample(), GOOD)
    assert (one.text, one.before, one.provenance) == (GOOD, WOLF, "released > rewritten by toy")
    assert refused == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  ", "no_text"),
        (GOOD.replace("(A) weasel", "(B) hawk"), "other_answer"),
        (GOOD.replace("the answer is (A) weasel", "option B is the right choice"), "other_answer"),
        (GOOD.rsplit("\n", 1)[0], "no_conclusion"),
        (GOOD.replace("4 paws", "5 paws"), "new_number"),
        (GOOD.replace("4 paws", "seven paws"), "new_number"),
        (GOOD.replace("4 paws", "paws"), "lost_number"),
        (f"[Rationale] {GOOD}", "leftover_marker"),
        (f"```\n{GOOD}", "leftover_marker"),
        (f"Rewritten rationale: {GOOD}", "leftover_marker"),
        ("The answer is A.", "too_short"),
        (f"{'The wolf is white. ' * 60}{GOOD}", "too_long"),
        ("Therefore, because of its white fur, the answer is (A) weasel", "fewer_steps"),
    ],
)
def test_a_rewrite_that_changes_more_than_words_is_refused_and_the_original_kept(text, reason):
    assert checked(sample(), text) == reason
    one, refused = by_model(sample(), text)
    assert one == sample()
    assert refused == {reason: 1}


@pytest.mark.parametrize("status", ["refusal", "filtered", "empty", "truncated", "error"])
def test_a_reply_that_is_none_keeps_the_original(status):
    assert by_model(sample(), "", status) == (sample(), {f"reply_{status}": 1})


@pytest.mark.parametrize("text", ["no object", '{"text": "x"}', '{"rationale": ["x"]}'])
def test_a_reply_without_its_object_keeps_the_original(text):
    found = rewritten([sample()], [Reply("s-1", "ok", text)], "toy")
    assert found == ([sample()], {"no_object": 1})


@pytest.mark.parametrize("rationale", [None, "", " \n"])
def test_a_sample_without_a_rationale_is_dropped_and_not_asked(rationale):
    one = sample(rationale)
    assert list(requests([one])) == []
    assert rewritten([one], [], "toy").samples == [one.drop("no_rationale")]


def test_a_sample_dropped_before_stays_so():
    one = sample().drop("no_picture")
    assert list(requests([one])) == []
    assert rewritten([one], [], "toy").samples == [one]


def test_a_rewrite_that_is_the_original_changes_nothing():
    one = sample(GOOD)
    assert by_model(one, GOOD) == (one, {})


@pytest.mark.parametrize(
    "replies", [[], [Reply("s-2", "ok", "{}")], [Reply("s-1", "ok", "{}")] * 2], ids=["none", "another", "two"]
)
def test_replies_of_other_samples_are_said(replies):
    with pytest.raises(RewriteError, match="give it the samples that were asked, in order"):
        rewritten([sample()], replies, "toy")


@pytest.mark.parametrize(
    ("text", "sources", "new"),
    [
        ("Step 7: It is 5.", "5", []),
        ("1. First\n2. Second", "", []),
        ("As step 3 and 4 say", "", []),
        ("1000 and 4.3 and 2", "1,000 or 4.30 or −2", []),
        ("1,000,000 is 12,5", "1000000", ["12", "5"]),
        ("0.5 or ½ or 1/2 or \\frac{1}{2}", "1/2", []),
        ("0.5", "\\frac12", []),
        ("3/4", "0.75", []),
        ("3/4", "1/4", ["3/4"]),
        ("0.25", "1/2", ["0.25"]),
        ("x² + H₂O", "x^2 + H2O", []),
        ("10⁵ and CH4", "10 and CH", ["5", "4"]),
        ("４ cats, four cats", "4", []),
        ("4 cats", "four cats", []),
        ("the two samples, all three", "", []),
        ("twelve eggs and 9", "", ["twelve", "9"]),
        ("1/0", "1", ["1/0"]),
        ("50%", "0.5", ["50"]),
    ],
)
def test_a_number_is_new_by_its_value(text, sources, new):
    assert new_numbers(text, sources) == new


PICTURED = ("Option C in the image", "None of them", "Option A in the image")


@pytest.mark.parametrize(
    ("text", "choices", "letter"),
    [
        ("It is white. Hence, option B is the appropriate response.", ("weasel", "hawk"), "B"),
        ("So, the lichen is a producer, not a consumer.", ("mushroom", "lichen"), None),
        ("So, the animal is the hawk.", ("weasel", "hawk"), "B"),
        ("The hawk eats fruit.", ("weasel", "hawk"), None),
        ("33 hours is too slow.", ("33 minutes", "33 hours"), None),
        ('Overall, choice "(C) Option A in the image" is the answer.', PICTURED, "C"),
        ("Therefore, option A in the image is the appropriate choice.", PICTURED, "C"),
        ("Hence, option B is not the right choice.", ("weasel", "hawk"), None),
        ("", ("weasel", "hawk"), None),
        ("The answer is A.", ("weasel",), None),
    ],
)
def test_a_rationale_concludes_what_its_last_step_declares(text, choices, letter):
    assert concluded(text, choices) == letter


VAGUE = "Which of the following contains a vague pronoun reference?"


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("The first answer choice contains a vague pronoun reference.", "A"),
        ("Option B in the image presents a pronoun reference that is unclear.", "B"),
        ("The second answer choice offers a possible correction for the vague pronoun reference.", ""),
        ("The second answer choice does not contain a vague pronoun reference.", ""),
        ('It says "the first text is a vague pronoun reference".', ""),
        ("A vague pronoun reference is bad.", ""),
    ],
)
def test_a_rationale_argues_for_the_option_that_it_says_has_what_is_asked(text, letters):
    assert argued(text, VAGUE, ("Option A in the image", "Option B in the image")) == frozenset(letters)


@pytest.mark.parametrize(
    ("text", "answer", "disagrees"),
    [
        ("The first text contains a vague pronoun reference. So, the answer is option A.", "A", False),
        ("The first text contains a vague pronoun reference. So, the answer is option A.", "B", True),
        ("The first text contains a vague pronoun reference. So, the answer is option B.", "B", True),
        ("Look at both.", "B", False),
    ],
)
def test_a_rationale_that_ends_in_or_argues_for_another_option_disagrees(text, answer, disagrees):
    one = sample(text, answer, question=VAGUE)
    assert disagreeing(one) is disagrees
    assert one.answer == answer


def test_without_options_or_answer_nothing_disagrees():
    assert not disagreeing(sample(choices=None))
    assert not disagreeing(sample(answer=None))
