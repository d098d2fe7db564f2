"""A tiny language model that plans, for want of real weights: it learns plans that a rule writes for the train split.

It shows that runs with tools work from end to end; its plans are those of the rule, and what it concludes from what
tools say is worth little.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.models import transformers_checkpoint as checkpoints
from assets.models.policies.demonstrations import Demonstration, demonstrations
from assets.models.policies.known import KNOWN
from assets.models.policies.policy import Limits, Task, Use
from assets.models.tools.asking import PLANNER
from assets.models.tools.inventory import Inventory, inventory, is_asking
from assets.schema.sample import Sample
from assets.settings_training import PlannerBase
from assets.training import checkpoint as sealing
from assets.training.bases import byte_pairs
from assets.training.train import TrainingError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

FAMILY = "planner"
CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ '<|user|>' if message.role == 'user' else '<|assistant|>' }}"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}{% endif %}"
    "{% if message.role == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""Texts in their order, any number of turns."""

SPECIAL = ("<pad>", "<s>", "</s>", "<|user|>", "<|assistant|>")
WORDS = 2000
PIECES = r" ?[^\W\d]+|\d| ?[^\s\w]+|\s+"
"""What no word reaches across: a tool's name, underscores and all, can be one word."""
LAYERS: dict[str, Any] = {"hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4}
CONTEXT = 4096
"""Positions are turned and not learned, so that a longer one costs nothing; prompts that it learns from are shorter."""
SAMPLES = 920
"""Of the train split, at most; each is shown once by one of the policies in turn."""
LONGEST_REPLY = 256
SPREAD = 0.08
"""Of the weights at first; from the usual 0.02 so small a network learns half as fast."""
BETAS = (0.9, 0.95)
BATCH, RATE, RISING = 2, 4e-3, 0.1
"""Demonstrations a step, the highest rate, and the share of the steps in which the rate rises to it."""


class Numbered(NamedTuple):
    """A prompt with its reply as numbers of words; `told`: of the reply, the end included."""

    words: tuple[int, ...]
    told: int


def make(
    settings: PlannerBase,
    samples: Sequence[Sample],
    into: Path,
    progress: Callable[[str], None] = lambda line: None,
) -> Mapping[str, Any]:
    """Make the checkpoint in the folder `into`, and say what came of it.

    Its words are those of the demonstrations, and every byte. The same samples and settings give the same files on the
    same machine; the samples' order does not matter.

    Args:
        settings: seed, and how often it reads the demonstrations.
        samples: the kept ones; some of those of split train are shown.
        into: the folder.
        progress: is told a line an epoch.

    Raises:
        TrainingError: there is no sample in split train that can be shown.
    """
    import torch

    shown = [one for one in samples if one.split == "train"]
    told = written(shown, random.Random(settings.seed), SAMPLES)
    if not told:
        raise TrainingError(
            "split train: none of its samples has question, options, answer and picture: build more samples, or set "
            "m3cot.split"
        )
    with torch.random.fork_rng(), checkpoints.threads("cpu"):
        torch.manual_seed(settings.seed)
        tokenizer = _tokenizer([text for one in told for text in one])
        model = _blank(tokenizer)
        numbers = [numbered(tokenizer, one) for one in told]
        facts: dict[str, Any] = {
            "demonstrations": len(numbers),
            "words": sum(len(one.words) for one in numbers),
            "parameters": sum(weight.numel() for weight in model.parameters()),
            "epochs": settings.epochs,
        }
        for epoch, loss in enumerate(_read(model, numbers, settings), 1):
            facts["loss"] = loss
            progress(f"epoch {epoch} of {settings.epochs}: loss {loss:.3f}")
        into.mkdir(parents=True, exist_ok=True)
        with checkpoints._without_bars():
            model.save_pretrained(into)
        tokenizer.save_pretrained(into)
    sealing.describe(into, FAMILY, {"settings": settings.model_dump(mode="json"), "facts": facts})
    sealing.seal(into)
    return facts


def written(samples: Sequence[Sample], rng: random.Random, most: int) -> list[Demonstration]:
    """Demonstrations of each policy in turn for some of the samples, with all tools but one that detects objects."""
    able = [
        one
        for one in sorted(samples, key=lambda one: one.id or "")
        if one.dropped is None and one.question and one.choices and one.answer and one.images
    ]
    tools = inventory(None, sees=("eyes",), detects=None, limit_s=1.0)
    found: list[Demonstration] = []
    for place, sample in enumerate(rng.sample(able, min(most, len(able)))):
        policy = tuple(KNOWN)[place % len(KNOWN)]
        task = task_of(sample)
        # Rounds of sub-questions end soon in some runs, so that a last round is shown.
        limits = Limits(rounds=rng.randint(1, 3)) if policy == "idealgpt" else Limits()
        found += demonstrations(
            policy, task, sample.answer or "", tools, rng, limits=limits, asks=lambda use: _asked(use, tools)
        )
    return found


def task_of(sample: Sample) -> Task:
    """The sample as a run with tools meets it, asked directly."""
    from assets.evaluation.dialogue import Asked, dialogues

    (dialogue,) = dialogues("m3cot", [sample], [], Asked("direct"), None)
    parts = dialogue.asks[0].parts
    shown = [part for part in parts if part.image_id is not None]
    names = tuple(f"picture_{number}" for number in range(1, len(shown) + 1))
    return Task("".join(part.text or "" for part in parts), dialogue.choices, names)


def numbered(tokenizer: Any, one: Demonstration) -> Numbered:
    """The demonstration in numbers, as a run will put the prompt."""
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": one.prompt}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        sanitize_control_tokens=True,
    )["input_ids"]
    reply = [*tokenizer.encode(one.reply, add_special_tokens=False), tokenizer.eos_token_id]
    return Numbered((*prompt, *reply), len(reply))


def rate_at(step: int, steps: int) -> float:
    """The share of the highest rate at a step, from 0: it rises to 1 in a line, then falls to 0 in half a cosine."""
    rising = max(1, round(RISING * steps))
    if step < rising:
        return (step + 1) / rising
    return 0.5 + 0.5 * math.cos(math.pi * (step + 1 - rising) / (steps + 1 - rising))


def _asked(use: Use, tools: Inventory) -> str | None:
    """What a use asks the planner's own model."""
    tool: Any = tools.named(use.tool)
    if not is_asking(tool) or tools.candidates(use.tool) != (PLANNER,):
        return None
    return "".join(part.text or "" for part in tool.question(use.arguments, {}).parts)


def _read(model: Any, told: Sequence[Numbered], settings: PlannerBase) -> Iterator[float]:
    """The mean loss of each epoch, once it was read: of the words of replies alone."""
    import torch

    rng = random.Random(settings.seed)
    steps = settings.epochs * -(-len(told) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=BETAS)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
    model.train()
    for _ in range(settings.epochs):
        total, words = 0.0, 0
        for some in _batches(told, rng):
            loss, count = _loss(model, some)
            optimizer.zero_grad()
            (loss / count).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total, words = total + float(loss.detach()), words + count
        yield total / words
    model.eval()


def _batches(told: Sequence[Numbered], rng: random.Random) -> list[list[Numbered]]:
    """All of them in batches of like length, the batches in any order."""
    order = sorted(rng.sample(told, len(told)), key=lambda one: len(one.words))
    found = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    return rng.sample(found, len(found))


def _loss(model: Any, some: Sequence[Numbered]) -> tuple[Any, int]:
    """The summed loss of the replies' words, and how many they are.

    Padding stands on the right, where no word before it looks; only what replies are read from goes through the head.
    """
    import torch

    longest = max(len(one.words) for one in some)
    ids = torch.tensor([[*one.words, *[0] * (longest - len(one.words))] for one in some])
    states = model.model(input_ids=ids).last_hidden_state
    rows = [row for row, one in enumerate(some) for _ in range(one.told)]
    places = [len(one.words) - one.told + step for one in some for step in range(one.told)]
    before = [place - 1 for place in places]
    logits = model.lm_head(states[rows, before])
    return torch.nn.functional.cross_entropy(logits, ids[rows, places], reduction="sum"), len(rows)


def _blank(tokenizer: "PreTrainedTokenizerFast") -> Any:
    import transformers

    classes: Any = transformers
    ids: dict[str, Any] = {word: tokenizer.convert_tokens_to_ids(word) for word in SPECIAL}
    marks: dict[str, Any] = {"pad_token_id": ids["<pad>"], "bos_token_id": ids["<s>"], "eos_token_id": ids["</s>"]}
    config = classes.LlamaConfig(
        **LAYERS,
        **marks,
        num_key_value_heads=LAYERS["num_attention_heads"],
        vocab_size=len(tokenizer),
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        initializer_range=SPREAD,
    )
    model = classes.LlamaForCausalLM(config)
    # A role or a beginning that it wrote could not be read back.
    silent = sorted(ids[word] for word in SPECIAL if word != "</s>")
    model.generation_config = classes.GenerationConfig(
        **marks, suppress_tokens=silent, min_new_tokens=1, max_new_tokens=LONGEST_REPLY
    )
    return model


def _tokenizer(texts: Sequence[str]) -> "PreTrainedTokenizerFast":
    from tokenizers import Regex, pre_tokenizers

    pieces = pre_tokenizers.Split(Regex(PIECES), "isolated")
    spelled = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    before = pre_tokenizers.Sequence([pieces, spelled])
    return byte_pairs.learned(texts, before, WORDS, SPECIAL, chat_template=CHAT)
