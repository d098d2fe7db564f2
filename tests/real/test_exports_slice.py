"""The exports on real texts: ScienceQA's problems and M3CoT's released predictions come out as they went in."""

import io
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from assets import samples as tables
from assets.evaluation import stored
from assets.exports import predictions, scienceqa, vlmevalkit
from assets.exports.predictions import Replies
from assets.images import Pictures, once
from assets.m3cot import release
from assets.models import replay
from assets.samples import LETTERS, Sample
from assets.schema.tables import as_table
from assets.sources import jsonlines, m3cot_released, released_folder
from assets.sources import scienceqa as source

SLICE = Path(__file__).resolve().parents[2].parent / "shared" / "data"
PROBLEMS = SLICE / "scienceqa"
RELEASED = SLICE / "m3cot_released"

PICTURES = 30
"""Picture files that are read: problems that name another one are not among the samples."""

pytestmark = pytest.mark.skipif(not RELEASED.is_dir(), reason="the slice of released files is not here")


def read(folder: Path) -> tuple[list[Sample], Pictures]:
    pictures = Pictures.of(once(islice(source.pictures(folder), PICTURES)))
    rows = source.samples(folder, pictures.ids(), pictures.reasons(), provenance="")
    return [row for row in tables.of_table(tables.to_table(rows)) if row.dropped is None], pictures


def test_problems_of_scienceqa_come_back_from_three_forms(tmp_path: Path) -> None:
    import pandas as pd

    rows, pictures = read(PROBLEMS)
    assert len(rows) > 894 and sum(bool(row.images) for row in rows) > 20

    scienceqa.write(rows, pictures, tmp_path / "sqa")
    lost: dict[str, Any] = {"id": "", "source_id": ""}
    assert [row._replace(**lost) for row in read(tmp_path / "sqa")[0]] == [row._replace(**lost) for row in rows]

    release.write(rows, pictures, tmp_path / "m3cot")
    again = Pictures.of(once(released_folder.pictures(tmp_path / "m3cot")))
    found = {row.id: row for row in released_folder.samples(tmp_path / "m3cot", again.ids(), again.reasons())}
    for row in rows:
        one = found[row.id]
        assert (one.question, one.context, one.choices) == (row.question, row.context, row.choices)
        assert (one.rationale, one.images or None, one.answer) == (row.rationale, row.images, row.answer)

    written = vlmevalkit.write(rows, pictures, tmp_path / "vlm")
    assert written.records == {"test": sum(bool(row.images or row.choice_images) for row in rows)}
    by_id = {row.id: row for row in rows}
    for line in pd.read_csv(tmp_path / "vlm/M3CoT_test.tsv", sep="\t").to_dict("records"):
        row = by_id[line["id"]]
        options = [line[each] for each in LETTERS if each in line and not pd.isna(line[each])]
        assert (options, line["question"]) == (list(row.choices or ()), row.question)


@pytest.mark.parametrize("file", ["gemini/dsp", "cogvlm/cot"])
def test_released_predictions_are_read_again_as_they_were(tmp_path: Path, file: str) -> None:
    def rows(path: Path) -> list[dict[str, Any]]:
        return list(replay.rows("e", "f", replay.replies(jsonlines.read(path, path.name)), "m3cot"))

    items = m3cot_released.samples(jsonlines.read(RELEASED / "test_items.jsonl.gz", "t"), file="t")
    given = rows(RELEASED / "predictions" / f"{file}.jsonl.gz")
    table = io.BytesIO()
    pq.write_table(as_table("prediction", given), table)
    opened = pq.ParquetFile(io.BytesIO(table.getvalue()))
    asked = Replies("e", "m3cot", "test", opened, stored.items(tables.to_table(items), "test"))
    assert predictions.write([asked], Pictures.of(()), tmp_path / "out").records == {"e": 2318}
    again = rows(tmp_path / "out/e.jsonl")
    assert [(row["sample_id"], row["turns"], row["status"]) for row in again] == [
        (row["sample_id"], row["turns"], row["status"]) for row in given
    ]
