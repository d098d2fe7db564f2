"""From tables to chains: the first prompt, the first reply, the gold rationale, in the project's segmentation."""

from typing import Any

import pyarrow as pa
import pytest

from assets.analysis.rationales.chains import Chain, reasoned, steps, strata
from assets.evaluation.rows import Evaluation, Item
from assets.schema.faults import Fault
from assets.schema.sample import Part, Sample
from assets.schema.tables import as_table

PROMPT = "[Question]\nWhat is shown? Look well.\n[Choices]\n(A) a map\n(B) a gate"


def sample(sample_id: str, **columns: Any) -> Sample:
    told = {"question": "What is shown?", "context": "", "choices": ("a map", "a gate"), "answer": "A"} | columns
    return Sample(sample_id, "m3cot", "m3cot_released", sample_id, "generated", split="test", **told)


def turn(role: str, *texts: str | None) -> dict[str, Any]:
    parts = [{"kind": "image" if text is None else "text", "text": text, "image_id": None} for text in texts]
    return {"role": role, "parts": parts}


def reply(sample_id: str | None, line: int, *turns: dict[str, Any], **columns: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("choices", "finish_reason", "tokens_in", "tokens_out", "fingerprint", "dropped"))
    row = {"evaluation": "one", "line": line, "sample_id": sample_id, "turns": list(turns), "status": "ok"}
    return {**empty, **row, "quarantined": None, **columns}


def chains_of(samples: list[Sample], replies: list[dict[str, Any]], **options: Any) -> dict[str, Chain]:
    evaluations = {"one": Evaluation("m3cot", "test", "file", several=options.pop("several", False))}
    found = reasoned(
        {("m3cot", "released"): as_table("sample", samples)},
        {"one": as_table("prediction", replies)},
        evaluations,
        {"one": [one.id or "" for one in samples]},
        **options,
    )
    return {one.sample_id: one.chain for one in found}


def test_the_context_is_the_first_prompt_and_the_steps_are_those_of_the_first_reply() -> None:
    dialogue = (
        turn("user", None, PROMPT),
        turn("assistant", "The picture has a scale. So it is a map."),
        turn("user", "Choose one of A and B."),
        turn("assistant", "The answer is (A). Surely."),
    )
    found = chains_of([sample("s")], [reply("s", 1, *dialogue)])

    assert found["s"].context == (
        "[Question]\nWhat is shown?",
        "Look well.",
        "[Choices]\n(A) a map\n(B) a gate",
    )
    assert found["s"].steps == ("The picture has a scale.", "So it is a map.")
    assert found["s"].reference is None


def test_the_gold_rationale_is_its_texts_without_its_pictures() -> None:
    gold = (Part("text", "First, draw it.", None), Part("image", "[IMAGE0]", "0" * 64), Part("text", "It is 5.", None))
    found = chains_of([sample("s", rationale=gold)], [reply("s", 1, turn("assistant", "It is 5."))])

    assert found["s"].reference == ("First, draw it.", "It is 5.")


def test_a_gold_rationale_without_a_step_is_none() -> None:
    blank = (Part("text", " \n", None),)

    assert chains_of([sample("s", rationale=blank)], [reply("s", 1, turn("assistant", "A"))])["s"].reference is None


def test_where_no_prompt_stands_in_the_record_the_sample_is_the_context() -> None:
    found = chains_of([sample("s", context="It is old.")], [reply("s", 1, turn("assistant", "It is a map."))])

    assert found["s"].context == ("It is old.", "What is shown?", "(A) a map\n(B) a gate")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is a map.</s>", ("It is a map.",)),
        ("It is a map. </s>", ("It is a map.",)),
        ("It is a map.<|im_end|>\n", ("It is a map.",)),
        ("It is a map.<|endoftext|></s>", ("It is a map.",)),
        ("</s>", ()),
        ("If a < b and c > d, stop.", ("If a < b and c > d, stop.",)),
    ],
)
def test_end_tokens_are_no_words_of_the_last_step(text: str, expected: tuple[str, ...]) -> None:
    assert steps(text, "roscoe") == expected


@pytest.mark.parametrize(
    "said",
    [
        [],
        [reply("s", 1, turn("user", PROMPT), turn("assistant", " "), status="empty")],
        [reply("s", 1, turn("user", PROMPT), turn("assistant", "REJECT"), status="filtered")],
        [reply("s", 1, turn("user", PROMPT), turn("assistant", "R"), turn("user", "E"), status="error")],
        [reply("s", 1, turns=None, status="error")],
        [reply("s", 1, turn("assistant"))],
    ],
)
def test_a_sample_without_a_rationale_has_a_chain_without_steps(said: list[dict[str, Any]]) -> None:
    found = chains_of([sample("s")], [*said, reply("t", 9, turn("assistant", "Other."))])

    assert found["s"].steps == ()
    assert found["s"].context[0].endswith("What is shown?")


def test_an_empty_answer_after_a_rationale_takes_nothing_from_it() -> None:
    dialogue = (turn("user", PROMPT), turn("assistant", "A map."), turn("user", "So?"), turn("assistant", ""))

    assert chains_of([sample("s")], [reply("s", 1, *dialogue, status="empty")])["s"].steps == ("A map.",)


def test_of_several_replies_the_first_one_in_the_file_counts_and_dropped_records_do_not() -> None:
    unread = reply("s", 1, turns=None, status="error", dropped="invalid_json", quarantined=("file", 1, "{"))
    found = chains_of(
        [sample("s")],
        [reply("s", 3, turn("assistant", "Third.")), reply("s", 2, turn("assistant", "Second.")), unread],
    )

    assert found["s"].steps == ("Second.",)


def test_evaluations_of_people_are_left_out() -> None:
    assert chains_of([sample("s")], [reply("s", 1, turn("assistant", "A"))], several=True) == {}


def test_the_segmentation_is_the_one_of_params() -> None:
    found = chains_of([sample("s")], [reply("s", 1, turn("assistant", "One\nTwo"))], profile="roscoe-lines")

    assert found["s"].steps == ("One", "Two")


def test_replies_of_an_evaluation_that_params_has_not_are_told() -> None:
    with pytest.raises(Fault, match="there are replies of gone, which params"):
        reasoned({}, {"gone": as_table("prediction", [])}, {}, {})


def test_samples_are_drawn_by_topic_and_those_of_comt_by_task() -> None:
    item = Item("s", ("a", "b"), "A", "science", "physics", None, "creation")

    assert strata([item], "m3cot") == {"s": "physics"}
    assert strata([item], "comt") == {"s": "creation"}
    assert strata([item._replace(topic=None)], "m3cot") == {"s": ""}


def test_chains_of_a_table_are_plain_texts() -> None:
    table = as_table("prediction", [reply("s", 1, turn("assistant", "A map."))])

    assert isinstance(table, pa.Table)
    assert all(isinstance(text, str) for text in chains_of([sample("s")], table.to_pylist())["s"].steps)
