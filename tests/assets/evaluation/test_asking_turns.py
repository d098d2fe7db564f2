"""What a model did between ask and reply: turns of the row, kept in the store with the reply."""

from pathlib import Path

from assets.evaluation import stored
from assets.evaluation.answers import answers
from assets.evaluation.rows import Item
from assets.models import replay
from assets.models.model import Dialogue, Reply, Turn, said
from assets.schema.sample import Part
from assets.schema.tables import as_table
from tests.assets.evaluation.parrot import Parrot, asked, dialogue, dialogues

CROP = Part("image", None, "c" * 64)
DONE = (
    Turn("plan", (said("ocr, then answer"),)),
    Turn("call", (said('{"arguments": {"picture": "picture_1"}, "tool": "ocr"}'),)),
    Turn("observation", (CROP, said("The answer is (B)."))),
)


def planning(dialogue: Dialogue) -> Reply:
    return Reply(
        dialogue.id, len(dialogue.said), (said("The answer is (A)."),), "ok", None, 10, 3, "v1", (), turns=DONE
    )


def lost(dialogue: Dialogue) -> Reply:
    return Reply(dialogue.id, len(dialogue.said), (), "plan_error", "unknown_tool", 10, 3, turns=DONE[:1])


def roles(row: dict) -> list[str]:
    return [turn["role"] for turn in row["turns"]]


def test_what_was_done_stands_before_the_reply_it_led_to(tmp_path: Path) -> None:
    found = asked(tmp_path, [dialogue("s0", "And now?")], Parrot(planning))
    assert roles(found.rows[0]) == ["user", "plan", "call", "observation", "assistant"] * 2
    assert found.rows[0]["turns"][3]["parts"][0] == {"kind": "image", "text": None, "image_id": "c" * 64}


def test_a_kept_reply_has_its_turns_again_and_nobody_is_asked(tmp_path: Path) -> None:
    first = asked(tmp_path, dialogues(3), Parrot(planning))
    again = Parrot(planning)
    assert asked(tmp_path, dialogues(3), again).rows == first.rows
    assert again.calls == 0


def test_the_answer_is_read_from_the_reply_and_never_from_an_observation(tmp_path: Path) -> None:
    found = asked(tmp_path, dialogues(1), Parrot(planning))
    items = {"s0": Item("s0", ("one", "two"), "A", None, None, None, None)}
    read = answers(items, [replay.stored(row) for row in found.rows], "m3cot")
    assert [(row.extractor, row.letter, row.correct) for row in read.rows] == [
        ("paper", "A", True),
        ("strict", "A", True),
    ]


def test_a_run_that_ends_without_an_answer_is_final_and_counts_as_wrong_under_its_status(tmp_path: Path) -> None:
    found = asked(tmp_path, dialogues(1), Parrot(lost))
    assert (found.rows[0]["status"], found.rows[0]["finish_reason"]) == ("plan_error", "unknown_tool")
    items = {"s0": Item("s0", ("one", "two"), "A", None, None, None, None)}
    read = answers(items, [replay.stored(row) for row in found.rows], "m3cot")
    assert [(row.letter, row.status, row.counted, row.correct) for row in read.rows] == [
        (None, "plan_error", True, False)
    ] * 2
    again = Parrot(lost)
    assert asked(tmp_path, dialogues(1), again).rows == found.rows
    assert again.calls == 0


def test_pictures_that_tools_made_are_among_those_drawn_and_the_users_are_not(tmp_path: Path) -> None:
    found = asked(tmp_path, [dialogue("s0", picture="a" * 64)], Parrot(planning))
    assert stored.drawn({"parrot_cot": as_table("prediction", found.rows)}) == ["c" * 64]
