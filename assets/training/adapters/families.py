"""Adapters of image-text checkpoints: fitted on the train split, chosen on validation, kept beside their base."""

import gc
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.models import transformers_checkpoint as checkpoints
from assets.models.model import ModelError
from assets.schema.sample import Sample
from assets.settings_training import Adapted as Settings
from assets.settings_training import LlamaAdapter, Lora
from assets.training import checkpoint as sealing
from assets.training.adapters import llama_adapter, lora, shown, weights
from assets.training.adapters.fit import Fitted, Manner, fit
from assets.training.adapters.lessons import Lessons, Limits, lessons, of_split
from assets.training.checkpoint import CheckpointError
from assets.training.examples import Example
from assets.training.saved import keeping, made_of
from assets.training.train import Trained, TrainingError

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.models.transformers_checkpoint import Checkpoint
    from assets.training.adapters.answering import Adapted

MOST_VALIDATION = 200
"""Samples of the validation split that are looked at each epoch: a rationale is written for each of them."""

_SHORT = 16


class Base(NamedTuple):
    """A checkpoint that is adapted. digest: of a folder its contents', of a name on the hub its commit."""

    checkpoint: "Checkpoint"
    digest: str


class _World(NamedTuple):
    """What all fits of one training have in common."""

    settings: Settings
    learned: Lessons
    checked: Lessons
    asked: tuple[Example, ...]
    pictures: shown.Shown


def train(
    settings: Settings,
    samples: Sequence[Sample],
    images: "Pictures",
    into: Path,
    keep: Path,
    progress: Callable[[str], None] = lambda line: None,
) -> Trained:
    """Fit an adapter on the kept samples of split train, choose on split validation, write the checkpoint `into`.

    The same samples, settings and base give the same files on the same machine; the samples' order does not matter.

    Args:
        settings: of the family.
        samples: of all splits.
        images: their pictures.
        into: the folder of what is made.
        keep: a folder in which a fit that was stopped goes on from its last epoch; it is emptied at the end.
        progress: is told a line an epoch.

    Raises:
        TrainingError: there is nothing to learn from, nothing to choose on, or nothing that can be adapted.
        ModelError: the base cannot be loaded.

    Source: M3CoT, B.2.3: adapters of vision large language models, 512 tokens, batches of 2, 4 and 8, rates from 1e-6
    to 8e-5, the best on the development set. Other than there a picture's tokens do not count, no more than 200 samples
    of the development set are looked at, and batches and rates are those of the settings, all pairs of them where
    `search` is set. The curves of the pairs that were not the best have the pair for their stage.
    """
    learned, checked = of_split(samples, "train"), of_split(samples, "validation")
    if len(checked) > MOST_VALIDATION:
        checked = random.Random(settings.seed).sample(checked, MOST_VALIDATION)
    ids = {one.asked.image_id or shown.BLANK for one in (*learned, *checked)}
    with keeping(keep):
        pictures = shown.keep(images, ids, keep / "pictures")
    checkpoint, digest = base(settings)
    world = _world(settings, checkpoint, learned, checked, pictures)
    where = keep / made_of(digest, settings, learned, checked)[:_SHORT]
    parameters, unused = checkpoint.parameters, [checkpoint]
    del checkpoint
    found = [(pair, _fitted(world, unused, pair, where, progress)) for pair in _pairs(settings)]
    pair, (best, trained) = max(
        found, key=lambda one: (one[1][0].best["accuracy_validation"], -one[1][0].best["loss_validation"])
    )
    facts = _facts(world, parameters, best, trained) | {"batch": pair[0], "rate": pair[1]}
    curves = list(best.curves)
    if settings.search is not None:
        facts["search"] = [{"batch": batch, "rate": rate, **made.best} for (batch, rate), (made, _) in found]
        curves += [row | {"stage": _named(other)} for other, (made, _) in found if other != pair for row in made.curves]
    _kept(settings, digest, best, world.learned.longest, facts, into)
    files = sealing.seal(into)
    shutil.rmtree(keep, ignore_errors=True)
    return Trained(curves, facts, files)


def load(folder: Path, at: str | None = None) -> "Adapted":
    """What was fitted, in its base, ready to answer; at: where that is here, None: where the description says.

    Raises:
        CheckpointError: a file is missing or damaged, or the base is not what it was fitted to.
        ModelError: the base cannot be loaded.
    """
    import torch

    from assets.training.adapters.answering import Adapted

    told = sealing.verified(folder)
    try:
        settings = _SETTINGS[told["family"]].model_validate(told["settings"])
        digest, longest = str(told["base_digest"]), int(told["longest_target"])
    except (KeyError, TypeError, ValueError):
        raise CheckpointError(
            f"{folder}: is of family {told['family']} with settings that are unknown here: train the model anew"
        ) from None
    under = base(settings if at is None else settings.model_copy(update={"base": at}))
    if under.digest != digest:
        raise CheckpointError(
            f"{folder}: was fitted to {settings.base} when its contents were {digest[:_SHORT]}, and they are "
            f"{under.digest[:_SHORT]} now: train it anew, or put the base back"
        )
    with torch.random.fork_rng():
        peft = _FAMILIES[settings.family].attach(under.checkpoint.model, settings)
    weights.restore(peft, folder)
    under.checkpoint.model.eval()
    return Adapted(
        under.checkpoint,
        length=settings.length,
        longest=longest,
        rationale=settings.rationale,
        batch=settings.batch_answering,
    )


def base(settings: Settings) -> Base:
    """The checkpoint that the settings name, in memory.

    Raises:
        ModelError: there is none, or it is no image-text model.
    """
    where = f"family {settings.family}"
    device = checkpoints.chosen_device(settings.device, where)
    try:
        dtype = checkpoints.chosen_dtype(settings.dtype, device, settings.base, None, where)
        with checkpoints.threads(device):
            loaded = checkpoints.load(settings.base, None, device, dtype, where)
    except ModelError as error:
        raise ModelError(str(error).replace(f"{where}.model:", f"{where}, base:")) from error
    if loaded.model.config.is_encoder_decoder:
        raise ModelError(
            f"{where}, base: {settings.base} is an encoder with a decoder, and an adapter is fitted to a decoder that "
            "reads pictures and words as one sequence: name another base"
        )
    folder = Path(settings.base)
    return Base(loaded, checkpoints.contents(folder) if folder.is_dir() else str(loaded.commit))


_FAMILIES: Mapping[str, Any] = {"lora": lora, "llama-adapter": llama_adapter}
_SETTINGS: Mapping[str, type[Lora] | type[LlamaAdapter]] = {"lora": Lora, "llama-adapter": LlamaAdapter}


def _pairs(settings: Settings) -> list[tuple[int, float]]:
    """Batches and rates that are tried."""
    if settings.search is None:
        return [(settings.batch, settings.rate)]
    return [(batch, rate) for batch in settings.search.batches for rate in settings.search.rates]


def _world(
    settings: Settings,
    checkpoint: "Checkpoint",
    learned: Sequence[Example],
    checked: Sequence[Example],
    pictures: shown.Shown,
) -> _World:
    limits = Limits(settings.length, checkpoint.context)
    made = [lessons(found, checkpoint, pictures, limits, rationale=settings.rationale) for found in (learned, checked)]
    for split, one, found in zip(("train", "validation"), made, (learned, checked), strict=True):
        if not one.lessons:
            raise TrainingError(
                f"split {split}: none of its {len(found)} samples fits into {settings.length} tokens: set length higher"
            )
    return _World(settings, made[0], made[1], tuple(checked), pictures)


def _named(pair: tuple[int, float]) -> str:
    return f"batch-{pair[0]}-rate-{pair[1]!r}"


def _fitted(
    world: _World, unused: list["Checkpoint"], pair: tuple[int, float], keep: Path, progress: Callable[[str], None]
) -> tuple[Fitted, int]:
    """An adapter fitted with a batch and a rate, and the numbers that it has; unused: a base that has none in it."""
    import torch

    settings = world.settings
    # The base of the fit before is in a circle with its Trainer: two of them may be more than a device holds.
    gc.collect()
    checkpoint = unused.pop() if unused else base(settings).checkpoint
    with torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        peft = _FAMILIES[settings.family].attach(checkpoint.model, settings)
        trained = sum(weight.numel() for weight in peft.parameters() if weight.requires_grad)
        made = fit(
            checkpoint,
            peft,
            world.learned.lessons,
            world.checked.lessons,
            world.pictures,
            Manner(sealing.placeless(settings.base), settings.epochs, *pair, settings.seed),
            keep / _named(pair),
            lambda: _right(world, checkpoint),
            progress,
        )
    return made, trained


def _right(world: _World, checkpoint: "Checkpoint") -> float:
    """The share of the validation samples that are answered rightly by a checkpoint as it is now."""
    from assets.training.adapters.answering import Adapted

    settings = world.settings
    answerer = Adapted(
        checkpoint,
        length=settings.length,
        longest=world.learned.longest,
        rationale=settings.rationale,
        batch=settings.batch_answering,
    )
    checkpoint.model.eval()
    right = 0
    for start in range(0, len(world.asked), settings.batch_answering):
        some = world.asked[start : start + settings.batch_answering]
        asked = [one.asked for one in some]
        seen = [answerer.features(world.pictures.image(one.image_id or shown.BLANK)) for one in asked]
        chosen = answerer.answers(asked, answerer.rationales(asked, seen), seen)
        right += sum(number == one.answer for number, one in zip(chosen, some, strict=True))
    return right / len(world.asked)


def _facts(world: _World, parameters: int, best: Fitted, trained: int) -> dict[str, Any]:
    return {
        "train": len(world.learned.lessons),
        "validation": len(world.asked),
        "parameters": trained,
        "parameters_base": parameters,
        "epoch": best.best["epoch"],
        "accuracy_validation": best.best["accuracy_validation"],
        "loss_validation": best.best["loss_validation"],
        "cut": world.learned.cut,
        "left_out": len(world.learned.left_out),
        "left_out_validation": len(world.checked.left_out),
        "longest_target": world.learned.longest,
    }


def _kept(settings: Settings, digest: str, best: Fitted, longest: int, facts: Mapping[str, Any], into: Path) -> None:
    for name in (weights.CONFIG, weights.WEIGHTS):
        sealing.put(into / name, (best.folder / name).read_bytes())
    told = {
        "base_digest": digest,
        "longest_target": longest,
        "settings": settings.model_dump(mode="json") | {"base": sealing.placeless(settings.base)},
        "facts": dict(facts),
    }
    sealing.describe(into, settings.family, told)
