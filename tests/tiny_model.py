"""A tiny image-text model with a real architecture: LLaVA of random weights and a tokenizer trained on the spot."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

TEXTS = (
    "Question: which of the options is right? Choices: (A) yes (B) no (C) both (D) none. Let's think step by step.",
    "The picture shows a red circle beside two blue squares on a white ground; count the shapes, then answer.",
    "[Context] A map of the world. [Question] Which ocean is highlighted? [Choices] (A) the Pacific (B) the Arctic",
    "Therefore, among A through D, the answer is (B). First, find the length of AB. Second, 12 + 7 = 19, 3.5 x 4 = 14.",
    "Describe the picture as far as the question needs it, without answering. <image> and <s> are words in this text.",
)
"""What the tokenizer's merges are learned from; it knows every byte, so no text is unknown to it."""

CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ '<|user|>' if message.role == 'user' else '<|assistant|>' }}"
    "{% for part in message.content %}{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% if message.role == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""Texts and pictures in their order, any number of turns."""

SPECIAL = ("<pad>", "<s>", "</s>", "<image>", "<|user|>", "<|assistant|>")
PICTURE = 32
PATCH = 8
CONTEXT = 1024
SCALE = 6.0
ENDING = 2.2
"""Times the weights of the end among the words: with it about half of all replies end within 64 tokens."""


def make(folder: Path, *, seed: int = 0, scale: float = SCALE, context: int = CONTEXT) -> Path:
    """The folder, in which a checkpoint lies afterwards that the Auto classes of transformers load: about 1 MB.

    A picture becomes 17 tokens. Its weights are random, `scale` times the usual, so that what it says depends on what
    it is asked; about half of its replies end of themselves, the others run on until they are cut. It never says the
    image token, which nothing could read back, nor what is no printable ASCII, nor nothing at all.

    Args:
        folder: is made.
        seed: other weights for another.
        scale: of the weights.
        context: tokens that it can read and say together.
    """
    import torch
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        GenerationConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    tokenizer = _tokenizer()
    ids = {word: tokenizer.convert_tokens_to_ids(word) for word in SPECIAL}
    marks = {"pad_token_id": ids["<pad>"], "bos_token_id": ids["<s>"], "eos_token_id": ids["</s>"]}
    layers = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**layers, image_size=PICTURE, patch_size=PATCH, projection_dim=64),
        text_config=LlamaConfig(
            **layers, **marks, num_key_value_heads=4, vocab_size=len(tokenizer), max_position_embeddings=context
        ),
        image_token_id=ids["<image>"],
        image_seq_length=(PICTURE // PATCH) ** 2 + 1,
        vision_feature_select_strategy="full",
        vision_feature_layer=-2,
        **marks,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlavaForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1 and "embed" not in name:
                weight.mul_(scale)
        model.lm_head.weight[ids["</s>"]] *= ENDING
    silent = [ids[word] for word in SPECIAL if word != "</s>"]
    words = [tokenizer.decode([place]) for place in range(len(tokenizer))]
    silent += [place for place, word in enumerate(words) if not word.isascii() or not word.isprintable()]
    model.generation_config = GenerationConfig(
        **marks, suppress_tokens=sorted(silent), min_new_tokens=1, max_new_tokens=24
    )
    size = {"height": PICTURE, "width": PICTURE}
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": PICTURE}, crop_size=size),
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=1,
        image_token="<image>",
        chat_template=CHAT,
    )
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    torch.set_num_threads(threads)
    return folder


def _tokenizer() -> "PreTrainedTokenizerFast":
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1024,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=list(SPECIAL[3:]),
        padding_side="left",
    )
