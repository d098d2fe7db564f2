"""Low-rank updates of the language model of an image-text checkpoint.

Source: LoRA (arXiv:2106.09685), as peft has it; M3CoT, B.2.3, fits its vision large language models so. If nothing is
said all projections of attention are updated, queries, keys, values and outputs; most of that paper's own experiments
update queries and values alone. M3CoT does not say its rank, nor which modules.
"""

import re
from typing import Any

from assets.settings_training import Lora
from assets.training.adapters.attention import language_model
from assets.training.adapters.weights import calm
from assets.training.train import TrainingError


def attach(model: Any, settings: Lora) -> Any:
    """The checkpoint with untrained updates in it, which change nothing yet: peft's model of them.

    Raises:
        TrainingError: the target names none of its modules, or what cannot be updated so.
    """
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=settings.target or target(model),
    )
    try:
        with calm():
            return get_peft_model(model, config)
    except ValueError as error:
        raise TrainingError(
            f"target {settings.target!r}: names no modules of the checkpoint that can be updated "
            f"({str(error).splitlines()[0][:200]}): set a regular expression of linear ones, or null"
        ) from error


def target(model: Any) -> str:
    """A regular expression of the linear modules of the language model's attention, and of no others.

    Raises:
        TrainingError: there are none.
    """
    from torch import nn

    prefix, inner = language_model(model)
    leaves = {
        name.rpartition(".")[2]
        for name, module in inner.named_modules()
        if isinstance(module, nn.Linear) and "attn" in name.lower().replace("attention", "attn").rpartition(".")[0]
    }
    if not leaves:
        raise TrainingError(
            f"{type(inner).__name__}: its attention has no linear modules of its own: "
            "set target to a regular expression of modules"
        )
    return rf"{re.escape(prefix)}\..*att(?:n|ention)\w*\.(?:.*\.)?(?:{'|'.join(sorted(leaves))})"
