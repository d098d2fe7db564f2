"""`assets.evaluation.asking` as a whole: the stream, the failure budget, progress, models at fault, drawn pictures."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from assets.evaluation.asking import Asked, AskingError, Progress, ask
from assets.evaluation.drawn import Drawn
from assets.images import of_pixels
from assets.models.model import Dialogue, Reply, said
from assets.replies_store import RepliesStore
from assets.schema.sample import Part
from tests.assets.evaluation.parrot import Nothing, Parrot, accepted, asked, dialogue, dialogues, failing, right


def test_dialogues_are_taken_only_as_the_model_needs_them(tmp_path: Path) -> None:
    drawn: list[str] = []

    def stream() -> Iterator[Dialogue]:
        for one in dialogues(50):
            drawn.append(one.id)
            yield one

    seen: list[int] = []

    def says(one: Dialogue) -> Reply:
        seen.append(len(drawn))
        return right(one)

    found = asked(tmp_path, stream(), Parrot(says))
    assert seen == list(range(1, 51))
    assert found.progress[:2] == (50, None)


def test_a_few_failures_stop_nothing(tmp_path: Path) -> None:
    model = Parrot(lambda one: failing(one) if int(one.id[1:]) % 3 == 0 else right(one))
    found = asked(tmp_path, dialogues(60), model)
    assert found.progress == Progress(60, 60, 0, 60, 20, {"error": 20, "ok": 40}, 400, 120)


def test_the_failure_budget_stops_the_rest_with_one_sentence(tmp_path: Path) -> None:
    def says(one: Dialogue) -> Reply:
        number = int(one.id[1:])
        return (
            right(one)
            if number < 8
            else failing(one)._replace(finish_reason="HTTP 429" if number < 12 else "timed\nout")
        )

    model = Parrot(says)
    with pytest.raises(AskingError) as caught:
        asked(tmp_path, dialogues(60), model, most_failures=0.5)
    assert str(caught.value) == (
        "evaluation parrot_cot: 31 of 39 dialogues failed, most often with 'timed out': see that model parrot answers "
        "and run again (what it replied is kept), or set running.most_failures to 0.8 or more"
    )
    # More than half of all 60, not of those that were done first: an outage at the start may pass.
    assert len(model.asked) == 39
    assert accepted(tmp_path) == 8


def test_the_budget_counts_what_was_reused_as_done(tmp_path: Path) -> None:
    asked(tmp_path, dialogues(60)[:40], Parrot())
    found = asked(tmp_path, dialogues(60), Parrot(failing), most_failures=0.5)
    assert found.progress[:5] == (60, 60, 40, 20, 20)


def test_fewer_than_twenty_are_judged_at_the_end(tmp_path: Path) -> None:
    model = Parrot(lambda one: failing(one) if int(one.id[1:]) < 5 else right(one))
    with pytest.raises(AskingError, match=r"5 of 9 dialogues failed, .* set running.most_failures to 0.56 or more"):
        asked(tmp_path, dialogues(9), model)
    assert len(model.asked) == 9
    assert accepted(tmp_path) == 4


def test_an_endpoint_that_answers_nothing_is_never_an_empty_score(tmp_path: Path) -> None:
    with pytest.raises(AskingError) as caught:
        asked(tmp_path, dialogues(3), Parrot(failing), most_failures=1.0)
    assert str(caught.value) == (
        "evaluation parrot_cot: all 3 dialogues failed, most often with 'HTTP 503': see that model parrot answers "
        "and run again (what it replied is kept)"
    )


def test_no_dialogues_are_no_failure(tmp_path: Path) -> None:
    assert asked(tmp_path, [], Parrot()) == Asked([], Progress(0, 0, 0, 0, 0, {}, 0, 0))


@pytest.mark.parametrize("says", [right, failing], ids=["done", "stopped"])
def test_what_came_is_on_the_disk_when_it_ends_however_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Any
) -> None:
    synced: list[int] = []
    monkeypatch.setattr("assets.replies_store.GROUP_S", 3600.0)
    with RepliesStore(tmp_path) as store:
        store.put("opens the segment", {})
        monkeypatch.setattr("assets.replies_store.os.fsync", synced.append)
        try:
            ask("parrot_cot", dialogues(5), Parrot(says), Nothing(), store)
        except AskingError:
            assert says is failing
        assert len(synced) == 1


def test_a_model_that_stops_is_closed(tmp_path: Path) -> None:
    closed: list[bool] = []

    class Held(Parrot):
        def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
            try:
                yield from super().replies(dialogues, pictures)
            finally:
                closed.append(True)

    with pytest.raises(AskingError):
        asked(tmp_path, dialogues(60), Held(failing))
    assert closed == [True]


def test_a_model_that_leaves_a_dialogue_without_its_reply_is_at_fault(tmp_path: Path) -> None:
    class Forgetful(Parrot):
        def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
            return (right(one) for one in dialogues if one.id != "s1")

    with pytest.raises(AskingError, match=r"model parrot ended without a reply for 1 dialogues .the first: s1."):
        asked(tmp_path, dialogues(3), Forgetful())


def test_a_reply_to_what_was_not_asked_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AskingError, match="model parrot replied to s9, ask 0, where it was not asked"):
        asked(tmp_path, dialogues(3), Parrot(lambda one: right(one)._replace(id="s9")))
    with pytest.raises(AskingError, match="replied to s0, ask 1, where"):
        asked(tmp_path, dialogues(3), Parrot(lambda one: right(one)._replace(ask=1)))
    assert accepted(tmp_path) == 0


def test_an_id_that_comes_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AskingError, match="evaluation parrot_cot: s0 comes twice among its dialogues: give each"):
        asked(tmp_path, [dialogue("s0"), dialogue("s1"), dialogue("s0", "And?")], Parrot())


def test_progress_is_told_at_both_ends_and_not_too_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(0.02 * tick for tick in range(10_000))
    monkeypatch.setattr("assets.evaluation.asking.time", SimpleNamespace(monotonic=lambda: next(clock)))
    told: list[Progress] = []
    found = asked(tmp_path, dialogues(100), Parrot(), told=told.append)
    assert (told[0], told[-1]) == (Progress(0, 100, 0, 0, 0, {}, 0, 0), found.progress)
    assert [one.done for one in told] == sorted(one.done for one in told)
    # the clock is looked at about twice a dialogue, so 100 of them take some four of its seconds
    assert 20 < len(told) < 45


def test_pictures_that_a_model_draws_are_kept_before_its_reply_and_shown_to_it(tmp_path: Path) -> None:
    picture = of_pixels(Image.new("RGBA", (3, 2), (255, 0, 0, 0)), "drawn")
    assert picture.image_id is not None
    shown: list[Any] = []

    class Painter(Parrot):
        def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
            for one in dialogues:
                parts = (said("Look: "), Part("image", None, picture.image_id))
                yield Reply(one.id, 0, parts, "ok", drawn=(picture,))
                shown.append(pictures.image(picture.image_id).getpixel((0, 0)))
                yield right(one.replied(parts))

    drawn = Drawn(tmp_path / "drawn")
    rows = asked(tmp_path / "store", dialogues(1, "And?"), Painter(), drawn=drawn).rows
    assert shown == [(255, 255, 255)]
    assert rows[0]["turns"][1]["parts"][1] == {"kind": "image", "text": None, "image_id": picture.image_id}
    assert [one.png for one in drawn.read([picture.image_id])] == [picture.png]
    assert asked(tmp_path / "store", dialogues(1, "And?"), Parrot(), drawn=drawn).rows == rows
    with pytest.raises(ValueError, match="nothing is given to keep pictures"):
        asked(tmp_path / "new", dialogues(1, "And?"), Painter())


def test_a_picture_that_cannot_be_kept_leaves_its_reply_unaccepted(tmp_path: Path) -> None:
    picture = of_pixels(Image.new("L", (2, 2)), "drawn")
    (tmp_path / "drawn").write_text("")

    def says(one: Dialogue) -> Reply:
        return right(one)._replace(parts=(Part("image", None, picture.image_id),), drawn=(picture,))

    with pytest.raises(Exception, match=f"the drawn picture {picture.image_id} cannot be written"):
        asked(tmp_path / "store", dialogues(1), Parrot(says), drawn=Drawn(tmp_path / "drawn"))
    assert accepted(tmp_path / "store") == 0


def test_a_record_holds_what_a_reply_was_and_no_prompt(tmp_path: Path) -> None:
    asked(tmp_path, [dialogue("s0")], Parrot(), asking="night-2026-11-30", template="3")
    [(_, record)] = RepliesStore(tmp_path).records()
    assert record.pop("at").endswith("+00:00")
    assert record == {
        **{"ask": 0, "asking": "night-2026-11-30", "evaluation": "parrot_cot", "finish_reason": "stop"},
        **{"fingerprint": "v1", "model": "parrot", "parts": [["text", "s0: the answer is (A).", None]]},
        **{"sample_id": "s0", "status": "ok", "template": "3", "tokens_in": 10, "tokens_out": 3},
    }
