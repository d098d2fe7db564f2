"""`cotline store`: what it says of a store, and what it writes of it."""

import gzip
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assets import params
from assets.replies_store import RepliesStore
from orchestration import cli

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout's folder without replies, and the command as `cotline` knows it."""
    monkeypatch.setattr(params, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(cli.COMMANDS, "store", ("store", "add_arguments", "run", "what the store of replies holds"))
    return tmp_path


def record(evaluation: str, status: str = "ok", asking: str = "first", tokens: int | None = 10) -> dict[str, Any]:
    text = [["text", f"naïve {evaluation}", None]]
    return {
        **{"model": "parrot", "evaluation": evaluation, "asking": asking, "status": status, "parts": text},
        **{"tokens_in": tokens, "tokens_out": None if tokens is None else 2},
    }


def filled(folder: Path) -> None:
    with RepliesStore(folder) as store:
        store.put("a", record("one_cot"))
        store.put("b", record("one_cot", "error", tokens=None), accepted=False)
        store.put("b", record("one_cot", "truncated"))
        store.put("b", record("one_cot"))
        store.put("c", record("two_direct", asking="night-2026-11-30"))
        store.add_hits(5, evaluation="one_cot", model="parrot", asking="first")
        store.add_hits(2, evaluation="two_direct", model="parrot", asking="first")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["store", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_page_counts_by_model_evaluation_and_asking(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(root / "var" / "replies")
    status, out, _ = said(capsys)
    size = (root / "var/replies/segment-000001.jsonl").stat().st_size
    assert status == 0
    assert out == (
        f"var/replies: 1 segments, {size / 1e6:.1f} MB\n"
        "3 accepted, 1 attempts, 1 duplicates, 0 damaged\n"
        "7 hits in 2 runs\n"
        "\n"
        "model   evaluation  asking            accepted  attempts  tokens in  out  statuses\n"
        "parrot  one_cot     first                    2         1         30    6  error 1, ok 2, truncated 1\n"
        "parrot  two_direct  night-2026-11-30         1         0         10    2  ok 1\n"
    )


def test_json_is_the_same_for_programs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(root / "var" / "replies")
    shown = json.loads(said(capsys, "--json", "--evaluation", "one_cot")[1])
    assert shown.pop("bytes") == (root / "var/replies/segment-000001.jsonl").stat().st_size
    assert shown == {
        **{"folder": "var/replies", "segments": 1, "accepted": 3, "attempts": 1, "duplicates": 1, "damaged": 0},
        **{"hits": 5, "runs": 1},
        "groups": [
            {
                **{"model": "parrot", "evaluation": "one_cot", "asking": "first", "accepted": 2, "attempts": 1},
                **{"duplicates": 1, "tokens_in": 30, "tokens_out": 6},
                "statuses": {"error": 1, "ok": 2, "truncated": 1},
            }
        ],
    }


def test_a_store_that_is_not_there_yet_is_said_and_not_made(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys) == (
        0,
        "var/replies: no reply yet: cotline materialize an evaluation that asks a model\n",
        "",
    )
    assert not (root / "var").exists()
    assert said(capsys, "--folder", "elsewhere")[2] == (
        "cotline store: elsewhere: is no folder: name one that holds segment-000001.jsonl\n"
    )


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_an_export_has_every_accepted_record_and_nothing_else(
    root: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    filled(root / "var" / "replies")
    assert said(capsys, "--export", name)[:2] == (0, f"{name}: 3 accepted replies\n")
    content = (root / name).read_bytes()
    lines = (gzip.decompress(content) if name.endswith("gz") else content).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"key": "a", **record("one_cot")},
        {"key": "b", **record("one_cot", "truncated")},
        {"key": "c", **record("two_direct", asking="night-2026-11-30")},
    ]
    said(capsys, "--export", f"again-{name}")
    assert (root / f"again-{name}").read_bytes() == content
    assert sorted(path.name for path in root.iterdir()) == sorted([name, f"again-{name}", "var"])
    mask = os.umask(0o22)
    os.umask(mask)
    assert stat.S_IMODE((root / name).stat().st_mode) == 0o666 & ~mask


def test_an_export_of_one_evaluation_has_its_records_alone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(root / "elsewhere")
    told = said(capsys, "--folder", "elsewhere", "--export", "out.jsonl", "--evaluation", "two_direct")
    assert told[1] == "out.jsonl: 1 accepted replies\n"
    assert [json.loads(line)["key"] for line in (root / "out.jsonl").read_text().splitlines()] == ["c"]


def test_an_export_replaces_a_file_only_when_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(root / "var" / "replies")
    (root / "out.jsonl").write_text("mine")
    assert said(capsys, "--export", "out.jsonl") == (
        1,
        "",
        "cotline store: out.jsonl: is there already: name another, or add --force to replace it\n",
    )
    assert (root / "out.jsonl").read_text() == "mine"
    assert said(capsys, "--export", "out.jsonl", "--force")[0] == 0
    assert len((root / "out.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--export", "out.csv"], "out.csv: exports are JSON lines: name it .jsonl or .jsonl.gz"),
        (["--export", "no/out.jsonl"], "no/out.jsonl: cannot be written (No such file or directory): name a file in"),
        (["--export", "o.jsonl", "--evaluation", "x"], "no reply of evaluation x is here: name one of one_cot, two_d"),
        (["--evaluation", "x"], "no reply of evaluation x is here: name one of one_cot, two_direct"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    filled(root / "var" / "replies")
    status, out, err = said(capsys, *arguments)
    assert (status, out) == (1, "")
    assert err.startswith(f"cotline store: {sentence}")
    assert [path.name for path in root.iterdir()] == ["var"]


def test_an_export_of_an_empty_store_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--export", "out.jsonl")[2] == (
        "cotline store: the store holds no reply yet: cotline materialize an evaluation that asks a model\n"
    )
    assert list(root.iterdir()) == []


def test_records_of_another_kind_are_shown_with_what_they_have(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RepliesStore(root / "writer") as store:
        store.put("a", {"model": "scribe", "task": "rewrite", "text": "x", "status": "ok"})
    assert (
        "scribe  -           -              1         0          0    0  ok 1" in said(capsys, "--folder", "writer")[1]
    )


def test_help_teaches_with_examples_and_loads_no_engine() -> None:
    script = (
        "import argparse, sys\n"
        "from orchestration import store\n"
        "parser = argparse.ArgumentParser('cotline store')\n"
        "store.add_arguments(parser)\n"
        "print(parser.format_help(), 'dagster' in sys.modules, 'pyarrow' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "cotline store --export replies.jsonl.gz" in done.stdout
    assert done.stdout.endswith("False False\n")
