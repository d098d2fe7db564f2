"""A checkpoint of a causal language model in memory, and how a conversation is put into its tokens."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assets.analysis.encoders import loading
from assets.models import transformers_checkpoint as checkpoints
from assets.models.model import ASSISTANT, ModelError
from assets.models.transformers_checkpoint import Checkpoint
from assets.schema.faults import Fault

USERS_TURN = "\nUser:"
"""Where a transcript's next turn of the user begins."""

WHAT = "a causal language model"

Message = Mapping[str, Any]


class Words:
    """Conversations of texts as tokens, the way `Checkpoint.processor` makes them of texts and pictures.

    transcribed: the tokenizer has no chat template, and a conversation is `User: …` and `Assistant: …`, a line each.
    """

    def __init__(self, tokenizer: Any) -> None:
        """Take the tokenizer."""
        self.tokenizer = tokenizer
        self.transcribed = not getattr(tokenizer, "chat_template", None)

    def apply_chat_template(
        self,
        messages: Any,
        *,
        add_generation_prompt: bool = True,
        tokenize: bool = False,
        **_: Any,
    ) -> Any:
        """One conversation as a text; or a batch of them as tensors input_ids and attention_mask, padded on the left.

        In tensors what looks like a control token in a message is text.
        """
        if not tokenize:
            return self._text(_plain(messages))
        from transformers import BatchFeature

        several = [_plain(one) for one in messages]
        if self.transcribed:
            texts = [self._text(one) for one in several]
            encoded = self.tokenizer(texts, padding=True, return_tensors="pt", split_special_tokens=True)
        else:
            encoded = self.tokenizer.apply_chat_template(
                several,
                add_generation_prompt=add_generation_prompt,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                padding=True,
                sanitize_control_tokens=True,
            )
        return BatchFeature({name: encoded[name] for name in ("input_ids", "attention_mask")})

    def _text(self, messages: Sequence[Message]) -> str:
        if not self.transcribed:
            text: str = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
            return text
        turns = [f"{'Assistant' if one['role'] == ASSISTANT else 'User'}: {one['content']}" for one in messages]
        return "\n".join([*turns, "Assistant:"])


def load(model: str, revision: str | None, device: str, dtype: str, where: str) -> Checkpoint:
    """The checkpoint, ready to answer, with every one of its weights out of its files; its processor is `Words`.

    Raises:
        ModelError: it is not there, is no causal language model, lacks weights or a token that ends a reply, or cannot
            be loaded without code or pickles of its own.
    """
    checkpoints.check(model, where)
    try:
        folder, loaded, tokenizer = _loaded(model, revision, dtype, f"{where}.model")
    except ModelError:
        raise
    except Fault as fault:
        raise ModelError(str(fault)) from fault
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        if tokenizer.eos_token is None:
            raise ModelError(
                f"{where}.model: the tokenizer of {model} has no token that ends a text: name its eos_token"
            )
        tokenizer.pad_token = tokenizer.eos_token
    loaded.to(device)
    loaded.eval()
    config = loaded.config.get_text_config()
    rope = getattr(config, "rope_parameters", None)
    kind = rope.get("rope_type", "default") if isinstance(rope, dict) else None
    return Checkpoint(
        loaded,
        Words(tokenizer),
        device,
        dtype,
        sum(weight.numel() for weight in loaded.parameters()),
        loading.longest(loading.Loaded(model, loaded, tokenizer, folder, device, where)),
        kind is not None and kind not in checkpoints._OVERRUN_CHANGES_OTHERS,
        None if Path(model).is_dir() else folder.name,
    )


def _loaded(model: str, revision: str | None, dtype: str, where: str) -> tuple[Path, Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    given = {"local_files_only": True, "trust_remote_code": False}
    with loading._told(model, where, WHAT), checkpoints._without_bars(), loading._quiet():
        folder = checkpoints._on_disk(model, revision)
        checkpoints.check(str(folder), where.rpartition(".")[0])
        tokenizers: Any = AutoTokenizer
        tokenizer = tokenizers.from_pretrained(folder, **given)
        models: Any = AutoModelForCausalLM
        loaded, facts = models.from_pretrained(
            folder, dtype=getattr(torch, dtype), use_safetensors=True, output_loading_info=True, **given
        )
    declared = loaded.config.architectures or [type(loaded).__name__]
    if type(loaded).__name__ not in declared:
        raise ModelError(f"{where}: {model} is {declared[0]} and not {WHAT}: name a checkpoint that is one")
    if lacking := sorted(facts["missing_keys"]):
        more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
        raise ModelError(
            f"{where}: {model} has no weights for {lacking[0]}{more}, which would be random: name one that is whole"
        )
    return folder, loaded, tokenizer


def _plain(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The messages with their texts joined, as templates of language models take them."""
    return [
        {"role": one["role"], "content": "".join(part.get("text", "") for part in one["content"])} for one in messages
    ]
