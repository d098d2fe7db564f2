import pytest

from assets import steps
from assets.images import decode
from assets.m3cot.questions import PictureMissing
from assets.m3cot.science.tangram_questions import pictures, samples
from assets.schema.tables import as_table
from assets.sources.kilogram import Description, Group, PartLabel, Tangram
from assets.sources.svg import Piece
from assets.tangram_labels import alike, words

SQUARES = {
    "1": (0, 0),
    "2": (20, 0),
    "3": (0, 20),
    "4": (20, 20),
    "5": (0, 45),
    "6": (20, 45),
    "7": (10, 60),
}
PIECES = tuple(Piece(key, (x, y, x + 10.0, y, x + 10.0, y + 10.0, x, y + 10.0)) for key, (x, y) in SQUARES.items())
PARTS = {"1": "head", "2": "head", "3": "body", "4": "body", "5": "leg", "6": "leg", "7": "tail"}


def said(whole: str, parts: dict[str, str] = PARTS, groups: tuple[Group, ...] = ()) -> Description:
    return Description("w1", whole, tuple(PartLabel(piece, text) for piece, text in parts.items()), groups)


def tangram(name: str, *told: Description) -> Tangram:
    return Tangram(name, 30.0, 70.0, PIECES, told, "kilogram", "released")


def table(*rows: Tangram):
    return as_table("tangram", rows)


OTHERS = (tangram("b", said("a boat")), tangram("c", said("chair")), tangram("d", said("a mushroom")))
DOG = tangram("a", said("horse"), said("a dog"), said("dog"), said("small dog running"))
DRAWN = {f"kilogram-{name}": name for name in "abcde"}


def only(*rows: Tangram):
    return samples(table(*rows), DRAWN, seed=1)[0]


def test_the_label_most_agreed_on_is_right_and_others_of_other_tangrams_are_wrong() -> None:
    row = only(DOG, *OTHERS)
    assert row.choices is not None
    assert row.choices["ABCD".index(row.answer or "")] == "dog"
    assert set(row.choices) == {"dog", "boat", "chair", "mushroom"}
    assert (row.domain, row.topic, row.subtopic) == ("science", "social-science", "cognitive-science")
    assert (row.id, row.source_id, row.images) == ("kilogram-a", "a", ("a",))
    assert row.provenance == "released > question by rules"


def test_each_part_is_a_step_that_says_where_it_is_and_the_last_step_concludes() -> None:
    assert steps.segment(only(DOG, *OTHERS).text) == [
        'The 2 pieces at the top left and top right of the figure can be seen as "head".',
        'The 2 pieces at the left side and right side of the figure can be seen as "body".',
        'The 2 pieces at the bottom left and bottom right of the figure can be seen as "leg".',
        'The piece at the bottom centre of the figure can be seen as "tail".',
        'A figure with all these parts put together in this way most resembles "dog".',
    ]


def test_superseded_labels_are_never_read() -> None:
    old = Group((1, 2), "ears of a hare", False)
    assert "hare" not in only(tangram("a", said("dog", groups=(old,))), *OTHERS).text


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (tangram("a"), "no_description"),
        (
            tangram("a", said("UNKNOWN"), said(" "), said("a person who is walking home through the heavy rain")),
            "label_unusable",
        ),
        (tangram("a", said("k"), said("penis"), said("house with a patio and")), "label_unusable"),
        (tangram("a", said("dog", dict.fromkeys(PARTS, "dog"))), "too_few_parts"),
        (tangram("a", said("dog", {"1": "head", "2": "penis"})), "too_few_parts"),
        (tangram("a", said("dog", {"1": "head", "2": "UNKNOWN", "3": ""})), "too_few_parts"),
        (tangram("a", said("dog"), said("armchair")), "too_few_options"),
        (tangram("a", said("dog"), said("ship")), "too_few_options"),
    ],
    ids=[
        "no_description",
        "label_unusable",
        "not_reasonable",
        "one_part",
        "coarse_part",
        "unknown_parts",
        "word_within",
        "synonym",
    ],
)
def test_what_makes_no_question_is_dropped_with_its_reason_and_not_drawn(first: Tangram, reason: str) -> None:
    assert only(first, *OTHERS).dropped == reason
    assert "kilogram-a" not in {picture.file for picture in pictures(table(first, *OTHERS))}


def test_an_annotator_of_the_same_label_with_parts_stands_in_for_one_without() -> None:
    row = only(tangram("a", said("dog", {}), said("a dog")), *OTHERS)
    assert row.dropped is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a dog", "dogs", True),
        ("flamingo", "bird", True),
        ("man walking", "a nun from the back", True),
        ("gas can", "gasoline can", True),
        ("bowl", "soup bowl", True),
        ("house", "lighthouse", True),
        ("hammer", "butterfly", False),
        ("a chair on the side", "a boat on the side", False),
    ],
    ids=["plural", "kind", "person", "shared", "shared_noun", "within", "none", "small_words"],
)
def test_labels_that_could_mean_the_same_are_alike(one: str, other: str, same: bool) -> None:
    assert alike(words(one), words(other)) is same


def test_the_picture_is_light_pieces_on_white_paper() -> None:
    first = next(iter(pictures(table(DOG, *OTHERS))))
    image = decode(first.png or b"").convert("L")
    assert first.file == "kilogram-a"
    assert image.getextrema() == (211, 255)
    assert next(iter(pictures(table(DOG, *OTHERS)))).png == first.png


def test_every_tangram_that_was_kept_is_a_row_and_no_seed_changes_which_stay() -> None:
    bad = Tangram("e", None, None, None, None, "kilogram", "released", "broken", ("e.svg", None, None))
    for seed in range(10):
        rows = samples(table(DOG, bad, *OTHERS), DRAWN, seed=seed)
        assert [(row.source_id, row.dropped) for row in rows] == [(name, None) for name in "abcd"]


def test_a_tangram_without_a_picture_is_named() -> None:
    with pytest.raises(PictureMissing, match="kilogram-a"):
        samples(table(DOG, *OTHERS), {}, seed=1)
