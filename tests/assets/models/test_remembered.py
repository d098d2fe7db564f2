"""`Remembered`: what came once is not asked for again, and what failed is."""

from pathlib import Path

import pytest

from assets.models.model import Ask, Dialogue, ModelError, Turn, content_key, said
from assets.models.remembered import Remembered
from assets.replies_store import RepliesStore
from tests.assets.models.tools_parts import Grey, Speaker, question


def texts(model: Remembered, *numbers: int) -> dict[str, str]:
    return {reply.id: reply.text for reply in model.replies([question(one) for one in numbers], Grey())}


def test_a_reply_is_asked_for_once_by_whoever_asks(tmp_path: Path) -> None:
    speaker = Speaker("one", str.upper)
    with RepliesStore(tmp_path) as store:
        first = Remembered(speaker, store, "first")
        assert texts(first, 1, 2) == {"s1": "QUESTION 1?", "s2": "QUESTION 2?"}
        assert (first.asked, first.reused) == (2, 0)
    with RepliesStore(tmp_path) as store:
        again = Remembered(speaker, store, "first")
        assert texts(again, 3, 2, 1) == {"s1": "QUESTION 1?", "s2": "QUESTION 2?", "s3": "QUESTION 3?"}
        assert (again.asked, again.reused) == (1, 2)
    assert sorted(speaker.asked) == ["Question 1?", "Question 2?", "Question 3?"]


def test_conversations_that_say_the_same_are_asked_once(tmp_path: Path) -> None:
    speaker = Speaker("one", str.upper)
    same = [question(1)._replace(id=name) for name in ("a", "b", "c")]
    with RepliesStore(tmp_path) as store:
        replies = list(Remembered(speaker, store, "first").replies(same, Grey()))
    assert sorted((reply.id, reply.text) for reply in replies) == [(name, "QUESTION 1?") for name in ("a", "b", "c")]
    assert speaker.batches == [1]


@pytest.mark.parametrize("status", ["error", "empty", "filtered"])
def test_what_failed_is_kept_as_an_attempt_and_asked_again(tmp_path: Path, status: str) -> None:
    speaker = Speaker("one", lambda text: ("away", status))
    with RepliesStore(tmp_path) as store:
        model = Remembered(speaker, store, "first")
        [reply] = model.replies([question(1)], Grey())
        assert (reply.status, reply.finish_reason) == (status, "away" if status == "error" else "stop")
        speaker.says = str.upper
        assert texts(model, 1) == {"s1": "QUESTION 1?"}
        assert store.statistics()[:2] == (1, 1)
    assert len(speaker.asked) == 2


def test_another_asking_or_another_model_asks_anew(tmp_path: Path) -> None:
    speaker, other = Speaker("one", str.upper), Speaker("one", str.upper, temperature=1)
    with RepliesStore(tmp_path) as store:
        for model in (
            Remembered(speaker, store, "first"),
            Remembered(speaker, store, "night"),
            Remembered(other, store, "first"),
        ):
            texts(model, 1)
    assert (len(speaker.asked), len(other.asked)) == (2, 1)


def test_the_key_is_that_of_the_conversation_under_the_template_of_tools(tmp_path: Path) -> None:
    speaker = Speaker("one", str.upper)
    with RepliesStore(tmp_path) as store:
        texts(Remembered(speaker, store, "first"), 1)
        turns = [Turn("user", (said("Question 1?"),))]
        record = store.get(content_key(speaker.identity, turns, template="tools-1", asking="first"))
    assert record is not None
    assert record["parts"] == [["text", "QUESTION 1?", None]]
    assert record["model"] == "one"


def test_of_two_that_ask_at_once_the_reply_that_was_kept_first_is_both_s(tmp_path: Path) -> None:
    with RepliesStore(tmp_path) as store, RepliesStore(tmp_path) as others:
        rival = Remembered(Speaker("one", lambda text: "first"), others, "first")

        def late(text: str) -> str:
            assert texts(rival, 1) == {"s1": "first"}
            return "second"

        assert texts(Remembered(Speaker("one", late), store, "first"), 1) == {"s1": "first"}


def test_a_dialogue_of_several_asks_is_not_taken(tmp_path: Path) -> None:
    several = Dialogue("a", (Ask((said("One?"),)), Ask((said("Two?"),))), ())
    with RepliesStore(tmp_path) as store, pytest.raises(ValueError, match="one ask"):
        list(Remembered(Speaker("one", str.upper), store, "first").replies([several], Grey()))


def test_a_model_that_ends_without_a_reply_is_at_fault(tmp_path: Path) -> None:
    class Silent(Speaker):
        def replies(self, dialogues, pictures):  # type: ignore[no-untyped-def]
            yield from list(super().replies(dialogues, pictures))[1:]

    with RepliesStore(tmp_path) as store, pytest.raises(ModelError, match=r"model one: .* without a reply for 1 .*s2"):
        texts(Remembered(Silent("one", str.upper), store, "first"), 1, 2)
