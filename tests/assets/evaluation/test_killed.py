"""Kill -9 while dialogues are asked, and two runs at once: a reply is accepted once, and nothing is paid for twice."""

import json
from collections import Counter
from pathlib import Path

from assets.replies_store import RepliesStore
from tests.assets.evaluation.kill_run import OPENAI_IN_FLIGHT
from tests.assets.evaluation.killing import Endpoint, Runs, kill_again_and_again, rows_of, serving, text_for

KILLS = 50
DIALOGUES = 600


def test_fifty_kills_leave_what_an_undisturbed_run_leaves(tmp_path: Path) -> None:
    outcome = kill_again_and_again(tmp_path, KILLS, DIALOGUES, seed=3)
    assert outcome.violations() == []
    assert outcome.killed == KILLS
    assert outcome.lost.total() > 0
    assert len(outcome.rows) == DIALOGUES
    assert {row["status"] for row in outcome.rows} == {"ok"}
    assert min(outcome.faults[kind] for kind in ("HTTP 500", "HTTP 429", "cut", "slow")) > 0
    assert outcome.statistics.attempts > 0
    assert outcome.statistics.accepted == 2 * DIALOGUES


def test_kills_of_the_model_of_kind_openai_leave_the_same(tmp_path: Path) -> None:
    outcome = kill_again_and_again(
        tmp_path,
        6,
        120,
        seed=5,
        model="tests.assets.evaluation.kill_run:openai_chat",
        identity={"kind": "openai", "model": "tiny"},
        in_flight=OPENAI_IN_FLIGHT,
    )
    assert outcome.violations() == []
    assert outcome.killed == 6
    assert outcome.statistics.accepted == 240


def test_two_runs_at_once_take_the_same_replies_and_never_mix_two_conversations(tmp_path: Path) -> None:
    with serving(Endpoint(varied=True, delay_s=0.002)) as endpoint:
        runs = Runs(100)
        runs.start(tmp_path, endpoint.url, "one", "other")
        assert runs.ended() == [0, 0]
        runs.close()
        one, other = rows_of(tmp_path, "one"), rows_of(tmp_path, "other")
    assert one == other
    assert len(one) == 100
    for row in one:
        texts = [turn["parts"][0]["text"] for turn in row["turns"]]
        turns = [[turn["role"], text] for turn, text in zip(row["turns"], texts, strict=True)]
        for place in (1, 3):
            expected = text_for(json.dumps(turns[:place]))
            assert texts[place].split(" ")[0] == expected.split(":")[0]
    store = RepliesStore(tmp_path / "replies")
    kept = Counter((record["sample_id"], record["ask"]) for _, record in store.records())
    assert kept == Counter({(row["sample_id"], ask): 1 for row in one for ask in range(2)})
    assert store.statistics().duplicates > 0
    assert store.statistics().damaged == 0
