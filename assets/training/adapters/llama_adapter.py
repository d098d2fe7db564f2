"""Learned prompts in the last layers' attention of the language model of an image-text checkpoint.

Source: LLaMA-Adapter (arXiv:2303.16199), section 3.2: zero-initialised attention, as peft has it, with one gate a
layer. Other than there the pictures' tokens stay in the sequence, where the checkpoint has them: the paper adds what
its own picture encoder sees to the prompts, and adapts a language model that has seen no picture before.
"""

from typing import Any

from assets.settings_training import LlamaAdapter
from assets.training.adapters.attention import language_model
from assets.training.adapters.weights import calm
from assets.training.train import TrainingError


def attach(model: Any, settings: LlamaAdapter) -> Any:
    """The checkpoint with untrained prompts in it, whose gates are closed: peft's model of them.

    Of a language model with less layers than the settings name, every layer has prompts.

    Raises:
        TrainingError: its language model's attention is none that prompts can be put beside.
    """
    from peft import AdaptionPromptConfig, get_peft_model
    from peft.tuners.adaption_prompt.config import TRANSFORMERS_MODEL_CONFIG

    _, inner = language_model(model)
    kind = inner.config.model_type
    if kind not in TRANSFORMERS_MODEL_CONFIG:
        raise TrainingError(
            f"family llama-adapter: a language model of type {kind} has no place for prompts "
            f"({', '.join(sorted(TRANSFORMERS_MODEL_CONFIG))} have): name another base, or set family: lora"
        )
    model.requires_grad_(False)
    layers = min(settings.layers, inner.config.num_hidden_layers)
    with calm():
        return get_peft_model(inner, AdaptionPromptConfig(adapter_len=settings.prompts, adapter_layers=layers))
