import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from assets.evaluation.extraction import paper, strict
from assets.models.model import Dialogue, ModelError
from assets.models.trained import Trained
from assets.training import families
from assets.training.checkpoint import CheckpointError
from tests.assets.training import squares
from tests.assets.training.learned import Learned, learn


@pytest.fixture(scope="module", name="learned")
def _learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    return learn(tmp_path_factory.mktemp("squares") / "checkpoint")


def asked(learned: Learned, n: int = 40) -> list[Dialogue]:
    return [squares.dialogue(one) for one in learned.samples if one.split == "test"][:n]


def right(learned: Learned, model: Trained) -> int:
    labels = {one.id: one.answer for one in learned.samples}
    replies = list(model.replies(asked(learned), squares.Shown(learned.rows)))
    last = [reply for reply in replies if reply.ask == 1]
    assert len(last) == 40
    return sum(reply.text == f"The answer is ({labels[reply.id]})." for reply in last)


def test_it_answers_by_the_picture_and_not_by_another_or_a_blank_one(learned: Learned) -> None:
    assert right(learned, Trained("small", learned.folder)) >= 32
    assert right(learned, Trained("small", learned.folder, pictures="shuffled")) <= 24
    assert right(learned, Trained("small", learned.folder, pictures="blank")) <= 24


def test_the_first_ask_gets_a_rationale_and_the_last_one_the_answer(learned: Learned) -> None:
    model = Trained("small", learned.folder)
    first, second = model.replies(asked(learned, 1), squares.Shown(learned.rows))
    assert (first.ask, second.ask, first.status, second.status) == (0, 1, "ok", "ok")
    assert first.text.startswith("Step 1: There is one square on white.\nStep 2: It is ")
    assert "answer is" not in first.text
    (alone,) = model.replies(
        [asked(learned, 1)[0]._replace(asks=asked(learned, 1)[0].asks[:1])], squares.Shown(learned.rows)
    )
    assert alone.text == f"{first.text}\n{second.text}"


def test_both_extractors_read_the_answer(learned: Learned) -> None:
    one = asked(learned, 1)[0]._replace(asks=asked(learned, 1)[0].asks[:1])
    (reply,) = Trained("small", learned.folder).replies([one], squares.Shown(learned.rows))
    letter = reply.text[-3]
    assert paper.extract(reply.text, one.choices).letter == letter
    assert strict.extract(reply.text, one.choices).letter == letter


def test_what_was_said_is_not_said_again_and_decides_the_answer(learned: Learned) -> None:
    model, shown = Trained("small", learned.folder), squares.Shown(learned.rows)
    whole = list(model.replies(asked(learned, 6), shown))
    begun = [one.replied(reply.parts) for one, reply in zip(asked(learned, 6), whole[::2], strict=True)]
    assert list(model.replies(begun, shown)) == whole[1::2]
    assert list(model.replies([begun[0].replied(whole[1].parts)], shown)) == []


def test_the_batch_changes_nothing(learned: Learned) -> None:
    shown = squares.Shown(learned.rows)
    together = [reply.text for reply in Trained("small", learned.folder).replies(asked(learned, 9), shown)]
    alone = [reply.text for reply in Trained("small", learned.folder, batch=1).replies(asked(learned, 9), shown)]
    assert together == alone


def test_dialogues_are_taken_only_as_they_are_needed(learned: Learned) -> None:
    dialogues = iter(asked(learned, 9))
    replies = Trained("small", learned.folder, batch=2).replies(dialogues, squares.Shown(learned.rows))
    next(replies)
    assert len(list(dialogues)) == 7


def test_a_dialogue_without_options_is_an_error_and_the_rest_is_answered(learned: Learned) -> None:
    first, second = asked(learned, 2)
    replies = list(
        Trained("small", learned.folder).replies([first._replace(choices=()), second], squares.Shown(learned.rows))
    )
    assert [(reply.id, reply.ask, reply.status) for reply in replies] == [
        (first.id, 0, "error"),
        (second.id, 0, "ok"),
        (second.id, 1, "ok"),
    ]


class Undecided:
    """An answerer that writes a step and chooses an option of every second dialogue alone."""

    def features(self, image: Any) -> Any:
        return image

    def rationales(self, asked: Sequence[Any], features: Sequence[Any]) -> list[list[str]]:
        return [["It is red."] for _ in asked]

    def answers(self, asked: Sequence[Any], rationales: Any, features: Sequence[Any]) -> list[int | None]:
        return [None if place % 2 else 2 for place in range(len(asked))]


def test_where_no_option_was_chosen_there_is_no_letter_to_be_read(
    learned: Learned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "load", lambda folder, base: Undecided())
    replies = list(Trained("any", learned.folder).replies(asked(learned, 2), squares.Shown(learned.rows)))
    assert [reply.status for reply in replies] == ["ok"] * 4
    assert [reply.text for reply in replies] == [
        "Step 1: It is red.",
        "The answer is (C).",
        "Step 1: It is red.",
        "No option was chosen.",
    ]
    for extractor in (paper, strict):
        assert extractor.extract(replies[3].text, asked(learned, 2)[1].choices).letter is None


class Silent(Undecided):
    """An answerer that writes nothing, and chooses by whether it was told anything."""

    def rationales(self, asked: Sequence[Any], features: Sequence[Any]) -> list[list[str]]:
        return [[] for _ in asked]

    def answers(self, asked: Sequence[Any], rationales: Any, features: Sequence[Any]) -> list[int | None]:
        return [1 if steps else 0 for steps in rationales]


def test_a_run_that_goes_on_after_no_rationale_answers_as_one_that_was_not_stopped(
    learned: Learned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "load", lambda folder, base: Silent())
    model, shown = Trained("any", learned.folder), squares.Shown(learned.rows)
    first, second = model.replies(asked(learned, 1), shown)
    assert (first.text, second.text) == ("No rationale.", "The answer is (A).")
    (again,) = model.replies([asked(learned, 1)[0].replied(first.parts)], shown)
    assert again.text == second.text


def test_the_threads_are_as_they_were(learned: Learned) -> None:
    before = torch.get_num_threads()
    list(Trained("small", learned.folder).replies(asked(learned, 1), squares.Shown(learned.rows)))
    assert torch.get_num_threads() == before


def test_a_missing_picture_stops_it_with_its_id(learned: Learned) -> None:
    with pytest.raises(ModelError, match="is not stored"):
        list(Trained("small", learned.folder).replies(asked(learned, 1), squares.Shown([])))


def test_the_identity_tells_weights_and_pictures_apart(learned: Learned, tmp_path: Path) -> None:
    seen = Trained("a", learned.folder).identity
    assert seen == Trained("b", learned.folder, seed=5, batch=3).identity
    assert Trained("a", learned.folder, pictures="blank").identity != seen
    shuffled = Trained("a", learned.folder, pictures="shuffled", seed=1).identity
    assert shuffled != Trained("a", learned.folder, pictures="shuffled", seed=2).identity
    shutil.copytree(learned.folder, tmp_path / "other")
    manifest = tmp_path / "other" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"sha256": "', '"sha256": "0'))
    assert Trained("a", tmp_path / "other").identity != seen


def test_a_folder_without_a_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"there is no manifest.json in it: train the model anew$"):
        Trained("small", tmp_path)
