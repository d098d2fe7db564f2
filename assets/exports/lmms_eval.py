"""A benchmark as a task folder of lmms-eval: the task's YAML, the functions that it names, and parquet."""

from collections.abc import Sequence
from pathlib import Path

from assets.comt import release_parquet as comt_parquet
from assets.exports import lmms_eval_functions, parquet
from assets.exports.card import card
from assets.exports.questions import asked_pictures, unfit
from assets.exports.written import PictureTable, Progress, Written, carried, new_folder, splits_of, within
from assets.m3cot import release as m3cot
from assets.m3cot import release_parquet as m3cot_parquet
from assets.schema.sample import Sample

FUNCTIONS = "utils"
"""The file of the functions, without its suffix, as lmms-eval's own tasks call theirs."""

WORDS = "\\n\\nLet's think step-by-step! End with the letter of the right option, as in: The answer is (A)."
"""Source: arXiv:2405.16473, B.2.2, for the first sentence."""


def why_not(sample: Sample) -> str | None:
    """Why a task of lmms-eval has no place for a sample; None when it has."""
    return unfit(sample) or (m3cot.why_not(sample) if sample.benchmark == "m3cot" else None)


def write(
    samples: Sequence[Sample],
    pictures: PictureTable,
    folder: Path,
    progress: Progress = iter,
    *,
    title: str = "M3CoT",
    task: str = "m3cot",
) -> Written:
    """Write <task>.yaml, utils.py, data/<split>-*.parquet as the form parquet has them, and README.md.

    The task asks of the test split, or of validation where there is no test. It finds its records beside utils.py, so
    that the folder works wherever it lies: `lmms_eval --include_path DIR --tasks <task>`.

    Args:
        samples: what was kept; the order of the rows.
        pictures: the table of their pictures.
        folder: a new one, or an empty one.
        progress: wraps the pictures as they are written.
        title: the heading of the README.
        task: its name.

    Raises:
        ExportError: the folder is taken or cannot be written, a picture is not in the table, or no sample has a place
            in this form.

    Source: docs/task_guide.md of lmms-eval.
    """
    kept, notes = carried(samples, why_not, "lmms-eval")
    with new_folder(folder) as making:
        if kept[0].benchmark == "comt":
            columns = comt_parquet.SCHEMA
            lengths, count, left_out = comt_parquet.rows(kept, pictures, making, progress)
        else:
            columns, lengths, count = m3cot_parquet.rows(kept, pictures, making, progress)
            left_out = 0
        records = splits_of(kept)
        bare = sum(not asked_pictures(sample) for sample in kept)
        if bare:
            notes.append(f"{bare:,} questions show no picture: models are asked them in words alone")
        asked = next(split for split in ("test", "validation", "train") if split in records)
        _put(within(making, f"{task}.yaml"), task_yaml(task, asked))
        functions = Path(lmms_eval_functions.__file__).read_text(encoding="utf-8")
        _put(making / f"{FUNCTIONS}.py", functions)
        form = _FORM.format(task=task, split=asked)
        _put(
            making / "README.md",
            parquet.head(title, records, columns, lengths) + card(kept, records, title, form, notes),
        )
    return Written(records, count, left_out, tuple(notes))


def task_yaml(task: str, split: str) -> str:
    """The task's file.

    `dataset_path` is read from utils.py, which knows where it lies. `until` is empty: its default would end a reply
    at the first empty line, within its reasoning.
    """
    return f"""task: {task}
dataset_path: !function {FUNCTIONS}.FOLDER
test_split: {split}
output_type: generate_until
doc_to_visual: !function {FUNCTIONS}.doc_to_visual
doc_to_text: !function {FUNCTIONS}.doc_to_text
doc_to_target: !function {FUNCTIONS}.doc_to_target
process_results: !function {FUNCTIONS}.process_results
generation_kwargs:
  max_new_tokens: 1024
  temperature: 0
  do_sample: false
  until: []
metric_list:
  - metric: accuracy
    aggregation: mean
    higher_is_better: true
lmms_eval_specific_kwargs:
  default:
    pre_prompt: ""
    post_prompt: "{WORDS}"
metadata:
  version: 1.0
"""


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


_FORM = (
    "A task of lmms-eval: `lmms_eval --include_path DIR --tasks {task}` with this folder as DIR. `{task}.yaml` is the "
    "task, which asks of split {split}; `utils.py` has the functions that it names; `data/` holds the records with "
    "their pictures, which `datasets` opens too. Replies are read more simply than Cotline's strict extraction reads "
    "them: where a letter and the text behind it contradict each other the letter counts, of several letters in "
    "brackets the last; an option's text is looked for only where there is no letter, whatever negates or declares it."
)
