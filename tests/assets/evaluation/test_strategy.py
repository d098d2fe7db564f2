"""`assets.evaluation.strategy`: what the file of CoMT's strategies says, and what is wrong with another one."""

import pytest

from assets.evaluation.strategy import FILES, StrategyError, read, strategies, strategy
from assets.schema.vocabulary import TASKS
from orchestration import code

SECOND = "Therefore, among A through D, the answer is"

GOOD = """\
version: 2
role: A role.
task: {creation: Create., deletion: Delete., update: Update., selection: Select.}
headings: {question: Q, choices: C, rationale: R, answer: A}
strategies:
  direct: {words: Say it.}
  cot: {words: Think., second_turn: And so}
"""


def test_comt_has_the_papers_four_strategies_of_which_direct_alone_has_one_turn():
    found = strategies("comt")
    assert {name: one.second_turn for name, one in found.items()} == {
        "direct": None,
        "cot": SECOND,
        "desp-cot": SECOND,
        "vot": SECOND,
    }
    assert set(found["cot"].words.values()) == {"Let's think step-by-step!"}
    assert set(found["vot"].words.values()) == {"Visualize the state after each reasoning step."}


def test_every_task_has_a_role_and_a_task_of_its_own_and_words():
    for one in strategies("comt").values():
        for part in (one.role, one.task):
            assert list(part) == list(TASKS)
            assert len(set(part.values())) == len(TASKS)
        assert list(one.words) == list(TASKS)
        assert (one.benchmark, one.version) == ("comt", 1)


def test_a_creation_question_is_not_asked_to_describe_a_picture_that_it_has_not():
    words = strategy("comt", "desp-cot").words
    assert "picture" not in words["creation"]
    assert "picture" in words["update"]


def test_one_text_holds_for_every_task():
    found = read(GOOD, "comt", "mine.yaml")
    assert found["direct"].role == dict.fromkeys(TASKS, "A role.")
    assert found["cot"].task["deletion"] == "Delete."
    assert [(one.version, one.second_turn) for one in found.values()] == [(2, None), (2, "And so")]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("version: 2", "version: first", "mine.yaml: version is 'first': write a whole number from 1"),
        ("version: 2", "version: true", "version is True"),
        ("version: 2\n", "", "mine.yaml lacks version: add it"),
        ("role: A role.", "rule: A role.", "mine.yaml has an unknown key rule: it may have version, role"),
        ("role: A role.\n", "", "mine.yaml lacks role: add it"),
        ("role: A role.", "role: ''", "mine.yaml: role is '': write a text"),
        ("role: A role.", "role: 3", "mine.yaml: role is 3: write a text"),
        (", selection: Select.", "", "mine.yaml: task lacks selection: add it"),
        ("selection:", "rotation:", "mine.yaml: task has an unknown key rotation"),
        (", answer: A", "", "mine.yaml: headings lacks answer"),
        ("{words: Say it.}", "{}", "mine.yaml: strategies.direct lacks words"),
        ("{words: Say it.}", "Say it.", "mine.yaml: strategies.direct is 'Say it.': write words"),
        ("second_turn:", "turns:", "strategies.cot has an unknown key turns: it may have words, second_turn"),
        ("And so", "''", "mine.yaml: strategies.cot.second_turn is '': write a text"),
        ("  cot:", "  direct:", "mine.yaml: strategies.direct stands there twice: keep one"),
        ("strategies:", "strategies: {}\nmore:", "has an unknown key more"),
        ("role: A role.", "role: [", "mine.yaml: not readable as YAML"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_place(old, new, sentence):
    assert old in GOOD
    with pytest.raises(StrategyError) as raised:
        read(GOOD.replace(old, new), "comt", "mine.yaml")
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "a text", "- a list"])
def test_what_is_no_mapping_is_refused(text):
    with pytest.raises(StrategyError, match=r"mine\.yaml is .*: write version, role"):
        read(text, "comt", "mine.yaml")


def test_a_file_without_strategies_is_refused():
    with pytest.raises(StrategyError, match="strategies is None: list one or more by name"):
        read(GOOD[: GOOD.index("  direct")], "comt", "mine.yaml")


def test_a_strategy_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(StrategyError, match="strategy ccot: comt has none of that name: use one of direct, cot, desp"):
        strategy("comt", "ccot")
    with pytest.raises(StrategyError, match="benchmark mmmu: has no file of strategies"):
        strategies("mmmu")


def test_the_wording_is_part_of_the_code_that_reads_it():
    closure = {path.as_posix() for path in code.closure("assets.evaluation.dialogue")}
    assert {f"assets/evaluation/{name}" for name in FILES} <= closure
