"""What holds of the strict extractor for every reply and item, not for chosen ones only."""

from hypothesis import given, settings
from hypothesis import strategies as st

from assets.evaluation.extraction.strict import extract

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TEXTS = [
    "red brick",
    "green stone",
    "a blue lamp",
    "the old clock",
    "water 18",
    "water",
    "-2.5",
    "two dogs",
    "猫",
    "Rain",
]

ITEMS = st.lists(st.sampled_from(TEXTS), min_size=2, max_size=8, unique=True)
NAMING = st.sampled_from(
    [
        "{}",
        "The answer is {}",
        "**{}**",
        "I choose {}.",
        "It shows {}, I think.",
        "<answer>{}</answer>",
        "答案：{}",
        "{}\n",
        '{{"answer": "{}"}}',
        "\\boxed{{{}}}",
        "<think>hm</think>{}",
        "It is {}</s>",
        "Not so; {}",
        "So: {}",
        "It must be {}!",
    ]
)
LETTERING = st.sampled_from(
    [
        "{}",
        "({})",
        "{}.",
        "**{}**",
        "Answer: {}",
        "The answer is ({}).",
        "\\boxed{{{}}}",
        "答案是{}",
        "<answer>{}</answer>",
        "{}</s>",
        " {} \n",
        "Final answer: **{}**",
        "I pick [{}]",
        "[{}]",
        "Conclusion: {}.",
        "{} is correct",
        "({}",
    ]
)
PIECES = st.sampled_from(
    [
        "A",
        "B",
        "(c)",
        "d.",
        "E)",
        "answer",
        "Answer:",
        "is",
        "not",
        "the",
        "\\boxed{",
        "}",
        "**",
        "\n",
        "? ",
        ". ",
        ", ",
        " or ",
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        '{"answer": "',
        '"}',
        "答案",
        "选",
        "Ｂ",
        "ß",
        "İ",
        "a blue lamp",
        "water",
        "water 18",
        "-2.5",
        "2.5",
        "option",
        " so ",
        "it is",
        "</s>",
        "\r\n",
        "sorry, I cannot see",
        "unlike",
        "I",
        "￼",
        "—",
        "$",
    ]
)
REPLIES = st.lists(PIECES, max_size=14).flatmap(lambda pieces: st.sampled_from(["".join(pieces), " ".join(pieces)]))


@given(text=REPLIES | st.text(max_size=80), choices=ITEMS)
@settings(max_examples=600, deadline=None)
def test_any_reply_gives_a_letter_of_the_item_or_a_reason(text: str, choices: list[str]) -> None:
    extraction = extract(text, choices)
    assert extraction == extract(text, list(choices))
    item_letters = LETTERS[: len(choices)]
    assert all(letter in item_letters for letter in extraction.candidates)
    if extraction.letter is None:
        assert extraction.status in {"none", "ambiguous", "refusal", "empty", "truncated"}
        assert extraction.status != "ambiguous" or len(extraction.candidates) > 1
    else:
        assert extraction.letter in item_letters
        assert extraction.status == "ok"
        assert extraction.candidates == (extraction.letter,)


@given(text=REPLIES, choices=ITEMS)
@settings(max_examples=400, deadline=None)
def test_rule_and_span_explain_the_answer(text: str, choices: list[str]) -> None:
    letter, rule, span, _, _ = extract(text, choices)
    if letter is None:
        return
    assert span is not None
    said = text[span[0] : span[1]].replace("Ｂ", "B").replace("\r\n", " \n")
    option = choices[LETTERS.index(letter)]
    bare = option.split(" ", 1)[1] if option.startswith(("a ", "the ")) else option
    assert letter in said.upper() or bare.lower() in said.lower(), rule


@given(letter=st.sampled_from(LETTERS), size=st.integers(2, 26), reply=LETTERING, data=st.data())
@settings(max_examples=300, deadline=None)
def test_a_letter_only_reply_keeps_its_letter_whatever_the_options_order(
    letter: str, size: int, reply: str, data: st.DataObject
) -> None:
    choices = [f"thing number {number}" for number in range(size)]
    shuffled = data.draw(st.permutations(choices))
    text = reply.format(letter)
    expected = letter if letter in LETTERS[:size] else None
    assert extract(text, choices).letter == expected
    assert extract(text, shuffled) == extract(text, choices)


@given(choices=ITEMS, reply=NAMING, data=st.data())
@settings(max_examples=400, deadline=None)
def test_permuting_the_options_permutes_the_answer_of_a_reply_that_names_text(
    choices: list[str], reply: str, data: st.DataObject
) -> None:
    named = data.draw(st.sampled_from(choices))
    shuffled = data.draw(st.permutations(choices))
    text = reply.format(named)
    for order in (choices, shuffled):
        letter = extract(text, order).letter
        assert letter is not None
        assert order[LETTERS.index(letter)] == named


@given(choices=ITEMS, data=st.data())
@settings(max_examples=300, deadline=None)
def test_permuting_the_options_permutes_the_answer_of_a_letter_with_text(
    choices: list[str], data: st.DataObject
) -> None:
    named = data.draw(st.sampled_from(choices))
    shuffled = data.draw(st.permutations(choices))
    letter = LETTERS[choices.index(named)]
    form = data.draw(
        st.sampled_from(["({}) {}", "{}. {}", "{}: {}", "Answer: ({}) {}", "The answer is {}. {}", "{}) {}.</s>"])
    )
    text = form.format(letter, named)
    for order in (choices, shuffled):
        read = extract(text, order).letter
        assert read is not None
        assert order[LETTERS.index(read)] == named


@given(text=REPLIES, choices=ITEMS)
@settings(max_examples=200, deadline=None)
def test_extracting_again_from_what_was_extracted_changes_nothing(text: str, choices: list[str]) -> None:
    letter = extract(text, choices).letter
    if letter is not None:
        assert extract(letter, choices).letter == letter


@given(text=REPLIES | st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_unclosed_thought_is_truncated_whatever_comes_before(text: str) -> None:
    assert extract(text + "<think>", ["red brick", "two dogs"]).status == "truncated"
