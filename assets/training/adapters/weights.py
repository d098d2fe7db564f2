"""The weights of an adapter as files, in peft's own format, without a word on where they were made."""

import contextlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets.training.checkpoint import CheckpointError

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
    """Give the adapter the weights in a folder; how it is built is the caller's to say, and not the folder's config.

    Raises:
        CheckpointError: these are not the weights of such an adapter.
    """
    from peft import get_peft_model_state_dict, set_peft_model_state_dict
    from safetensors import SafetensorError
    from safetensors.torch import load

    own = get_peft_model_state_dict(peft, save_embedding_layers=False)
    try:
        held = load((folder / WEIGHTS).read_bytes())
    except (OSError, SafetensorError):
        held = {}
    if {name: value.shape for name, value in held.items()} != {name: value.shape for name, value in own.items()}:
        raise CheckpointError(
            f"{folder / WEIGHTS}: does not hold the weights of the adapter that is described beside it: train it anew"
        )
    set_peft_model_state_dict(peft, held)


@contextlib.contextmanager
def calm() -> Iterator[None]:
    """Within it peft does not say that transformers calls something otherwise than it does."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*gradient_checkpointing", category=FutureWarning)
        yield


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else getattr(value, "value", str(value))
