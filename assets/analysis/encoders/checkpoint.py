"""Any sentence encoder of transformers, by its folder or name on the hub, with the pooling that its own config says."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.analysis.encoders import loading
from assets.schema.faults import Fault

if TYPE_CHECKING:
    import numpy as np

TOKENS_AT_ONCE = 1024
_MODULES = {"Transformer", "Pooling", "Normalize"}
_POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
"""By the key of a pooling config what it means; a vector of length 1 is the same for a mean by n or by its root."""


class _Text(NamedTuple):
    """A text as the network reads it: its tokens' numbers, and the places of those that are not special."""

    ids: list[int]
    words: list[int]


class SentenceModel:
    """A network that reads texts, and how its tokens' vectors become one.

    Every text is read in a batch of texts of its own length, so that nothing has to be masked and its vectors do not
    depend on the others; each sentence vector is kept, each equal text read once.
    """

    def __init__(self, loaded: loading.Loaded, name: str, pooling: str, longest: int | None) -> None:
        """Take a loaded network.

        Args:
            loaded: the network and its tokenizer.
            name: what tables say.
            pooling: mean, cls, max or lasttoken.
            longest: the tokens of a text that are read, special ones included; None: all.
        """
        self.name = name
        self._loaded = loaded
        self._pooling = pooling
        self._longest = longest
        self._pad = loading.padded(loaded)
        self._sentences: dict[str, np.ndarray] = {}
        self._words: dict[tuple[str, int], np.ndarray] = {}
        self._cut: set[str] = set()

    @property
    def truncated(self) -> int:
        """How many different texts were cut at the longest so far."""
        return len(self._cut)

    def sentences(self, texts: Sequence[str]) -> "np.ndarray":
        """A vector a text, in their order: (n, d) float32, of length 1."""
        import numpy as np

        self._read({text: one for text, one in self._tokens(texts).items() if text not in self._sentences})
        if not texts:
            return np.zeros((0, self._loaded.model.config.hidden_size), np.float32)
        return np.stack([self._sentences[text] for text in texts])

    def words(self, steps: Sequence[str], *, masked: bool) -> "list[np.ndarray]":
        """The vectors of each step's tokens; see `text.TextEncoder`."""
        return self.words_of([steps], masked=masked)[0]

    def words_of(self, chains: Sequence[Sequence[str]], *, masked: bool) -> "list[list[np.ndarray]]":
        """The vectors of the tokens of each chain's steps.

        What a step's vectors are without a mask depends on the length of the longest step of its chain alone, so that
        steps of many chains can be read together all the same. The longest ones have the same vectors in both ways:
        those of the last call are kept for the next one.
        """
        tokens = self._tokens([step for steps in chains for step in steps])
        lengths = [max((len(tokens[step].ids) for step in steps), default=0) for steps in chains]
        wanted = {
            (step, len(tokens[step].ids) if masked else length)
            for steps, length in zip(chains, lengths, strict=True)
            for step in steps
        }
        kept = {key: self._words[key] for key in wanted if key in self._words}
        self._words = kept | dict(self._vectors(tokens, wanted - kept.keys()))
        return [
            [self._words[step, len(tokens[step].ids) if masked else length] for step in steps]
            for steps, length in zip(chains, lengths, strict=True)
        ]

    def _tokens(self, texts: Sequence[str]) -> dict[str, _Text]:
        """Each different text as the network reads it, cut at the longest."""
        different = list(dict.fromkeys(texts))
        if not different:
            return {}
        encoded = self._loaded.tokenizer(different, return_special_tokens_mask=True, verbose=False)
        found = {}
        for text, ids, special in zip(different, encoded["input_ids"], encoded["special_tokens_mask"], strict=True):
            if self._longest is not None and len(ids) > self._longest:
                self._cut.add(text)
                cut = self._loaded.tokenizer(
                    text, truncation=True, max_length=self._longest, return_special_tokens_mask=True
                )
                ids, special = cut["input_ids"], cut["special_tokens_mask"]
            words = [place for place, is_special in enumerate(special) if not is_special]
            found[text] = _Text(ids or [self._pad], words)
        return found

    def _read(self, tokens: dict[str, _Text]) -> None:
        """Keep the sentence vectors of these texts."""
        for _ in self._vectors(tokens, {(text, len(one.ids)) for text, one in tokens.items()}):
            pass

    def _vectors(
        self, tokens: dict[str, _Text], wanted: set[tuple[str, int]]
    ) -> "Iterator[tuple[tuple[str, int], np.ndarray]]":
        """Each wanted text, padded to its length, with its words' vectors; on the way sentence vectors are kept."""
        import torch

        by_length: dict[int, list[str]] = {}
        for text, length in sorted(wanted, key=lambda pair: (pair[1], len(tokens[pair[0]].ids), pair[0])):
            by_length.setdefault(length, []).append(text)
        with loading.calculating(self._loaded.device):
            for length, texts in by_length.items():
                most = max(1, TOKENS_AT_ONCE // length)
                for start in range(0, len(texts), most):
                    batch = texts[start : start + most]
                    ids = torch.full((len(batch), length), self._pad)
                    for row, text in enumerate(batch):
                        ids[row, : len(tokens[text].ids)] = torch.tensor(tokens[text].ids)
                    given = loading.on(self._loaded.device, {"input_ids": ids, "attention_mask": torch.ones_like(ids)})
                    states = self._loaded.model(**given).last_hidden_state
                    whole = self._pooled(states).cpu().numpy()
                    vectors = loading.finite(states.float().cpu().numpy(), self.name)
                    for row, text in enumerate(batch):
                        if len(tokens[text].ids) == length:
                            self._sentences[text] = whole[row]
                        yield (text, length), vectors[row, tokens[text].words]

    def _pooled(self, states: Any) -> Any:
        """One vector of length 1 a text, of a batch without padding."""
        import torch

        pooled = {
            "mean": lambda: states.mean(1),
            "max": lambda: states.amax(1),
            "cls": lambda: states[:, 0],
            "lasttoken": lambda: states[:, -1],
        }[self._pooling]()
        return torch.nn.functional.normalize(pooled.float(), dim=1)


def encoder(name: str, device: str, where: str, shown: str | None = None) -> SentenceModel:
    """The sentence encoder in a folder or on the hub; without a pooling config of its own, the mean over its tokens.

    Args:
        name: a folder, or a name on the hub.
        device: where it calculates.
        where: the setting that names it.
        shown: what tables say, where that is not its name.

    Raises:
        Fault: it cannot be had, or has parts beyond a network, a pooling that is known and a normalisation.
    """
    from transformers import AutoModel

    loaded = loading.load(name, device, where, AutoModel, "a text encoder")
    modules = _json(loaded.folder / "modules.json") or []
    if unknown := [said for module in modules if (said := str(module["type"]).rpartition(".")[2]) not in _MODULES]:
        raise Fault(
            f"{where}: {loaded.name} has a part {unknown[0]} that is not read here: name a checkpoint of a network, "
            "a pooling and a normalisation"
        )
    own = (_json(loaded.folder / "sentence_bert_config.json") or {}).get("max_seq_length")
    known = [length for length in (own, loading.longest(loaded)) if length is not None]
    return SentenceModel(loaded, shown or loaded.name, _pooling(loaded, where), min(known, default=None))


def _pooling(loaded: loading.Loaded, where: str) -> str:
    said = _json(loaded.folder / "1_Pooling" / "config.json")
    if said is None:
        return "mean"
    named = [str(said["pooling_mode"])] if "pooling_mode" in said else []
    named += [key for key, value in said.items() if key.startswith("pooling_mode_") and value is True]
    meant = {_POOLINGS.get(one, one) for one in named}
    if len(meant) != 1 or not meant <= set(_POOLINGS.values()):
        raise Fault(
            f"{where}: {loaded.name} pools by {', '.join(sorted(named)) or 'nothing'}, which is not read here: name a "
            f"checkpoint that pools by one of {', '.join(sorted(set(_POOLINGS.values())))}"
        )
    return meant.pop()


def _json(file: Path) -> Any:
    """What a JSON file says; None where there is none."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
