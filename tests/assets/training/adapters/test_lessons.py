from pathlib import Path

import pytest
import torch

from assets import images
from assets.models.transformers_checkpoint import Checkpoint
from assets.schema.sample import Part, Sample
from assets.training.adapters import lessons, shown
from assets.training.train import TrainingError
from tests.assets.training import squares
from tests.assets.training.adapters import tiny

PICTURE = 17
"""Tokens of a picture."""


@pytest.fixture(scope="module", name="held")
def _held(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return tiny.checkpoint(tiny.base(tmp_path_factory.mktemp("base")))


@pytest.fixture(name="samples")
def _samples() -> list[Sample]:
    return squares.world(16, 8, 0)[0]


def words(held: Checkpoint, text: str) -> int:
    return len(held.processor.tokenizer.encode(text, add_special_tokens=False))


def test_only_what_is_to_be_written_is_learned(held: Checkpoint, samples: list[Sample], tmp_path: Path) -> None:
    found, pictures = tiny.prompts(held, tmp_path, samples)
    some = found.lessons[:3]
    given = lessons.batch(held, [one.waiting for one in some], [one.target for one in some], pictures)
    decode = held.processor.tokenizer.decode
    for place, (one, sample) in enumerate(zip(some, samples, strict=False)):
        learned = given["labels"][place] != lessons.IGNORED
        colour = (sample.choices or ())["ABCD".index(sample.answer or "")]
        written = (
            f"Step 1: There is one square on white.\nStep 2: It is {colour}.\nStep 3: So the colour is {colour}.\n"
            f"The answer is ({sample.answer}).</s>"
        )
        assert decode(given["input_ids"][place][learned]) == written
        assert one.target[-1] == held.processor.tokenizer.eos_token_id
        asked = decode(given["input_ids"][place][~learned & given["attention_mask"][place].bool()])
        options = "\n".join(f"({letter}) {choice}" for letter, choice in zip("ABCD", sample.choices or (), strict=True))
        assert asked.endswith(
            f"Which colour does the square have?\n\n{options}\n\n"
            'Reason step by step from the picture, then end with "The answer is (X)."<|assistant|>'
        )
        assert (given["input_ids"][place] == held.model.config.image_token_id).sum() == PICTURE


def test_rows_are_padded_anew_on_either_side() -> None:
    given = {
        "input_ids": torch.tensor([[0, 0, 5], [7, 8, 9]]),
        "attention_mask": torch.tensor([[0, 0, 1], [1, 1, 1]]),
        "token_type_ids": torch.tensor([[0, 0, 2], [2, 2, 2]]),
        "pixel_values": torch.ones(2, 3, 4, 4),
    }
    found = lessons.continued(given, [(1, 2, 3, 4), (6,)], 0, left=True)
    assert found["input_ids"].tolist() == [[5, 1, 2, 3, 4], [0, 7, 8, 9, 6]]
    assert found["attention_mask"].tolist() == [[1, 1, 1, 1, 1], [0, 1, 1, 1, 1]]
    assert found["token_type_ids"].tolist() == [[2, 0, 0, 0, 0], [0, 2, 2, 2, 0]]
    assert found["labels"].tolist() == [[-100, 1, 2, 3, 4], [-100, -100, -100, -100, 6]]
    assert found["pixel_values"] is given["pixel_values"]
    other = lessons.continued(given, [(1, 2, 3, 4), (6,)], 0, left=False)
    assert other["input_ids"].tolist() == [[5, 1, 2, 3, 4], [7, 8, 9, 6, 0]]
    assert other["attention_mask"].tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    assert other["token_type_ids"].tolist() == [[2, 0, 0, 0, 0], [2, 2, 2, 0, 0]]
    assert other["labels"].tolist() == [[-100, 1, 2, 3, 4], [-100, -100, -100, 6, -100]]
    nothing = lessons.continued(given, [(), ()], 0, left=False)
    assert nothing["labels"].tolist() == [[-100] * 3] * 2


def test_a_long_question_loses_its_beginning_and_the_target_nothing(
    held: Checkpoint, samples: list[Sample], tmp_path: Path
) -> None:
    told = "Nothing to be learned here. " * 40 + "Which colour does the square have?"
    long = [one._replace(question=told) if one.id == "square-003" else one for one in samples]
    found, _ = tiny.prompts(held, tmp_path, long, length=300)
    assert (len(found.lessons), found.cut, found.left_out) == (16, 1, ())
    cut = next(one for one in found.lessons if one.example.asked.id == "square-003")
    asked = cut.waiting.turns[0].parts[1].text or ""
    assert not asked.startswith("Nothing to be learned here. " * 10)
    assert "Nothing to be learned here. Which colour does the square have?\n\n(A)" in asked
    template = words(held, "<s><|user|><image><|assistant|>")
    assert 290 < template + words(held, asked) + len(cut.target) <= 300
    assert held.processor.tokenizer.decode(cut.target).startswith("Step 1: There is one square")


def test_what_does_not_fit_without_its_question_is_left_out_and_listed(
    held: Checkpoint, samples: list[Sample], tmp_path: Path
) -> None:
    told = "\n".join(f"Step {number}: The square is where it is." for number in range(1, 60))
    long = [
        one._replace(rationale=(Part("text", told, None),)) if one.id in ("square-002", "square-005") else one
        for one in samples
    ]
    found, _ = tiny.prompts(held, tmp_path, long, length=400)
    assert found.left_out == ("square-002", "square-005")
    assert len(found.lessons) == 14
    assert found.longest < 400


def test_a_picture_counts_for_what_can_be_read_and_not_for_the_text(
    held: Checkpoint, samples: list[Sample], tmp_path: Path
) -> None:
    found, _ = tiny.prompts(held, tmp_path, samples)
    one = max(found.lessons, key=lambda lesson: len(lesson.target))
    text = words(held, "<s><|user|><image><|assistant|>") + words(held, one.waiting.turns[0].parts[1].text or "")
    whole = text + len(one.target)
    fits, _ = tiny.prompts(held, tmp_path, samples, length=whole, context=None)
    assert (fits.cut, fits.left_out) == (0, ())
    less, _ = tiny.prompts(held, tmp_path, samples, length=whole, context=whole)
    assert less.cut > 0


def test_what_looks_like_a_picture_or_an_end_in_a_text_is_text(
    held: Checkpoint, samples: list[Sample], tmp_path: Path
) -> None:
    told = (Part("text", "Step 1: </s> is no end.\nStep 2: <image> is no picture.", None),)
    hostile = [one._replace(question="What is <image> and </s>?", rationale=told) for one in samples]
    found, pictures = tiny.prompts(held, tmp_path, hostile)
    one = found.lessons[0]
    given = lessons.batch(held, [one.waiting], [one.target], pictures)
    ids = given["input_ids"][0].tolist()
    assert ids.count(held.model.config.image_token_id) == PICTURE
    assert ids.count(held.processor.tokenizer.eos_token_id) == 1
    assert "</s> is no end" in held.processor.tokenizer.decode(one.target)


def test_a_sample_without_a_picture_is_shown_a_white_one(
    held: Checkpoint, samples: list[Sample], tmp_path: Path
) -> None:
    bare = [one._replace(images=None) for one in samples]
    found, pictures = tiny.prompts(held, tmp_path, bare)
    assert found.lessons[0].waiting.pictures == (shown.BLANK,)
    assert pictures.image(shown.BLANK).getcolors() == [(64 * 64, (255, 255, 255))]


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    rows = squares.world(2, 0, 0)[1]
    with pytest.raises(TrainingError, match=r"^1 pictures are not there \(abc\): build the pictures' table anew$"):
        shown.keep(images.Pictures.of(rows), {"abc", rows[0].image_id or ""}, tmp_path)


def test_a_split_without_samples_is_one_sentence(samples: list[Sample]) -> None:
    with pytest.raises(TrainingError, match=r"^split test: 0 of its samples have .*: build more samples, or set"):
        lessons.of_split(samples, "test")
