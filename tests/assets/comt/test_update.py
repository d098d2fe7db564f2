from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from assets import steps
from assets.comt.template import annotations, fault, written
from assets.comt.update import UpdateError, located, pictures, samples
from assets.comt.update_groups import most_covered
from assets.comt.update_pictures import PALETTE
from assets.images import decode
from assets.schema.sample import Sample
from assets.schema.tables import as_table
from assets.sources.kilogram import Description, Group, PartLabel, Tangram
from assets.sources.svg import Piece

CORNERS = {1: (0, 0), 2: (30, 0), 3: (60, 0), 4: (0, 30), 5: (30, 30), 6: (60, 30), 7: (30, 60)}
PIECES = tuple(
    Piece(str(piece), (x, y, x + 20.0, y, x + 20.0, y + 20.0, x, y + 20.0)) for piece, (x, y) in CORNERS.items()
)
HEAD_BODY_TAIL = (
    Group((1, 2, 3), "head", True),
    Group((4, 5, 6), "the body", True),
    Group((7,), "tail", True),
)
RULES: dict[str, Any] = {
    "palette": PALETTE,
    "longest_label": 40,
    "most_overlap": 0.05,
    "most_per_tangram": None,
    "seed": 3,
}


def said(whole: str, *groups: Group, annotator: str = "w1") -> Description:
    stand = groups or HEAD_BODY_TAIL
    of_piece = {str(piece): group.text for group in stand if group.final for piece in group.pieces}
    return Description(annotator, whole, tuple(PartLabel(piece, of_piece[piece]) for piece in sorted(of_piece)), stand)


def tangram(name: str, *told: Description, pieces: tuple[Piece, ...] = PIECES) -> Tangram:
    return Tangram(name, 80.0, 80.0, pieces, told, "kilogram", "released")


OTHERS = (
    tangram("b", said("a boat")),
    tangram("c", said("chair")),
    tangram("d", said("a mushroom")),
    tangram("e", said("candle")),
)


class Everything(dict[str, str]):
    """An id for any picture."""

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, file: str) -> str:
        return f"id of {file}"


def build(*rows: Tangram, undrawn: Mapping[str, str] | None = None, **changed: Any) -> list[Sample]:
    return samples(as_table("tangram", rows), Everything(), undrawn or {}, **RULES | changed)


def first(*told: Description, pieces: tuple[Piece, ...] = PIECES, **changed: Any) -> Sample:
    return build(tangram("a", *told, pieces=pieces), *OTHERS, **changed)[0]


def drawn(*rows: Tangram, **changed: Any) -> list[str]:
    return [picture.file for picture in pictures(as_table("tangram", rows), **RULES | changed)]


def test_a_description_becomes_a_question_whose_rationale_adds_a_group_a_step() -> None:
    row = first(said("a dog"))
    assert (row.id, row.source_id, row.task, row.domain) == ("kilogram-a-1", "a-1", "update", "commonsense")
    assert row.provenance == "released > label groups coloured and named by rules"
    assert row.question is not None
    assert row.question.startswith("[IMAGE0]\n")
    assert row.question.endswith("?")
    assert row.choices is not None
    assert len(row.choices) == len(set(row.choices)) == 4
    assert set(row.choices) <= {"dog", "boat", "chair", "mushroom", "candle"}
    assert row.choices["ABCD".index(row.answer or "")] == "dog"
    assert row.image_names == tuple(f"kilogram-a-1-{number}" for number in range(4))
    assert row.images == tuple(f"id of kilogram-a-1-{number}" for number in range(4))
    assert fault(row) is None


def test_each_picture_follows_the_sentence_that_announces_it_and_the_last_sentence_names_the_answer() -> None:
    row = first(said("a dog"))
    told = written(row.rationale or ())
    one, two, three = told.index("[IMAGE1]"), told.index("[IMAGE2]"), told.index("[IMAGE3]")
    sentences = [told[:one], told[one + 8 : two], told[two + 8 : three], told[three + 8 :]]
    assert "Three pieces at the top left, top centre and top right" in sentences[0]
    assert "the head, so" in sentences[0]
    assert "Three pieces at the left side, centre and right side" in sentences[1]
    assert "the body, so" in sentences[1]
    assert "One piece at the bottom centre" in sentences[2]
    assert "the tail, so" in sentences[2]
    assert sentences[3] == ' With the head, the body and the tail together, the tangram most likely shows "dog".'
    assert len(steps.segment(row.text)) == 5


def test_annotations_say_what_each_picture_was_made_from() -> None:
    assert annotations(first(said("a dog", annotator="w7"))) == {
        "annotator": "w7",
        "groups": [
            {"label": "head", "pieces": [1, 2, 3], "colour": "#e69f00"},
            {"label": "body", "pieces": [4, 5, 6], "colour": "#56b4e9"},
            {"label": "tail", "pieces": [7], "colour": "#009e73"},
        ],
    }


def test_every_description_and_every_tangram_without_one_is_a_row() -> None:
    bad = Tangram("x", None, None, None, None, "kilogram", "released", "not_xml", ("x.svg", None, None))
    rows = build(tangram("a", said("dog"), said("UNKNOWN")), tangram("f"), bad, *OTHERS)
    assert [(row.id, row.dropped) for row in rows] == [
        ("kilogram-a-1", None),
        ("kilogram-a-2", "label_unusable"),
        ("kilogram-f", "no_description"),
        *((f"kilogram-{name}-1", None) for name in "bcde"),
    ]


def test_pictures_are_those_of_the_samples_that_are_kept() -> None:
    rows = (tangram("a", said("dog"), said("UNKNOWN"), said("hound")), tangram("f"), *OTHERS)
    names = [name for row in build(*rows) for name in row.image_names or ()]
    assert drawn(*rows) == names
    assert names[:8] == [f"kilogram-a-{number}-{step}" for number in (1, 3) for step in range(4)]


def test_the_plain_tangram_is_one_picture_under_each_name() -> None:
    made = {
        picture.file: picture
        for picture in pictures(as_table("tangram", [tangram("a", said("dog"), said("hound")), *OTHERS]), **RULES)
    }
    assert made["kilogram-a-1-0"] == made["kilogram-a-2-0"]._replace(file="kilogram-a-1-0")
    assert decode(made["kilogram-a-1-0"].png or b"").convert("L").getextrema() == (211, 255)
    sizes = {decode(made[f"kilogram-a-1-{step}"].png or b"").size for step in range(4)}
    assert sizes == {(480, 400)}


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (said("UNKNOWN"), "label_unusable"),
        (said(" "), "label_unusable"),
        (said("7"), "label_unusable"),
        (said("a person who is walking home through the heavy rain"), "label_unusable"),
        (said("龙"), "label_unusable"),
        (said("كلب"), "label_unusable"),
        (said("dog", Group((1,), "head", True), Group((2,), "UNKNOWN", True)), "label_unusable"),
        (said("dog", Group((1,), "head", True), Group((2,), "the", True)), None),
        (said("k"), "label_unusable"),
        (said("house with a patio and"), "label_unusable"),
        (said("penis"), "label_unusable"),
        (said("dog", Group((1,), "head", True), Group((2,), "penis", True)), "label_unusable"),
        (said("dog", Group((1,), "head", True), Group((2,), "k", True)), None),
        (said("a dog", Group((1,), "head", True), Group((2,), "Dogs", True)), "label_names_answer"),
        (said("dog", Group((1,), "head", True), Group((2,), "tail of the dog", True)), "label_names_answer"),
        (said("dog", Group((1,), "dog", False), Group((1,), "head", True), Group((2,), "tail", True)), None),
        (said("dog walking", Group((1,), "dog", True), Group((2,), "lead", True)), None),
        (said("dog", Group((1,), "UNKNOWN", True), Group((2,), "dog", True)), "label_unusable"),
        (said("dog", Group((1, 2, 3, 4, 5, 6, 7), "dog", True)), "label_names_answer"),
        (said("dog", Group((1, 2, 3, 4, 5, 6, 7), "body", True)), "too_few_groups"),
        (said("dog", Group((1,), "a head", True), Group((2,), "head", True)), "too_few_groups"),
        (said("dog", Group((1,), "ear", False), Group((1,), "head", True)), "too_few_groups"),
    ],
    ids=["unknown", "empty", "no_letter", "long", "no_glyph", "right_to_left", "unknown_part", "small_word",
         "letter", "broken_off", "coarse", "coarse_part", "letter_part", "names_answer", "holds_answer",
         "superseded_answer", "one_word_of_answer", "unusable_first", "names_before_groups", "one",
         "equal_labels", "superseded"],
)  # fmt: skip
def test_what_makes_no_sample_is_dropped_with_its_reason(told: Description, reason: str | None) -> None:
    assert first(told).dropped == reason


def test_superseded_labels_are_never_shown_and_the_later_of_two_final_ones_counts() -> None:
    row = first(
        said(
            "dog",
            Group((1, 2), "ears of a hare", False),
            Group((1, 2), "head", True),
            Group((3,), "neck", True),
            Group((2, 4), "body", True),
            Group((3,), "body", True),
        )
    )
    assert "hare" not in row.text
    assert [(group["label"], group["pieces"]) for group in annotations(row)["groups"]] == [
        ("head", [1]),
        ("body", [2, 3, 4]),
    ]


def moved(by: float) -> tuple[Piece, ...]:
    """The tangram with its second piece moved left over the first one, which is as large."""
    x = 20.0 - by
    return tuple(Piece("2", (x, 0, x + 20, 0, x + 20, 20, x, 20)) if piece.piece == "2" else piece for piece in PIECES)


@pytest.mark.parametrize(("by", "reason"), [(0.0, None), (0.9, None), (1.1, "overlap"), (20.0, "overlap")])
def test_pieces_that_cover_each_other_by_more_than_the_bound_make_no_sample(by: float, reason: str | None) -> None:
    # 1 of 20 across is a share of 0.05
    assert first(said("dog"), pieces=moved(by)).dropped == reason


SQUARE = (0.0, 0.0, 4.0, 0.0, 4.0, 4.0, 0.0, 4.0)
ANGLE = (0.0, 0.0, 4.0, 0.0, 4.0, 2.0, 2.0, 2.0, 2.0, 4.0, 0.0, 4.0)


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (SQUARE, (4.0, 0.0, 8.0, 0.0, 8.0, 4.0, 4.0, 4.0), 0.0),
        (SQUARE, (3.0, 3.0, 5.0, 3.0, 5.0, 5.0, 3.0, 5.0), 0.25),
        (SQUARE, (3.0, 5.0, 5.0, 5.0, 5.0, 3.0, 3.0, 3.0), 0.25),
        (SQUARE, (1.0, 1.0, 2.0, 1.0, 2.0, 2.0), 1.0),
        (SQUARE, (0.0, 0.0, 4.0, 4.0, 0.0, 8.0), 0.5),
        (ANGLE, (2.0, 2.0, 4.0, 2.0, 4.0, 4.0, 2.0, 4.0), 0.0),
        (ANGLE, (1.0, 1.0, 3.0, 1.0, 3.0, 3.0, 1.0, 3.0), 0.75),
        (SQUARE, (1.0, 1.0, 2.0, 2.0, 3.0, 3.0), 1.0),
    ],
    ids=[
        "side_by_side",
        "corner",
        "other_way_round",
        "within",
        "triangle",
        "in_the_notch",
        "over_the_notch",
        "no_area",
    ],
)
def test_how_far_two_pieces_cover_each_other(one: tuple[float, ...], other: tuple[float, ...], share: float) -> None:
    assert most_covered([one, other]) == pytest.approx(share)
    assert most_covered([other, one]) == pytest.approx(share)


def test_too_small_a_pool_leaves_no_sample() -> None:
    assert {row.dropped for row in build(tangram("a", said("dog")), *OTHERS[:2])} == {"too_few_options"}
    assert first(said("dog"), said("armchair"), said("ship")).dropped == "too_few_options"


def test_labels_that_find_no_room_are_no_sample() -> None:
    long = " ".join(["w" * 12] * 12)
    groups = tuple(Group((piece,), f"{long} {'abcdefg'[piece - 1]}", True) for piece in range(1, 8))
    assert first(said("dog", *groups), longest_label=400).dropped == "labels_overlap"


@pytest.mark.parametrize("seed", range(4))
def test_a_tangram_gives_no_more_samples_than_its_quota_and_the_seed_says_which(seed: int) -> None:
    told = [said("dog"), said("hound"), said("UNKNOWN"), said("puppy"), said("wolf")]
    rows = (tangram("a", *told), *OTHERS)
    reasons = [row.dropped for row in build(*rows, most_per_tangram=2, seed=seed)[:5]]
    assert Counter(reasons) == {None: 2, "over_quota": 2, "label_unusable": 1}
    names = drawn(*rows, most_per_tangram=2, seed=seed)
    kept = [f"kilogram-a-{number}-0" for number, reason in enumerate(reasons, 1) if reason is None]
    assert [name for name in names if name.startswith("kilogram-a") and name.endswith("-0")] == kept


def test_the_quota_does_not_always_take_the_first() -> None:
    told = [said(label) for label in ("dog", "hound", "puppy", "wolf")]
    kept = {
        next(row.id for row in build(tangram("a", *told), *OTHERS, most_per_tangram=1, seed=seed) if not row.dropped)
        for seed in range(8)
    }
    assert len(kept) > 1


def test_a_picture_that_was_not_drawn_takes_its_sample_with_it() -> None:
    rows = build(tangram("a", said("dog")), *OTHERS, undrawn={"kilogram-a-1-2": "no_renderer"})
    assert [row.dropped for row in rows] == ["no_renderer", None, None, None, None]


def test_a_picture_that_nobody_accounts_for_is_named() -> None:
    with pytest.raises(UpdateError, match="kilogram-a-1-0 has no picture"):
        samples(as_table("tangram", [tangram("a", said("dog")), *OTHERS]), {}, {}, **RULES)


def test_too_few_colours_are_refused_before_anything_is_drawn() -> None:
    with pytest.raises(UpdateError, match="has 6 colours"):
        drawn(*OTHERS, palette=PALETTE[:6])
    with pytest.raises(UpdateError, match="has 6 colours"):
        build(*OTHERS, palette=(*PALETTE[:6], PALETTE[0]))


def test_a_part_that_could_not_be_told_from_the_sentence_is_quoted() -> None:
    parts = (Group((1,), "legs, bent", True), Group((2,), "head and neck", True), Group((3,), "his hat", True))
    told = first(said("dog", *parts)).text
    assert told.endswith(
        'With "legs, bent", "head and neck" and his hat together, the tangram most likely shows "dog".'
    )


def test_pieces_all_over_the_figure_are_said_to_be() -> None:
    box = (0.0, 0.0, 90.0, 90.0)
    corners = [(x, y, x + 9.0, y, x + 9.0, y + 9.0) for x, y in ((0.0, 0.0), (80.0, 0.0), (40.0, 40.0), (0.0, 80.0))]
    assert located(corners, box) == "across the figure"
    assert located(corners[:3], box) == "at the top left, top right and centre"
    assert located(corners[3:], box) == "at the bottom left"


def test_the_same_seed_gives_the_same_samples_and_another_one_other_questions() -> None:
    rows = (tangram("a", said("dog"), said("hound"), said("wolf")), *OTHERS)
    assert build(*rows) == build(*rows)
    assert [row.choices for row in build(*rows)] != [row.choices for row in build(*rows, seed=4)]
