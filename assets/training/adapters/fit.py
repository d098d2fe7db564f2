"""Fitting an adapter with the Trainer of transformers, epoch by epoch, so that a fit that was stopped goes on."""

import contextlib
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assets.models.transformers_checkpoint import Checkpoint, threads
from assets.training.adapters import weights
from assets.training.adapters.lessons import Lesson, batch
from assets.training.adapters.shown import Shown
from assets.training.checkpoint import put
from assets.training.saved import keeping

WHOLE = "whole.json"
"""In a folder of the Trainer's: all of it is written; the digests of its files."""

DONE = "done.json"
STAGE = "adapter"


class Manner(NamedTuple):
    """How it is fitted. base: as the settings name it."""

    base: str
    epochs: int
    batch: int
    rate: float
    seed: int


class Fitted(NamedTuple):
    """What came of it: a row an epoch, the best of these, and the folder of that one's weights."""

    curves: list[dict[str, Any]]
    best: dict[str, Any]
    folder: Path


def fit(
    checkpoint: Checkpoint,
    peft: Any,
    learned: Sequence[Lesson],
    checked: Sequence[Lesson],
    shown: Shown,
    manner: Manner,
    keep: Path,
    right: Callable[[], float],
    progress: Callable[[str], None] = lambda line: None,
) -> Fitted:
    """Fit an adapter; after each epoch its state is in `keep`, and a later call goes on from there.

    The best epoch is the one with the highest accuracy on validation, of equal ones the one with the least loss there,
    of these the first. Stopped and gone on, it ends with the same bytes.

    Args:
        checkpoint: with the adapter in it.
        peft: what peft made of it.
        learned: what it learns from.
        checked: what its loss is checked on.
        shown: the pictures of both.
        manner: how it is fitted.
        keep: a folder of this fit alone.
        right: the accuracy on validation as the checkpoint is now.
        progress: is told a line an epoch.

    Raises:
        Fault: its state cannot be written.
    """
    done = keep / DONE
    if (lost := _damaged(keep)) is not None:
        progress(f"{lost}: is damaged: this fit begins anew")
        shutil.rmtree(keep)
    if done.is_file():
        curves = json.loads(done.read_bytes())
    else:
        with keeping(keep), _own_chance(manner.seed), threads(checkpoint.device), _quiet():
            keep.mkdir(parents=True, exist_ok=True)
            made = _trainer(checkpoint, peft, learned, checked, shown, manner, keep, right, progress)
            made.train(resume_from_checkpoint=_last(keep))
            curves = _curves(made.state.log_history)
        checkpoint.model.eval()
        with keeping(keep):
            put(done, json.dumps(curves, sort_keys=True).encode())
    best = max(curves, key=lambda row: (row["accuracy_validation"], -row["loss_validation"], -row["epoch"]))
    return Fitted(curves, best, keep / f"checkpoint-{best['step']}")


def _trainer(
    checkpoint: Checkpoint,
    peft: Any,
    learned: Sequence[Lesson],
    checked: Sequence[Lesson],
    shown: Shown,
    manner: Manner,
    keep: Path,
    right: Callable[[], float],
    progress: Callable[[str], None],
) -> Any:
    from transformers import Trainer, TrainerCallback, TrainingArguments
    from transformers.trainer_callback import PrinterCallback

    class Fitting(Trainer):
        """The Trainer, whose checkpoints hold the adapter alone, and whose evaluation also asks what is right."""

        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            folder = Path(output_dir or keep)
            folder.mkdir(parents=True, exist_ok=True)
            for name, held in weights.content(peft, manner.base).items():
                put(folder / name, held)

        def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
            weights.restore(peft, Path(resume_from_checkpoint))

        def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
            measured: dict[str, float] = super().evaluate(*args, **kwargs)
            found = {"eval_accuracy": right()}
            self.log(found)
            return measured | found

    class Marking(TrainerCallback):
        """Marks a folder of the Trainer's once all of it is written: one that is not marked was cut short.

        The epoch is told of then, and not before: it will not be gone through again.
        """

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            folder = keep / f"checkpoint-{state.global_step}"
            put(folder / WHOLE, json.dumps(_digests(folder), sort_keys=True).encode())
            progress(_line(state.log_history, manner))

    def together(some: list[Lesson]) -> dict[str, Any]:
        return batch(checkpoint, [one.waiting for one in some], [one.target for one in some], shown)

    arguments = TrainingArguments(
        output_dir=str(keep),
        num_train_epochs=manner.epochs,
        per_device_train_batch_size=manner.batch,
        per_device_eval_batch_size=manner.batch,
        learning_rate=manner.rate,
        lr_scheduler_type="linear",
        optim="adamw_torch",
        seed=manner.seed,
        data_seed=manner.seed,
        use_cpu=checkpoint.device == "cpu",
        logging_strategy="epoch",
        eval_strategy="epoch",
        save_strategy="epoch",
        report_to="none",
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        prediction_loss_only=True,
        label_names=["labels"],
    )
    if arguments.n_gpu > 1:
        # Else the Trainer would spread each batch over all devices, and what is asked of one would not be there.
        arguments._n_gpu = 1
    made = Fitting(
        model=checkpoint.model,
        args=arguments,
        data_collator=together,
        train_dataset=list(learned),
        eval_dataset=list(checked),
        callbacks=[Marking()],
    )
    made.remove_callback(PrinterCallback)
    return made


def _last(keep: Path) -> str | None:
    """The Trainer's last whole folder; those that were cut short are removed."""
    found: list[tuple[int, Path]] = []
    for path in keep.glob("checkpoint-*"):
        if (path / WHOLE).is_file():
            found.append((int(path.name.rpartition("-")[2]), path))
        else:
            shutil.rmtree(path)
    return str(max(found)[1]) if found else None


def _damaged(keep: Path) -> Path | None:
    """A file of a whole folder of the Trainer's, or the curves of a fit that is done, that is not as it was written.

    Each of these folders may be that of the best epoch.
    """
    for whole in sorted(keep.glob(f"checkpoint-*/{WHOLE}")):
        try:
            if json.loads(whole.read_bytes()) != _digests(whole.parent):
                return whole.parent
        except ValueError:
            return whole
    done = keep / DONE
    try:
        steps = [row["step"] for row in json.loads(done.read_bytes())] if done.is_file() else []
    except (ValueError, TypeError, KeyError):
        return done
    return next(
        (keep / f"checkpoint-{step}" for step in steps if not (keep / f"checkpoint-{step}" / WHOLE).is_file()), None
    )


def _digests(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.iterdir() if path.name != WHOLE and not path.name.startswith(".")]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _curves(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row an epoch out of what the Trainer logged."""
    steps: dict[int, dict[str, Any]] = {}
    for row in history:
        steps.setdefault(row["step"], {}).update(row)
    whole = [row for _, row in sorted(steps.items()) if "eval_loss" in row]
    return [
        {
            "stage": STAGE,
            "epoch": epoch,
            "step": row["step"],
            "loss": row["loss"],
            "loss_validation": row["eval_loss"],
            "accuracy_validation": row["eval_accuracy"],
        }
        for epoch, row in enumerate(whole, 1)
    ]


def _line(history: Sequence[dict[str, Any]], manner: Manner) -> str:
    row = _curves(history)[-1]
    return (
        f"batch {manner.batch}, rate {manner.rate:g}, epoch {row['epoch']} of {manner.epochs}: loss {row['loss']:.2f}, "
        f"validation loss {row['loss_validation']:.2f}, validation {row['accuracy_validation']:.3f}"
    )


@contextlib.contextmanager
def _own_chance(seed: int) -> Iterator[None]:
    """Within it all draws follow from the seed; outside nothing is noticed of them."""
    import numpy as np
    import torch

    before, numbers = random.getstate(), np.random.get_state()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        try:
            yield
        finally:
            random.setstate(before)
            np.random.set_state(numbers)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Within it the Trainer says only what went wrong."""
    from transformers.utils import logging

    shown: Any = logging
    before = shown.get_verbosity()
    shown.set_verbosity_error()
    try:
        yield
    finally:
        shown.set_verbosity(before)
