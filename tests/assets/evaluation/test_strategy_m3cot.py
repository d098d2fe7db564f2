"""`assets.evaluation.strategy_m3cot`: what the file of M3CoT's strategies says, and what is wrong with another one."""

import pytest

from assets.evaluation.strategy_file import StrategyError
from assets.evaluation.strategy_m3cot import FILES, manner, manners, read
from orchestration import code

FAMILIES = {
    "direct": ["default", "cogvlm", "gemini", "gpt4v", "instruct-blip", "kosmos-2", "llava"],
    "cot": ["default", "cogvlm", "gemini", "instruct-blip", "kosmos-2", "llava", "openflamingo"],
    "desp-cot": ["default", "cogvlm", "gemini", "instruct-blip", "kosmos-2", "llava"],
    "ccot": ["default", "llava"],
}
GOOD = """\
version: 3
blocks:
  block: {context: "{context}: ", rest: "{question} {choices}"}
  inside:
    {context: "{context}: ", rest: "{question} {choices}", inner: "<{question}>", domain: science, except: [biology]}
asks:
  one: "{block} Say it."
  again: {fresh: "{inside} {reply} {letters}"}
strategies:
  direct:
    shot: "{block} {rationale} {answer}"
    variants: {default: [one], other: [one, again]}
"""


def test_m3cot_has_the_papers_four_strategies_and_a_variant_for_each_family_that_was_released():
    assert {name: list(variants) for name, variants in manners().items()} == FAMILIES
    assert {one.version for variants in manners().values() for one in variants.values()} == {1}


def test_of_the_default_direct_alone_has_one_ask():
    assert {name: len(manner(name).asks) for name in FAMILIES} == {"direct": 1, "cot": 2, "desp-cot": 2, "ccot": 2}
    assert not any(ask.fresh for name in FAMILIES for ask in manner(name).asks)


def test_a_text_is_taken_apart_at_its_places():
    found = read(GOOD, "mine.yaml")
    assert found["direct"]["other"].asks[1].wording == (
        ("slot", "inside"),
        ("text", " "),
        ("slot", "reply"),
        ("text", " "),
        ("slot", "letters"),
    )
    assert [ask.fresh for ask in found["direct"]["other"].asks] == [False, True]
    assert found["direct"]["default"].version == 3
    assert found["direct"]["default"].blocks["inside"].but == ("biology",)
    # a block ends its context in its own way
    assert found["direct"]["default"].blocks["block"].context == (("slot", "context"), ("text", ": "))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("version: 3", "version: 0", "mine.yaml: version is 0: write a whole number from 1"),
        ("version: 3\n", "", "mine.yaml lacks version: add it"),
        ("version: 3\n", "version: 3\nmore: 1\n", "mine.yaml has an unknown key more: it may have version, blocks"),
        ("asks:\n  one:", "asks:\n  two:", "variants.default names the ask 'one': use one of two, again"),
        (
            "Say it.",
            "{wether}",
            "mine.yaml: asks.one names {wether}: it may have {block}, {inside}, {letters}, {reply}",
        ),
        (
            '"{block} Say it."',
            '"Say it."',
            "asks.one opens strategies.direct.variants.default and shows the question not",
        ),
        ('"{block} Say it."', '"{block} {inside}"', "shows the question not once: name one of block, inside in braces"),
        ('"{block} Say it."', '""', "mine.yaml: asks.one is '': write a text"),
        ('"{block} Say it."', '"{block} {reply}"', "asks.one opens strategies.direct.variants.default: nothing stands"),
        ("[one, again]", "[again]", "asks.again opens strategies.direct.variants.other: nothing stands before it"),
        ("[one, again]", "[{x: 1, x: 2}]", "strategies.direct.variants.other.x stands there twice: keep one"),
        ("[one, again]", "[]", "strategies.direct.variants.other is []: list one or more asks"),
        (", other: [one, again]", "", "mine.yaml: asks.again is in no strategy: use it, or leave it out"),
        ("default: [one], ", "", "mine.yaml: strategies.direct.variants lacks default: add it"),
        ("{fresh:", "{afresh:", "mine.yaml: asks.again has an unknown key afresh: it may have fresh"),
        ('"{inside} {reply} {letters}"', '"{reply}"', "mine.yaml: asks.again.fresh shows the question not once"),
        ("{rationale}", "{reply}", "mine.yaml: strategies.direct.shot names {reply}"),
        ('    shot: "{block} {rationale} {answer}"\n', "", "mine.yaml: strategies.direct lacks shot: add it"),
        ("  again:", "  one:", "mine.yaml: asks.one stands there twice: keep one"),
        ('"{question} {choices}"}\n', '"{choices}"}\n', "mine.yaml: blocks.block shows no {question}: write where it"),
        (', inner: "<{question}>"', "", "mine.yaml: blocks.inside has domain alone: inner goes with domain"),
        (', inner: "<{question}>", domain: science', "", "blocks.inside has except alone"),
        ("[biology]", "biology", "mine.yaml: blocks.inside.except is 'biology': list subtopics"),
        ("  block: {context", "  reply: {context", "mine.yaml: blocks.reply has a name that stands for something else"),
        ("strategies:", "strategies: []\nx:", "has an unknown key x"),
        ("version: 3", "version: [", "mine.yaml: not readable as YAML"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_place(old, new, sentence):
    assert old in GOOD
    with pytest.raises(StrategyError) as raised:
        read(GOOD.replace(old, new, 1), "mine.yaml")
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_strategy_or_variant_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(StrategyError, match="strategy vot: m3cot has none of that name: use one of direct, cot, desp"):
        manner("vot")
    with pytest.raises(
        StrategyError, match="variant gemini: strategy ccot of m3cot has none of that name: use one of d"
    ):
        manner("ccot", "gemini")


def test_the_wording_is_part_of_the_code_that_reads_it():
    closure = {path.as_posix() for path in code.closure("assets.evaluation.dialogue")}
    assert {f"assets/evaluation/{name}" for name in FILES} <= closure
