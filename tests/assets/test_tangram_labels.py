import pytest

from assets.tangram_labels import alike, clean, is_usable, is_usable_whole, names, near, stems, words


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
        ("penis", 40, False),
        ("Stripper pole", 40, False),
        ("strip of paper", 40, True),
        ("house with a patio and", 40, False),
        ("house with", 40, False),
        ("handle of", 40, False),
        ("waist up", 40, True),
        ("behind", 40, True),
        ("to", 40, True),
        ("k", 40, True),
    ],
)
def test_only_labels_that_can_be_shown_are_usable(label: str, longest: int, usable: bool) -> None:
    assert is_usable(label, longest) is usable


@pytest.mark.parametrize(("label", "usable"), [("k", False), ("K.", False), ("letter k", True), ("ox", True)])
def test_a_single_letter_names_no_whole(label: str, usable: bool) -> None:
    assert is_usable_whole(label) is usable
    assert not is_usable_whole("penis")


@pytest.mark.parametrize(
    ("part", "whole", "given_away"),
    [
        ("sink", "sink", True),
        ("Sinks", "a sink", True),
        ("faucet+sink", "sink", True),
        ("trophy ribbon", "trophy", True),
        ("head of the wrench, crescent", "crescent wrench", True),
        ("wrench", "crescent wrench", False),
        ("person", "person sitting", False),
        ("bathtub", "bat", False),
        ("glass", "gla", False),
    ],
)
def test_a_part_gives_the_whole_away_if_it_has_all_its_words(part: str, whole: str, given_away: bool) -> None:
    assert names(part, whole) is given_away


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rose", "flower"),
        ("crab", "scropion"),
        ("knife", "sword"),
        ("person", "someone ice skating"),
        ("human", "couple holding hands"),
        ("person sitting", "humen"),
        ("person jumping", "someone running"),
        ("woman praying", "someone running"),
        ("girl sitting", "figure skater"),
        ("rabit", "rabbit with head turned around"),
        ("sanke", "cobra in pot"),
        ("cup", "trophey"),
    ],
)
def test_labels_of_which_both_fit_one_figure_are_alike(one: str, other: str) -> None:
    assert alike(words(one), words(other))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("sanke", "snake", True),
        ("zebar", "zebra", True),
        ("zebrra", "zebra", True),
        ("zbra", "zebra", True),
        ("zibra", "zebra", True),
        ("zibrra", "zebra", False),
        ("zeb", "zebr", False),
        ("house", "horse", False),
        ("mountain", "fountain", False),
        ("boat", "goat", False),
        ("lamp", "palm", False),
        ("face", "faucet", False),
        ("dealer", "river", False),
        ("waiter", "water", False),
        ("player", "plate", False),
        ("rose", "nose", False),
    ],
)
def test_a_word_with_one_slip_is_the_same_word_and_two_real_words_are_not(one: str, other: str, same: bool) -> None:
    assert alike(words(one), words(other)) is same
    assert alike(words(other), words(one)) is same


def test_a_misspelt_word_is_in_the_groups_of_the_word_that_was_meant_and_its_stem_stays() -> None:
    assert words("humen") - {"humen"} == words("human") - {"human"} != set()
    assert stems("humen") == {"humen"}


def test_a_word_can_have_two_meanings() -> None:
    assert alike(words("pitcher"), words("man"))
    assert alike(words("pitcher"), words("jug"))
    assert not alike(words("man"), words("jug"))


def test_what_is_near_in_a_vocabulary_is_what_makes_labels_alike() -> None:
    vocabulary = {"zebra", "zebar", "zebras", "zibra", "light", "lighthouse", "house", "horse", "sanke", "snake", "bat"}
    vocabulary |= {"batman", "=3", "=33"}
    found = near(vocabulary)
    for one in vocabulary:
        assert found[one] == {other for other in vocabulary if alike(frozenset({one}), frozenset({other}))}
    assert found["zebra"] == {"zebra", "zebar", "zebras", "zibra"}
    assert found["=3"] == {"=3"}
