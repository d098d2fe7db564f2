"""Second asks that are read on from what the tiny checkpoint keeps of the first say what they say read anew."""

import functools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from assets.models.model import Ask, Dialogue, said
from assets.models.transformers_chat import TransformersChat
from tests.tiny_dialogues import PICTURES, alone, by_ask, chat, loaded, mixed, picture
from tests.tiny_model import CHAT, make


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("tiny") / "model")


TWICE = [one for one in map(mixed, range(1, 48, 2)) if one.asks[0].parts[0].image_id]


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[tuple[str, int], str]:
    plain = loaded(folder)
    return {(one.id, ask): own[0] for one in TWICE for ask, own in enumerate(alone(plain, one))}


def texts(model: TransformersChat, asked: list[Dialogue]) -> dict[tuple[str, int], str]:
    return {key: reply.text for key, reply in by_ask(model.replies(asked, PICTURES)).items()}


def looked(model: TransformersChat) -> list[int]:
    """How many pictures the checkpoint has looked at, call by call; grows with its replies."""
    counts: list[int] = []
    tower = model._checkpoint().model.model.vision_tower
    tower.register_forward_pre_hook(
        lambda _, args, given: counts.append(len(given["pixel_values"] if "pixel_values" in given else args[0])),
        with_kwargs=True,
    )
    return counts


def test_pictures_are_looked_at_once_after_both_ways_gave_the_same(
    folder: Path, expected: dict[tuple[str, int], str]
) -> None:
    model = chat(folder, batch=4)
    counts = looked(model)
    assert texts(model, TWICE) == expected
    batches = len(TWICE) // 4
    assert len(TWICE) == 16 and len(counts) == batches + 1
    assert model.facts["second_asks"] == "read on"


def test_a_checkpoint_that_does_not_remember_exactly_reads_anew(
    folder: Path, expected: dict[tuple[str, int], str]
) -> None:
    model = chat(folder, batch=4)
    counts = looked(model)
    inner = model._checkpoint().model.forward

    @functools.wraps(inner)
    def forward(**given: Any) -> Any:
        kept = given.get("cache")
        if kept is not None and kept.get_seq_length() and given["input_ids"].shape[1] > 1:
            given["position_ids"] = given["position_ids"] + 9
        return inner(**given)

    model._checkpoint().model.forward = forward
    assert texts(model, TWICE) == expected
    assert len(counts) == 4 + 1 + 3
    assert model.facts["second_asks"] == "read anew"


def test_a_template_that_forgets_what_was_asked_reads_anew(folder: Path, tmp_path: Path) -> None:
    forgetful = tmp_path / "forgetful"
    shutil.copytree(folder, forgetful)
    last = CHAT.replace(
        "{{ bos_token }}{% for message in messages %}", "{{ bos_token }}{% for message in messages[-1:] %}"
    )
    (forgetful / "chat_template.jinja").write_text(last)
    twice = [Dialogue(str(place), (Ask((said("Which? " * place),)), Ask((said("Why?"),))), ()) for place in range(1, 5)]
    model = chat(forgetful)
    plain = loaded(forgetful)
    assert texts(model, twice) == {(one.id, ask): own[0] for one in twice for ask, own in enumerate(alone(plain, one))}
    assert "second_asks" not in model.facts


def test_fresh_asks_and_asks_with_pictures_of_their_own_are_read_anew(folder: Path) -> None:
    first = Ask((picture("4"), said("Which?")))
    seen = Dialogue("seen", (first, Ask((said("And this?"), picture("5")))), ())
    fresh = Dialogue("fresh", (first, Ask((said("Which is it?"),), fresh=True)), ())
    model = chat(folder)
    plain = loaded(folder)
    right = {(one.id, ask): own[0] for one in (seen, fresh) for ask, own in enumerate(alone(plain, one))}
    assert texts(model, [seen, fresh]) == right
    assert "second_asks" not in model.facts


def test_where_memory_is_short_for_reading_on_the_ask_is_read_anew(
    folder: Path, expected: dict[tuple[str, int], str]
) -> None:
    model = chat(folder, batch=4)
    inner = model._checkpoint().model.generate

    def generate(**given: Any) -> Any:
        if given.get("cache") is not None:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return inner(**given)

    model._checkpoint().model.generate = generate
    assert texts(model, TWICE) == expected
    assert model.facts["batch"] == 4


@pytest.mark.parametrize("given", [{"dtype": "bfloat16"}, {"temperature": 1.0, "seed": 1}])
def test_where_texts_need_not_be_the_same_nothing_is_read_on(folder: Path, given: dict[str, Any]) -> None:
    model = chat(folder, batch=4, max_tokens=2, **given)
    replies = by_ask(model.replies(TWICE[:4], PICTURES))
    assert "second_asks" not in model.facts and len(replies) >= 4
