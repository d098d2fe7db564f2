"""The tokenizer of a tiny checkpoint: byte pairs, learned from texts."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def learned(
    texts: Iterable[str], before: Any, words: int, special: Sequence[str], **more: Any
) -> "PreTrainedTokenizerFast":
    """A tokenizer of `words` at most, that pads on the left.

    Args:
        texts: what it learns from.
        before: cuts a text into the pieces within which pairs are sought; spells them in bytes.
        words: how many, the special ones and all bytes among them.
        special: those that stand for no text, first <pad>, <s> and </s>.
        more: what the tokenizer is to keep beside that.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = before
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=words,
        special_tokens=list(special),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    known: Any = PreTrainedTokenizerFast
    made: PreTrainedTokenizerFast = known(
        tokenizer_object=inner,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=list(special[3:]),
        padding_side="left",
        **more,
    )
    return made
