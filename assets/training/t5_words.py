"""Texts as numbers and back by the tokenizer of an encoder-decoder checkpoint."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assets.schema.faults import Fault
from assets.training.backbone import Longest

STEP = "<extra_id_0>"
"""What such checkpoints have for a gap in a text: here it stands between steps, and before each option."""

LONGEST = Longest(question=192, option=40, rationale=384)
"""About the 512 of MM-CoT and of M3CoT's experiments in all; the places of these networks are relative, without end."""


class T5Words:
    """Words that a tokenizer knows: 0 pads; what looks like a special word in a text is spelled, or else unknown."""

    def __init__(self, tokenizer: Any, config: Any, name: str) -> None:
        """Take the tokenizer and the network's config; name: for what an error says.

        Raises:
            Fault: another number than 0 pads, nothing ends a text or stands for a gap, or there are more words than
                the network has numbers for.
        """
        self._tokenizer = tokenizer
        self.start = self._known(config.decoder_start_token_id, "starts what is written", name)
        self.end = self._known(tokenizer.eos_token_id, "ends a text", name)
        self.unknown = self._known(tokenizer.unk_token_id, "stands for what is unknown", name)
        self.count = int(config.vocab_size)
        step = tokenizer.convert_tokens_to_ids(STEP)
        if step is None or step == self.unknown:
            raise Fault(f"{name}: its tokenizer has no {STEP}: name an encoder-decoder of T5's kind")
        self.step = int(step)
        if tokenizer.pad_token_id != 0:
            raise Fault(f"{name}: pads with {tokenizer.pad_token_id} and not 0: name an encoder-decoder of T5's kind")
        if len(tokenizer) > self.count:
            raise Fault(
                f"{name}: its tokenizer has {len(tokenizer)} words, and its network numbers for {self.count}: "
                "name a checkpoint whose files belong together"
            )
        self._special = frozenset(tokenizer.all_special_ids)

    def encoded(self, text: str) -> list[int]:
        """The text as numbers, without start and end."""
        given = {"add_special_tokens": False, "split_special_tokens": True, "verbose": False}
        # Some tokenizers have special words among their ordinary ones too, where splitting does not reach them.
        found = (int(number) for number in self._tokenizer(text, **given)["input_ids"])
        return [self.unknown if number in self._special else number for number in found]

    def decoded(self, numbers: Iterable[int]) -> list[str]:
        """What was written, a text a step, up to the end."""
        written: list[list[int]] = [[]]
        for number in numbers:
            if number == self.end:
                break
            if number == self.step:
                written.append([])
            elif number not in self._special and number < len(self._tokenizer):
                written[-1].append(number)
        texts = (self._tokenizer.decode(words, clean_up_tokenization_spaces=False) for words in written if words)
        return [text for text in map(str.strip, texts) if text]

    def write(self, folder: Path) -> None:
        """Put the tokenizer into a folder, from which the Auto classes load it again."""
        self._tokenizer.save_pretrained(folder)

    @staticmethod
    def _known(number: Any, what: str, name: str) -> int:
        if number is None:
            raise Fault(f"{name}: nothing of it {what}: name an encoder-decoder of T5's kind")
        return int(number)
