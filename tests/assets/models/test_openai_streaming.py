"""`assets.models.openai_chat`: many dialogues at a time, and how that ends."""

import itertools
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assets.models import openai_chat
from assets.models.model import Ask, Dialogue, ModelError
from tests import fault_server
from tests.assets.models.openai_endpoint import (
    KEY,
    RED,
    Pictures,
    answered,
    asks,
    chat,
    keys,  # noqa: F401 (fixture)
    many,
    picture,
)
from tests.fault_server import FaultServer, by_text, failing, seeded

ROOT = Path(__file__).resolve().parents[3]


def test_a_slow_dialogue_holds_up_no_other():
    going = threading.Event()
    with FaultServer(reply=fault_server.echo) as server:
        server.gate = lambda request: going.wait(30) if request.text == "p0" else None
        stream = chat(server, concurrency=2).replies(many(12), Pictures())
        first = [reply.id for reply in itertools.islice(stream, 11)]
        going.set()
        last = [reply.id for reply in stream]
    assert sorted(first, key=int) == [str(at) for at in range(1, 12)]
    assert last == ["0"]


def test_a_dialogue_goes_on_without_waiting_for_the_others():
    going = threading.Event()
    with FaultServer() as server:
        server.gate = lambda request: going.wait(30) if request.text == "slow" else None
        stream = chat(server, concurrency=2).replies([asks("slow", name="s"), asks("x", "y", "z")], Pictures())
        assert [(reply.id, reply.ask) for reply in itertools.islice(stream, 3)] == [("a", 0), ("a", 1), ("a", 2)]
        going.set()
        assert [reply.id for reply in stream] == ["s"]


def test_no_more_are_asked_at_once_than_allowed_and_every_one_is_answered_once():
    together = threading.Barrier(4)
    with FaultServer() as server:
        server.gate = lambda request: together.wait(30)
        replies = answered(server, many(40), concurrency=4)
    assert {reply.id: reply.text for reply in replies} == {str(at): f"about p{at}" for at in range(40)}
    assert len(replies) == 40
    assert server.most_at_once == 4


def test_no_more_dialogues_are_read_ahead_than_twice_the_concurrency():
    read, going = [], threading.Event()

    def dialogues():
        for dialogue in many(100):
            read.append(dialogue.id)
            if len(read) == 6:
                going.set()
            yield dialogue

    with FaultServer() as server:
        server.gate = lambda request: going.wait(30)
        stream = chat(server, concurrency=3).replies(dialogues(), Pictures())
        next(stream)
        assert 6 <= len(read) <= 7
        stream.close()


def asking_threads():
    return [thread for thread in threading.enumerate() if thread.name in ("openai",) or "asyncio" in thread.name]


def test_when_the_caller_stops_nothing_more_is_asked_and_no_thread_is_left():
    going = threading.Event()
    with FaultServer() as server:
        server.gate = lambda request: None if request.text == "p0" else going.wait(30)
        stream = chat(server, concurrency=2).replies(many(100), Pictures())
        assert next(stream).id == "0"
        stream.close()
        seen = len(server.seen)
        assert not asking_threads()
        going.set()
        assert len(server.seen) == seen <= 4


def test_when_the_dialogues_fail_the_fault_comes_through_and_no_thread_is_left():
    def dialogues():
        yield asks("p")
        raise LookupError("no more")

    with FaultServer() as server, pytest.raises(LookupError, match="no more"):
        answered(server, dialogues())
    assert not asking_threads()


def test_what_was_answered_before_the_caller_hears_of_a_fault_still_comes(monkeypatch):
    queues, going = [], threading.Event()

    class Watched(queue.SimpleQueue):
        def __init__(self):
            queues.append(self)

    def until(holds):
        last = time.monotonic() + 30
        while not holds() and time.monotonic() < last:
            time.sleep(0.005)

    def dialogues():
        yield asks("bad")
        yield asks("good", name="b")
        until(lambda: len(server.seen) == 2)
        going.set()
        until(lambda: queues[0].qsize() == 3)
        yield asks("more", name="c")

    monkeypatch.setattr(openai_chat.queue, "SimpleQueue", Watched)
    got = []
    with FaultServer(by_text({"bad": [failing(404)]})) as server:
        server.gate = lambda request: (
            going.wait(30) and (request.text == "bad" or until(lambda: queues[0].qsize() == 1))
        )
        with pytest.raises(ModelError, match="no such model"):
            for reply in chat(server).replies(dialogues(), Pictures()):
                got.append(reply.id)
    assert got == ["b"]
    assert server.texts().count("more") == 0


def test_a_picture_that_is_not_there_stops_the_run_with_its_id():
    with FaultServer() as server, pytest.raises(ModelError, match=f"there is no picture {RED.image_id}"):
        answered(server, [Dialogue("a", (Ask((picture(RED),)),), ())])
    assert not server.seen


def test_a_program_that_fails_amid_the_replies_ends():
    script = (
        "from tests.assets.models.openai_endpoint import *\n"
        "server = FaultServer().__enter__()\n"
        "stream = chat(server).replies(many(50), Pictures())\n"
        "for reply in stream:\n"
        "    raise SystemError('amid')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={"COTLINE_TEST_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "SystemError: amid" in done.stderr
    assert done.returncode == 1


def test_every_reply_of_two_hundred_dialogues_comes_once_through_a_third_of_faults():
    dialogues = [asks(f"p{at}", "and?", name=str(at)) for at in range(200)]
    with FaultServer(seeded(7, 0.3), reply=fault_server.letter) as server:
        replies = answered(server, dialogues, concurrency=32)
    assert {reply.status for reply in replies} == {"ok"}
    assert sorted((int(reply.id), reply.ask) for reply in replies) == [(at, ask) for at in range(200) for ask in (0, 1)]
    assert set(server.answered.values()) == {1}
    assert len(server.answered) == 400
    assert sum(server.asked.values()) > 480
