import pytest

from assets.tangram_labels import alike, clean, is_usable, stems, words


@pytest.mark.parametrize(
    ("label", "cleaned"),
    [
        ("a dog", "dog"),
        ("An  old\twoman looking at floor.", "old woman looking at floor"),
        ("the letter j", "letter j"),
        ("another dog", "another dog"),
        ("a", "a"),
        (" . ", ""),
    ],
)
def test_a_label_loses_its_article_and_its_full_stop_and_nothing_else(label: str, cleaned: str) -> None:
    assert clean(label) == cleaned


@pytest.mark.parametrize(
    ("label", "longest", "usable"),
    [
        ("dog", 40, True),
        ("left arm (supported by elbow)", 40, True),
        ("x" * 40, 40, True),
        ("x" * 41, 40, False),
        ("x" * 41, 41, True),
        ("", 40, False),
        ("UNKNOWN", 40, False),
        ("unknown", 40, False),
        ("7", 40, False),
        ("?!", 40, False),
        ("table. she might be", 40, False),
        ("a [IMAGE0] dog", 40, False),
        ('a "dog"', 40, False),
        ("dog\x07", 40, False),
    ],
)
def test_only_labels_that_can_be_shown_are_usable(label: str, longest: int, usable: bool) -> None:
    assert is_usable(label, longest) is usable


def test_words_are_stems_with_their_groups_and_without_what_says_nothing() -> None:
    assert stems("a man sitting on large boxes") == {"man", "boxe"}
    assert stems("walking dogs") == {"walk", "dog"}
    assert len(words("walking dogs")) == 3
    assert words("dogs") & words("a puppy") == words("wolf") - {"wolf"}


def test_a_label_of_nothing_but_small_words_is_its_words() -> None:
    assert stems("the top") == {"the", "top"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("bat", "battle axe", False),
        ("swan", "a goose swimming", True),
        ("crane", "crane bird", True),
        ("mountain range", "pyramids", True),
        ("ice cream", "ice skater", True),
        ("candle", "anvil", False),
    ],
    ids=["three_letters_within", "birds", "word", "kindred", "shared_word", "none"],
)
def test_labels_that_could_mean_the_same_are_alike_either_way(one: str, other: str, same: bool) -> None:
    assert alike(words(one), words(other)) is same
    assert alike(words(other), words(one)) is same
