"""The weights of an adapter as files, in peft's own format, without a word on where they were made."""

import contextlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"


def content(peft: Any, base: str) -> dict[str, bytes]:
    """The files of an adapter by name: its config, which names the base, and its weights.

    Args:
        peft: what peft made of the checkpoint.
        base: as the settings name it.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save

    config = peft.peft_config["default"].to_dict() | {"base_model_name_or_path": base, "inference_mode": True}
    # Embeddings never change here; to find that out peft would look the base up on the hub.
    state = get_peft_model_state_dict(peft, save_embedding_layers=False)
    weights = {name: value.detach().cpu().contiguous() for name, value in state.items()}
    text = json.dumps(config, indent=1, sort_keys=True, default=_plain) + "\n"
    return {CONFIG: text.encode(), WEIGHTS: save(dict(sorted(weights.items())))}


def restore(peft: Any, folder: Path) -> None:
    """Give the adapter the weights in a folder."""
    from peft import set_peft_model_state_dict
    from safetensors.torch import load

    set_peft_model_state_dict(peft, load((folder / WEIGHTS).read_bytes()))


def loaded(place: Any, folder: Path) -> Any:
    """A part of a checkpoint with the adapter of a folder in it, ready to answer: peft's model of it."""
    from peft import PeftModel

    with calm():
        return PeftModel.from_pretrained(place, str(folder)).eval()


@contextlib.contextmanager
def calm() -> Iterator[None]:
    """Within it peft does not say that transformers calls something otherwise than it does."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*gradient_checkpointing", category=FutureWarning)
        yield


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else getattr(value, "value", str(value))
