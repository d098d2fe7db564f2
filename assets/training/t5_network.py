"""Networks on what others learned: a text encoder-decoder checkpoint, patches of a checkpoint of pictures, or both."""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from assets.training.mm_cot import Fusion, GatedNetwork, Shape
from assets.training.network import Choosing, Network, Sight, likeliest

_AT_ONCE = 64
"""Options that are scored together, each with the numbers of a whole vocabulary a word."""


class Patches(Sight):
    """Vectors of patches (n, patches, seen) to as many of the width of states; what they show was learned before."""

    def __init__(self, seen: int, width: int) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.norm = nn.LayerNorm(seen)
        self.out = nn.Linear(seen, width)

    def forward(self, features: Tensor) -> Tensor:
        """What states look at."""
        return cast(Tensor, self.out(self.norm(features)))

    def told(self, features: Tensor) -> Tensor:
        """Of no phrase anything: (n, 0)."""
        return features.new_zeros((len(features), 0))

    def seeing(self) -> list[nn.Parameter]:
        """Nothing: it learns with the words."""
        return []


class SmallNetwork(GatedNetwork):
    """The small network, learned from nothing, before another sight."""

    def __init__(self, shape: Shape, sight: Sight, fusion: Callable[[Shape], Fusion]) -> None:
        """Build it with fresh weights around the sight."""
        self._fusion = fusion
        super().__init__(shape)
        self.vision = sight

    def fused(self) -> Callable[[Shape], Fusion]:
        """What the encoder's last layer takes in the picture with."""
        return self._fusion


class T5Network(Network):
    """A text checkpoint whose encoder's last states take in the picture.

    What a word belongs to is a vector that is added to it, at first nothing: with the picture left out, it is the
    checkpoint until it has learned. The score of an option is the mean log-likelihood of its words and its end, as the
    decoder would write them: the text is told apart, and no letter has to be learned.

    Source: MM-CoT (arXiv:2302.00923), section 4.2; there the answer is written as a letter.
    """

    def __init__(self, text: Any, sight: Sight, fusion: Callable[[Shape], Fusion]) -> None:
        """Take the checkpoint's network and the sight, whose patches are as wide as its states; the fusion is fresh."""
        super().__init__()
        config = text.config
        self.text = text
        self.vision = sight
        self.fusion = fusion(shape(config))
        self.kinds = nn.Embedding(3, config.d_model)
        nn.init.zeros_(self.kinds.weight)
        self._end = int(config.eos_token_id)
        self._start = int(config.decoder_start_token_id)
        self._twins = _twins(text)
        hooks: Any = self
        hooks.register_state_dict_post_hook(_without_twins)
        hooks.register_load_state_dict_pre_hook(_with_twins)

    def alone(self, words: Tensor, places: Tensor, kinds: Tensor) -> Tensor:
        """The encoder's states of words that no picture came into; their places are relative, so none are taken."""
        meant = self.text.get_input_embeddings()(words) + self.kinds(kinds)
        told = self.text.get_encoder()(inputs_embeds=meant, attention_mask=words.ne(0).long())
        return cast(Tensor, told.last_hidden_state)

    def read(self, words: Tensor, places: Tensor, kinds: Tensor, patches: Tensor) -> Tensor:
        """The encoder's states with what they found in the picture."""
        return self.fusion.look(self.alone(words, places, kinds), words.ne(0)[:, None, None, :], patches)

    def write(self, written: Tensor, states: Tensor, words: Tensor, patches: Tensor) -> Tensor:
        """Scores of each next word (n, length, words) of rationales that are known."""
        return self._next(written, states, words)

    @torch.no_grad()
    def told(
        self,
        states: Tensor,
        words: Tensor,
        patches: Tensor,
        start: int,
        end: int,
        most: int,
        choosing: Choosing = likeliest,
    ) -> Tensor:
        """One next word after another, (n, at most `most`); what follows an end is ends."""
        from transformers.cache_utils import DynamicCache, EncoderDecoderCache

        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        word = torch.full((len(states), 1), start, device=states.device)
        written: list[Tensor] = []
        for _ in range(most):
            ended = word.eq(end)
            word = choosing(self._next(word, states, words, cache)[:, -1])[:, None].masked_fill(ended, end)
            written.append(word)
            if bool(word.eq(end).all()):
                break
        return torch.cat(written, 1)

    def chosen(
        self, states: Tensor, words: Tensor, places: Tensor, kinds: Tensor, options: Tensor, most: int
    ) -> Tensor:
        """A score of each option (n, most), minus infinity where there is none; the mark before an option is at 0."""
        rows, columns, texts = _spelled(words, places, options, self._end)
        scores = states.new_full((len(words), most), float("-inf"))
        for at in range(0, len(texts), _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            own = torch.tensor(rows[some], device=states.device)
            found = self._likelihoods(texts[some], states[own], words[own])
            scores = scores.index_put((own, torch.tensor(columns[some], device=states.device)), found)
        return scores

    def _likelihoods(self, texts: list[list[int]], states: Tensor, words: Tensor) -> Tensor:
        """The mean log-likelihood of each text's words, (n,)."""
        lengths = torch.tensor([len(text) for text in texts], device=states.device)
        longest = max(map(len, texts))
        table = torch.tensor([[*text, *[0] * (longest - len(text))] for text in texts], device=states.device)
        scores = self._next(functional.pad(table[:, :-1], (1, 0), value=self._start), states, words)
        wrong = functional.cross_entropy(scores.transpose(1, 2), table, reduction="none")
        there = torch.arange(longest, device=states.device)[None] < lengths[:, None]
        return -(wrong * there).sum(1) / lengths

    def _next(self, written: Tensor, states: Tensor, words: Tensor, cache: Any = None) -> Tensor:
        from transformers.modeling_outputs import BaseModelOutput

        more = {} if cache is None else {"cache": cache}
        told = self.text(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),
            attention_mask=words.ne(0).long(),
            decoder_input_ids=written,
            use_cache=cache is not None,
            **more,
        )
        return cast(Tensor, told.logits)


def shape(config: Any) -> Shape:
    """What a fusion has to know of a text checkpoint: its width; it looks with one head, as MM-CoT does."""
    return Shape(config.vocab_size, 0, 0, 0, 0, width=config.d_model, heads=1, dropout=config.dropout_rate)


def _spelled(words: Tensor, places: Tensor, options: Tensor, end: int) -> tuple[list[int], list[int], list[list[int]]]:
    """Each option there is: its row, its number, its words with an end."""
    rows: list[int] = []
    columns: list[int] = []
    texts: list[list[int]] = []
    for row, (own, where, of) in enumerate(zip(words.tolist(), places.tolist(), options.tolist(), strict=True)):
        for column in range(max(of) + 1):
            rows.append(row)
            columns.append(column)
            there = zip(own, where, of, strict=True)
            texts.append([*(word for word, place, option in there if option == column and place > 0), end])
    return rows, columns, texts


def _twins(text: nn.Module) -> dict[str, str]:
    """Names of weights that are others' too, with the others' names."""
    first: dict[int, str] = {}
    found: dict[str, str] = {}
    for name, value in text.named_parameters(prefix="text", remove_duplicate=False):
        if first.setdefault(id(value), name) != name:
            found[name] = first[id(value)]
    return found


def _without_twins(module: Any, state: dict[str, Any], prefix: str, metadata: Any) -> None:
    """Each weight is kept once: files cannot hold what two names share."""
    for name in module._twins:
        state.pop(f"{prefix}{name}", None)


def _with_twins(module: Any, state: dict[str, Any], prefix: str, *others: Any) -> None:
    """Each weight under all its names; one of which the files hold its own is made its own.

    transformers ties by kind: whether a checkpoint of a T5 has an output of its own shows in its files alone.
    """
    for name, other in list(module._twins.items()):
        if f"{prefix}{name}" in state:
            where, _, last = name.rpartition(".")
            part = module.get_submodule(where)
            setattr(part, last, nn.Parameter(getattr(part, last).detach().clone()))
            del module._twins[name]
        elif f"{prefix}{other}" in state:
            state[f"{prefix}{name}"] = state[f"{prefix}{other}"]
