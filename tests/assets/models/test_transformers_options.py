"""Options scored by a tiny checkpoint; the oracle makes one pass over each prompt with its option, without padding."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from assets.models.model import Ask, Dialogue, said
from assets.models.transformers_batches import Waiting, inputs
from assets.models.transformers_options import option_tokens, scores, scores_apart
from tests.tiny_dialogues import OPTIONS, PICTURES, alone, by_ask, chat, encoded, loaded, mixed
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


def oracle(plain: Any, dialogue: Dialogue) -> list[float]:
    """Each option's mean log-likelihood from one forward pass over all of its own, without padding."""
    processor, model = plain
    given = encoded(processor, dialogue)
    found = []
    for option in dialogue.choices:
        tokens = processor.tokenizer(option, add_special_tokens=False)["input_ids"]
        ids = torch.cat([given["input_ids"], torch.tensor([tokens])], dim=1)
        with torch.inference_mode():
            logits = model(input_ids=ids, pixel_values=given.get("pixel_values")).logits[0]
        start = given["input_ids"].shape[1]
        likely = [float(logits[start + place - 1].log_softmax(-1)[token]) for place, token in enumerate(tokens)]
        found.append(sum(likely) / len(likely))
    return found


def test_options_score_in_a_batch_as_each_alone(folder: Path, plain: Any) -> None:
    checkpoint = chat(folder)._checkpoint()
    for looks in (True, False):
        asked = [one for one in map(mixed, range(0, 40, 2)) if bool(int(one.id[1:]) % 3) is looks]
        chunk = [
            Waiting(one, one.conversation(), tuple(part.image_id for part in one.asks[0].parts if part.image_id), 0)
            for one in asked
        ]
        options = [option_tokens(checkpoint, one.choices) for one in asked]
        given = inputs(checkpoint, chunk, PICTURES, None)
        assert given["attention_mask"].min() == 0
        together = scores(checkpoint, given, options)
        for one, own, waiting, tokens in zip(asked, together, chunk, options, strict=True):
            right = oracle(plain, one)
            assert own == pytest.approx(right, abs=1e-4)
            assert scores_apart(checkpoint, inputs(checkpoint, [waiting], PICTURES, None), tokens) == pytest.approx(
                right, abs=1e-4
            )


def test_the_likeliest_option_is_the_last_reply_and_what_is_before_is_written(folder: Path, plain: Any) -> None:
    asked = [mixed(number) for number in range(12)]
    model = chat(folder, answer="loglikelihood")
    replies = by_ask(model.replies(asked, PICTURES))
    for one in asked:
        first = replies[one.id, 0]
        if len(one.asks) == 2:
            assert first.text == alone(plain, one)[0][0]
            one = one.replied(first.parts)
        right = oracle(plain, one)
        best = right.index(max(right))
        last = replies[one.id, len(one.asks) - 1]
        assert last.parts == (said(f"({'ABCD'[best]}) {OPTIONS[best]}"),)
        assert (last.status, last.finish_reason, last.tokens_out) == ("ok", "loglikelihood", 0)
    assert model.facts["options"] == "prompt shared"


def test_a_checkpoint_that_cannot_share_a_prompt_scores_each_option_apart(folder: Path, plain: Any) -> None:
    model = chat(folder, answer="loglikelihood")
    inner = model._checkpoint().model.forward

    def forward(**given: Any) -> Any:
        if given.get("cache") is not None:
            given["position_ids"] = given["position_ids"] + 5
        return inner(**given)

    model._checkpoint().model.forward = forward
    asked = [mixed(number) for number in range(0, 12, 2)]
    replies = by_ask(model.replies(asked, PICTURES))
    for one in asked:
        right = oracle(plain, one)
        assert replies[one.id, 0].text.startswith(f"({'ABCD'[right.index(max(right))]}) ")
    assert model.facts["options"] == "each apart"


def test_of_equal_options_the_first_is_taken_and_none_is_an_error(folder: Path) -> None:
    ask = (Ask((said("Which?"),)),)
    same = Dialogue("same", ask, ("red", "red", "red"))
    blank = Dialogue("blank", ask, ("", "red"))
    none = Dialogue("none", ask, ())
    replies = by_ask(chat(folder, answer="loglikelihood").replies([same, blank, none], PICTURES))
    assert replies["same", 0].text == "(A) red"
    assert replies["blank", 0].text == "(B) red"
    assert (replies["none", 0].status, replies["none", 0].finish_reason) == (
        "error",
        "no options: there is nothing to compare",
    )
