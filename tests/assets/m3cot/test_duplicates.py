"""Near-duplicates: what counts as the same picture and the same question, and which of two samples goes."""

import io
import random

import imagehash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from assets.images import Pictures, of_pixels
from assets.m3cot import duplicates
from assets.m3cot.duplicates import Counts, Similar, alike, counts, deduplicate, groups, normalised, similar, wanted
from assets.m3cot.thumbnails import Thumbnail, thumbnail, thumbnails
from assets.ordering import natural
from assets.samples import Part, Sample
from assets.schema.faults import Fault


def page(*lines: str, size: tuple[int, int] = (400, 300)) -> Image.Image:
    sheet = Image.new("RGB", size, "white")
    for row, line in enumerate(lines):
        ImageDraw.Draw(sheet).text((20, 20 + 36 * row), line, fill="black", font=ImageFont.load_default(28))
    return sheet


TEXT = page("A quick brown fox", "jumps over the lazy", "dog 12 times a day", "and 7 times a night")


def circles(count: int) -> Image.Image:
    sheet = Image.new("L", (300, 300), 255)
    for i in range(count):
        x, y = 20 + 95 * (i % 3), 20 + 95 * (i // 3)
        ImageDraw.Draw(sheet).ellipse((x, y, x + 60, y + 60), fill=0)
    return sheet


def random_thumb(rng: np.random.Generator) -> Thumbnail:
    return Thumbnail(rng.integers(0, 256, (64, 64), dtype=np.uint8), int(rng.integers(0, 2**63)))


def mixed(a: Thumbnail, b: Thumbnail, share: float) -> Thumbnail:
    grey = np.round(a.grey * (1 - share) + b.grey * share).astype(np.uint8)
    return Thumbnail(grey, a.phash)


def sample(id: str, *images: str, **changes: object) -> Sample:
    plain = Sample(
        id,
        "m3cot",
        "scienceqa",
        id,
        "released",
        question="Which one?",
        choices=("red", "blue"),
        answer="A",
        images=images,
        split="train",
    )
    return plain._replace(**changes)


def dropped(samples: list[Sample]) -> list[str | None]:
    assert {each.dropped for each in samples} <= {None, "duplicate"}
    return [each.id for each in samples if each.dropped]


def test_a_jpeg_copy_and_half_the_size_are_the_same_picture() -> None:
    file = io.BytesIO()
    TEXT.save(file, "JPEG", quality=75)
    whole = thumbnail(TEXT)
    assert alike(whole, thumbnail(Image.open(file))) > 0.999
    assert alike(whole, thumbnail(TEXT.resize((200, 150), Image.Resampling.LANCZOS))) > 0.999
    assert alike(whole, whole) == 1.0


def test_text_and_a_blank_page_are_not_alike() -> None:
    assert alike(thumbnail(TEXT), thumbnail(page())) == 0.0


def test_one_more_circle_is_another_picture() -> None:
    assert 0.85 < alike(thumbnail(circles(5)), thumbnail(circles(6))) < 0.95


def test_pictures_of_one_level_are_compared_by_their_level() -> None:
    black, grey, white = (thumbnail(Image.new("L", (9, 9), level)) for level in (0, 51, 255))
    assert alike(black, black) == alike(white, white) == 1.0
    assert alike(black, white) == 0.0
    assert alike(black, grey) == pytest.approx(0.8)
    assert alike(grey, thumbnail(TEXT)) == 0.0


def test_what_is_see_through_counts_as_white() -> None:
    clear = Image.new("RGBA", TEXT.size, (0, 0, 0, 0))
    clear.paste(TEXT.convert("RGBA"), mask=TEXT.convert("L").point(lambda level: 255 - level))
    assert alike(thumbnail(clear), thumbnail(TEXT)) > 0.999


def test_one_changed_digit_is_no_duplicate_where_the_answer_differs() -> None:
    other = page("A quick brown fox", "jumps over the lazy", "dog 13 times a day", "and 7 times a night")
    thumbs = {"p": thumbnail(TEXT), "q": thumbnail(other)}
    assert alike(*thumbs.values()) > 0.99
    two = [
        sample("a-1", "p", choices=("12", "13"), answer="A"),
        sample("a-2", "q", choices=("12", "13"), answer="B"),
    ]
    assert dropped(deduplicate(two, thumbs)) == []
    assert dropped(deduplicate(two, thumbs, question_alone=True)) == ["a-2"]


RNG = np.random.default_rng(7)
A, FAR = random_thumb(RNG), random_thumb(RNG)
B, C = mixed(A, FAR, 0.12), mixed(A, FAR, 0.24)


def test_a_sample_stays_where_it_is_only_like_one_that_went() -> None:
    thumbs = {"a": A, "b": B, "c": C}
    assert alike(A, B) > 0.99 and alike(B, C) > 0.98 and alike(A, C) < 0.96
    chain = [sample("s-1", "a"), sample("s-2", "b"), sample("s-3", "c")]
    assert dropped(deduplicate(chain, thumbs, similarity=0.98)) == ["s-2"]
    late = [sample("s-10", "a"), sample("s-2", "b"), sample("s-3", "c")]
    assert dropped(deduplicate(late, thumbs, similarity=0.98)) == ["s-10", "s-3"]


def test_every_sample_comes_back_in_its_place() -> None:
    before = [sample("s-2", "a"), sample("s-1", "a"), sample("s-3", "b").drop("no_image")]
    after = deduplicate(before, {"a": A, "b": B})
    assert [(each.id, each.dropped) for each in after] == [("s-2", "duplicate"), ("s-1", None), ("s-3", "no_image")]


def test_options_count_as_a_multiset_and_the_answer_as_its_text() -> None:
    first = sample("s-1", "a", choices=("red", "blue", "red"), answer="B")
    cases = {
        "turned": (("blue", "red", "red"), "A", True),
        "other answer": (("red", "blue", "red"), "A", False),
        "other options": (("red", "blue", "green"), "B", False),
        "fewer": (("red", "blue"), "B", False),
        "soft hyphen": (("red", "bl\u00adue ", "red"), "B", True),
        "case": (("red", "Blue", "red"), "B", False),
    }
    found = {
        name: dropped(deduplicate([first, sample("s-2", "a", choices=choices, answer=answer)], {"a": A})) == ["s-2"]
        for name, (choices, answer, _) in cases.items()
    }
    assert found == {name: expected for name, (_, _, expected) in cases.items()}


def test_genotypes_that_differ_in_case_are_two_answers() -> None:
    two = [sample(f"s-{i}", "a", choices=("Gg", "gg"), answer=letter) for i, letter in enumerate("AB")]
    assert dropped(deduplicate(two, {"a": A})) == []


def test_a_free_answer_is_compared_as_it_is() -> None:
    three = [sample(f"s-{i}", "a", choices=None, answer=text) for i, text in enumerate(("12", "12", "13"))]
    assert dropped(deduplicate(three, {"a": A})) == ["s-1"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Which  one ?", "which one?", True),
        ("Which one?\n", "WHICH ONE", True),
        ("Which\u00a0o\u00adne？", "Which one.", True),
        ("ﬁne", "fine", True),
        ("Which one?", "Which two?", False),
        ("Is 1.5 more?", "Is 15 more?", False),
    ],
    ids=["spaces", "case", "marks", "ligature", "word", "point"],
)
def test_questions_are_compared_without_what_nobody_reads(one: str, other: str, same: bool) -> None:
    assert (normalised(one) == normalised(other)) is same


def test_of_several_pictures_each_has_to_be_alike_in_its_place() -> None:
    thumbs = {"a": A, "b": B, "x": FAR}
    samples = [
        sample("s-1", "a", "x"),
        sample("s-2", "b", "x"),
        sample("s-3", "x", "a"),
        sample("s-4", "a"),
        sample("s-5", "a", choice_images=("x", "a")),
        sample("s-6", "a", choice_images=("x", "x")),
        sample("s-7", "b", choice_images=("x", "b")),
    ]
    assert dropped(deduplicate(samples, thumbs)) == ["s-2", "s-7"]


def test_samples_without_pictures_are_never_compared() -> None:
    samples = [
        sample("s-1"),
        sample("s-2"),
        sample("s-3", images=None),
        sample("s-4", "a", question=None, answer=None),
    ] * 2
    assert dropped(deduplicate(samples, {})) == []
    assert wanted(samples) == set()


def test_only_pictures_of_shared_questions_or_answers_are_wanted() -> None:
    samples = [
        sample("s-1", "a"),
        sample("s-2", "b", choices=("x", "y")),
        sample("s-3", "c", question="Else?"),
        sample("s-4", "d", choice_images=("e", "f")),
        sample("s-5", "g").drop("no_image"),
    ]
    assert wanted(samples) == {"a", "b", "c"}


def test_a_picture_that_is_nowhere_is_named() -> None:
    two = [sample("s-1", "a"), sample("s-2", "b")]
    with pytest.raises(Fault, match=r"1 of the pictures to compare .* \(the first: b\)"):
        deduplicate(two, {"a": A})
    stored = Pictures.of([of_pixels(circles(1), "s-1")])
    with pytest.raises(Fault, match="nowhere"):
        thumbnails(stored, {"nowhere"})


def test_thumbnails_are_made_of_the_pictures_asked_for() -> None:
    rows = [of_pixels(picture, f"s-{i}") for i, picture in enumerate((TEXT, circles(2).convert("RGBA"), circles(3)))]
    asked = [row.image_id or "" for row in rows[:2]]
    made = thumbnails(Pictures.of(rows), asked)
    assert list(made) == asked
    assert made[asked[0]].grey.shape == (64, 64) and made[asked[0]].grey.dtype == np.uint8
    assert made[asked[0]].phash == int(str(imagehash.phash(TEXT)), 16)
    assert made[asked[0]].grey.mean() == pytest.approx(np.asarray(TEXT.convert("L")).mean(), abs=1)


def test_ids_are_in_natural_order() -> None:
    assert sorted(["s-10", "s-9", "s-09", "a-100", "s"], key=natural) == ["a-100", "s", "s-09", "s-9", "s-10"]


def naive(samples: list[Sample], thumbs: dict[str, Thumbnail], threshold: float) -> list[str | None]:
    kept: list[Sample] = []
    gone = []
    for each in sorted(samples, key=lambda one: int(str(one.id).split("-")[1])):
        grey = thumbs[(each.images or ("",))[0]].grey.ravel().astype(float)
        for known in kept:
            if np.corrcoef(grey, thumbs[(known.images or ("",))[0]].grey.ravel())[0, 1] > threshold:
                gone.append(each.id)
                break
        else:
            kept.append(each)
    return gone


@pytest.mark.parametrize("block", [7, 512])
def test_blocks_find_what_a_loop_over_pairs_finds(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "BLOCK", block)
    rng = np.random.default_rng(3)
    bases = [random_thumb(rng) for _ in range(8)]
    thumbs = {str(i): mixed(bases[i % 8], random_thumb(rng), float(rng.uniform(0, 0.3))) for i in range(60)}
    samples = [sample(f"s-{i}", str(i)) for i in range(60)]
    gone = naive(samples, thumbs, 0.96)
    assert 15 < len(gone) < 50
    assert dropped(deduplicate(samples, thumbs, similarity=0.96)) == gone
    pairs = {
        (f"s-{i}", f"s-{j}")
        for i in range(60)
        for j in range(i + 1, 60)
        if np.corrcoef(thumbs[str(i)].grey.ravel(), thumbs[str(j)].grey.ravel())[0, 1] > 0.96
    }
    rows = similar(samples, thumbs, similarity=0.96)
    assert {(row.a, row.b) for row in rows} == pairs and len(rows) == len(pairs)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=14), st.randoms(use_true_random=False))
def test_what_stays_does_not_hang_on_the_order_given(kinds: list[int], shuffler: random.Random) -> None:
    rng = np.random.default_rng(5)
    far = random_thumb(rng)
    thumbs = {str(kind): mixed(A, far, 0.05 * kind) for kind in range(7)}
    samples = [sample(f"s-{i}", str(kind)) for i, kind in enumerate(kinds)]
    turned = shuffler.sample(samples, len(samples))
    gone = dropped(deduplicate(samples, thumbs))
    assert sorted(gone, key=lambda id: natural(id or "")) == gone
    assert sorted(dropped(deduplicate(turned, thumbs)), key=lambda id: natural(id or "")) == gone
    assert similar(turned, thumbs) == similar(samples, thumbs)
    assert groups(turned, thumbs) == groups(samples, thumbs)
    again = deduplicate([each for each in deduplicate(samples, thumbs) if each.dropped is None], thumbs)
    assert dropped(again) == []


def test_the_authors_alternative_is_equality_of_hashes() -> None:
    thumbs = {"a": A, "b": B._replace(phash=A.phash ^ 1), "c": FAR._replace(phash=A.phash)}
    samples = [sample("s-1", "a"), sample("s-2", "b"), sample("s-3", "c")]
    assert dropped(deduplicate(samples, thumbs)) == ["s-2"]
    assert dropped(deduplicate(samples, thumbs, measure="phash")) == ["s-3"]
    assert similar(samples, thumbs, measure="phash") == [Similar("s-1", "s-3", "train", "train", 1.0, True)]


def test_counts_stand_beside_each_other() -> None:
    thumbs = {"a": A, "b": B._replace(phash=A.phash ^ 1), "c": FAR._replace(phash=A.phash)}
    samples = [
        sample("s-1", "a"),
        sample("s-2", "b"),
        sample("s-3", "b", answer="B"),
        sample("s-4", "c", choices=("x", "y")),
        sample("s-5", "a").drop("no_image"),
    ]
    assert counts(samples, thumbs) == Counts(pearson=1, pearson_question_alone=2, phash=0, phash_question_alone=2)


def test_pairs_across_splits_are_listed_whatever_their_options() -> None:
    thumbs = {"a": A, "b": B, "c": C}
    samples = [
        sample("s-10", "b", split="test"),
        sample("s-9", "a", split="train"),
        sample("s-11", "c", split="train", answer="B"),
        sample("s-12", "a", split="test", question="Else?"),
    ]
    rows = similar(samples, thumbs, similarity=0.98)
    assert [row[:4] + row[5:] for row in rows] == [
        ("s-9", "s-10", "train", "test", True),
        ("s-9", "s-12", "train", "test", True),
        ("s-10", "s-11", "test", "train", False),
        ("s-10", "s-12", "test", "test", True),
    ]
    assert all(0.98 < row.similarity <= 1 for row in rows)


def test_the_same_picture_and_answer_under_another_name_is_a_pair() -> None:
    """Two tables of the slice differ in a first name alone, in question and title."""
    one = sample("tabmwp-1", "a", question="How many did Ann sell?", choices=("4", "5"))
    other = sample("tabmwp-2", "b", question="How many did Bob sell?", choices=("7", "4"), answer="B", split="test")
    assert [row[:4] for row in similar([one, other], {"a": A, "b": A})] == [("tabmwp-1", "tabmwp-2", "train", "test")]
    assert len(set(groups([one, other], {"a": A, "b": A}).values())) == 1


def test_pairs_without_a_split_are_refused() -> None:
    with pytest.raises(Fault, match="sample s-2 has no split"):
        similar([sample("s-1", "a"), sample("s-2", "a", split=None)], {"a": A})


def test_a_group_holds_what_shares_a_picture_or_is_nearly_the_same() -> None:
    thumbs = {"a": A, "b": B, "c": C}
    samples = [
        sample("s-10", "b"),
        sample("s-9", "a"),
        sample("s-3", "c"),
        sample("s-2", "c", question="Else?"),
        sample("s-5", "z", question="More?", choices=("p", "q")),
        sample("s-6", "y", choice_images=("z", "w"), question="Again?"),
        sample("s-7", question="Drawn?", rationale=(Part("image", None, "w"),)),
        sample("s-8", images=None),
        sample("s-1", "a").drop("duplicate"),
    ]
    assert groups(samples, thumbs) == {
        "s-10": "s-9",
        "s-9": "s-9",
        "s-3": "s-2",
        "s-2": "s-2",
        "s-5": "s-5",
        "s-6": "s-5",
        "s-7": "s-5",
        "s-8": "s-8",
    }
    assert groups(samples, thumbs, similarity=0.98)["s-10"] == "s-2"


def test_pages_of_one_colour_repeat_each_other_and_nothing_else() -> None:
    levels = {"white": 255, "nearly": 254, "grey": 128}
    thumbs = {name: thumbnail(Image.new("L", (9, 9), level)) for name, level in levels.items()} | {"a": A}
    samples = [sample(f"s-{i}", name) for i, name in enumerate(("white", "a", "nearly", "grey"))]
    assert dropped(deduplicate(samples, thumbs)) == ["s-2"]
    assert [row.similarity for row in similar(samples, thumbs)] == [1 - 1 / 255]
