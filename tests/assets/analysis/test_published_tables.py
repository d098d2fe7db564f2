"""`assets.analysis.published_tables`: the paper's two tables and the public leaderboard, as data."""

import csv
from collections import Counter
from pathlib import Path

import pyarrow as pa

from assets.analysis import published_tables
from assets.analysis.entries import Entry
from assets.analysis.paper_comparison import compare, counts
from assets.analysis.published_tables import COLUMNS, cells, claims
from assets.schema.tables import TABLES

BOARD = Path(published_tables.__file__).parent / "published" / "m3cot_leaderboard.csv"


def entry(evaluation, published, strategy, **changes):
    return Entry(evaluation, "a_model", strategy, 0, "m3cot", "released", "test", published)._replace(**changes)


def test_every_row_of_the_three_tables_has_a_name_of_its_own():
    names = Counter((cell.table, cell.model, cell.strategy, cell.column) for cell in cells())
    assert max(names.values()) == 1
    rows = Counter(table for table, _, _, column in names if column == "total")
    assert rows == {"zero_shot": 32, "exploration": 16, "leaderboard": 116}


def test_rows_of_the_board_with_one_model_prompt_and_setting_are_told_apart():
    with BOARD.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    alike = Counter((row["model"], row["prompt"], row["setting"]) for row in rows)
    assert {name: n for name, n in alike.items() if n > 1} == {
        ("LLaVA-V1.5-7B", "Direct", "zero-shot"): 2,
        ("MM-CoT", "-", "fine-tuning"): 2,
        ("MC-CoT", "-", "fine-tuning"): 2,
        ("GPT-Distill", "CoT", "fine-tuning"): 2,
        ("STaR", "CoT", "preference-optimization"): 2,
        ("R3V", "CoT", "preference-optimization"): 2,
    }
    assert [row["strategy"] for row in rows if row["model"] == "R3V"] == [
        "CoT preference-optimization Qwen-VL-7B",
        "CoT preference-optimization LLaVA-1.5-7B",
    ]


def test_the_boards_rows_of_the_paper_have_the_papers_cells():
    of = {"zero_shot": {}, "leaderboard": {}}
    for cell in cells():
        if cell.repeats and cell.table in of:
            of[cell.table][cell.repeats, cell.column] = cell.accuracy
    shared = of["zero_shot"].keys() & of["leaderboard"].keys()
    # four ways each of kosmos-2, instruct-blip-13b, llava-7b, llava-13b, cogvlm, gemini, gpt4v; two of instruct-blip-7b
    assert len(shared) == 30 * len(COLUMNS)
    assert all(of["zero_shot"][key] == of["leaderboard"][key] for key in shared)


def test_only_zero_shot_rows_of_the_board_can_be_repeated():
    with BOARD.open(encoding="utf-8", newline="") as file:
        rows = {(row["model"], row["strategy"]): row["setting"] for row in csv.DictReader(file)}
    board = [cell for cell in cells() if cell.table == "leaderboard"]
    assert {rows[cell.model, cell.strategy] for cell in board if cell.repeats} == {"zero-shot"}
    assert all(cell.repeats for cell in board if rows[cell.model, cell.strategy] == "zero-shot")


def test_a_model_of_the_board_alone_can_be_repeated_too():
    one = entry("mine", "Qwen2-VL-7B", "cot")
    assert claims([one]) == {"mine": ("Qwen2-VL-7B", "cot")}
    assert claims([entry("mine", "Qwen2-VL-7B", "direct"), one._replace(evaluation="few", shots=1)]) == {}


def test_ours_stands_beside_both_rows_and_is_counted_by_table():
    total = {"scope": "total", "name": "total", "n": 10_000, "correct": 5695, "accuracy": 0.5695, "missing": 0}
    score = {"evaluation": "mine", "extractor": "paper", "policy": "paper", "labels": "paper"} | total
    table = compare(pa.Table.from_pylist([score], TABLES["score"].schema), [entry("mine", "gpt4v", "direct")])
    beside = [(row["table"], row["model"], row["strategy"]) for row in table.to_pylist() if row["ours"] is not None]
    assert beside == [("zero_shot", "gpt4v", "direct"), ("leaderboard", "GPT4V", "Direct zero-shot")]
    assert counts(table) == {
        "leaderboard/paper/paper": {"cells": 1, "equal": 1},
        "zero_shot/paper/paper": {"cells": 1, "equal": 1},
    }
    assert table.num_rows == 10 * (32 + 16 + 116)
