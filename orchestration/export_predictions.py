"""`cotline export predictions`: the stored replies of evaluations, as predictions are released or as parquet."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from assets import params
from assets.evaluation import stored
from assets.evaluation.rows import Item
from assets.exports import predictions
from assets.exports.predictions import Replies
from assets.exports.written import ExportError, Written
from assets.images import Pictures
from assets.settings_evaluation import Evaluation, made_by
from orchestration.export import said, watched
from orchestration.export_tables import Stored, open_table, readable, sample_table
from orchestration.storage import table_file

FORMS: dict[str, Callable[..., Written]] = {"released": predictions.write, "parquet": predictions.write_parquet}
PICTURES = ("evaluation", "pictures")
TITLE = "Predictions"


def export(folder: Path, form: str, names: Sequence[str] | None = None) -> str:
    """Write the stored replies of these evaluations, or of all that have some; what was written comes out.

    Raises:
        ExportError: there is no such form of predictions, no such evaluation or no replies of it, a table is not made
            or not good, or the folder is taken.
    """
    if form not in FORMS:
        raise ExportError(f"predictions have no form {form}: choose {' or '.join(FORMS)}")
    evaluations = params.load().evaluations
    chosen = sorted(evaluations) if names is None else list(dict.fromkeys(names))
    if unknown := [name for name in chosen if name not in evaluations]:
        raise ExportError(f"{unknown[0]}: no evaluation of params.yaml: it has {', '.join(sorted(evaluations))}")
    notes = []
    if names is None:
        left = [name for name in chosen if not table_file(_asset(evaluations[name]), name).exists()]
        chosen = [name for name in chosen if name not in left]
        if not chosen:
            raise ExportError("no evaluation has replies yet: cotline materialize evaluation/recorded")
        if left:
            notes.append(f"{len(left):,} evaluations have no replies yet: left out ({', '.join(left)})")
    items: dict[tuple[str, str, str], dict[str, Item]] = {}
    with contextlib.ExitStack() as stack:
        found = []
        for name in chosen:
            one = evaluations[name]
            opened = open_table(_asset(one), name, "prediction")
            stack.callback(opened.close)
            asked = (one.benchmark, one.edition, one.split)
            if asked not in items:
                group, asset = stored.asset_of(one.benchmark, one.edition).split("/")
                items[asked] = stored.items(sample_table((group, asset)), one.split)
            people = _kind(one) == "human"
            table = Stored(opened, _asset(one), name)
            found.append(Replies(name, one.benchmark, one.split, table, items[asked], people))
        pictures = Pictures.of(())
        # where no model drew, and its table is not made, there is nothing to miss
        if table_file(PICTURES).exists():
            drawn = open_table(PICTURES)
            stack.callback(drawn.close)
            pictures = Pictures(drawn)
        with readable(PICTURES):
            total = len(pictures.ids())
        written = FORMS[form](found, pictures, folder, watched(folder, total, PICTURES), title=TITLE)
    return said(folder, written, notes)


def _kind(evaluation: Evaluation) -> str:
    return params.load().models[evaluation.model].kind


def _asset(evaluation: Evaluation) -> tuple[str, str]:
    """The asset that keeps the replies of an evaluation, by its model's kind."""
    return "evaluation", made_by(_kind(evaluation))
