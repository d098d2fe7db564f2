"""Learning to answer from the train split: to see, to write rationales, to choose; the best on validation is kept."""

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.settings_training import Learned, MmCot
from assets.training import examples, fused, phrases
from assets.training.checkpoint import File
from assets.training.saved import Saved, made_of

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.learning import Learning

MM_COT = MmCot(family="mm-cot")


class TrainingError(Fault):
    """Samples that nothing can be learned from."""


class TrainingSettings(NamedTuple):
    """How long and how fast it learns.

    epochs: of seeing (phrases of the rationale from the picture alone), writing rationales, choosing answers. rates:
    the highest of each. batch: examples a step. colours: of the palette. hidden: share of the words that are hidden
    while learning. bare: share of the rationales that are left out when choosing is learned, so that it looks too.
    own: share that the first network wrote itself, so that it learns how far to trust them.
    most_validation: samples of the validation split that are looked at, at_once of them at a time.
    """

    seed: int = 0
    epochs_seeing: int = 6
    epochs_rationale: int = 6
    epochs_answer: int = 2
    rate_seeing: float = 2e-3
    rate_rationale: float = 2.5e-3
    rate_answer: float = 2e-3
    batch: int = 8
    width: int = 64
    colours: int = 24
    seeing: int = 256
    hidden: float = 0.05
    bare: float = 0.1
    own: float = 0.8
    most_validation: int = 500
    at_once: int = 64


class Trained(NamedTuple):
    """What came of it.

    curves: a row an epoch, {stage, epoch, step, loss, loss_validation, accuracy_validation}. facts: counts, of what
    was learned from only in part too, the epochs that were kept, the accuracy on validation, and all that decided how
    long and how fast it learned. files: of the checkpoint.
    """

    curves: list[dict[str, Any]]
    facts: dict[str, Any]
    files: tuple[File, ...]


def train(
    samples: Sequence[Sample],
    images: "Pictures",
    settings: TrainingSettings,
    into: Path,
    progress: Callable[[str], None] = lambda line: None,
    keep: Path | None = None,
    family: Learned = MM_COT,
) -> Trained:
    """Train on the kept samples of split train, choose on those of split validation, write the checkpoint `into`.

    The same samples and settings give the same files on the same machine; the samples' order does not matter, nor
    whether a run was killed and gone on with.

    Args:
        samples: of any split.
        images: their pictures.
        settings: how long and how fast it learns.
        into: the folder of the checkpoint.
        progress: is told a line an epoch.
        keep: the folder of the state after the last epoch; it is gone once the checkpoint is written.
        family: what learns, and from which checkpoints if from any.

    Raises:
        TrainingError: there is nothing to learn from, or nothing to choose on, or nothing was learned.

    Source: MM-CoT (arXiv:2302.00923): a rationale of question and picture, then an answer of all three, by a network
    each. Other than there the second network starts from the first one, since it is to see as well, and learns from
    rationales that the first one wrote beside those of the samples; an answer is the option with the highest score and
    no letter that is written; the first network learns to answer too, at a lesser weight; and the small network, for
    want of a checkpoint of pictures, learns to tell phrases from a picture before it writes.
    """
    from assets.training.batches import cut
    from assets.training.reader import one_thread

    begun = time.perf_counter()
    ordered = sorted(samples, key=lambda one: one.id or "")
    learned = _examples(ordered, "train")
    checked = _examples(ordered, "validation")
    if len(checked) > settings.most_validation:
        checked = random.Random(settings.seed).sample(checked, settings.most_validation)
    _check_pictures([*learned, *checked], images)
    contents = _contents(family)
    saved = None if keep is None else Saved(keep, made_of(learned, checked, settings, family, contents), progress)
    with one_thread():
        learning = _learning(learned, checked, images, settings, family, saved, progress)
        progress(f"{len(learned)} examples, {len(checked)} to choose on: {time.perf_counter() - begun:.0f} s")
        if learning.rows:
            progress(f"goes on after {_stage(learning.rows[-1], settings)}")
        for row in learning.learn():
            progress(_line(row, settings, time.perf_counter() - begun))
        facts = _facts(learning, learned, checked)
        told = facts | {"settings": settings._asdict()} | ({"contents": contents} if contents else {})
        files = fused.save(family, learning.backbone, learning.rationale, learning.answer, into, told)
    if saved is not None:
        saved.clear()
    lost = cut(learned, learning.backbone.words, learning.backbone.longest)
    return Trained(learning.rows, facts | lost | settings._asdict(), files)


def _learning(
    learned: Sequence[examples.Example],
    checked: Sequence[examples.Example],
    images: "Pictures",
    settings: TrainingSettings,
    family: Learned,
    saved: Saved | None,
    progress: Callable[[str], None],
) -> "Learning":
    from assets.training.learning import Lesson

    told = phrases.table([one.steps for one in learned])
    held = fused.backbone(family, settings, (learned, checked), told.shape[1], images, progress)
    return fused.learning(family, Lesson(tuple(learned), tuple(checked), told), held, settings, saved)


def _contents(family: Learned) -> list[str]:
    """The checkpoints that a training begins from, by what is in them."""
    if family.text is None and family.vision is None:
        return []
    from assets.training import t5_backbone

    return t5_backbone.contents(family)


def _facts(
    learning: "Learning", learned: Sequence[examples.Example], checked: Sequence[examples.Example]
) -> dict[str, Any]:
    kept = learning.kept
    if not {"rationale", "answer"} <= kept.keys():
        raise TrainingError(
            "no epoch's loss on validation is a number: set a lower rate, or look at what the samples hold"
        )
    found = [row for row in learning.rows if row["stage"] == "answer" and row["epoch"] == kept["answer"]]
    return {
        "train": len(learned),
        "validation": len(checked),
        "words": learning.backbone.words.count,
        "phrases": learning.lesson.told.shape[1],
        "parameters": learning.parameters,
        "epoch_rationale": kept["rationale"],
        "epoch_answer": kept["answer"],
        "accuracy_validation": found[0]["accuracy_validation"],
    }


def _examples(samples: Sequence[Sample], split: str) -> list[examples.Example]:
    found = [one for sample in samples if sample.split == split and (one := examples.of_sample(sample)) is not None]
    if len(found) < 2:
        raise TrainingError(
            f"split {split}: {len(found)} of its samples have question, options, answer and rationale, and two are the "
            "least that can be learned from: build more samples, or set m3cot.split"
        )
    return found


def _check_pictures(found: Sequence[examples.Example], images: "Pictures") -> None:
    missing = sorted({one.asked.image_id for one in found if one.asked.image_id} - set(images.ids().values()))
    if missing:
        raise TrainingError(f"{len(missing)} pictures are not there ({missing[0]}): build the pictures' table anew")


def _stage(row: dict[str, Any], settings: TrainingSettings) -> str:
    stage = row["stage"]
    number = {"seeing": "stage 1 (seeing)", "rationale": "stage 1 (rationale)", "answer": "stage 2 (answer)"}[stage]
    return f"{number}, epoch {row['epoch']} of {getattr(settings, f'epochs_{stage}')}"


def _line(row: dict[str, Any], settings: TrainingSettings, seconds: float) -> str:
    right = row["accuracy_validation"]
    checked = "" if row["loss_validation"] is None else f", validation loss {row['loss_validation']:.2f}"
    checked += "" if right is None else f", validation {right:.3f}"
    return f"{_stage(row, settings)}: loss {row['loss']:.2f}{checked}, {seconds:.0f} s"
