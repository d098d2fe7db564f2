"""The kind `transformers` on a tiny checkpoint that the real classes load; the oracle is the plain call of them."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image

from assets.models.model import Ask, Dialogue, Reply, said
from assets.models.transformers_batches import Waiting, inputs, shrunk
from assets.models.transformers_chat import TransformersChat
from tests.tiny_dialogues import PICTURES, TOKENS, alone, by_ask, chat, loaded, mixed, picture
from tests.tiny_model import make


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    return loaded(folder)


def differing(replies: dict[tuple[str, int], Reply], expected: dict[tuple[str, int], tuple[str, int, int]]) -> int:
    return sum(
        (replies[key].text, replies[key].tokens_in, replies[key].tokens_out) != value for key, value in expected.items()
    )


@pytest.fixture(scope="module")
def dialogues() -> list[Dialogue]:
    return [mixed(number) for number in range(64)]


@pytest.fixture(scope="module")
def expected(plain: Any, dialogues: list[Dialogue]) -> dict[tuple[str, int], tuple[str, int, int]]:
    return {(one.id, ask): own for one in dialogues for ask, own in enumerate(alone(plain, one))}


def test_a_batch_is_told_the_same_as_each_alone(
    folder: Path, plain: Any, dialogues: list[Dialogue], expected: dict[tuple[str, int], tuple[str, int, int]]
) -> None:
    model = chat(folder)
    replies = by_ask(model.replies(dialogues, PICTURES))
    assert len(expected) == 64 + 32
    assert replies.keys() == expected.keys()
    assert differing(replies, expected) == 0
    assert len({reply.text for reply in replies.values()}) > 60
    assert {reply.status for reply in replies.values()} == {"ok", "truncated"}
    for reply in replies.values():
        assert (reply.status, reply.finish_reason) in {("ok", "stop"), ("truncated", "length")}
        assert reply.status == "ok" or reply.tokens_out == TOKENS
    assert model.facts == {
        "device": "cpu",
        "dtype": "float32",
        "parameters": sum(weight.numel() for weight in plain[1].parameters()),
        "batch": 16,
        "second_asks": "read on",
    }


def test_texts_that_a_shorter_number_format_changes_are_counted(
    folder: Path,
    dialogues: list[Dialogue],
    expected: dict[tuple[str, int], tuple[str, int, int]],
    record_property: Any,
) -> None:
    some = dialogues[:16]
    together = by_ask(chat(folder, dtype="bfloat16").replies(some, PICTURES))
    single = by_ask(chat(folder, dtype="bfloat16", batch=1).replies(some, PICTURES))
    first = [key for key in single if key[1] == 0]
    by_batch = sum(together[key].text != single[key].text for key in first)
    by_format = sum(single[key].text != expected[key][0] for key in first)
    record_property("bfloat16_texts_changed_by_the_batch", f"{by_batch} of {len(first)}")
    print(f"bfloat16: {by_batch} of {len(first)} texts changed by the batch, {by_format} by the format")
    assert together.keys() == single.keys()
    assert by_format > 0


def test_ten_dialogues_in_batches_of_four_have_ten_replies(folder: Path) -> None:
    ten = [Dialogue(str(number), (Ask((said("Which?" * (number + 1)),)),), ()) for number in range(10)]
    assert sorted(by_ask(chat(folder, batch=4, max_tokens=2).replies(ten, PICTURES))) == sorted(
        (str(number), 0) for number in range(10)
    )


def test_dialogues_are_taken_as_they_are_needed_and_none_loads_nothing(folder: Path) -> None:
    taken = 0

    def endless() -> Iterator[Dialogue]:
        nonlocal taken
        for taken in itertools.count(1):
            yield Dialogue(str(taken), (Ask((said("Which?"),)),), ())

    model = chat(folder, batch=2, max_tokens=2)
    replies = model.replies(endless(), PICTURES)
    assert taken == 0
    next(replies)
    assert taken == 8 * 2
    nothing = TransformersChat("none", model="/no/such/folder")
    assert list(nothing.replies([], PICTURES)) == []


def test_a_reply_that_is_there_is_not_asked_for_again(folder: Path, plain: Any) -> None:
    dialogue = mixed(1).replied((said("yes"),))
    assert [(reply.ask, reply.text) for reply in chat(folder).replies([dialogue], PICTURES)] == [
        (1, alone(plain, dialogue)[0][0])
    ]
    whole = dialogue.replied((said("no"),))
    assert list(chat(folder).replies([whole], PICTURES)) == []


def test_a_fresh_ask_is_read_without_what_was_said_before(folder: Path, plain: Any) -> None:
    twice = Dialogue("t", (Ask((picture("4"), said("Which?"))), Ask((said("What is 12 + 7?"),), fresh=True)), ())
    replies = by_ask(chat(folder).replies([twice], PICTURES))
    once = Dialogue("t", (Ask((said("What is 12 + 7?"),)),), ())
    assert replies["t", 1].text == alone(plain, once)[0][0]


def test_words_that_look_like_a_picture_or_a_role_are_text(folder: Path, plain: Any) -> None:
    processor = plain[0]
    words = "Is <image> or </s> or <|assistant|> here?"
    dialogue = Dialogue("d", (Ask((picture("1"), said(words))),), ())
    chosen = chat(folder)._checkpoint()
    given = inputs(chosen, [Waiting(dialogue, dialogue.conversation(), ("1",), 0)], PICTURES, None)
    ids = given["input_ids"][0].tolist()
    of = {word: processor.tokenizer.convert_tokens_to_ids(word) for word in ("<image>", "</s>", "<|assistant|>")}
    assert ids.count(of["<image>"]) == 17 and given["pixel_values"].shape[0] == 1
    assert ids[2 : 2 + 17] == [of["<image>"]] * 17
    assert ids.count(of["</s>"]) == 0 and ids.count(of["<|assistant|>"]) == 1
    assert words in processor.tokenizer.decode(ids)
    without = Dialogue("w", (Ask((said(words),)),), ())
    nested = Dialogue("n", (Ask((picture("1"), said("<ima<image>ge>"))),), ())
    replies = by_ask(chat(folder).replies([dialogue, without, nested], PICTURES))
    assert replies["d", 0].tokens_in == len(ids)
    assert replies["w", 0].status in {"ok", "truncated"}
    assert replies["n", 0].status == "error"


def test_what_does_not_fit_is_an_error_and_what_fills_the_context_is_cut(tmp_path: Path) -> None:
    small = make(tmp_path / "small", context=64)
    model = chat(small, max_tokens=100)
    texts = {"long": "7" * 80, "full": "7" * 56, "short": "7"}
    asked = [Dialogue(name, (Ask((said(text),)), Ask((said("Which?"),))), ()) for name, text in texts.items()]
    replies = by_ask(model.replies(asked, PICTURES))
    assert (replies["long", 0].status, replies["long", 0].finish_reason) == ("error", "too long: 83 tokens of 64")
    assert replies["long", 0].parts == () and ("long", 1) not in replies
    full = replies["full", 0]
    assert (full.tokens_in, full.tokens_out, full.status) == (59, 5, "truncated")
    assert replies["short", 0].tokens_in == 4
    assert replies["short", 0].status == "ok" or replies["short", 0].tokens_out == 60


def test_a_broken_and_a_missing_picture_fail_alone(folder: Path, plain: Any) -> None:
    good = [mixed(number) for number in (4, 7, 10)]
    broken = Dialogue("b", (Ask((picture("broken"), said("Which?"))), Ask((said("Why?"),))), ())
    missing = Dialogue("m", (Ask((picture("gone"), said("Which?"))),), ())
    replies = by_ask(chat(folder).replies([good[0], broken, good[1], missing, good[2]], PICTURES))
    assert replies["b", 0].status == "error" and ("b", 1) not in replies
    assert (replies["m", 0].status, replies["m", 0].finish_reason) == (
        "error",
        "picture gone: is not stored",
    )
    for one in good:
        assert replies[one.id, 0].text == alone(plain, one)[0][0]


@pytest.mark.parametrize("failure", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_batches_are_halved_where_memory_is_short(folder: Path, plain: Any, failure: Exception) -> None:
    model = chat(folder, batch=16)
    inner = model._checkpoint().model.generate
    sizes = []

    def generate(**given: Any) -> Any:
        sizes.append(len(given["input_ids"]))
        if sizes[-1] > 3:
            raise failure
        return inner(**given)

    model._checkpoint().model.generate = generate
    asked = [mixed(number) for number in range(0, 24, 2)]
    replies = by_ask(model.replies(asked, PICTURES))
    assert {key: reply.text for key, reply in replies.items()} == {
        (one.id, 0): alone(plain, one)[0][0] for one in asked
    }
    assert sizes[:2] == [12, 6] and set(sizes[2:]) == {3}
    assert model.facts["batch"] == 3 and model.facts["batch_before_memory_was_short"] == 16


def test_one_for_which_memory_never_suffices_is_an_error_and_the_others_keep_their_batches(folder: Path) -> None:
    model = chat(folder, batch=4, max_tokens=4)
    inner = model._checkpoint().model.generate
    sizes = []

    def generate(**given: Any) -> Any:
        sizes.append(len(given["input_ids"]))
        if given["input_ids"].shape[1] > 100:
            raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes")
        return inner(**given)

    model._checkpoint().model.generate = generate
    asked = [Dialogue(str(number), (Ask((said("Which? " * number),)),), ()) for number in range(1, 9)]
    asked.append(Dialogue("huge", (Ask((said("7 " * 200),)),), ()))
    replies = by_ask(model.replies(asked, PICTURES))
    assert (replies["huge", 0].status, replies["huge", 0].finish_reason) == ("error", "out of memory")
    assert [key for key, reply in replies.items() if reply.status == "error"] == [("huge", 0)]
    assert sizes == [4, 2, 1, 4, 4] and "batch_before_memory_was_short" not in model.facts


def test_a_failure_of_one_is_not_the_others(folder: Path) -> None:
    model = chat(folder, batch=4, max_tokens=4)
    inner = model._checkpoint().model.generate

    def generate(**given: Any) -> Any:
        if given["attention_mask"].sum(dim=1).max() > 100:
            raise RuntimeError("shape mismatch\nat line 7")
        return inner(**given)

    model._checkpoint().model.generate = generate
    asked = [Dialogue(str(number), (Ask((said("7 " * (200 if number == 2 else 3)),)),), ()) for number in range(6)]
    replies = by_ask(model.replies(asked, PICTURES))
    assert [replies[str(number), 0].status == "error" for number in range(6)] == [number == 2 for number in range(6)]
    assert replies["2", 0].finish_reason == "RuntimeError: shape mismatch"


def test_white_space_alone_is_empty_and_nothing_is_asked_after_it(folder: Path) -> None:
    model = chat(folder)
    end = model._checkpoint().processor.tokenizer.eos_token_id
    model._checkpoint().model.generate = lambda **given: SimpleNamespace(
        sequences=torch.cat([given["input_ids"], torch.full((len(given["input_ids"]), 1), end)], dim=1)
    )
    replies = list(model.replies([mixed(1)], PICTURES))
    assert [(one.ask, one.status, one.finish_reason, one.tokens_out, one.parts) for one in replies] == [
        (0, "empty", "stop", 1, ())
    ]


def test_draws_repeat_with_their_seed_and_leave_torch_as_it_was(folder: Path) -> None:
    asked = [mixed(number) for number in range(0, 12, 2)]

    def texts(**given: Any) -> list[str]:
        model = chat(folder, temperature=1.0, top_p=0.95, **given)
        return [reply.text for reply in model.replies(asked, PICTURES)]

    torch.manual_seed(5)
    once = texts(seed=1)
    drawn = torch.rand(1)
    torch.manual_seed(6)
    assert texts(seed=1) == once
    assert texts(seed=2) != once
    torch.manual_seed(5)
    assert torch.equal(torch.rand(1), drawn)


def test_the_number_of_threads_is_what_it_was(folder: Path) -> None:
    torch.set_num_threads(2)
    try:
        list(chat(folder, max_tokens=1).replies([mixed(0)], PICTURES))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_a_picture_is_shrunk_in_its_shape_to_the_pixels_that_are_given() -> None:
    assert shrunk(Image.new("RGB", (400, 100)), 10_000).size == (200, 50)
    assert shrunk(Image.new("RGB", (3000, 1)), 100).size == (547, 1)
    whole = Image.new("RGB", (400, 100))
    assert shrunk(whole, 40_000) is whole and shrunk(whole, None) is whole
