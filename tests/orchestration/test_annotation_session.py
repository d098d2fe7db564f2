"""What is asked, saved and counted at a desk, without a page."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assets import images
from assets.annotation import VERDICTS, AnnotationError, Edit, Judgement, Log, of_record
from orchestration import annotation_view as view
from orchestration import annotation_wording as wording
from orchestration.annotation_session import (
    Desk,
    Entry,
    changes,
    entry_of,
    expected,
    named,
    onboarding_ids,
    with_first,
    without_first,
)
from orchestration.annotation_tables import STAGES
from tests.orchestration.annotation_project import line, sample

NOW = "2026-01-02T03:04:05+00:00"


def said(*lines: dict[str, Any]) -> list[Judgement]:
    return [of_record(each, "given.jsonl") for each in lines]


@pytest.fixture
def desk_of(tmp_path: Path) -> Callable[..., Desk]:
    def made(stage: str = "image_needed", numbers: Sequence[int] = (10, 2, 1), before: Iterable[Any] = (), **more: Any):
        log = Log(tmp_path / f"{stage}.jsonl")
        return Desk(
            stage,
            [sample(number) for number in numbers],
            steps_profile="roscoe",
            judgements=lambda _: [*said(*before), *log.judgements()],
            log=lambda _: log,
            **more,
        )

    return made


def entry(number: int = 1, verdict: str | None = "yes", **more: Any) -> Entry:
    return Entry("ada", f"scienceqa-{number}", verdict, shown=True, **more)


def test_the_queue_is_by_id_with_numbers_by_their_value(desk_of) -> None:
    desk = desk_of()
    seen = []
    while (following := desk.next("ada")) is not None:
        seen.append(following.id)
        desk.save(Entry("ada", following.id, "yes", shown=True), NOW)
    assert seen == ["scienceqa-1", "scienceqa-2", "scienceqa-10"]


def test_what_was_judged_by_the_same_annotator_is_skipped_and_what_another_judged_is_not(desk_of) -> None:
    desk = desk_of(before=[line(1, "ada"), line(2, "ben"), line(2, "ada", stage="image_steps")])
    assert desk.next("ada").id == "scienceqa-2"
    assert desk.next("ben").id == "scienceqa-1"


def test_another_round_is_another_judgement(desk_of) -> None:
    desk = desk_of("recheck", before=[line(1, "ada", stage="recheck")], round=2)
    assert desk.next("ada").id == "scienceqa-1"


def test_back_walks_through_what_was_judged_latest_first(desk_of) -> None:
    desk = desk_of(before=[line(2, "ada", "no"), line(1, "ada")])
    first, judgement = desk.back("ada", "scienceqa-10")
    assert (first.id, judgement.verdict) == ("scienceqa-1", "yes")
    second, judgement = desk.back("ada", "scienceqa-1")
    assert (second.id, judgement.verdict) == ("scienceqa-2", "no")
    assert desk.back("ada", "scienceqa-2") is None


def test_a_later_line_supersedes_and_the_sample_is_counted_once(desk_of) -> None:
    desk = desk_of()
    desk.save(entry(1, "yes"), NOW)
    desk.save(entry(1, "no"), NOW)
    assert desk.mine("ada")["scienceqa-1"].verdict == "no"
    assert desk.progress("ada").mine == 1


def test_a_saved_line_holds_the_fields_the_time_and_the_seconds_and_nothing_else(desk_of) -> None:
    record = desk_of().record(entry(1, "no", first="no", note=" seen ", seconds=12.345), NOW)
    assert record == {
        "sample_id": "scienceqa-1",
        "stage": "image_needed",
        "round": 1,
        "annotator": "ada",
        "verdict": "no",
        "note": "seen",
        "at": NOW,
        "seconds": 12.3,
    }


def test_a_changed_mind_is_told_in_the_note_and_read_out_of_it_again(desk_of) -> None:
    record = desk_of().record(entry(1, "yes", first="no", note="a map"), NOW)
    assert record["note"] == "[text alone: no] a map"
    assert without_first(record["note"]) == ("no", "a map")
    assert with_first("", "no", "yes") == "[text alone: no]"
    assert without_first("[text alone: no]") == ("no", "")
    assert without_first(None) == (None, "")


@pytest.mark.parametrize("stage", ["image_steps", "recheck", "audit"])
def test_steps_are_saved_sorted_where_the_stage_asks_for_them(desk_of, stage: str) -> None:
    assert desk_of(stage).record(entry(visual_steps=(3, 1, 1)), NOW)["visual_steps"] == [1, 3]
    assert desk_of(stage).record(entry(verdict="no"), NOW)["visual_steps"] == []


@pytest.mark.parametrize("stage", ["image_needed", "quality"])
def test_steps_are_not_saved_where_the_stage_does_not_ask(desk_of, stage: str) -> None:
    verdict = "accept" if stage == "quality" else "yes"
    assert "visual_steps" not in desk_of(stage).record(entry(verdict=verdict, visual_steps=(1,)), NOW)


def test_yes_with_one_step_ticked_is_questioned_once(desk_of) -> None:
    with pytest.raises(AnnotationError, match="two steps or more"):
        desk_of("audit").record(entry(visual_steps=(1,)), NOW)
    assert desk_of("audit").record(entry(visual_steps=(1,), warned=True), NOW)["visual_steps"] == [1]


REFUSED = {
    "no verdict": (entry(verdict=None), "Choose a verdict"),
    "a verdict of another stage": (entry(verdict="accept"), "Choose a verdict"),
    "a picture not seen": (entry()._replace(shown=False), "See the picture"),
    "an unknown sample": (entry(99), "no sample of this stage"),
    "a step that is not there": (entry(visual_steps=(1, 4)), "has 3 steps"),
    "no name": (entry()._replace(annotator=" "), "write your name"),
    "a name that is no text": (entry()._replace(annotator="a\nb"), "printable"),
    "a long note": (entry(verdict="no", note="x" * 20_001), "longer than 20000"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_words_and_nothing_is_written(desk_of, tmp_path: Path, case: str) -> None:
    given, sentence = REFUSED[case]
    with pytest.raises(AnnotationError, match=sentence):
        desk_of("audit").save(given, NOW)
    assert not (tmp_path / "audit.jsonl").exists()


OLD = ("One.", "Two.", "Three.")
TEXTS = {
    "nothing": ((Edit(1, "One."), Edit(2, " Two. "), Edit(4, "")), []),
    "a changed step": ((Edit(2, "2"), Edit(1, "One.")), [Edit(2, "2")]),
    "a removed step": ((Edit(3, " "),), [Edit(3, "")]),
    "an added step": ((Edit(4, "Four."),), [Edit(4, "Four.")]),
}


@pytest.mark.parametrize("case", TEXTS)
def test_only_changed_steps_become_edits(case: str) -> None:
    texts, edits = TEXTS[case]
    assert changes(OLD, texts) == edits


def test_line_ends_that_a_browser_rewrites_are_no_change() -> None:
    assert changes(["a\r\nb", "c\rd", "e\0"], [Edit(1, "a\nb"), Edit(2, "c\nd"), Edit(3, "e�")]) == []


def test_a_text_beyond_the_step_that_may_be_added_is_refused() -> None:
    with pytest.raises(AnnotationError, match="has 3 steps"):
        changes(OLD, [Edit(5, "x")])


def test_edits_are_saved_with_the_verdict(desk_of) -> None:
    record = desk_of("quality").record(entry(verdict="accept", texts=(Edit(1, "It is red."), Edit(4, "Done."))), NOW)
    assert record["edits"] == [{"step": 1, "text": "It is red."}, {"step": 4, "text": "Done."}]


def test_edits_that_leave_no_step_are_accepted_only_with_a_discard(desk_of) -> None:
    emptied = tuple(Edit(step, "") for step in (1, 2, 3))
    with pytest.raises(AnnotationError, match="leave no step"):
        desk_of("quality").record(entry(verdict="accept", texts=emptied), NOW)
    assert len(desk_of("quality").record(entry(verdict="discard", texts=emptied), NOW)["edits"]) == 3


def test_edits_longer_than_a_line_may_hold_are_refused(desk_of) -> None:
    with pytest.raises(AnnotationError, match="longer than 16000"):
        desk_of("quality").record(entry(verdict="accept", texts=(Edit(1, "x" * 16_001),)), NOW)


def test_progress_counts_everybody_and_how_far_they_agree(desk_of) -> None:
    given = [
        line(n, who, verdict) for n in (1, 2) for who, verdict in (("ada", "yes" if n == 1 else "no"), ("ben", "yes"))
    ]
    found = desk_of(before=[*given, line(10, "cy"), line(99, "cy")]).progress("ada")
    assert (found.total, found.mine, found.others, found.pending) == (3, 1 + 1, {"ben": 2, "cy": 1}, 2)
    # Cohen by hand: they agree on one of two; by chance on 1/2 * 1 + 1/2 * 0.
    assert ("ben", 0.0, 2) in found.kappas
    assert [name for name, _, _ in found.kappas] == ["all", "ben"]


def test_one_judgement_of_quality_decides(desk_of) -> None:
    desk = desk_of("quality", before=[line(1, "ada", "accept", "quality")])
    assert desk.progress("ada").pending == 2


def test_the_outcome_of_an_onboarding_test_is_the_share_that_is_right(desk_of) -> None:
    reference = {"scienceqa-1": "yes", "scienceqa-2": "no", "scienceqa-10": "no"}
    desk = desk_of(reference=reference)
    for number in (1, 2, 10):
        desk.save(entry(number, "yes" if number == 1 else "no"), NOW)
    assert desk.outcome("ada") == (3, 3, 1.0, True)
    desk.save(entry(2, "yes"), NOW)
    assert desk.outcome("ada") == (3, 2, 2 / 3, False)
    assert desk_of().outcome("ada") is None


def test_experts_who_are_divided_expect_nothing() -> None:
    lines = [line(1, "x"), line(1, "y", "no"), line(2, "x"), line(2, "y"), line(2, "z", "no"), line(3, "x", "discard")]
    assert expected(said(*lines), "image_needed") == {"scienceqa-2": "yes", "scienceqa-3": "discard"}


def test_an_onboarding_test_draws_the_same_hundred_for_everybody() -> None:
    reference = {f"s-{n}": "yes" for n in range(150)}
    first = onboarding_ids(reference, [*reference, "other"])
    assert len(first) == len(set(first)) == 100
    assert first == onboarding_ids(dict(reversed(reference.items())), set(reference))
    assert onboarding_ids(reference, ["s-3", "other"]) == ["s-3"]


def test_an_entry_is_read_from_what_the_page_sends() -> None:
    sent = {"annotator": " ada ", "sample": "s-1", "verdict": "yes", "first": None, "steps": [2], "texts": [[1, "a"]]}
    found = entry_of(json.dumps({**sent, "note": "n", "seconds": 1.5, "shown": True, "turn": "7"}))
    assert found == Entry("ada", "s-1", "yes", None, (2,), (Edit(1, "a"),), "n", 1.5, True, False)
    assert entry_of("") == Entry()


@pytest.mark.parametrize(
    "payload", ["[", "[]", '{"steps": 3}', '{"texts": [[1]]}', '{"seconds": "x"}', '{"steps": ["a"]}']
)
def test_what_the_page_does_not_send_is_refused(payload: str) -> None:
    with pytest.raises(AnnotationError, match="reload"):
        entry_of(payload)


def test_a_name_is_trimmed() -> None:
    assert named("  Ada Lovelace ") == "Ada Lovelace"


def test_a_large_picture_is_made_small_enough_to_send_and_a_small_one_is_sent_as_it_is() -> None:
    noise = Image.effect_noise((3000, 1500), 90).convert("RGB")
    large, small = images.of_pixels(noise, "a"), images.of_pixels(Image.new("RGBA", (40, 30), "#0f08"), "b")
    sent = view.reduced(large)
    assert max(images.decode(sent).size) <= 1600
    assert len(sent) <= view.MOST_BYTES
    shelf = view.Shelf([images.Pictures.of([large]), images.Pictures.of([small])])
    assert shelf.png(str(small.image_id)) == small.png
    assert shelf.png("none") is None


def test_a_very_long_text_is_cut_on_the_page_and_says_so(desk_of) -> None:
    long = sample(1, question="<b>" + "x" * 60_000)
    shown = view.sheet(desk_of(), "ada", long, 1)
    assert "&lt;b&gt;" in shown
    assert "… and 10003 more characters" in shown


def test_every_stage_has_words_for_each_of_its_verdicts() -> None:
    words = wording.WORDING
    assert {benchmark: tuple(stages) for benchmark, stages in words.items()} == STAGES
    assert all(set(each.verdicts) == set(VERDICTS[stage]) for stage, each in words["m3cot"].items())
    # CoMT's recheck is passed or not; discard would say the same as no.
    assert {stage: tuple(each.verdicts) for stage, each in words["comt"].items()} == {
        "quality": ("accept", "discard"),
        "recheck": ("yes", "no"),
        "picture_quality": VERDICTS["picture_quality"],
    }
    assert all(
        len({wording.KEYS[verdict] for verdict in VERDICTS[stage]}) == len(VERDICTS[stage]) for stage in words["m3cot"]
    )


def test_pictures_of_options_stand_under_their_letters() -> None:
    red, green = (images.of_pixels(Image.new("RGB", (4, 4), colour), colour) for colour in ("red", "green"))
    pictured = sample(1, images=(red.image_id,), choice_images=(red.image_id, green.image_id))
    shown = view.picture(pictured, view.Shelf([images.Pictures.of([red, green])]), 1)
    assert shown.count("<img ") == 3
    assert "Option B" in shown
    assert "is in no table" in view.picture(pictured, view.Shelf([]), 1)
