"""`assets.evaluation.asking`: nothing is asked twice, nothing that came is lost, and what failed is never an answer."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest

from assets.evaluation.answers import answers
from assets.evaluation.asking import Progress
from assets.evaluation.rows import Item
from assets.models import replay
from assets.models.model import REPLY, Ask, Dialogue, ModelError, Reply, content_key, said
from assets.replies_store import RepliesStore
from tests.assets.evaluation.parrot import (
    Parrot,
    accepted,
    asked,
    dialogue,
    dialogues,
    failing,
    last_texts,
    reply,
    right,
)


def test_a_row_is_the_whole_dialogue_with_tokens_of_all_its_replies(tmp_path: Path) -> None:
    found = asked(tmp_path, [dialogue("s0", "Which letter?", picture="ab")], Parrot())
    assert found.rows == [
        {
            "evaluation": "parrot_cot",
            "line": 1,
            "sample_id": "s0",
            "choices": ["one", "two"],
            "turns": [
                {
                    "role": "user",
                    "parts": [
                        {"kind": "image", "text": None, "image_id": "ab"},
                        {"kind": "text", "text": "s0?", "image_id": None},
                    ],
                },
                {
                    "role": "assistant",
                    "parts": [{"kind": "text", "text": "s0: the answer is (A).", "image_id": None}],
                },
                {"role": "user", "parts": [{"kind": "text", "text": "Which letter?", "image_id": None}]},
                {
                    "role": "assistant",
                    "parts": [{"kind": "text", "text": "s0: the answer is (A).", "image_id": None}],
                },
            ],
            "status": "ok",
            "finish_reason": "stop",
            "tokens_in": 20,
            "tokens_out": 6,
            "fingerprint": "v1",
            "dropped": None,
            "quarantined": None,
        }
    ]
    assert found.progress == Progress(1, 1, 0, 1, 0, {"ok": 1}, 20, 6)


def test_a_limit_and_then_all_reuses_the_ten_and_asks_the_rest(tmp_path: Path) -> None:
    asked(tmp_path, dialogues(25)[:10], Parrot())
    model = Parrot()
    found = asked(tmp_path, dialogues(25), model)
    assert [turns[-1].parts[0].text for turns in model.asked] == [f"s{number}?" for number in range(10, 25)]
    assert found.progress == Progress(25, 25, 10, 15, 0, {"ok": 25}, 150, 45)
    assert [(row["line"], row["sample_id"]) for row in found.rows] == [(n + 1, f"s{n}") for n in range(25)]
    assert found.rows == asked(tmp_path / "undisturbed", dialogues(25), Parrot()).rows


def test_what_is_known_whole_touches_no_model(tmp_path: Path) -> None:
    first = asked(tmp_path, dialogues(3, "And?"), Parrot())
    silent = Parrot()
    again = asked(tmp_path, dialogues(3, "And?"), silent)
    assert again.rows == first.rows
    assert silent.calls == 0
    assert again.progress == Progress(3, 3, 3, 0, 0, {"ok": 3}, 0, 0)
    assert [line["hits"] for line in RepliesStore(tmp_path).hits()] == [6]


def test_scoring_what_was_kept_again_asks_nobody(tmp_path: Path) -> None:
    model = Parrot()
    rows = asked(tmp_path, dialogues(4), model).rows
    items = {f"s{n}": Item(f"s{n}", ("one", "two"), "AB"[n % 2], None, None, None, None) for n in range(4)}
    for extractor in ("paper", "strict"):
        scored = answers(items, [replay.stored(row) for row in rows], extractors=[extractor]).rows
        assert [(answer.letter, answer.correct) for answer in scored] == [("A", True), ("A", False)] * 2
    assert len(model.asked) == 4


@pytest.mark.parametrize(
    "changed",
    [
        {"some": [dialogue("s0", picture="other")]},
        {"some": [dialogue("s0", "And?", picture="one")._replace(asks=(Ask((said("s0, please?"),)),))]},
        {"identity": {"temperature": 0.5}},
        {"options": {"template": "2"}},
        {"options": {"asking": "night-2026-11-30"}},
    ],
    ids=["picture", "prompt", "sampling", "template", "asking"],
)
def test_a_change_of_what_a_reply_depends_on_asks_anew(tmp_path: Path, changed: dict[str, Any]) -> None:
    asked(tmp_path, [dialogue("s0", picture="one")], Parrot())
    same, other = Parrot(), Parrot(**changed.get("identity", {}))
    asked(tmp_path, [dialogue("s0", picture="one")], same)
    asked(tmp_path, changed.get("some", [dialogue("s0", picture="one")]), other, **changed.get("options", {}))
    assert (len(same.asked), len(other.asked)) == (0, 1)
    assert accepted(tmp_path) == 2


@pytest.mark.parametrize("text", ["Error: none of these. Failed to see why, so (B).", "REJECT", "I cannot answer."])
def test_a_text_of_status_ok_is_kept_whatever_it_says(tmp_path: Path, text: str) -> None:
    model = Parrot(lambda one: reply(one, text))
    first = asked(tmp_path, [dialogue("s0")], model)
    asked(tmp_path, [dialogue("s0")], model)
    assert len(model.asked) == 1
    assert (first.rows[0]["status"], last_texts(first.rows)) == ("ok", [text])


@pytest.mark.parametrize("status", ["ok", "refusal", "truncated"])
def test_a_final_reply_is_not_asked_again(tmp_path: Path, status: str) -> None:
    model = Parrot(lambda one: reply(one, "The answer is (B)", status))
    for _ in range(2):
        found = asked(tmp_path, [dialogue("s0")], model)
        assert (found.rows[0]["status"], last_texts(found.rows)) == (status, ["The answer is (B)"])
    assert len(model.asked) == 1


@pytest.mark.parametrize("status", ["error", "empty", "filtered"])
@pytest.mark.parametrize("benchmark", ["m3cot", "comt"])
def test_a_reply_that_is_not_final_is_asked_again_and_answers_nothing(
    tmp_path: Path, status: str, benchmark: str
) -> None:
    def once(one: Dialogue) -> Reply:
        return reply(one, "The answer is (A).", status, "why") if one.id == "s1" else right(one)

    rows = asked(tmp_path, dialogues(3, "And?"), Parrot(once)).rows
    assert [row["status"] for row in rows] == ["ok", status, "ok"]
    assert (rows[1]["finish_reason"], rows[1]["tokens_in"]) == ("why", 10)
    assert [turn["role"] for turn in rows[1]["turns"]] == ["user", "assistant"]
    items = {f"s{n}": Item(f"s{n}", ("one", "two"), "A", None, None, None, "creation") for n in range(3)}
    read = answers(items, [replay.stored(row) for row in rows], benchmark).rows
    assert [(one.letter, one.status) for one in read] == [("A", "ok"), (None, status), ("A", "ok")] * 2
    model = Parrot()
    again = asked(tmp_path, dialogues(3, "And?"), model)
    assert len(model.asked) == 2
    assert again.progress[:4] == (3, 3, 2, 1)
    assert [row["status"] for row in again.rows] == ["ok"] * 3
    assert RepliesStore(tmp_path).statistics()[:3] == (6, 1, 0)


def test_a_second_ask_that_failed_is_asked_again_alone(tmp_path: Path) -> None:
    asked(
        tmp_path, dialogues(3, "And?"), Parrot(lambda one: failing(one) if one.said and one.id == "s1" else right(one))
    )
    model = Parrot()
    rows = asked(tmp_path, dialogues(3, "And?"), model).rows
    assert [[turn.parts[0].text for turn in turns] for turns in model.asked] == [
        ["s1?", "s1: the answer is (A).", "And?"]
    ]
    assert rows == asked(tmp_path / "undisturbed", dialogues(3, "And?"), Parrot()).rows


def test_a_started_run_that_was_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    class KilledError(BaseException):
        pass

    def killed(one: Dialogue) -> Reply:
        if one.id == "s7" and one.said:
            raise KilledError
        return right(one)

    with pytest.raises(KilledError):
        asked(tmp_path, dialogues(12, "And?"), Parrot(killed))
    model = Parrot()
    rows = asked(tmp_path, dialogues(12, "And?"), model).rows
    assert len(model.asked) == 24 - 15
    assert rows == asked(tmp_path / "undisturbed", dialogues(12, "And?"), Parrot()).rows


def test_a_model_error_passes_and_what_came_before_is_kept(tmp_path: Path) -> None:
    def refused(one: Dialogue) -> Reply:
        if one.id == "s2":
            raise ModelError("parrot: the key in PARROT_KEY is refused: set another")
        return right(one)

    told: list[Progress] = []
    with pytest.raises(ModelError, match="PARROT_KEY"):
        asked(tmp_path, dialogues(5), Parrot(refused), told=told.append)
    assert accepted(tmp_path) == 2
    assert (told[0].done, told[-1].done) == (0, 2)


def test_dialogues_that_say_the_same_are_asked_once(tmp_path: Path) -> None:
    one = dialogue("s0", "And?")
    model = Parrot()
    found = asked(tmp_path, [one, one._replace(id="twin"), dialogue("s1", "And?"), one._replace(id="third")], model)
    assert len(model.asked) == 4
    assert [row["sample_id"] for row in found.rows] == ["s0", "twin", "s1", "third"]
    assert last_texts(found.rows) == [f"{name}: the answer is (A)." for name in ("s0", "s0", "s1", "s0")]
    assert found.progress[:4] == (4, 4, 2, 2)


class Ahead(Parrot):
    """Takes all dialogues before it replies to the first."""

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
        return super().replies(list(dialogues), pictures)


def test_a_twin_that_waits_is_answered_with_its_own_second_ask(tmp_path: Path) -> None:
    twin = dialogue("s0", "And then?")._replace(id="twin")
    model = Ahead()
    found = asked(tmp_path, [dialogue("s0", "And?"), dialogue("s0", "And?")._replace(id="same"), twin], model)
    assert [turns[-1].parts[0].text for turns in model.asked] == ["s0?", "And?", "And then?"]
    assert [len(row["turns"]) for row in found.rows] == [4, 4, 4]
    assert found.progress[:4] == (3, 3, 1, 2)


def test_a_twin_of_one_that_failed_failed_too_and_is_not_asked_in_this_run(tmp_path: Path) -> None:
    model = Ahead(lambda one: failing(one) if one.id == "s0" else right(one))
    found = asked(tmp_path, [*dialogues(3), dialogue("s0")._replace(id="twin")], model)
    assert [row["status"] for row in found.rows] == ["error", "ok", "ok", "error"]
    assert len(model.asked) == 3
    assert found.progress[:5] == (4, 4, 0, 4, 2)


def first_by(folder: Path, text: str) -> Callable[[Dialogue], None]:
    """Another process that is first with its reply to s1."""

    def put(one: Dialogue) -> None:
        if one.id == "s1":
            record = {
                **{"parts": [["text", text, None]], "status": "ok", "finish_reason": "stop"},
                **{"tokens_in": 7, "tokens_out": 2, "fingerprint": "v2"},
            }
            key = content_key({"kind": "parrot", "temperature": 0.0}, one.conversation())
            with RepliesStore(folder) as other:
                assert other.put(key, record)

    return put


def test_of_two_processes_the_accepted_reply_counts_and_the_second_ask_is_asked_of_it(tmp_path: Path) -> None:
    other = first_by(tmp_path, "theirs")

    def says(one: Dialogue) -> Reply:
        if one.id == "s1" and not one.said:
            other(one)
        return right(one)

    model = Parrot(says)
    rows = asked(tmp_path, dialogues(3, "And?"), model).rows
    assert [turn["parts"][0]["text"] for turn in rows[1]["turns"]] == [
        "s1?",
        "theirs",
        "And?",
        "s1: the answer is (A).",
    ]
    assert (rows[1]["tokens_in"], rows[1]["tokens_out"]) == (17, 5)
    sent = [[turn.parts[0].text for turn in turns] for turns in model.asked if "s1?" in str(turns)]
    own = "s1: the answer is (A)."
    assert sent == [["s1?"], ["s1?", own, "And?"], ["s1?", "theirs", "And?"]]
    # of the model's own line the first reply is a duplicate, and the one that follows it an attempt
    assert RepliesStore(tmp_path).statistics()[:4] == (6, 1, 1, 0)


def test_a_failure_where_another_process_had_a_reply_is_none(tmp_path: Path) -> None:
    other = first_by(tmp_path, "theirs")

    def says(one: Dialogue) -> Reply:
        if one.id == "s1" and not one.said:
            other(one)
            return failing(one)
        return right(one)

    rows = asked(tmp_path, dialogues(3, "And?"), Parrot(says)).rows
    assert [row["status"] for row in rows] == ["ok"] * 3
    assert [turn["parts"][0]["text"] for turn in rows[1]["turns"]] == [
        "s1?",
        "theirs",
        "And?",
        "s1: the answer is (A).",
    ]


def test_replies_may_come_in_any_order(tmp_path: Path) -> None:
    class Backwards(Parrot):
        def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
            held = list(dialogues)[::-1]
            firsts = [right(one) for one in held]
            yield from firsts
            for one, first in zip(held, firsts, strict=True):
                yield right(one.replied(first.parts))

    rows = asked(tmp_path, dialogues(6, "And?"), Backwards()).rows
    assert rows == asked(tmp_path / "forwards", dialogues(6, "And?"), Parrot()).rows


def test_a_model_may_take_dialogues_in_a_thread_of_its_own(tmp_path: Path) -> None:
    class Threaded(Parrot):
        def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
            taken: SimpleQueue[Dialogue | None] = SimpleQueue()

            def take() -> None:
                for one in dialogues:
                    taken.put(one)
                taken.put(None)

            thread = Thread(target=take)
            thread.start()
            yield from super().replies(iter(taken.get, None), pictures)
            thread.join()

    some = [
        one for n in range(100) for one in (dialogue(f"s{n}", "And?"), dialogue(f"s{n}", "And?")._replace(id=f"t{n}"))
    ]
    model = Threaded()
    found = asked(tmp_path, some, model)
    assert len(model.asked) == 200
    assert [row["sample_id"] for row in found.rows] == [one.id for one in some]
    assert last_texts(found.rows) == [f"s{n}: the answer is (A)." for n in range(100) for _ in range(2)]


def test_the_reply_stands_in_a_fresh_ask(tmp_path: Path) -> None:
    one = Dialogue(
        "s0", (Ask((said("Describe."),)), Ask((said("It is: "), REPLY, said(" So?")), fresh=True)), ("x", "y")
    )
    model = Parrot()
    rows = asked(tmp_path, [one], model).rows
    assert [len(turns) for turns in model.asked] == [1, 1]
    assert [part["text"] for part in rows[0]["turns"][2]["parts"]] == ["It is: ", "s0: the answer is (A).", " So?"]
