import math
from pathlib import Path
from typing import Any

import pytest

from assets.analysis.encoders.language import Language, Surprise, language_model
from assets.models.transformers_checkpoint import threads
from assets.schema.faults import Fault
from tests import tiny_judges

TEXTS = ["the cat sits on the mat .", "dog", "", "a blue circle is not a red square , therefore the map is north ."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_judges.causal(tmp_path_factory.mktemp("lm") / "tiny-lm", seed=2, places=8)


@pytest.fixture(scope="module")
def model(folder: Path) -> Language:
    return language_model(str(folder))


def naive(folder: Path, text: str, places: int) -> Surprise:
    """Token by token: each from what stands before it in the first window, half a window apart, that holds it."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    kind: Any = AutoModelForCausalLM
    network, words = kind.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    network.eval()
    ids = [words.bos_token_id, *words(text, add_special_tokens=False)["input_ids"]]
    lost = []
    with threads("cpu"), torch.no_grad():
        for place in range(1, len(ids)):
            start = 0
            while start + places <= place:
                start += places // 2
            logits = network(torch.tensor([ids[start:place]])).logits[0, -1]
            lost.append(-float(logits.log_softmax(0)[ids[place]]))
    return Surprise(len(lost), sum(lost) / len(lost) if lost else math.nan)


def test_perplexity_by_hand(tmp_path: Path) -> None:
    # one half and twice one quarter: (1 + 2 + 2) / 3 bits a word
    made = tiny_judges.unigram(tmp_path / "unigram", {"a": 0.5, "cat": 0.25, "dog": 0.25})
    found = language_model(str(made)).surprise(["a cat dog", "a", "dog"])
    assert [one.tokens for one in found] == [3, 1, 1]
    assert [one.perplexity for one in found] == pytest.approx([2 ** (5 / 3), 2.0, 4.0], rel=1e-6)


def test_a_batch_of_texts_gives_what_each_token_gives_alone(folder: Path, model: Language) -> None:
    for found, text in zip(model.surprise(TEXTS), TEXTS, strict=True):
        expected = naive(folder, text, 8)
        assert found.tokens == expected.tokens
        assert found.nll == pytest.approx(expected.nll, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("length", [6, 7, 8, 11, 12, 13, 31])
def test_each_token_of_a_long_text_is_scored_once_in_windows_half_apart(
    folder: Path, model: Language, length: int
) -> None:
    text = " ".join((tiny_judges.WORDS * 2)[:length])
    (found,) = model.surprise([text])
    expected = naive(folder, text, 8)
    assert (found.tokens, found.nll) == (length, pytest.approx(expected.nll, abs=1e-5))


def test_a_text_of_one_token_is_scored_behind_the_beginning_token(model: Language) -> None:
    (found,) = model.surprise(["dog"])
    assert found.tokens == 1 and found.perplexity is not None and found.perplexity > 1


def test_a_text_without_a_token_has_no_perplexity(model: Language) -> None:
    empty, blank = model.surprise(["", " \n"])
    assert empty.tokens == blank.tokens == 0
    assert math.isnan(empty.nll) and empty.perplexity is blank.perplexity is None
    assert model.surprise([]) == []


def test_what_stands_beside_a_text_does_not_change_it(model: Language) -> None:
    alone = model.surprise([TEXTS[0]])[0]
    beside = model.surprise([*TEXTS, " ".join(tiny_judges.WORDS * 3), TEXTS[0]])
    assert beside[0] == beside[-1]
    assert beside[0].nll == pytest.approx(alone.nll, abs=1e-6)


def test_the_end_token_stands_in_where_there_is_no_beginning_token(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    made = tiny_judges.unigram(tmp_path / "unigram", {"a": 0.5, "cat": 0.5})
    words = AutoTokenizer.from_pretrained(made)
    words.bos_token = words.pad_token = None
    words.save_pretrained(made)
    assert language_model(str(made)).surprise(["a cat a"])[0].perplexity == pytest.approx(2.0)
    words.eos_token = None
    words.save_pretrained(made)
    with pytest.raises(Fault, match="neither a beginning token nor an end token"):
        language_model(str(made))


def test_a_perplexity_beyond_all_numbers_is_infinite() -> None:
    assert Surprise(1, 800.0).perplexity == math.inf
    assert Surprise(4, math.log(3)).perplexity == pytest.approx(3)


@pytest.mark.parametrize("kind", ["classifier", "image_text"])
def test_what_is_no_causal_language_model_is_refused(tmp_path: Path, kind: str) -> None:
    made = {"classifier": tiny_judges.classifier, "image_text": tiny_judges.image_text}[kind](tmp_path / "other")
    with pytest.raises(Fault, match=r"^analysis\.rationales\.language: .* not a causal language model: name"):
        language_model(str(made))
