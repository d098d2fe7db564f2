from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from assets import images
from assets.models.trained import Trained
from assets.models.transformers_checkpoint import Checkpoint
from assets.training import controls
from assets.training.adapters import families, lessons, llama_adapter, lora, shown, wording
from assets.training.adapters.answering import Adapted
from assets.training.examples import Asked
from tests.assets.training import squares
from tests.assets.training.adapters import tiny

STEPS = ["There is one square on white.", "It is red.", "So the colour is red."]


@pytest.fixture(scope="module", name="base")
def _base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Weights larger than usual, so that what it says depends on what it is asked.
    from tests import tiny_model

    return tiny_model.make(tmp_path_factory.mktemp("base") / "tiny", scale=4.0)


@pytest.fixture(scope="module", name="held")
def _held(base: Path) -> Checkpoint:
    return tiny.checkpoint(base)


def answerer(held: Checkpoint, batch: int = 3, length: int = 400) -> Adapted:
    return Adapted(held, length=length, longest=24, rationale=True, batch=batch)


def asked(number: int = 5) -> tuple[list[Asked], list[images.Picture]]:
    samples, rows = squares.world(5, 2, 0)
    return [one.asked for one in lessons.of_split(samples, "train")][:number], rows


def seen(adapted: Adapted, rows: list[images.Picture], number: int = 5) -> list[object]:
    return [adapted.features(images.decode(row.png or b"")) for row in rows[:number]]


def test_the_option_is_the_likeliest_letter_after_what_was_told(held: Checkpoint, tmp_path: Path) -> None:
    adapted = answerer(held)
    some, rows = asked()
    chosen = adapted.answers(some, [STEPS] * 5, seen(adapted, rows))
    expected = []
    pictures = shown.keep(images.Pictures.of(rows), {one.image_id or "" for one in some}, tmp_path)
    for one in some:
        limits = lessons.Limits(400, None)
        prompt = lessons.asked(one, held, pictures, limits, rationale=True, reserved=0)
        assert prompt is not None
        scores = []
        for number in range(4):
            told = lessons.encoded(held, wording.target(STEPS, number))
            given = lessons.batch(held, [prompt[0]], [told], pictures)
            with torch.no_grad():
                likely = held.model(**given).logits[0].log_softmax(-1)
            ids = given["input_ids"][0]
            start = len(ids) - len(told)
            scores.append(sum(float(likely[place - 1, ids[place]]) for place in range(start, len(ids))))
        expected.append(scores.index(max(scores)))
    assert chosen == expected
    assert len(set(chosen)) > 1


def test_what_comes_of_one_does_not_depend_on_what_else_is_asked(held: Checkpoint) -> None:
    some, rows = asked()
    together, alone = answerer(held, batch=5), answerer(held, batch=1)
    shown_to = seen(together, rows)
    written = together.rationales(some, shown_to)
    assert any(written)
    assert len({tuple(steps) for steps in written}) > 1
    assert written == [alone.rationales([one], [picture])[0] for one, picture in zip(some, shown_to, strict=True)]
    assert together.answers(some, written, shown_to) == [
        alone.answers([one], [steps], [picture])[0] for one, steps, picture in zip(some, written, shown_to, strict=True)
    ]


@pytest.mark.parametrize(("family", "module"), [("lora", lora), ("llama-adapter", llama_adapter)])
def test_so_it_is_with_an_adapter_that_has_learned(family: str, module: Any, base: Path) -> None:
    held = tiny.checkpoint(base)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(2)
        peft = module.attach(held.model, tiny.settings(family, base))
        for weight in peft.parameters():
            if weight.requires_grad:
                weight.add_(torch.randn_like(weight) * 0.3)
    held.model.eval()
    some, rows = asked()
    some = [one._replace(question=f"{'Look. ' * place}{one.question}") for place, one in enumerate(some)]
    together, alone = answerer(held, batch=5), answerer(held, batch=1)
    shown_to = seen(together, rows)
    written = together.rationales(some, shown_to)
    assert len({tuple(steps) for steps in written}) > 1
    assert written != answerer(tiny.checkpoint(base)).rationales(some, shown_to)
    assert written == [alone.rationales([one], [picture])[0] for one, picture in zip(some, shown_to, strict=True)]


def test_a_rationale_ends_where_it_concludes() -> None:
    told = "Step 1: One square.\nStep 2: It is red.\nThe answer is (B).\nStep 3: More."
    assert wording.steps_of(told) == ["One square.", "It is red."]
    assert wording.steps_of("The answer is (B).") == []
    assert wording.target(["One square.", "It is red."], 1) == (
        "Step 1: One square.\nStep 2: It is red.\nThe answer is (B)."
    )
    assert wording.target([], 3) == "The answer is (D)."


def test_what_has_no_options_or_is_too_long_gets_no_answer(held: Checkpoint) -> None:
    adapted = answerer(held)
    some, rows = asked(3)
    bare = some[1]._replace(choices=())
    told = [STEPS, STEPS, ["It is where it is, as every square is."] * 200]
    chosen = adapted.answers([some[0], bare, some[2]], told, seen(adapted, rows, 3))
    assert chosen[0] in range(4)
    assert chosen[1:] == [None, None]


def test_a_question_longer_than_what_was_learned_is_asked_by_its_end(held: Checkpoint) -> None:
    adapted = answerer(held, length=200)
    some, rows = asked(1)
    long = some[0]._replace(question="Never mind this sentence. " * 400 + some[0].question)
    assert adapted.answers([long], [STEPS], seen(adapted, rows, 1))[0] in range(4)
    assert len(adapted.rationales([long], seen(adapted, rows, 1))) == 1


def test_no_picture_is_a_white_one_and_a_picture_is_what_it_was(held: Checkpoint) -> None:
    adapted = answerer(held)
    picture = images.decode(asked()[1][0].png or b"").convert("RGB")
    assert adapted.features(picture).image().tobytes() == picture.tobytes()
    assert adapted.features(None).image().getcolors() == [(64 * 64, (255, 255, 255))]


def test_what_is_transparent_is_white_as_while_it_learned(held: Checkpoint, tmp_path: Path) -> None:
    sheet = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
    assert answerer(held).features(sheet).image().getcolors() == [(64, (255, 255, 255))]
    few = Image.new("P", (8, 8))
    few.info["transparency"] = 0
    assert answerer(held).features(few).image().getcolors() == [(64, (255, 255, 255))]


def test_an_adapter_answers_dialogues_and_controls_like_any_training(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 6)
    settings = tiny.settings("lora", base, epochs=1)
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    model = Trained("tiny", tmp_path / "a", base=str(base))
    dialogues = [squares.dialogue(one) for one in samples if one.split == "test"]
    replies = list(model.replies(dialogues, squares.Shown(rows)))
    assert [reply.ask for reply in replies] == [0, 1] * 6
    assert all(reply.text[-4:-2] in ("(A", "(B", "(C", "(D") for reply in replies if reply.ask == 1)
    found = controls.report(tmp_path / "a", samples, images.Pictures.of(rows), "test", base=str(base))
    assert {row["control"] for row in found} == {"seen", "shuffled", "blank", "random"}
    assert {row["n"] for row in found if row["scope"] == "total"} == {6}
