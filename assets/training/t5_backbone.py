"""Words, looks and networks on checkpoints: of texts (T5 and its like), of pictures, or of both; what lacks is small's.

A training's checkpoint keeps what it needs of both, so that it answers without them.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from assets.schema.faults import Fault
from assets.settings_base import ROOT
from assets.settings_training import Learned
from assets.training import pictures, small, text
from assets.training.backbone import Longest
from assets.training.examples import Example
from assets.training.looks import Colours
from assets.training.t5_words import LONGEST, T5Words
from assets.training.train import TrainingSettings
from assets.training.vision_features import Encoded, tower
from assets.training.vision_features import write as write_tower

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.mm_cot import Fusion, Shape
    from assets.training.network import Network, Sight

KNOBS = TrainingSettings(
    epochs_rationale=20, epochs_answer=20, rate_rationale=5e-5, rate_answer=5e-5, batch=16, hidden=0.0, at_once=16
)
"""Epochs, rate and batch of MM-CoT (arXiv:2302.00923), section 5.2; no word is hidden, since options are written."""

HELD = ROOT / "var" / "features"
"""Where features of pictures are kept, whoever asks for them."""

TEXT, VISION = "text", "vision"
"""The folders of a checkpoint, and the settings, of the two."""

WHAT = "an encoder-decoder of T5's kind"
KINDS = frozenset({"t5", "mt5", "umt5", "longt5"})


class Language(Protocol):
    """Words, and how a network of them is made around what sees."""

    @property
    def words(self) -> text.Words:
        """Texts as numbers and back."""
        ...

    @property
    def longest(self) -> Longest:
        """How much of a text is read."""
        ...

    def network(self, shape: "Shape", sight: "Sight", fusion: "Callable[[Shape], Fusion]") -> "Network":
        """A network before it has learned."""
        ...

    def described(self) -> Mapping[str, Any]:
        """What of it the description says."""
        ...

    def write(self, folder: Path) -> None:
        """Put the rest into a checkpoint's folder."""
        ...


class T5Language:
    """The words and the weights of a text checkpoint."""

    longest = LONGEST

    def __init__(self, tokenizer: Any, config: Any, weights: Callable[[], Any], name: str) -> None:
        """Take its parts; weights: makes its network; name: for what an error says.

        Raises:
            Fault: it is of another kind.
        """
        if config.model_type not in KINDS:
            raise Fault(f"{name}: is of kind {config.model_type}: name {WHAT} ({', '.join(sorted(KINDS))})")
        self.words = T5Words(tokenizer, config, name)
        self.config, self._weights = config, weights

    def network(self, shape: "Shape", sight: "Sight", fusion: "Callable[[Shape], Fusion]") -> "Network":
        """The checkpoint around the sight."""
        from assets.training.t5_network import T5Network

        return T5Network(self._weights(), sight, fusion)

    def described(self) -> Mapping[str, Any]:
        """Nothing: it is in files."""
        return {}

    def write(self, folder: Path) -> None:
        """Config and tokenizer."""
        self.config.save_pretrained(folder / TEXT)
        self.words.write(folder / TEXT)


class SmallLanguage:
    """A vocabulary, and the small network, learned from nothing."""

    longest = Longest()

    def __init__(self, vocabulary: text.Vocabulary) -> None:
        """Take the vocabulary."""
        self._vocabulary = vocabulary
        self.words = text.Encoder(vocabulary)

    def network(self, shape: "Shape", sight: "Sight", fusion: "Callable[[Shape], Fusion]") -> "Network":
        """Fresh weights around the sight."""
        from assets.training.t5_network import SmallNetwork

        return SmallNetwork(shape, sight, fusion)

    def described(self) -> Mapping[str, Any]:
        """The vocabulary."""
        return {"words": list(self._vocabulary.words)}

    def write(self, folder: Path) -> None:
        """Nothing."""


class Pretrained:
    """A Backbone of which a checkpoint is a part."""

    name = "t5"

    def __init__(self, settings: Learned, shape: "Shape", language: Language, looks: Encoded | Colours) -> None:
        """Take the parts; shape: of the sight, and of the small network where that is used."""
        self.words, self.longest, self.looks = language.words, language.longest, looks
        self._settings, self._shape, self._language = settings, shape, language

    def network(self) -> "Network":
        """A network before it has learned, on the device of the settings."""
        from assets.models.transformers_checkpoint import chosen_device

        device = chosen_device(self._settings.device, "trainings")
        made: Network = self._language.network(self._shape, self._sight(), _fusion(self._settings)).to(device)
        return made

    def described(self) -> Mapping[str, Any]:
        """Shape, vocabulary, colours or the key of features, as far as there are any."""
        looks = self.looks
        told = (
            {"palette": looks.palette.tolist(), "spread": looks.spread.ravel().tolist()}
            if isinstance(looks, Colours)
            else {"features": {"key": looks.key, "shape": list(looks.shape)}}
        )
        return {"shape": self._shape._asdict(), **self._language.described(), **told}

    def write(self, folder: Path) -> None:
        """Config and tokenizer of the text checkpoint; of that of pictures the part that sees."""
        self._language.write(folder)
        if isinstance(self.looks, Encoded):
            write_tower(self.looks.tower(), folder / VISION)

    def _sight(self) -> "Sight":
        from assets.training.mm_cot import Vision
        from assets.training.t5_network import Patches

        if isinstance(self.looks, Encoded):
            return Patches(self.looks.shape[-1], self._shape.width)
        return Vision(self._shape)


def made(
    settings: Learned,
    knobs: TrainingSettings,
    examples: tuple[Sequence[Example], Sequence[Example]],
    phrases: int,
    images: "Pictures",
    progress: Callable[[str], None] = lambda line: None,
) -> Pretrained:
    """What there is to learn with, of the checkpoints that the settings name.

    Args:
        settings: of the family.
        knobs: seed, colours, and the widths of what is learned from nothing.
        examples: those of train and those of validation.
        phrases: how many are told from pictures, where seeing is learned.
        images: the pictures of all examples.
        progress: is told how many pictures were seen.

    Raises:
        Fault: a checkpoint cannot be had, or is of another kind.
    """
    from assets.training.mm_cot import Shape

    learned, checked = examples
    language, width = _language(settings, learned, knobs)
    looks = _looks(settings, [*learned, *checked], learned, knobs, images, progress)
    colours = len(looks.palette) if isinstance(looks, Colours) else 1
    sized = Shape(
        language.words.count,
        phrases if isinstance(looks, Colours) else 1,
        colours,
        pictures.ROWS,
        pictures.COLUMNS,
        width=width,
        seeing=knobs.seeing,
    )
    return Pretrained(settings, sized, language, looks)


def contents(settings: Learned) -> list[str]:
    """Of each checkpoint that the settings name SHA-256 over its files, or the name where it is one of the hub."""
    from assets.models.transformers_checkpoint import contents as digest

    named = [name for name in (settings.text, settings.vision) if name is not None]
    return [digest(Path(name)) if Path(name).is_dir() else name for name in named]


def restored(settings: Learned, described: Mapping[str, Any], folder: Path) -> Pretrained:
    """The same of a training's checkpoint; its networks have random weights, for those of the files.

    Args:
        settings: of the family.
        described: what `Pretrained.described` said.
        folder: of the checkpoint.
    """
    from assets.training.mm_cot import Shape

    language: Language
    if settings.text is None:
        language = SmallLanguage(text.Vocabulary(tuple(described["words"])))
    else:
        language = _kept_language(folder / TEXT)
    looks: Encoded | Colours
    if settings.vision is None:
        palette = np.asarray(described["palette"], dtype=np.float32).reshape(-1, 3)
        looks = Colours(palette, np.asarray(described["spread"], dtype=np.float32).reshape(-1, 1, 1), {})
    else:
        device = settings.device
        looks = Encoded(
            lambda: tower(str(folder / VISION), device, "trainings.vision"), described["features"]["key"], HELD
        )
    return Pretrained(settings, Shape(**described["shape"]), language, looks)


def _language(settings: Learned, learned: Sequence[Example], knobs: TrainingSettings) -> tuple[Language, int]:
    """Words with their networks, and how wide a state is."""
    named = settings.text
    if named is None:
        said = (words for one in learned for words in (one.asked.question, *one.asked.choices, *one.steps))
        return SmallLanguage(text.Vocabulary.of(said)), knobs.width
    loaded = _loaded(named, settings.device)
    found = T5Language(
        loaded.tokenizer, loaded.model.config, lambda: _loaded(named, settings.device).model, "trainings.text"
    )
    return found, int(found.config.d_model)


def _loaded(named: str, device: str) -> Any:
    from transformers import AutoModelForSeq2SeqLM

    from assets.analysis.encoders import loading

    return loading.load(named, device, "trainings.text", AutoModelForSeq2SeqLM, WHAT)


def _kept_language(folder: Path) -> T5Language:
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

    given: Any = {"local_files_only": True, "trust_remote_code": False}
    config = AutoConfig.from_pretrained(folder, **given)
    networks: Any = AutoModelForSeq2SeqLM
    tokenizers: Any = AutoTokenizer
    tokenizer = tokenizers.from_pretrained(folder, **given)
    return T5Language(tokenizer, config, lambda: networks.from_config(config), f"{folder.parent.name}/{TEXT}")


def _looks(
    settings: Learned,
    every: Sequence[Example],
    learned: Sequence[Example],
    knobs: TrainingSettings,
    images: "Pictures",
    progress: Callable[[str], None],
) -> Encoded | Colours:
    if settings.vision is None:
        return small.looks(learned, small.pixels(every, images), knobs)
    sees = tower(settings.vision, settings.device, "trainings.vision")
    looks = Encoded(lambda: sees, sees.key, HELD)
    looks.prepare(images.stream({one.asked.image_id for one in every if one.asked.image_id}), progress)
    return looks


def _fusion(settings: Learned) -> "Callable[[Shape], Fusion]":
    """How words take in the picture in the family."""
    if settings.family == "mmr":
        from assets.training.mmr import Hops

        hops = settings.hops
        return lambda shape: Hops(shape, hops)
    from assets.training.mm_cot import Gate

    return Gate
