import json

import pytest

from assets.m3cot import statements
from assets.m3cot.new_samples import TASK, checked, requests, rule, samples
from assets.m3cot.questions import Question
from assets.schema.sample import Sample
from assets.writer import Reply, Rules


def kept(
    name: str,
    category: str,
    rationale: str,
    choices: tuple[str, ...] = ("yes", "no"),
    answer: str = "A",
    source: str = "scienceqa",
) -> Sample:
    sample = Sample(
        f"{source}-{name}",
        "m3cot",
        source,
        name,
        "released",
        domain="science",
        topic="natural-science",
        subtopic="physics",
        category=category,
        question="What is shown?",
        context="Some context.",
        choices=choices,
        answer=answer,
        images=(f"p{name}",),
        split="train",
    )
    return sample.with_text(rationale)


COLONIES = ("Maryland", "New Hampshire", "Rhode Island", "Vermont")
ENTERED = [
    kept("1", "Colonies", "The map has one green area. The colony is New Hampshire.", COLONIES, "B"),
    kept("2", "Colonies", "The colony is Virginia. The answer is B.", ("Virginia", "Maine")),
    kept("3", "Colonies", "The map is old. The colony is Georgia. So, the answer is (A).", ("Georgia", "Maine")),
    kept("4", "Magnets", "The magnets in Pair 1 attract. The magnets in Pair 2 repel."),
    *(kept(str(number), "Materials", "The cup is made of glass. Glass is smooth.") for number in range(5, 10)),
    kept("10", "Colonies", "The colony is Ohio. It is far.", source="math"),
]
GOOD = {
    "question": "Which colony is north of it?",
    "options": ["Maine", "Ohio", "Georgia"],
    "answer": "A",
    "rationale": "The map shows one colony. Another one lies above it. That is Maine.",
}


def asked(sparse: int = 4, most: int = 2):
    return list(requests(ENTERED, sparse=sparse, most=most, seed=1))


def reply(**changed) -> Reply:
    return Reply("synthesis-0001", "ok", json.dumps(GOOD | changed))


def test_categories_kept_fewer_than_sparse_times_get_up_to_most_requests_from_their_own_samples() -> None:
    found = asked()
    assert [request.id for request in found] == ["synthesis-0001", "synthesis-0002", "synthesis-0003"]
    assert [request.task for request in found] == [TASK] * 3
    own = [request.facts["sample"] for request in found]
    assert {*own[:2]} < {"scienceqa-1", "scienceqa-2", "scienceqa-3"}
    assert own[2] == "scienceqa-4"
    assert len(asked(sparse=0)) == len(asked(most=0)) == 0
    assert len(asked(sparse=6, most=9)) == 3 + 1 + 5


def test_the_prompt_holds_the_sample_and_nothing_of_the_others() -> None:
    request = next(each for each in asked(most=9) if each.facts["sample"] == "scienceqa-1")
    assert "Options: (A) Maryland (B) New Hampshire (C) Rhode Island (D) Vermont" in request.prompt
    assert "Right option: New Hampshire" in request.prompt
    assert "Virginia" not in request.prompt
    assert "MATERIAL" not in request.prompt


def test_the_rules_question_passes_its_own_checks_and_only_its_right_option_is_in_the_rationale() -> None:
    found = asked(most=9)
    rows = samples(ENTERED, found, Rules({TASK: rule}).write(found), writer="rules")
    assert [row.dropped for row in rows] == [None] * 4
    for row in rows:
        assert row.choices is not None
        stated = [choice in row.text for choice in row.choices]
        assert [place for place, is_stated in enumerate(stated) if is_stated] == ["ABCDE".index(row.answer or "")]
        assert not any(word in row.text for word in ("(A)", "answer is"))


def test_a_new_sample_has_the_picture_and_the_category_of_its_source() -> None:
    found = [request for request in asked(most=9) if request.facts["sample"] == "scienceqa-4"]
    [row] = samples(ENTERED, found, [reply()._replace(id=found[0].id)], writer="a-model")
    assert row == Sample(
        found[0].id,
        "m3cot",
        "synthesis",
        found[0].id[-4:],
        "released > new sample by a-model",
        domain="science",
        topic="natural-science",
        subtopic="physics",
        category="Magnets",
        question=GOOD["question"],
        context="Some context.",
        choices=("Maine", "Ohio", "Georgia"),
        answer="A",
        images=("p4",),
        split="train",
    ).with_text(str(GOOD["rationale"]))


def test_a_request_without_a_reply_is_a_dropped_row() -> None:
    rows = samples(ENTERED, asked(), [], writer="rules")
    assert [row.dropped for row in rows] == ["sample_refused"] * 3
    assert {row.choices for row in rows} == {None}


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Reply("x", "refusal", "I cannot"), "sample_refused"),
        (Reply("x", "ok", "no object here"), "sample_unreadable"),
        (reply(question=" "), "sample_incomplete"),
        (reply(options=["Maine", 4]), "sample_incomplete"),
        (reply(options=["Maine"]), "wrong_option_count"),
        (reply(options=list("uvwxyz")), "wrong_option_count"),
        (reply(options=["Maine", "maine.", "Ohio"]), "options_equal"),
        (reply(answer="D"), "answer_unknown"),
        (reply(rationale="It is Maine."), "too_few_steps"),
        (reply(question="What is shown", options=list(COLONIES[::-1]), answer="C"), "repeats_its_source"),
    ],
    ids=lambda value: value if isinstance(value, str) else "reply",
)
def test_what_is_no_new_sample_is_refused_with_its_reason(found: Reply, reason: str) -> None:
    assert checked(ENTERED[0], found) == reason


def test_a_good_reply_is_a_question_whatever_names_its_answer() -> None:
    for answer in ("B", "(B)", "Ohio", "B. Ohio"):
        assert checked(ENTERED[0], reply(answer=answer)) == Question(
            str(GOOD["question"]), ("Maine", "Ohio", "Georgia"), "B", str(GOOD["rationale"])
        )


def test_instructions_conclusions_negations_and_general_truths_are_no_statements() -> None:
    said = [
        "Look at the picture of the frog.",
        "So, the frog is green all over.",
        "It has four legs and a tail.",
        "The frog is not a mammal at all.",
        "The larger the magnets, the greater the force.",
        "A rough object feels scratchy to the touch.",
        "The frog has green skin.",
    ]
    assert statements.alone(said) == ["The frog has green skin."]


def wrong(
    right: str, others: tuple[str, ...], choices: tuple[str, ...] = ("x", "y"), own: str = "", question: str = ""
) -> set[str]:
    return set(statements.wrong(right, own or right, others, question, choices, choices[0], "1"))


def test_one_thing_of_a_statement_of_the_same_form_is_taken() -> None:
    assert wrong("Dover is the capital of Delaware.", ("Trenton is the capital of New Jersey.",)) == set()
    assert wrong(
        "Dover is the capital of Delaware.",
        ("Trenton is the capital of New Jersey.",),
        question="Is it New Jersey, or Trenton?",
    ) == {"Trenton is the capital of Delaware.", "Dover is the capital of New Jersey."}


def test_a_subject_alone_is_not_exchanged_since_that_may_be_true_too() -> None:
    assert wrong("The woodpecker is a bird.", ("The ostrich is a bird.",)) == set()
    assert wrong("The woodpecker is a bird.", ("The salmon is a fish.",), question="A bird or a fish?") == {
        "The woodpecker is a fish."
    }


def test_a_wrong_option_takes_the_place_of_the_right_one() -> None:
    made = wrong("The carton is made of wood.", (), ("wood", "styrofoam", "none of these; it is empty"))
    assert made == {"The carton is made of styrofoam."}


def test_opposites_numbers_and_articles() -> None:
    assert wrong("The magnets in Pair 2 attract.", ()) == {"The magnets in Pair 2 repel."}
    assert wrong("Solution B has more pink particles.", ()) == {"Solution B has fewer pink particles."}
    assert wrong("There are 4 boxes here.", ("There are exactly 7 large red things.",)) == {"There are 7 boxes here."}
    assert wrong("Fargo is in North Dakota.", ()) == set()
    assert wrong("The cup is made by a potter.", (), ("potter", "artist")) == {"The cup is made by an artist."}


def test_what_stands_in_the_rationale_is_not_made_wrong() -> None:
    own = "The colony is Maine. The colony is Ohio."
    assert wrong("The colony is Maine.", ("The colony is Ohio.", "The colony is Utah."), ("Utah", "Texas"), own) == {
        "The colony is Utah."
    }


def test_the_rule_says_nothing_where_no_wrong_statement_can_be_made() -> None:
    facts = {"steps": ("The sky is blue.",), "statements": ("The sky is blue.",), "others": (), "choices": ("x", "y")}
    facts["question"] = "Which?"
    assert rule(facts | {"right": "x", "seed": "1"}) is None
    assert rule(facts | {"statements": (), "right": "x", "seed": "1"}) is None


def test_what_speaks_of_other_parts_of_the_question_is_no_statement() -> None:
    said = [
        'Choice "April" is incorrect.',
        "The hint says that Brume is the capital of Pelland.",
        "The passage tells that sheep have wool.",
        "The text names three green pears.",
        "The table lists five red cups.",
        "This option has five red cups.",
        "The answer has five red cups.",
        "The letters stand on red cups.",
    ]
    assert statements.alone(said) == []


def test_what_the_context_tells_needs_no_picture() -> None:
    assert statements.told("For each of the 6 seedlings, Dario noted how tall it grew.", "Dario made 6 seedlings. "
                           "Of each he wrote how tall it grew.")  # fmt: skip
    assert not statements.told("The map shows a red lake.", "A map of a land.")


def test_nothing_is_set_against_itself() -> None:
    right = "Each particle in sample A has more mass than each particle in sample B."
    made = wrong(right, (), ("sample A", "sample B", "sample C"))
    assert made == {
        "Each particle in sample C has more mass than each particle in sample B.",
        "Each particle in sample A has less mass than each particle in sample B.",
    }
    assert wrong("The cat is faster than the dog.", (), ("cat", "dog")) == set()


def test_wrong_options_keep_their_article_and_fit_where_they_stand() -> None:
    assert wrong("This country is Haiti.", (), ("Haiti", "the Dominican Republic")) == {
        "This country is the Dominican Republic."
    }
    assert wrong("Algae->shrimp->cod stands there.", (), ("Algae", "Kelp")) == {"Kelp->shrimp->cod stands there."}
    assert wrong("The moth lives since it eats others.", (), ("It eats others.", "It makes food.")) == {
        "The moth lives since it makes food."
    }


def test_all_options_begin_with_a_capital_and_end_in_one_full_stop() -> None:
    facts = {
        "steps": ("pole A lies left of it.",),
        "statements": ("pole A lies left of it.",),
        "others": (),
        "question": "Where?",
        "choices": ("left", "right"),
        "right": "left",
        "seed": "1",
    }
    made = json.loads(rule(facts) or "")
    assert sorted(made["options"]) == ["Pole A lies left of it.", "Pole A lies right of it."]
