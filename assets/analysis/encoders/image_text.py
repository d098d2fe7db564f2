"""Texts and pictures as vectors of one space: a model such as CLIP or SigLIP."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from assets import images
from assets.analysis.encoders import loading
from assets.schema.faults import Fault

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

WHERE = "analysis.alignment.model"
PICTURES_AT_ONCE = 16


class Encoded(NamedTuple):
    """Texts as vectors.

    vectors: (n, d) float32, unit norm. truncated: whether each text was cut at the longest that the model takes, the
    end token included.
    """

    vectors: "np.ndarray"
    truncated: list[bool]


class ImageText(Protocol):
    """What makes comparable vectors of texts and pictures; `name` is what tables say."""

    @property
    def name(self) -> str:
        """What tables say."""

    def texts(self, texts: Sequence[str]) -> Encoded:
        """The texts as vectors, a row each in their order."""

    def pictures(self, pictures: Sequence["Image.Image"]) -> "np.ndarray":
        """The pictures, of any mode, what is transparent on white: (n, d) float32, unit norm, in their order."""


class _Checkpoint:
    def __init__(self, loaded: loading.Loaded, processor: Any) -> None:
        self.name = loaded.name
        self._loaded = loaded
        self._processor = processor
        config = loaded.model.config
        # SigLIP pools at the last place, so its texts are always as long as in training, and read without a mask.
        self._whole = str(config.model_type).startswith("siglip")
        self._longest = loading.longest(loaded, config.text_config)
        self._pad = loading.padded(loaded)

    def texts(self, texts: Sequence[str]) -> Encoded:
        import numpy as np
        import torch

        numbers = loading.once(texts)
        if not numbers:
            return Encoded(np.zeros((0, 0), np.float32), [])
        tokenizer, longest = self._loaded.tokenizer, self._longest
        lengths = [len(ids) for ids in tokenizer(list(numbers), verbose=False)["input_ids"]]
        cut = {} if longest is None else {"truncation": True, "max_length": longest}
        encoded = tokenizer(list(numbers), **cut)["input_ids"]
        rows: list[Any] = [None] * len(encoded)
        with loading.calculating(self._loaded.device):
            for batch in loading.batches([len(ids) for ids in encoded]):
                most = longest if self._whole and longest else max(len(encoded[place]) for place in batch)
                ids = torch.full((len(batch), most), self._pad)
                mask = torch.zeros_like(ids)
                for row, place in enumerate(batch):
                    ids[row, : len(encoded[place])] = torch.tensor(encoded[place])
                    mask[row, : len(encoded[place])] = 1
                given: dict[str, Any] = {"input_ids": ids} | ({} if self._whole else {"attention_mask": mask})
                told = self._loaded.model.get_text_features(**loading.on(self._loaded.device, given))
                for place, vector in zip(batch, _unit(told, self._loaded.name), strict=True):
                    rows[place] = vector
        truncated = [longest is not None and length > longest for length in lengths]
        order = [numbers[text] for text in texts]
        return Encoded(np.stack(rows)[order], [truncated[place] for place in order])

    def pictures(self, pictures: Sequence["Image.Image"]) -> "np.ndarray":
        import numpy as np

        rows: list[Any] = []
        with loading.calculating(self._loaded.device):
            for start in range(0, len(pictures), PICTURES_AT_ONCE):
                plain = [images.on_white(one).convert("RGB") for one in pictures[start : start + PICTURES_AT_ONCE]]
                given = self._processor(plain, return_tensors="pt")
                told = self._loaded.model.get_image_features(**loading.on(self._loaded.device, given))
                rows += list(_unit(told, self._loaded.name))
        return np.stack(rows) if rows else np.zeros((0, 0), np.float32)


def _unit(told: Any, name: str) -> "np.ndarray":
    """The features, which some versions wrap, with unit norm."""
    import numpy as np

    vectors = loading.finite(getattr(told, "pooler_output", told).double().cpu().numpy(), name)
    found: np.ndarray = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def image_text_model(name: str, device: str = "cpu") -> ImageText:
    """The checkpoint by its folder or name on the hub.

    Raises:
        Fault: it cannot be had, or does not compare texts with pictures.
    """
    from transformers import AutoModel

    what = "a model that compares texts with pictures, such as CLIP"
    loaded = loading.load(name, device, WHERE, AutoModel, what)
    if not all(hasattr(loaded.model, method) for method in ("get_text_features", "get_image_features")):
        raise Fault(f"{WHERE}: {name} is {type(loaded.model).__name__} and not {what}: name one that is")
    return _Checkpoint(loaded, loading.picture_processor(loaded, what))
