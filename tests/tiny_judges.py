"""Tiny checkpoints with real architectures that judge texts and pictures: random weights, a tokenizer of few words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_WORDS = "the a red blue circle square cat dog sits runs is not on mat map legend north so therefore . , 1 2"
WORDS = tuple(_WORDS.split())
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
"""The end is not number 2: with that, CLIP pools at the largest number, as its first release did."""
MARKS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
LAYERS = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
PICTURE = 16
TEXT_PLACES = 10
NLI = ("entailment", "CONTRADICTION", "neutral")


def tokenizer(longest: int | None = None, *, ends: bool = True) -> "PreTrainedTokenizerFast":
    """Of words between spaces, in small letters; what it does not know is `<unk>`.

    ends: a beginning token goes before a text and an end token behind it, and behind each one of a pair.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    numbers = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    inner = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if ends:
        inner.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> $B:1 </s>:1",
            special_tokens=[("<s>", numbers["<s>"]), ("</s>", numbers["</s>"])],
        )
    given = {} if longest is None else {"model_max_length": longest}
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>", **given
    )


def classifier(
    folder: Path, labels: Sequence[str] | None = NLI, *, family: str = "bert", seed: int = 0, places: int = 40
) -> Path:
    """A classifier of one text or two, whose config names its outputs as `labels`; None: as transformers numbers them.

    Args:
        folder: is made.
        labels: names in the order of the outputs.
        family: bert, deberta, roberta or gpt2, which has no number for padding.
        seed: other weights for another.
        places: tokens that it has positions for.
    """
    import transformers as hf

    configs: dict[str, Any] = {
        "bert": hf.BertConfig,
        "deberta": hf.DebertaV2Config,
        "roberta": hf.RobertaConfig,
        "gpt2": hf.GPT2Config,
    }
    models: dict[str, Any] = {
        "bert": hf.BertForSequenceClassification,
        "deberta": hf.DebertaV2ForSequenceClassification,
        "roberta": hf.RobertaForSequenceClassification,
        "gpt2": hf.GPT2ForSequenceClassification,
    }
    named: dict[str, Any] = {"num_labels": 3}
    if labels is not None:
        named = {
            "id2label": dict(enumerate(labels)),
            "label2id": {label: number for number, label in enumerate(labels)},
        }
    marks = MARKS | ({"pad_token_id": None} if family == "gpt2" else {})
    config = configs[family](
        **LAYERS, **marks, **named, vocab_size=len(SPECIAL) + len(WORDS), max_position_embeddings=places
    )
    return _saved(folder, models[family], config, tokenizer(), seed, scale=8.0)


def causal(folder: Path, *, seed: int = 0, places: int = 64) -> Path:
    """A GPT-2 with so many positions."""
    import transformers as hf

    kind: Any = hf.GPT2Config
    config = kind(
        n_embd=32,
        n_layer=2,
        n_head=2,
        n_positions=places,
        vocab_size=len(SPECIAL) + len(WORDS),
        **MARKS,
    )
    return _saved(folder, hf.GPT2LMHeadModel, config, tokenizer(ends=False), seed, scale=8.0)


def unigram(folder: Path, chances: Mapping[str, float]) -> Path:
    """A GPT-2 that gives each of these words its chance wherever it stands, and every other one next to none."""
    import math

    import torch
    import transformers as hf

    words = (*SPECIAL, *WORDS)
    kind: Any = hf.GPT2Config
    config = kind(
        n_embd=4, n_layer=1, n_head=1, n_positions=16, vocab_size=len(words), tie_word_embeddings=False, **MARKS
    )
    model = hf.GPT2LMHeadModel(config)
    with torch.no_grad():
        model.transformer.ln_f.weight.zero_()
        model.transformer.ln_f.bias.copy_(torch.tensor([1.0, 0.0, 0.0, 0.0]))
        model.lm_head.weight.zero_()
        model.lm_head.weight[:, 0] = torch.tensor([math.log(chances.get(word, 1e-30)) for word in words])
    model.save_pretrained(folder)
    tokenizer(ends=False).save_pretrained(folder)
    return folder


def image_text(folder: Path, *, family: str = "clip", seed: int = 0, places: int = TEXT_PLACES) -> Path:
    """A CLIP or SigLIP that reads so many tokens and pictures of 16 pixels along a side."""
    import transformers as hf

    text: dict[str, Any] = {
        **LAYERS,
        **MARKS,
        "vocab_size": len(SPECIAL) + len(WORDS),
        "max_position_embeddings": places,
    }
    seen: dict[str, Any] = {**LAYERS, "image_size": PICTURE, "patch_size": 8}
    if family == "clip":
        config: Any = hf.CLIPConfig(text_config=text, vision_config=seen, projection_dim=24)
        size = {"height": PICTURE, "width": PICTURE}
        processor: Any = hf.CLIPImageProcessor(size={"shortest_edge": PICTURE}, crop_size=size)
        kind: Any = hf.CLIPModel
    else:
        config = hf.SiglipConfig(text_config=text, vision_config=seen)
        processor = hf.SiglipImageProcessor(size={"height": PICTURE, "width": PICTURE})
        kind = hf.SiglipModel
    _saved(folder, kind, config, tokenizer(places), seed, scale=4.0)
    processor.save_pretrained(folder)
    return folder


def _saved(folder: Path, kind: Any, config: Any, words: "PreTrainedTokenizerFast", seed: int, scale: float) -> Path:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = kind(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.mul_(scale)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    torch.set_num_threads(threads)
    return folder
