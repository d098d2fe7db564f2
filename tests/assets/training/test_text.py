from assets.training import text


def test_labels_keep_their_capitals_and_words_lose_theirs() -> None:
    assert text.tokens("The boxes read FF, Ff at A.") == ["the", "boxes", "read", "FF", ",", "Ff", "at", "A", "."]
    assert text.tokens(r"$\frac{33}{10}$") == ["$", r"\frac", "{", "3", "3", "}", "{", "1", "0", "}", "$"]


def test_steps_lose_numbers_and_letters_of_options() -> None:
    told = "Step 1: It is red.\nStep 2: Therefore, the answer is (B) red."
    assert text.steps(told) == ["It is red.", "Therefore, the answer is red."]


def test_what_is_written_is_read_again() -> None:
    told = ["It has 40 balls, and 7 are red.", "So (in all) it is point A."]
    vocabulary = text.Vocabulary.of(told, least=1)
    encoder = text.Encoder(vocabulary)
    step = vocabulary.numbers()[text.STEP]
    numbers = [number for one in told for number in [*encoder.encoded(one), step]]
    assert encoder.decoded([*numbers[:-1], vocabulary.numbers()[text.END], *numbers]) == told


def test_an_unknown_word_is_spelled() -> None:
    vocabulary = text.Vocabulary.of(["cat cat", "t o a"])
    words = [vocabulary.words[number] for number in text.Encoder(vocabulary).encoded("taco cat ü")]
    assert words == ["t", "a", "c", "o", "cat", text.UNKNOWN]


def test_the_marks_of_an_encoder_are_the_special_words_and_none_is_zero() -> None:
    vocabulary = text.Vocabulary.of(["cat cat"])
    encoder = text.Encoder(vocabulary)
    marks = {text.START: encoder.start, text.END: encoder.end, text.STEP: encoder.step, text.UNKNOWN: encoder.unknown}
    assert {word: vocabulary.words[number] for word, number in marks.items()} == {word: word for word in marks}
    assert 0 not in marks.values()
    assert encoder.count == len(vocabulary.words)
