"""The architecture: a language encoder-decoder whose states take in what a picture shows through a gate."""

from collections.abc import Callable
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from assets.training.batches import RATIONALE
from assets.training.network import Choosing, Network, Sight, likeliest

Memory = tuple[Tensor, Tensor]
"""Keys and values, by head."""


class Shape(NamedTuple):
    """How large a network is.

    words: of the vocabulary. phrases: that are told from the picture alone. colours, rows, columns: of a picture's
    features. width: of a state. seeing: width of the code of a picture. glances: patches that the code becomes.
    concluding: last steps of a rationale in which an option is looked for. longest: words of a text. blur: share of a
    picture's features that is left out while learning.
    """

    words: int
    phrases: int
    colours: int
    rows: int
    columns: int
    width: int = 64
    heads: int = 4
    encoder_layers: int = 2
    decoder_layers: int = 1
    seeing: int = 256
    glances: int = 8
    concluding: int = 6
    longest: int = 192
    dropout: float = 0.1
    blur: float = 0.5


class Attention(nn.Module):
    """Attention of states to others, which at first looks for likeness: queries and keys start out equal."""

    def __init__(self, shape: Shape) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (nn.Linear(shape.width, shape.width) for _ in range(4))
        self.key.load_state_dict(self.query.state_dict())

    def remembered(self, others: Tensor) -> Memory:
        """Keys and values of others."""
        return self._split(self.key(others)), self._split(self.value(others))

    def forward(self, states: Tensor, memory: Memory, there: Tensor | None, causal: bool = False) -> Tensor:
        """What the states take from what is remembered; there: which of it exists."""
        taken = functional.scaled_dot_product_attention(
            self._split(self.query(states)), *memory, attn_mask=there, is_causal=causal
        )
        return cast(Tensor, self.out(taken.transpose(1, 2).reshape(states.shape)))

    def _split(self, states: Tensor) -> Tensor:
        batch, length, width = states.shape
        return states.view(batch, length, self.heads, width // self.heads).transpose(1, 2)


class Feed(nn.Sequential):
    """Two linear maps with a bend between."""

    def __init__(self, shape: Shape) -> None:
        """Build it with fresh weights."""
        super().__init__(nn.Linear(shape.width, 2 * shape.width), nn.GELU(), nn.Linear(2 * shape.width, shape.width))


class Fusion(nn.Module):
    """How states of words take in what patches of a picture show."""

    def look(self, states: Tensor, there: Tensor, patches: Tensor) -> Tensor:
        """The states (n, length, width) with what they found; there: (n, 1, 1, length), which of them are words."""
        raise NotImplementedError


class Gate(Fusion):
    """Gated fusion: a share, learned for each state and feature, of what the state finds in the picture.

    Source: MM-CoT (arXiv:2302.00923), section 4.2. Other than there the states are normed before they look, and what
    they find is mapped once more. The small network's decoder has such gates too; that of a text checkpoint has none,
    as in the paper.
    """

    def __init__(self, shape: Shape) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.attention = Attention(shape)
        self.norm = nn.LayerNorm(shape.width)
        self.share = nn.Linear(2 * shape.width, shape.width)

    def forward(self, states: Tensor, patches: Memory) -> Tensor:
        """The states with what they found."""
        found: Tensor = self.attention(self.norm(states), patches, None)
        share: Tensor = torch.sigmoid(self.share(torch.cat([states, found], -1)))
        return (1 - share) * states + share * found

    def look(self, states: Tensor, there: Tensor, patches: Tensor) -> Tensor:
        """The states with what they found in patches."""
        return cast(Tensor, self(states, self.attention.remembered(patches)))


class Vision(Sight):
    """Features of pictures (n, colours, rows, columns) to patches (n, patches, width).

    The first patches come of a code of the whole picture, what is where in it; the others are its cells, four as one.
    """

    def __init__(self, shape: Shape) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.width = shape.width
        self.blur = nn.Dropout(shape.blur)
        self.whole = nn.Linear(shape.colours * shape.rows * shape.columns, shape.seeing)
        self.norm = nn.LayerNorm(shape.seeing)
        self.drop = nn.Dropout(0.3)
        self.shows = nn.Linear(shape.seeing, shape.phrases)
        # Most phrases are not told of most pictures.
        nn.init.constant_(self.shows.bias, -3.0)
        self.glances = nn.Linear(shape.seeing, shape.glances * shape.width)
        self.cells = nn.Conv2d(shape.colours, shape.width, 2, stride=2)
        self.places = nn.Parameter(torch.randn((shape.rows // 2) * (shape.columns // 2), shape.width) * 0.2)
        self.patch_norm = nn.LayerNorm(shape.width)

    def code(self, features: Tensor) -> Tensor:
        """What the pictures show as a whole: (n, seeing)."""
        seen = self.norm(self.whole(self.blur(features).flatten(1)))
        return cast(Tensor, self.drop(functional.relu(seen)))

    def told(self, features: Tensor) -> Tensor:
        """Of each phrase, how likely the picture's rationale has it, as a logit: (n, phrases)."""
        return cast(Tensor, self.shows(self.code(features)))

    def forward(self, features: Tensor) -> Tensor:
        """What states look at."""
        glances = self.glances(self.code(features)).view(len(features), -1, self.width)
        cells = self.cells(features).flatten(2).transpose(1, 2) + self.places
        return cast(Tensor, self.patch_norm(torch.cat([glances, cells], 1)))

    def seeing(self) -> list[nn.Parameter]:
        """What makes the code, and phrases of it."""
        return [value for part in (self.whole, self.norm, self.shows) for value in part.parameters()]


class EncoderLayer(nn.Module):
    """Each word looks at all words, in the last layer at the picture, then at itself."""

    def __init__(self, shape: Shape, fusion: Callable[[Shape], Fusion] | None) -> None:
        """Build it with fresh weights, in the order in which the seed is spent on them."""
        super().__init__()
        self.attention = Attention(shape)
        self.before_attention = nn.LayerNorm(shape.width)
        self.gate = None if fusion is None else fusion(shape)
        self.feed = Feed(shape)
        self.before_feed = nn.LayerNorm(shape.width)
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, states: Tensor, there: Tensor, patches: Tensor | None) -> Tensor:
        """The states after the layer; without patches as if there were no picture."""
        normed = self.before_attention(states)
        states = states + self.drop(self.attention(normed, self.attention.remembered(normed), there))
        if self.gate is not None and patches is not None:
            states = self.gate.look(states, there, patches)
        return states + cast(Tensor, self.drop(self.feed(self.before_feed(states))))


class DecoderLayer(nn.Module):
    """Each word looks at those before it, at the encoder's states, at the picture through the gate, at itself."""

    def __init__(self, shape: Shape) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.attention, self.cross, self.gate = Attention(shape), Attention(shape), Gate(shape)
        self.before_attention = nn.LayerNorm(shape.width)
        self.before_cross = nn.LayerNorm(shape.width)
        self.feed = Feed(shape)
        self.before_feed = nn.LayerNorm(shape.width)
        self.drop = nn.Dropout(shape.dropout)

    def remembered(self, states: Tensor, patches: Tensor) -> tuple[Memory, Memory]:
        """Keys and values of the encoder's states and of the picture."""
        return self.cross.remembered(states), self.gate.attention.remembered(patches)

    def forward(
        self, states: Tensor, past: Memory | None, memory: Memory, there: Tensor, patches: Memory
    ) -> tuple[Tensor, Memory]:
        """The states after the layer, and keys and values of all that was written; past: of what was before."""
        normed = self.before_attention(states)
        keys, values = self.attention.remembered(normed)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        states = states + self.drop(self.attention(normed, (keys, values), None, causal=past is None))
        states = states + self.drop(self.cross(self.before_cross(states), memory, there))
        states = self.gate(states, patches)
        return states + self.drop(self.feed(self.before_feed(states))), (keys, values)


class GatedNetwork(Network):
    """Words and a picture in; the next words of a rationale, or a score of each option, out."""

    def __init__(self, shape: Shape) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.shape = shape
        self.vision = Vision(shape)
        self.words = nn.Embedding(shape.words, shape.width)
        self.places = nn.Embedding(shape.longest, shape.width)
        self.written_places = nn.Embedding(shape.longest, shape.width)
        self.kinds = nn.Embedding(3, shape.width)
        nn.init.normal_(self.words.weight, std=1.0)
        for table in (self.places, self.written_places, self.kinds):
            nn.init.normal_(table.weight, std=0.2)
        self.drop = nn.Dropout(shape.dropout)
        layers = range(shape.encoder_layers)
        self.encoder = nn.ModuleList(
            EncoderLayer(shape, self.fused() if layer == layers[-1] else None) for layer in layers
        )
        self.encoded = nn.LayerNorm(shape.width)
        self.decoder = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        self.decoded = nn.LayerNorm(shape.width)
        self.next = nn.Linear(shape.width, shape.words)
        self.score = nn.Sequential(nn.Linear(2 * shape.width, shape.width), nn.GELU(), nn.Linear(shape.width, 1))
        self.support = nn.Linear(shape.concluding, 1, bias=False)
        nn.init.ones_(self.support.weight)

    def fused(self) -> Callable[[Shape], Fusion]:
        """What the encoder's last layer takes in the picture with."""
        return Gate

    def alone(self, words: Tensor, places: Tensor, kinds: Tensor) -> Tensor:
        """The encoder's states of words that no picture came into."""
        return self._read(words, places, kinds, None)

    def read(self, words: Tensor, places: Tensor, kinds: Tensor, patches: Tensor) -> Tensor:
        """The encoder's states (n, length, width) of words with their places and kinds, 0 being no word."""
        return self._read(words, places, kinds, patches)

    def _read(self, words: Tensor, places: Tensor, kinds: Tensor, patches: Tensor | None) -> Tensor:
        there = words.ne(0)[:, None, None, :]
        states = self.drop(self.words(words) + self.places(places) + self.kinds(kinds))
        for layer in self.encoder:
            states = layer(states, there, patches)
        return cast(Tensor, self.encoded(states))

    def write(self, written: Tensor, states: Tensor, words: Tensor, patches: Tensor) -> Tensor:
        """Scores of each next word (n, length, words), of rationales that are known; words: what the states are of."""
        there = words.ne(0)[:, None, None, :]
        decoded = self.drop(self.words(written) + self.written_places.weight[: written.shape[1]])
        for layer in self._layers():
            memory, seen = layer.remembered(states, patches)
            decoded, _ = layer(decoded, None, memory, there, seen)
        return cast(Tensor, self.next(self.decoded(decoded)))

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
        there = words.ne(0)[:, None, None, :]
        memories = [layer.remembered(states, patches) for layer in self._layers()]
        pasts: list[Memory | None] = [None for _ in memories]
        word = torch.full((len(states), 1), start, device=states.device)
        written: list[Tensor] = []
        for place in range(most):
            decoded = self.words(word) + self.written_places.weight[place]
            for number, layer in enumerate(self._layers()):
                memory, seen = memories[number]
                decoded, pasts[number] = layer(decoded, pasts[number], memory, there, seen)
            ended = word.eq(end)
            word = choosing(self.next(self.decoded(decoded))[:, 0])[:, None].masked_fill(ended, end)
            written.append(word)
            if bool(word.eq(end).all()):
                break
        return torch.cat(written, 1)

    def chosen(
        self, states: Tensor, words: Tensor, places: Tensor, kinds: Tensor, options: Tensor, most: int
    ) -> Tensor:
        """A score of each option (n, most), minus infinity where there is none.

        It comes of the option's states beside all states, and of how well the last steps of the rationale, each with
        a weight that is learned, have the option's words: what is concluded there.

        Args:
            states: of the words.
            words: as they were read.
            places: of the words; in a rationale the number of steps that follow.
            kinds: of the words.
            options: of which option a word is, or -1.
            most: options of one at most.
        """
        member = functional.one_hot(options + 1, most + 1)[..., 1:].to(states.dtype).transpose(1, 2)
        count = member.sum(2, keepdim=True)
        share = member / count.clamp(min=1)
        pooled = share @ states
        there = words.ne(0).to(states.dtype)[..., None]
        whole = (states * there).sum(1, keepdim=True) / there.sum(1, keepdim=True)
        scores = self.score(torch.cat([pooled, whole.expand_as(pooled)], -1))
        is_there = count.gt(0)
        if bool(kinds.eq(RATIONALE).any()):
            with torch.no_grad():
                found = share @ self._found(words, places, kinds)
            mean = (found * is_there).sum(1, keepdim=True) / is_there.sum(1, keepdim=True).clamp(min=1)
            scores = scores + self.support(found - mean)
        return cast(Tensor, scores.masked_fill(~is_there, float("-inf"))[..., 0])

    def _found(self, words: Tensor, places: Tensor, kinds: Tensor) -> Tensor:
        """How like each word the likest word of each of the last steps is: (n, length, steps)."""
        meant = functional.normalize(self.words(words), dim=-1)
        like = meant @ meant.transpose(1, 2)
        found: list[Tensor] = []
        for place in range(self.shape.concluding):
            inside = (kinds.eq(RATIONALE) & places.eq(place) & words.ne(0))[:, None, :]
            found.append(like.masked_fill(~inside, 0).amax(-1))
        return torch.stack(found, -1)

    def _layers(self) -> list[DecoderLayer]:
        return cast(list[DecoderLayer], list(self.decoder))
