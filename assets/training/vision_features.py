"""Pictures as a checkpoint of pictures sees them, a vector a patch: made once, kept by what the two consist of."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets import images
from assets.image_modes import plain
from assets.schema.faults import Fault
from assets.training.checkpoint import put

if TYPE_CHECKING:
    import random

    from PIL import Image
    from torch import Tensor

WHAT = "a model of pictures, such as ViT, CLIP or DETR"
SUFFIX = ".safetensors"

_VERSION = b"1"
_AT_ONCE = 16
_TOLD = 500
_BLANK = (224, 224)
_MOST_BYTES = 256 << 20
_COLOUR_TYPE, _RGB = 25, 2
_PARTS = ("vision_model", "vision_tower")
_UNREAD = "pooler."
_UNSAID = frozenset({"transformers_version", "_name_or_path", "architectures", "dtype", "torch_dtype"})
"""What a config says that does not bear on what is seen."""


class Tower(NamedTuple):
    """The part of a checkpoint that sees, in float32, with what makes its input of pictures.

    name: as params.yaml has it. key: 16 hexadecimal digits over its weights, its config and how pictures become its
    input.
    """

    name: str
    key: str
    network: Any
    processor: Any
    device: str


def tower(name: str, device: str, where: str) -> Tower:
    """What sees of a checkpoint, by folder or name: of one that also reads texts its part for pictures.

    Args:
        name: a folder, or a name on the hub.
        device: of params.yaml.
        where: the setting that names it, for what an error says.

    Raises:
        Fault: it cannot be had, has no weights of its own, or reads no pictures.
    """
    import torch
    from transformers import AutoModel

    from assets.analysis.encoders import loading
    from assets.models import transformers_checkpoint as checkpoints

    chosen = checkpoints.chosen_device(device, where.rpartition(".")[0])
    loading._check(name, where)
    with loading._told(name, where, WHAT), checkpoints._without_bars(), loading._quiet():
        folder = checkpoints._on_disk(name, None)
        loading._check(str(folder), where)
        given: Any = {"local_files_only": True, "trust_remote_code": False, "use_safetensors": True}
        model, facts = AutoModel.from_pretrained(folder, dtype=torch.float32, output_loading_info=True, **given)
    part = next((part for part in _PARTS if hasattr(model, part)), None)
    network = model if part is None else getattr(model, part)
    if network.main_input_name != "pixel_values":
        raise Fault(f"{where}: {name} is {type(network).__name__} and not {WHAT}: name one that is")
    if lacking := sorted(key for key in facts["missing_keys"] if not key.startswith(_UNREAD)):
        raise Fault(
            f"{where}: {name} has no weights for {lacking[0]}{f' and {len(lacking) - 1} more' if lacking[1:] else ''}, "
            f"which would be random: name a checkpoint that is {WHAT}"
        )
    _zeroed(network, set(facts["missing_keys"]))
    network.to(chosen).eval()
    loaded = loading.Loaded(name, network, None, folder, chosen, where)
    processor = loading.picture_processor(loaded, WHAT)
    return Tower(name, _key(network, processor), network, processor, chosen)


def write(sees: Tower, folder: Path) -> None:
    """Put it into a folder, from which `tower` loads it again; the same bytes for the same key."""
    from assets.analysis.encoders import loading
    from assets.models import transformers_checkpoint as checkpoints

    folder.mkdir(parents=True, exist_ok=True)
    with checkpoints._without_bars(), loading._quiet():
        sees.network.save_pretrained(folder)
        sees.processor.save_pretrained(folder)


def shown(image: "Image.Image | None") -> "Image.Image":
    """A picture as it is looked at: RGB, what is transparent white; no picture is a white one."""
    from PIL import Image

    return Image.new("RGB", _BLANK, "white") if image is None else plain(image).convert("RGB")


class Encoded:
    """A vector a patch, (patches, width) float32, rounded to float16: Looks that a checkpoint has.

    Those of a picture are kept in a file that is named by the picture's pixels, below a folder named by the key.
    """

    def __init__(self, sees: Callable[[], Tower], key: str, store: Path | None) -> None:
        """Take what sees and its key; it is loaded when a picture is new. store: folder of all features that are kept.

        Without a store they are only kept in memory.
        """
        self.key = key
        self._sees, self._folder = sees, None if store is None else store / key
        self._loaded: Tower | None = None
        self._memory: dict[str, Tensor] = {}
        self._bytes = 0
        self._ids: dict[str, str] = {}
        self._shape: tuple[int, ...] | None = None
        self._white = images.identify(shown(None))

    def prepare(self, rows: Iterable[images.Picture], progress: Callable[[str], None] = lambda line: None) -> None:
        """Makes the features of the pictures of a table that are not kept yet, some pictures at a time."""
        waiting: dict[str, Image.Image] = {}
        made = 0
        for row in rows:
            if row.png is None or row.image_id is None:
                continue
            image = None if row.png[_COLOUR_TYPE] == _RGB else shown(images.decode(row.png))
            found = row.image_id if image is None else images.identify(image)
            self._ids[row.image_id] = found
            if found in waiting or self._read(found) is not None:
                continue
            waiting[found] = image or shown(images.decode(row.png))
            if len(waiting) == _AT_ONCE:
                made += self._made(waiting)
                if made % _TOLD < _AT_ONCE:
                    progress(f"{made} pictures are seen")
        made += self._made(waiting)
        if made:
            progress(f"{made} pictures were seen by {self.tower().name}")

    def still(self, image_id: str | None) -> "Tensor":
        """Features of a picture that was prepared.

        Raises:
            KeyError: it was not.
        """
        if image_id is None:
            return self.of(None)
        found = self._ids[image_id]
        features = self._read(found)
        if features is None:
            raise KeyError(image_id)
        return features.float()

    def moved(self, image_id: str | None, rng: "random.Random") -> "Tensor":
        """The same: what was made once of a picture does not move, and nothing is drawn."""
        return self.still(image_id)

    def of(self, image: "Image.Image | None") -> "Tensor":
        """Features of any picture, kept like the others."""
        image = shown(image)
        found = images.identify(image)
        features = self._read(found)
        if features is None:
            self._made({found: image})
            features = self._read(found)
        assert features is not None
        return features.float()

    @property
    def shape(self) -> tuple[int, ...]:
        """(patches, width)."""
        return tuple(self.still(None).shape)

    def tower(self) -> Tower:
        """What sees, loaded if it was not."""
        if self._loaded is None:
            self._loaded = self._sees()
        return self._loaded

    def _made(self, waiting: dict[str, "Image.Image"]) -> int:
        """How many features were made and kept; nothing waits afterwards."""
        count = len(waiting)
        if count:
            for found, features in zip(waiting, encoded(self.tower(), list(waiting.values())), strict=True):
                self._checked(features)
                self._remember(found, features, kept=self._folder is not None)
                if self._folder is not None:
                    put(self._folder / f"{found}{SUFFIX}", _packed(features))
            waiting.clear()
        return count

    def _read(self, found: str) -> "Tensor | None":
        """Features that are kept; None where there are none, or what is there is damaged."""
        if found in self._memory:
            return self._memory[found]
        if self._folder is None:
            return None
        features = _unpacked(self._folder / f"{found}{SUFFIX}")
        if features is not None:
            self._remember(found, features, kept=True)
        return features

    def _remember(self, found: str, features: "Tensor", *, kept: bool) -> None:
        size = features.numel() * features.element_size()
        if not kept or self._bytes + size <= _MOST_BYTES:
            self._memory[found] = features
            self._bytes += size

    def _checked(self, features: "Tensor") -> None:
        self._shape = self._shape or tuple(features.shape)
        if tuple(features.shape) != self._shape:
            raise Fault(
                f"{self.tower().name}: sees {_said(self._shape)} in one picture and {_said(tuple(features.shape))} in "
                "another: name a model of pictures that brings them all to one size"
            )


def encoded(sees: Tower, pictures: Sequence["Image.Image"]) -> list["Tensor"]:
    """Of each picture a vector a patch, (patches, width) float16.

    On the CPU each is seen alone, so that the last bit does not depend on what else is new; a batch is no faster there.

    Raises:
        Fault: the checkpoint gives no vectors of patches, or such that hold no numbers.
    """
    import torch

    from assets.analysis.encoders import loading

    taken = set(inspect.signature(sees.network.forward).parameters)
    at_once = 1 if sees.device == "cpu" else len(pictures)
    found: list[Tensor] = []
    with loading.calculating(sees.device):
        for at in range(0, len(pictures), at_once):
            given = sees.processor(images=list(pictures[at : at + at_once]), return_tensors="pt")
            told = sees.network(**loading.on(sees.device, {key: one for key, one in given.items() if key in taken}))
            states = getattr(told, "last_hidden_state", None)
            if states is None or states.ndim not in (3, 4):
                raise Fault(f"{sees.name}: gives no vector a patch of a picture: name {WHAT}")
            patches = states.flatten(2).transpose(1, 2) if states.ndim == 4 else states
            loading.finite(patches.float().cpu().numpy(), sees.name)
            far = torch.finfo(torch.float16).max
            found += list(patches.clamp(-far, far).to(torch.float16).cpu().clone())
    return found


def _key(network: Any, processor: Any) -> str:
    import torch

    whole = hashlib.sha256(_VERSION)
    config = {name: value for name, value in network.config.to_diff_dict().items() if name not in _UNSAID}
    for said in (config, processor.to_dict()):
        whole.update(json.dumps(said, sort_keys=True, default=str).encode() + b"\n")
    for name, value in sorted(network.state_dict().items()):
        if not name.startswith(_UNREAD):
            whole.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
            whole.update(value.detach().cpu().flatten().view(torch.uint8).numpy().data)
    return whole.hexdigest()[:16]


def _zeroed(network: Any, missing: set[str]) -> None:
    """What no file had weights for, and nothing here reads, is nothing, so that what is written has the same bytes."""
    import torch

    with torch.no_grad():
        for name, value in network.named_parameters():
            if name in missing:
                value.zero_()


def _packed(features: "Tensor") -> bytes:
    from safetensors.torch import save

    patches = features.contiguous()
    packed: bytes = save({"patches": patches, "sha256": _digest(patches)})
    return packed


def _unpacked(path: Path) -> "Tensor | None":
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        held = load(path.read_bytes())
        return held["patches"] if _digest(held["patches"]).equal(held["sha256"]) else None
    except (OSError, SafetensorError, KeyError):
        return None


def _digest(patches: "Tensor") -> "Tensor":
    import torch

    found = hashlib.sha256(f"{patches.dtype} {tuple(patches.shape)}".encode())
    found.update(patches.flatten().view(torch.uint8).numpy().data)
    return torch.tensor(list(found.digest()), dtype=torch.uint8)


def _said(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} patches of {shape[1]} numbers"
