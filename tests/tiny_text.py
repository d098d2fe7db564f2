"""A tiny causal language model of a real architecture: Llama of random weights, a tokenizer trained on the spot."""

from pathlib import Path

from tests.tiny_model import ENDING, SCALE, TEXTS

CHAT = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|user|>' if message.role == 'user' else '<|assistant|>' }}{{ message.content }}"
    "{% if message.role == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ("<pad>", "<s>", "</s>", "<|user|>", "<|assistant|>")


def make(folder: Path, *, seed: int = 0, context: int = 1024, template: bool = True) -> Path:
    """The folder, in which a checkpoint lies afterwards that the Auto classes of transformers load: under 1 MB.

    Its weights are random, so that what it says depends on what it is asked; some of its replies end of themselves.
    It says printable ASCII alone, and never nothing.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(TEXTS, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=list(SPECIAL[3:]),
    )
    if template:
        tokenizer.chat_template = CHAT
    ids = {word: tokenizer.convert_tokens_to_ids(word) for word in SPECIAL}
    marks = {"pad_token_id": ids["<pad>"], "bos_token_id": ids["<s>"], "eos_token_id": ids["</s>"]}
    config = LlamaConfig(
        **marks,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        vocab_size=len(tokenizer),
        max_position_embeddings=context,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1 and "embed" not in name:
                weight.mul_(SCALE)
        model.lm_head.weight[ids["</s>"]] *= ENDING
    silent = [ids[word] for word in SPECIAL if word != "</s>"]
    words = [tokenizer.decode([place]) for place in range(len(tokenizer))]
    silent += [place for place, word in enumerate(words) if not word.isascii() or not word.isprintable()]
    model.generation_config = GenerationConfig(**marks, suppress_tokens=sorted(set(silent)), min_new_tokens=1)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
