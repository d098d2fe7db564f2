"""Kill -9 while runs with tools are made: what was said before is not asked again, and the table is the same."""

import json
import subprocess
import sys
from pathlib import Path

from assets.replies_store import RepliesStore
from tests.assets.models.tools_killed import DIALOGUES

ROOT = Path(__file__).resolve().parents[3]
BEFORE = 17
"""Replies before the kill: all of the first steps, and some of the second."""

NEVER = 10**6


def started(folder: Path, replies: int) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.assets.models.tools_killed", str(folder), str(replies)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def finished(folder: Path) -> str:
    with started(folder, NEVER) as process:
        assert process.wait(timeout=120) == 0
    return (folder / "rows.json").read_text(encoding="utf-8")


def asked(folder: Path) -> list[str]:
    return [json.loads(line) for line in (folder / "asked").read_text(encoding="utf-8").splitlines()]


def test_a_killed_run_is_taken_up_where_it_was(tmp_path: Path) -> None:
    killed, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    with started(killed, BEFORE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "standing\n"
        process.kill()
    assert not (killed / "rows.json").exists()
    before = asked(killed)
    assert len(before) == BEFORE
    assert RepliesStore(killed / "replies").statistics().accepted == BEFORE

    rows = finished(killed)
    assert rows == finished(undisturbed)
    assert len(asked(killed)) == len(set(asked(killed))) == 3 * DIALOGUES
    assert sorted(asked(killed)) == sorted(asked(undisturbed))

    found = json.loads(rows)
    assert [row["status"] for row in found] == ["ok"] * DIALOGUES
    assert [turn["role"] for turn in found[0]["turns"]] == [
        *("user", "thought", "call", "observation", "thought", "call", "observation", "thought", "assistant")
    ]
    assert found[5]["turns"][6]["parts"][0]["text"] == "15"
    assert found[5]["turns"][-1]["parts"][0]["text"] == "The answer is (B)."
    # 36 on the way, and one for each dialogue.
    assert RepliesStore(killed / "replies").statistics()[:4] == (4 * DIALOGUES, 0, 0, 0)
