"""Checkpoints that judge texts and pictures, by folder or name on the hub, without code or pickles of their own."""

import contextlib
import logging as levels
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from assets.models import transformers_checkpoint as checkpoints
from assets.schema.faults import Fault

if TYPE_CHECKING:
    import numpy as np

TOKENS_AT_ONCE = 4096
TEXTS_AT_ONCE = 64
_ABSURD = 10**6
"""A tokenizer that knows no limit says a number far above this one."""

Item = TypeVar("Item", bound=Hashable)


class Loaded(NamedTuple):
    """A checkpoint in memory, in float32 and eval mode.

    name: what tables say, without a path of this machine. folder: where its files are. where: the setting that named
    it, for what an error says.
    """

    name: str
    model: Any
    tokenizer: Any
    folder: Path
    device: str
    where: str


def load(name: str, device: str, where: str, kind: Any, what: str) -> Loaded:
    """The checkpoint as a model of `kind`, on the device, with every one of its weights out of its files.

    Of AutoModel, which has no head, the class may be another one than the checkpoint's own, and the pooler's weights,
    which some checkpoints of texts lack, may be random: nothing here reads a pooler that is not in the files.

    Args:
        name: a folder, or a name on the hub.
        device: of params.yaml.
        where: the setting that names it.
        kind: an Auto class of transformers.
        what: such a model in words, such as `a causal language model`.

    Raises:
        Fault: it cannot be had, or is no such model.
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    chosen = checkpoints.chosen_device(device, where.rpartition(".")[0])
    _check(name, where)
    with _told(name, where, what), checkpoints._without_bars():
        folder = checkpoints._on_disk(name, None)
        _check(str(folder), where)
        given = {"local_files_only": True, "trust_remote_code": False}
        tokenizers: Any = AutoTokenizer
        tokenizer = tokenizers.from_pretrained(folder, **given)
        with _quiet():
            model, facts = kind.from_pretrained(
                folder, dtype=torch.float32, use_safetensors=True, output_loading_info=True, **given
            )
    declared = model.config.architectures or [type(model).__name__]
    headless = kind is AutoModel
    if type(model).__name__ not in declared and not headless:
        raise Fault(f"{where}: {name} is {declared[0]} and not {what}: name a checkpoint that is one")
    if lacking := sorted(key for key in facts["missing_keys"] if not (headless and key.startswith("pooler."))):
        raise Fault(
            f"{where}: {name} has no weights for {lacking[0]}{f' and {len(lacking) - 1} more' if lacking[1:] else ''}, "
            f"which would be random: name a checkpoint that is {what}"
        )
    model.to(chosen)
    model.eval()
    shown = Path(name).resolve().name if Path(name).is_dir() else name
    return Loaded(shown, model, tokenizer, folder, chosen, where)


def picture_processor(loaded: Loaded, what: str) -> Any:
    """What makes the model's input of pictures.

    Raises:
        Fault: the checkpoint has none, or it needs what is not installed.
    """
    from transformers import AutoImageProcessor

    processors: Any = AutoImageProcessor
    with _told(loaded.name, loaded.where, what):
        return processors.from_pretrained(loaded.folder, local_files_only=True, trust_remote_code=False)


def label(loaded: Loaded, spellings: Sequence[str]) -> int:
    """The place among a classifier's outputs of the label that its config names by one of the spellings.

    Raises:
        Fault: it has none, or gives no probabilities over several labels.
    """
    config = loaded.model.config
    names = {int(place): str(name) for place, name in config.id2label.items()}
    shown = ", ".join(names[place] for place in sorted(names))
    found = [place for place, name in names.items() if re.sub(r"[^a-z]", "", name.casefold()) in spellings]
    if not found and all(re.fullmatch(r"LABEL_\d+", name) for name in names.values()):
        raise Fault(
            f"{loaded.where}: {loaded.name} calls its labels {shown}, which does not say which one is {spellings[0]}: "
            f'name them in id2label of its config.json, such as "1": "{spellings[0]}" where it is the second'
        )
    if len(found) != 1 or len(names) < 2 or config.problem_type == "multi_label_classification":
        raise Fault(
            f"{loaded.where}: {loaded.name} does not choose between {spellings[0]} and other labels (it has {shown}): "
            "name a checkpoint that does, or set id2label of its config.json"
        )
    return found[0]


def positions(loaded: Loaded, config: Any = None) -> int | None:
    """The tokens that the model, or its part of this config, has places for, special ones included; None: no end."""
    import torch

    said = getattr(config or loaded.model.config.get_text_config(), "max_position_embeddings", None)
    if said is None or said <= 0:
        return None
    for name, module in loaded.model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            # RoBERTa and its kin count places from behind the padding's number.
            return int(said) - (0 if module.padding_idx is None else module.padding_idx + 1)
    return int(said)


def longest(loaded: Loaded, config: Any = None) -> int | None:
    """The same, or what the tokenizer says where that is less."""
    said = (positions(loaded, config), getattr(loaded.tokenizer, "model_max_length", None))
    known = [number for number in said if number is not None and number < _ABSURD]
    return int(min(known)) if known else None


def padded(loaded: Loaded) -> int:
    """The number of the token that fills up a batch, made known to tokenizer and model where they have none.

    Raises:
        Fault: the tokenizer has no special token at all.
    """
    tokenizer = loaded.tokenizer
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token is None:
            raise Fault(f"{loaded.where}: {loaded.name} has neither a padding token nor an end token: give it one")
        tokenizer.pad_token = tokenizer.eos_token
    if getattr(loaded.model.config, "pad_token_id", None) is None:
        loaded.model.config.pad_token_id = tokenizer.pad_token_id
    return int(tokenizer.pad_token_id)


def batches(lengths: Sequence[int], tokens: int = TOKENS_AT_ONCE) -> Iterator[list[int]]:
    """The places of all items, the longest first, in batches of at most so many tokens, padding included."""
    waiting: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        most = max(1, min(TEXTS_AT_ONCE, tokens // max(1, lengths[waiting[0] if waiting else place])))
        if len(waiting) >= most:
            yield waiting
            waiting = []
        waiting.append(place)
    if waiting:
        yield waiting


def once(items: Iterable[Item]) -> dict[Item, int]:
    """Each distinct item with its number, in the order of its first occurrence."""
    return {item: number for number, item in enumerate(dict.fromkeys(items))}


@contextlib.contextmanager
def calculating(device: str) -> Iterator[None]:
    """Within it torch keeps no gradients, and on the CPU calculates with one thread; both are as before afterwards."""
    import torch

    with checkpoints.threads(device), torch.inference_mode():
        yield


def on(device: str, encoded: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors on the device."""
    return {name: tensor.to(device) for name, tensor in encoded.items()}


def probabilities(loaded: Loaded, place: int, encoded: Sequence[Mapping[str, list[int]]]) -> list[float]:
    """The probability of the label at `place` for each tokenised text, in the order given, batches sorted by length."""
    # A classifier that reads its last token must not take a token that was put there for padding, so without one of
    # its own each text is read alone.
    alone = loaded.tokenizer.pad_token_id is None
    if not alone:
        padded(loaded)
    found = [0.0] * len(encoded)
    lengths = [len(one["input_ids"]) for one in encoded]
    with calculating(loaded.device):
        for batch in [[number] for number in range(len(encoded))] if alone else batches(lengths):
            several = [dict(encoded[number]) for number in batch]
            given = loaded.tokenizer.pad(several, padding=not alone, return_tensors="pt")
            logits = loaded.model(**on(loaded.device, given)).logits.float()
            chances = logits.softmax(dim=-1)[:, place].double().cpu().tolist()
            for number, chance in zip(batch, chances, strict=True):
                found[number] = chance
    return found


def tokenised(loaded: Loaded, *texts: Sequence[str]) -> list[dict[str, list[int]]]:
    """Each text, or pair of texts, as the tokenizer gives it, cut at the longest that the model takes.

    Of a pair the longer text is cut first.
    """
    most = longest(loaded)
    cut = {} if most is None else {"truncation": True, "max_length": most}
    encoded = loaded.tokenizer(*[list(side) for side in texts], **cut)
    return [{name: values[number] for name, values in encoded.items()} for number in range(len(texts[0]))]


def _check(name: str, where: str) -> None:
    """Looks whether a folder can be a checkpoint; of a name of the hub nothing is known yet."""
    folder = Path(name)
    if not folder.is_dir():
        if folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
            raise Fault(f"{where}: there is no folder {name}: give one that holds a checkpoint")
        return
    if not (folder / "config.json").is_file():
        raise Fault(f"{where}: {name} holds no config.json: give the folder of a checkpoint")
    if not any(folder.glob("*.safetensors")):
        pickled = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
        held = f"only pickled weights ({pickled[0]})" if pickled else "no weights"
        raise Fault(f"{where}: {name} holds {held}, and loading a pickle would run code: save it as safetensors")


@contextlib.contextmanager
def _told(name: str, where: str, what: str) -> Iterator[None]:
    """Within it what transformers and the hub say of a checkpoint becomes one sentence with the way out."""
    try:
        yield
    except ImportError as error:
        raise Fault(
            f"{where}: {name} needs {error.name or checkpoints._first(error)}, which is not installed: install it, "
            "or name another checkpoint"
        ) from error
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
        if "trust_remote_code" in str(error) or "custom code" in str(error):
            raise Fault(
                f"{where}: {name} brings code of its own, which is never run here: name a checkpoint whose classes "
                "transformers has"
            ) from error
        if "Unrecognized configuration class" in str(error):
            raise Fault(f"{where}: {name} is not {what}: name a checkpoint that is one") from error
        away = "" if Path(name).is_dir() else ": download it first with `hf download`, or give the folder where it is"
        raise Fault(f"{where}: {name} cannot be loaded as {what} ({checkpoints._first(error)}){away}") from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Within it transformers does not warn of weights that are missing: that is an error here."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity(levels.ERROR)
    try:
        yield
    finally:
        logging.set_verbosity(before)


def finite(vectors: "np.ndarray", name: str) -> "np.ndarray":
    """The vectors as they are.

    Raises:
        Fault: one holds what is no number, of which no score could be made.
    """
    import numpy as np

    if not np.isfinite(vectors).all():
        raise Fault(f"{name}: gave vectors that hold no numbers (NaN or infinite): name another checkpoint or device")
    return vectors
