"""Learning to answer from the train split: to see, to write rationales, to choose; the best on validation is kept."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.training import examples, phrases, pictures, text
from assets.training.checkpoint import File, save

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.learning import Lesson


class TrainingError(Fault):
    """Samples that nothing can be learned from."""


class TrainingSettings(NamedTuple):
    """How long and how fast it learns.

    epochs: of seeing (phrases of the rationale from the picture alone), writing rationales, choosing answers. rates:
    the highest of each. batch: examples a step. colours: of the palette. hidden: share of the words that are hidden
    while learning. bare: share of the rationales that are left out when choosing is learned, so that it looks too.
    own: share that the first network wrote itself, so that it learns how far to trust them.
    most_validation: samples of the validation split that are looked at.
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


class Trained(NamedTuple):
    """What came of it.

    curves: a row an epoch, {stage, epoch, step, loss, loss_validation, accuracy_validation}. facts: counts, the epochs
    that were kept, the accuracy on validation. files: of the checkpoint.
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
) -> Trained:
    """Train on the kept samples of split train, choose on those of split validation, write the checkpoint `into`.

    The same samples and settings give the same files on the same machine; the samples' order does not matter.

    Raises:
        TrainingError: there is nothing to learn from, or nothing to choose on.

    Source: MM-CoT (arXiv:2302.00923): a rationale of question and picture, then an answer of all three; the second
    network starts from the first one here, since it is to see as well.
    """
    from assets.training.reader import one_thread

    begun = time.perf_counter()
    ordered = sorted(samples, key=lambda one: one.id or "")
    learned = _examples(ordered, "train")
    checked = _examples(ordered, "validation")
    rng = random.Random(settings.seed)
    if len(checked) > settings.most_validation:
        checked = rng.sample(checked, settings.most_validation)
    shown = _pixels([*learned, *checked], images)
    with one_thread():
        from assets.training.learning import Learning

        learning = Learning(_lesson(learned, checked, shown, settings), settings)
        progress(f"{len(learned)} examples, {len(checked)} to choose on: {time.perf_counter() - begun:.0f} s")
        curves: list[dict[str, Any]] = []
        for row in _rows(learning):
            curves.append(row)
            progress(_line(row, settings, time.perf_counter() - begun))
        facts = {
            "train": len(learned),
            "validation": len(checked),
            "words": len(learning.lesson.vocabulary.words),
            "phrases": learning.lesson.told.shape[1],
            "parameters": learning.parameters,
            "epoch_rationale": learning.kept["rationale"],
            "epoch_answer": learning.kept["answer"],
            "accuracy_validation": next(
                row["accuracy_validation"]
                for row in curves
                if row["stage"] == "answer" and row["epoch"] == learning.kept["answer"]
            ),
        }
        files = save(learning.reader(), into, facts | {"settings": settings._asdict()})
    return Trained(curves, facts, files)


def _examples(samples: Sequence[Sample], split: str) -> list[examples.Example]:
    found = [one for sample in samples if sample.split == split and (one := examples.of_sample(sample)) is not None]
    if len(found) < 2:
        raise TrainingError(
            f"split {split}: {len(found)} of its samples have question, options, answer and rationale, and two are the "
            "least that can be learned from: build more samples, or set m3cot.split"
        )
    return found


def _pixels(found: Sequence[examples.Example], images: "Pictures") -> dict[str, pictures.Pixels]:
    from assets.images import decode

    wanted = {one.asked.image_id for one in found if one.asked.image_id}
    shown = {
        row.image_id: pictures.pixels(decode(row.png)) for row in images.stream(wanted) if row.png and row.image_id
    }
    missing = sorted(wanted - set(shown))
    if missing:
        raise TrainingError(f"{len(missing)} pictures are not there ({missing[0]}): build the pictures' table anew")
    return shown


def _lesson(
    learned: Sequence[examples.Example],
    checked: Sequence[examples.Example],
    shown: dict[str, pictures.Pixels],
    settings: TrainingSettings,
) -> "Lesson":
    from assets.training.learning import Lesson

    rng = np.random.default_rng(settings.seed)
    seen = sorted({one.asked.image_id for one in learned if one.asked.image_id})
    blank = np.full((pictures.HEIGHT, pictures.WIDTH, 3), 255, dtype=np.uint8)
    palette = pictures.palette([shown[image_id] for image_id in seen] or [blank], settings.colours, rng)
    numbers = {image_id: pictures.numbered(one, palette) for image_id, one in shown.items()}
    numbers[""] = pictures.numbered(blank, palette)
    vocabulary = text.Vocabulary.of(
        words for one in learned for words in (one.asked.question, *one.asked.choices, *one.steps)
    )
    spread = pictures.spread((numbers[image_id] for image_id in seen or [""]), settings.colours)
    told = phrases.table([one.steps for one in learned])
    return Lesson(tuple(learned), tuple(checked), numbers, palette, spread, vocabulary, told)


def _rows(learning: Any) -> Iterator[dict[str, Any]]:
    yield from learning.see()
    yield from learning.write()
    yield from learning.choose()


def _line(row: dict[str, Any], settings: TrainingSettings, seconds: float) -> str:
    stage = row["stage"]
    number = {"seeing": "stage 1 (seeing)", "rationale": "stage 1 (rationale)", "answer": "stage 2 (answer)"}[stage]
    of = getattr(settings, f"epochs_{stage}")
    right = row["accuracy_validation"]
    checked = "" if row["loss_validation"] is None else f", validation loss {row['loss_validation']:.2f}"
    checked += "" if right is None else f", validation {right:.3f}"
    return f"{number}, epoch {row['epoch']} of {of}: loss {row['loss']:.2f}{checked}, {seconds:.0f} s"
