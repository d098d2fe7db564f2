"""A checkpoint of an image-text model in memory, through the Auto classes of transformers, and what identifies it."""

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from assets.models.model import ModelError

_BLOCK = 1 << 20
_SECONDS_FOR_THE_HUB = 10.0
_OVERRUN_CHANGES_OTHERS = frozenset({"dynamic", "longrope"})
_digests: dict[Path, tuple[tuple[tuple[str, int, int], ...], str]] = {}


class Checkpoint(NamedTuple):
    """A model that is loaded, with its processor.

    device, dtype: where it is and how it calculates. parameters: how many numbers it has. context: the tokens that it
    can read and say together, None where that has no end. overruns: one dialogue of a batch may go on beyond that
    without an effect on the others. commit: of the hub's repository, None for a folder.
    """

    model: Any
    processor: Any
    device: str
    dtype: str
    parameters: int
    context: int | None
    overruns: bool
    commit: str | None


def contents(folder: Path) -> str:
    """SHA-256 over the names and bytes of a folder's files, the hidden ones left out; read again only when one changed.

    A file has changed when its size or its time of writing has.
    """
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    names = [path.relative_to(folder).as_posix() for path in files]
    facts = [path.stat() for path in files]
    state = tuple((name, fact.st_size, fact.st_mtime_ns) for name, fact in zip(names, facts, strict=True))
    key = folder.resolve()
    if key in _digests and _digests[key][0] == state:
        return _digests[key][1]
    whole = hashlib.sha256()
    for name, path in zip(names, files, strict=True):
        digest = hashlib.sha256()
        with path.open("rb") as opened:
            while block := opened.read(_BLOCK):
                digest.update(block)
        whole.update(f"{name}\n{digest.hexdigest()}\n".encode())
    _digests[key] = (state, whole.hexdigest())
    return whole.hexdigest()


def chosen_device(asked: str, where: str) -> str:
    """The device that is meant: of `auto` a GPU where there is one, else the CPU.

    Args:
        asked: of params.yaml.
        where: what an error names.

    Raises:
        ModelError: this machine or this torch has no such device.
    """
    if asked == "cpu":
        return asked
    import torch

    there = ["cpu", *(["cuda"] if torch.cuda.is_available() else ()), *(["mps"] if _has_mps() else ())]
    if asked == "auto":
        return next(device for device in ("cuda", "mps", "cpu") if device in there)
    if asked.split(":")[0] not in there:
        raise ModelError(f"{where}.device: {asked!r} is not here ({', '.join(there)} are): set auto or one of these")
    return asked


def chosen_dtype(asked: str, device: str, model: str, revision: str | None, where: str) -> str:
    """The number format that is meant: of `auto` float32 on the CPU and the checkpoint's own on a GPU."""
    if asked != "auto":
        return asked
    if device == "cpu":
        return "float32"
    folder = Path(model)
    if folder.is_dir():
        config = json.loads((folder / "config.json").read_bytes())
        named = config.get("dtype") or config.get("torch_dtype") or config.get("text_config", {}).get("dtype")
    else:
        from transformers import AutoConfig

        with _named(model, where):
            named = AutoConfig.from_pretrained(_on_disk(model, revision), local_files_only=True).dtype
    return str(named or "float32").removeprefix("torch.")


def check(model: str, where: str) -> None:
    """Looks whether a folder can be a checkpoint; of a name of the hub nothing is known yet.

    Raises:
        ModelError: it has no config, or no weights as safetensors.
    """
    folder = Path(model)
    if not folder.is_dir():
        if folder.is_absolute() or model.startswith((".", "~")) or model.count("/") > 1:
            raise ModelError(f"{where}.model: there is no folder {model}: give one that holds a checkpoint")
        return
    if not (folder / "config.json").is_file():
        raise ModelError(f"{where}.model: {model} holds no config.json: give the folder of a checkpoint")
    if not any(folder.glob("*.safetensors")):
        pickled = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
        held = f"only pickled weights ({pickled[0]})" if pickled else "no weights"
        raise ModelError(
            f"{where}.model: {model} holds {held}, and loading a pickle would run code: save it as safetensors"
        )


def load(model: str, revision: str | None, device: str, dtype: str, where: str) -> Checkpoint:
    """The checkpoint, ready to answer.

    Raises:
        ModelError: it is not there, cannot be loaded without code or pickles of its own, or has no chat template.
    """
    check(model, where)
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    with _named(model, where), _without_bars():
        folder = _on_disk(model, revision)
        given = {"local_files_only": True, "trust_remote_code": False}
        processors: Any = AutoProcessor
        processor = processors.from_pretrained(folder, **given)
        check(str(folder), where)
        loaded: Any = AutoModelForImageTextToText.from_pretrained(
            folder, dtype=getattr(torch, dtype), use_safetensors=True, **given
        )
    if not getattr(processor, "chat_template", None):
        raise ModelError(f"{where}.model: {model} has no chat template: put its chat_template.jinja beside config.json")
    tokenizer = processor.tokenizer
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    loaded.to(device)
    text = loaded.config.get_text_config()
    rope = getattr(text, "rope_parameters", None)
    kind = rope.get("rope_type", "default") if isinstance(rope, dict) else None
    return Checkpoint(
        loaded,
        processor,
        device,
        dtype,
        sum(weight.numel() for weight in loaded.parameters()),
        getattr(text, "max_position_embeddings", None),
        kind is not None and kind not in _OVERRUN_CHANGES_OTHERS,
        None if Path(model).is_dir() else folder.name,
    )


def _on_disk(model: str, revision: str | None) -> Path:
    """The folder of the checkpoint: itself, or the hub's snapshot, which is downloaded where it is not whole.

    Whether the hub answers is asked once: transformers itself would ask it for minutes.
    """
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import HfApi, constants, snapshot_download

    kept = ["*.json", "*.jinja", "*.txt", "*.model", "*.safetensors"]
    try:
        folder = Path(snapshot_download(model, revision=revision, allow_patterns=kept, local_files_only=True))
        if any(folder.glob("*.safetensors")):
            return folder
    except OSError:
        if constants.HF_HUB_OFFLINE:
            raise
    try:
        HfApi().model_info(model, revision=revision, timeout=_SECONDS_FOR_THE_HUB)
    except Exception as error:  # each version of the hub's client has transport errors of its own
        raise OSError(f"it is not on this disk, and the hub says: {_first(error)}") from error
    return Path(snapshot_download(model, revision=revision, allow_patterns=kept))


@contextlib.contextmanager
def threads(device: str) -> Iterator[None]:
    """Within it torch calculates with one thread on the CPU: with two, these models take longer."""
    if device != "cpu":
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _has_mps() -> bool:
    import torch

    return torch.backends.mps.is_available()


@contextlib.contextmanager
def _without_bars() -> Iterator[None]:
    from transformers.utils import logging

    bars: Any = logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


@contextlib.contextmanager
def _named(model: str, where: str) -> Iterator[None]:
    """Within it what transformers says of a checkpoint becomes one sentence with the way out."""
    try:
        yield
    except ImportError as error:
        missing = "torchvision" if "torchvision" in str(error).lower() else error.name or _first(error)
        raise ModelError(
            f"{where}.model: {model} needs {missing}, which is not installed: install it, or name another checkpoint"
        ) from error
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        if "torchvision" in str(error).lower():
            raise ModelError(
                f"{where}.model: the processor of {model} needs torchvision, which is not installed: "
                "install the one that goes with this torch, or name another checkpoint"
            ) from error
        if "trust_remote_code" in str(error) or "custom code" in str(error):
            raise ModelError(
                f"{where}.model: {model} brings code of its own, which is never run here: "
                "name a checkpoint whose classes transformers has"
            ) from error
        away = "" if Path(model).is_dir() else ": download it first with `hf download`, or give the folder where it is"
        raise ModelError(
            f"{where}.model: {model} cannot be loaded as an image-text model ({_first(error)}){away}"
        ) from error


def _first(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200].rstrip(".")
