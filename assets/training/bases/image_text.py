"""A tiny image-text checkpoint, for want of real weights: LLaVA of random weights that reads the train split once.

It shows that what adapts, describes and answers works from end to end; what it says is not worth much.
"""

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assets.models import transformers_checkpoint as checkpoints
from assets.models.transformers_checkpoint import Checkpoint
from assets.schema.sample import Sample
from assets.settings_training import ImageTextBase
from assets.training import checkpoint as sealing
from assets.training.adapters import shown, wording
from assets.training.adapters.lessons import IGNORED, Lesson, Limits, batch, lessons, of_split
from assets.training.bases import byte_pairs

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from assets.images import Pictures

FAMILY = "image-text"
CHAT = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|user|>' if message.role == 'user' else '<|assistant|>' }}"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}"
    "{% if message.role == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""Texts and pictures in their order, any number of turns."""

SPECIAL = ("<pad>", "<s>", "</s>", "<image>", "<|user|>", "<|assistant|>")
WORDS = 2000
PICTURE, PATCH = 64, 16
LAYERS: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
CONTEXT = 1024
BATCH, RATE, RISING = 8, 4e-3, 0.05
"""Of its reading: samples a step, the highest rate, and the share of the steps in which the rate rises to it."""


def make(
    settings: ImageTextBase,
    samples: Sequence[Sample],
    images: "Pictures",
    into: Path,
    progress: Callable[[str], None] = lambda line: None,
) -> Mapping[str, Any]:
    """Make the checkpoint in the folder `into`, and say what came of it: about 2 MB, half a million numbers.

    A picture becomes 17 tokens; its words are those of the train split, and every byte. The same samples, pictures and
    settings give the same files on the same machine; the samples' order does not matter.

    Args:
        settings: seed, and how often it reads the samples.
        samples: the kept ones; those of split train are read.
        images: their pictures.
        into: the folder.
        progress: is told a line an epoch.

    Raises:
        TrainingError: there is nothing to read.
    """
    import torch

    found = of_split(samples, "train")
    said = [text for one in found for text in (one.asked.question, *one.asked.choices, *one.steps)]
    with torch.random.fork_rng(), checkpoints.threads("cpu"), tempfile.TemporaryDirectory() as folder:
        torch.manual_seed(settings.seed)
        _blank(_tokenizer([*said, wording.REASONED, wording.BARE]), into)
        made = checkpoints.load(str(into), None, "cpu", "float32", "bases")
        facts: dict[str, Any] = {"train": len(found), "parameters": made.parameters, "epochs": settings.epochs}
        if settings.epochs:
            pictures = shown.keep(images, {one.asked.image_id or shown.BLANK for one in found}, Path(folder))
            read = lessons(found, made, pictures, Limits(CONTEXT, CONTEXT), rationale=True).lessons
            for epoch, loss in enumerate(_read(made, read, pictures, settings), 1):
                facts["loss"] = loss
                progress(f"epoch {epoch} of {settings.epochs}: loss {loss:.2f}")
            _save(made.model, into)
    sealing.describe(into, FAMILY, {"settings": settings.model_dump(mode="json"), "facts": facts})
    sealing.seal(into)
    return facts


def _read(
    made: Checkpoint, lessons: Sequence[Lesson], pictures: shown.Shown, settings: ImageTextBase
) -> Iterator[float]:
    """The mean loss of each epoch, once it was read: of every word that is asked and told."""
    import torch

    rng = random.Random(settings.seed)
    steps = settings.epochs * -(-len(lessons) // BATCH)
    optimizer = torch.optim.AdamW(made.model.parameters(), lr=RATE)
    # A cycle whose rise is one step long divides by nothing.
    cycle = max(steps + 1, round(2 / RISING))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=cycle, pct_start=RISING)
    made.model.train()
    for _ in range(settings.epochs):
        total = 0.0
        order = rng.sample(lessons, len(lessons))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            given = batch(made, [one.waiting for one in some], [one.target for one in some], pictures)
            loss = made.model(**given | {"labels": _words(made, given)}).loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(made.model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(some)
        yield total / len(order)
    made.model.eval()


def _words(made: Checkpoint, given: Mapping[str, Any]) -> Any:
    """Labels of all that is a word: neither padding nor a picture's place."""
    ids = given["input_ids"]
    shows = (ids == made.model.config.image_token_id) | (given["attention_mask"] == 0)
    return ids.masked_fill(shows, IGNORED)


def _blank(tokenizer: "PreTrainedTokenizerFast", into: Path) -> None:
    """The checkpoint before it has read anything."""
    import transformers

    classes: Any = transformers
    ids: dict[str, Any] = {word: tokenizer.convert_tokens_to_ids(word) for word in SPECIAL}
    marks: dict[str, Any] = {"pad_token_id": ids["<pad>"], "bos_token_id": ids["<s>"], "eos_token_id": ids["</s>"]}
    config = classes.LlavaConfig(
        vision_config=classes.CLIPVisionConfig(**LAYERS, image_size=PICTURE, patch_size=PATCH, projection_dim=64),
        text_config=classes.LlamaConfig(
            **LAYERS, **marks, num_key_value_heads=4, vocab_size=len(tokenizer), max_position_embeddings=CONTEXT
        ),
        image_token_index=ids["<image>"],
        image_seq_length=(PICTURE // PATCH) ** 2 + 1,
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        **marks,
    )
    model = classes.LlavaForConditionalGeneration(config).eval()
    # A token of a picture, a role or a beginning that it wrote could not be read back.
    silent = sorted(ids[word] for word in SPECIAL if word != "</s>")
    model.generation_config = classes.GenerationConfig(
        **marks, suppress_tokens=silent, min_new_tokens=1, max_new_tokens=256
    )
    side = {"height": PICTURE, "width": PICTURE}
    processor = classes.LlavaProcessor(
        # All of a picture is shown, whatever its shape: nothing is cropped.
        image_processor=classes.CLIPImageProcessor(size=side, do_center_crop=False),
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=1,
        image_token="<image>",
        chat_template=CHAT,
    )
    into.mkdir(parents=True, exist_ok=True)
    _save(model, into)
    processor.save_pretrained(into)


def _save(model: Any, into: Path) -> None:
    from transformers.utils import logging

    bars: Any = logging
    shows = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        model.save_pretrained(into)
        for path in into.glob("*.safetensors"):
            # transformers lets nobody else read it.
            path.chmod(0o644)
    finally:
        if shows:
            bars.enable_progress_bar()


def _tokenizer(texts: Sequence[str]) -> "PreTrainedTokenizerFast":
    from tokenizers import pre_tokenizers

    return byte_pairs.learned(texts, pre_tokenizers.ByteLevel(add_prefix_space=False), WORDS, SPECIAL)
