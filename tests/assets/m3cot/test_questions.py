import pytest

from assets.m3cot.questions import PictureMissing, answer_letter, options, ordered, picture_of


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([" rainy ", "very  sunny"], ("rainy", "very sunny")),
        (["A. rainy", "(B) sunny"], ("rainy", "sunny")),
        (["C. elegans", "E. coli"], ("C. elegans", "E. coli")),
        ({"B": "sunny", "A": "rainy"}, ("rainy", "sunny")),
        (["rainy", ""], None),
        (["rainy", 3], None),
        ("rainy", None),
    ],
    ids=["spaces", "lettered", "species", "by_letter", "empty", "number", "text"],
)
def test_options_are_read_with_letters_only_off_where_all_have_theirs(given, read) -> None:
    assert options(given) == read


@pytest.mark.parametrize(
    ("answer", "letter"),
    [("B", "B"), ("(B)", "B"), ("b: sunny", None), ("B. sunny", "B"), ("Sunny.", "B"), ("C", None), ("fog", None)],
    ids=["letter", "brackets", "small", "both", "text", "no_such_letter", "unknown"],
)
def test_an_answer_names_an_option_by_letter_or_text(answer: str, letter: str | None) -> None:
    assert answer_letter(answer, ("rainy", "sunny")) == letter


def test_the_right_option_stands_at_its_letter_and_every_place_is_drawn() -> None:
    seen = set()
    for seed in range(40):
        choices, letter = ordered("right", ("x", "y", "z"), str(seed))
        assert choices["ABCD".index(letter)] == "right"
        assert [choice for choice in choices if choice != "right"] == ["x", "y", "z"]
        seen.add(letter)
    assert seen == set("ABCD")


def test_a_picture_that_was_not_drawn_is_named() -> None:
    with pytest.raises(PictureMissing, match="map-0001 has no picture"):
        picture_of({}, "map-0001")
