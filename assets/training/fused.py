"""The families that fuse words and pictures: what learns and answers of each, and what their checkpoints consist of."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assets.settings_training import Learned, McCot, MmCot, Mmr
from assets.training import checkpoint, small
from assets.training.backbone import Backbone
from assets.training.examples import Example

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.learning import Learning, Lesson
    from assets.training.mc_cot import Several
    from assets.training.network import Network
    from assets.training.reader import Reader
    from assets.training.saved import Saved
    from assets.training.train import TrainingSettings

RATIONALE = "rationale.safetensors"
ANSWER = "answer.safetensors"

_OF_FAMILIES: Mapping[str, type[MmCot] | type[McCot] | type[Mmr]] = {"mm-cot": MmCot, "mc-cot": McCot, "mmr": Mmr}


def backbone(
    settings: Learned,
    knobs: "TrainingSettings",
    examples: tuple[Sequence[Example], Sequence[Example]],
    phrases: int,
    images: "Pictures",
    progress: Callable[[str], None] = lambda line: None,
) -> Backbone:
    """Words, looks and networks of a training.

    Args:
        settings: of the family.
        knobs: seed and widths.
        examples: those of train and those of validation.
        phrases: how many are told from pictures, where seeing is learned.
        images: the pictures of all examples.
        progress: is told what takes long.

    Raises:
        Fault: a checkpoint that the settings name cannot be had, or is of another kind.
    """
    if settings.text is not None or settings.vision is not None:
        from assets.training import t5_backbone

        encoded: Backbone = t5_backbone.made(settings, knobs, examples, phrases, images, progress)
        return encoded
    learned, checked = examples
    return small.made(learned, phrases, small.pixels([*learned, *checked], images), knobs, _building(settings))


def learning(
    settings: Learned, lesson: "Lesson", held: Backbone, knobs: "TrainingSettings", saved: "Saved | None"
) -> "Learning":
    """What learns of the family, from the beginning or from what was saved."""
    if settings.family == "mc-cot":
        from assets.training.mc_cot import McCotLearning

        return McCotLearning(lesson, held, knobs, saved, several=_several(settings))
    if settings.family == "mmr":
        from assets.training.mmr import MmrLearning

        return MmrLearning(lesson, held, knobs, saved, share=settings.contrast, temperature=settings.temperature)
    from assets.training.learning import Learning

    return Learning(lesson, held, knobs, saved)


def reader(settings: Learned, held: Backbone, rationale: "Network", answer: "Network") -> "Reader":
    """What answers of the family."""
    if settings.family == "mc-cot":
        from assets.training.mc_cot import McCotReader

        return McCotReader(held, rationale, answer, _several(settings))
    from assets.training.reader import Reader

    return Reader(held, rationale, answer)


def save(
    settings: Learned, held: Backbone, rationale: "Network", answer: "Network", into: Path, facts: Mapping[str, Any]
) -> tuple[checkpoint.File, ...]:
    """Write the checkpoint, the manifest last, each file whole or not at all; its files.

    Args:
        settings: of the family.
        held: words and looks.
        rationale: the network that writes rationales.
        answer: the network that chooses options.
        into: the folder; it is made where it is not there.
        facts: what else the description is to say, as JSON values.
    """
    from safetensors.torch import save as packed

    into.mkdir(parents=True, exist_ok=True)
    for name, network in ((RATIONALE, rationale), (ANSWER, answer)):
        weights = {key: value.detach().cpu().contiguous() for key, value in network.state_dict().items()}
        checkpoint.put(into / name, packed(weights))
    held.write(into)
    named = {key: checkpoint.placeless(name) for key in ("text", "vision") if (name := getattr(settings, key))}
    told = {
        "settings": settings.model_dump(mode="json") | named,
        "backbone": dict(held.described()),
        "facts": dict(facts),
    }
    checkpoint.describe(into, settings.family, told)
    return checkpoint.seal(into)


def load(folder: Path, description: Mapping[str, Any]) -> "Reader":
    """What was learned, as it was when it was saved, ready to answer; description: of the folder, verified.

    Raises:
        CheckpointError: the description is of no family of these, or the files are not those of what it describes.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from assets.training.fitting import seeded

    try:
        settings = _OF_FAMILIES[description["family"]].model_validate(description["settings"])
    except (KeyError, ValueError):
        raise checkpoint.CheckpointError(
            f"{folder}: is of family {description['family']} with settings that are unknown here: train the model anew"
        ) from None
    networks: list[Network] = []
    try:
        held = _restored(settings, description["backbone"], folder)
        for name in (RATIONALE, ANSWER):
            with seeded(0):
                network = held.network()
            network.load_state_dict(load_file(folder / name))
            networks.append(network)
    except (KeyError, ValueError, TypeError, AttributeError, OSError, RuntimeError, SafetensorError) as error:
        if isinstance(error, checkpoint.CheckpointError):
            raise
        raise checkpoint.CheckpointError(
            f"{folder}: its files are not those of the model that it describes ({type(error).__name__}): train the "
            "model anew"
        ) from error
    return reader(settings, held, networks[0], networks[1])


def _restored(settings: Learned, described: Mapping[str, Any], folder: Path) -> Backbone:
    if settings.text is not None or settings.vision is not None:
        from assets.training import t5_backbone

        encoded: Backbone = t5_backbone.restored(settings, described, folder)
        return encoded
    return small.restored(described, _building(settings))


def _building(settings: Learned) -> small.Building:
    if settings.family == "mmr":
        from assets.training.mmr import HopsNetwork

        hops = settings.hops
        return lambda shape: HopsNetwork(shape, hops)
    from assets.training.mm_cot import GatedNetwork

    return GatedNetwork


def _several(settings: McCot) -> "Several":
    from assets.training.mc_cot import Several

    return Several(settings.rationales, settings.temperature, settings.seed)
