"""`assets.analysis.audit.label_audit`: what speaks against a label, found in rationales, options and records."""

import pytest

from assets.analysis.audit.label_audit import findings
from assets.analysis.audit.shown_options import shown_options
from assets.evaluation.rows import Reply
from assets.schema.sample import Part, Sample
from assets.schema.tables import as_table

EDITION = ("m3cot", "released")
OPTIONS = ("a kettle", "a lamp", "a chair")


def sample(
    rationale: str = "", choices: tuple[str, ...] = OPTIONS, answer: str = "B", key: str = "s", **columns
) -> Sample:
    said = (Part("text", rationale, None),) if rationale else None
    return Sample(
        id=key,
        benchmark="m3cot",
        source="m3cot_released",
        source_id=key,
        provenance="released",
        question=columns.pop("question", "Which one?"),
        choices=choices,
        answer=answer,
        rationale=said,
        split=columns.pop("split", "test"),
        **columns,
    )


def record(prompt: str | None, choices: tuple[str, ...] | None, line: int = 1) -> Reply:
    messages = ("(B)",) if prompt is None else (prompt, "(B)")
    return Reply(line, "s", choices, messages, "(B)", "ok")


def found(samples, replies=None):
    asked = {name: (*EDITION, "test") for name in replies or {}}
    rows = as_table("finding", findings({EDITION: samples}, replies or {}, asked)).to_pylist()
    return [
        (row["sample_id"], row["finding"], row["label"], row["other"], row["detail"], row["evaluation"]) for row in rows
    ]


def prompt(*options: str, before: str = "", after: str = "\n\nLet us think.") -> str:
    listed = "\n".join(f"({letter}) {option}" for letter, option in zip("ABCDEF", options, strict=False))
    return f"{before}[Question]\nWhich one?\n[Choices]\n{listed}{after}"


def test_a_rationale_that_comes_to_another_option_is_found_with_its_letter() -> None:
    rationale = "Step 1: It boils water.\nStep 2: So the answer is (A)."
    assert found([sample(rationale)]) == [
        (
            "s",
            "rationale_concludes_other",
            "B",
            "A",
            "It ends: 'Step 2: So the answer is (A).'; A is 'a kettle'; B is 'a lamp'",
            None,
        )
    ]
    assert found([sample(rationale, answer="A")]) == []
    assert found([sample("Step 1: It boils water.\nStep 2: So it is hot.")]) == []


def test_a_rationale_that_argues_for_one_other_option_alone_is_found() -> None:
    rationale = "Step 1: Option A contains a vague pronoun reference.\nStep 2: Look at both again."
    asks = "Which sentence contains a vague pronoun reference?"
    choices = ("Jo told Al that he won.", "Jo won, and told Al.")
    ((_, finding, label, other, _, _),) = found([sample(rationale, choices, "B", question=asks)])
    assert (finding, label, other) == ("rationale_argues_other", "B", "A")
    assert found([sample(rationale, choices, "A", question=asks)]) == []


def test_options_equal_but_for_case_and_spaces_are_one_finding_of_all_of_them() -> None:
    assert found([sample(choices=("Ff", " ff", "FF", "gg"))]) == [
        ("s", "options_equal", "B", None, "A is 'Ff'; B is 'ff'; C is 'FF'", None)
    ]
    assert found([sample(choices=("Ff", "ff", "gg"))])[0][3] == "A"
    assert found([sample(choices=("Ff", "ff", "gg"), answer="C")])[0][3] is None


def test_an_option_within_another_is_found_whichever_comes_first() -> None:
    assert found([sample(choices=("12:25 PM", "9:00 AM", "2:25 pm"))]) == [
        ("s", "options_nested", "B", None, "C is '2:25 pm', within A is '12:25 PM'", None)
    ]
    assert found([sample(choices=("", "a", "b"))]) == []


def test_a_prompt_that_lists_other_options_than_its_record_is_found_once_for_all_evaluations() -> None:
    other = prompt("a kettle", "a blue lamp", "a chair")
    replies = {name: [record(other, OPTIONS)] for name in ("c", "a", "b", "d")}
    detail = "B is 'a blue lamp' in the prompt, 'a lamp' in the record"
    assert found([sample()], replies) == [
        ("s", "prompt_options_differ", "B", None, f"{detail}; 4 evaluations: a, b, c, …", None)
    ]
    assert found([sample()], {"a": replies["a"]}) == [("s", "prompt_options_differ", "B", None, detail, "a")]
    assert found([sample()], {"a": [record(prompt(*OPTIONS), OPTIONS)]}) == []


def test_a_record_without_options_is_held_against_the_sample() -> None:
    replies = {"a": [record(prompt("a kettle", "a pan", "a chair"), None)]}
    assert [row[1:4] for row in found([sample()], replies)] == [("prompt_options_differ", "B", None)]


def test_options_in_another_order_say_where_the_label_went() -> None:
    swapped = ("a lamp", "a kettle", "a chair")
    rows = found([sample()], {"a": [record(prompt(*swapped), swapped)], "b": [record(None, ("a kettle", "a lamp"))]})
    assert [(row[1], row[3], row[5]) for row in rows] == [
        ("record_options_differ", "A", "a"),
        ("record_options_differ", None, "b"),
    ]
    assert rows[1][4] == "C is no option in the record, 'a chair' in the sample"


def test_white_space_makes_no_other_option() -> None:
    spaced = ("a  kettle", " a lamp", "a chair\n")
    assert found([sample()], {"a": [record(prompt(*OPTIONS), spaced)]}) == []


def test_dropped_samples_and_replies_to_other_samples_say_nothing() -> None:
    assert found([sample(choices=("a", "A"), dropped="no_answer")]) == []
    assert found([sample(key="t")], {"a": [record(prompt("x", "y"), OPTIONS)]}) == []


def test_samples_stand_by_split_in_their_own_order() -> None:
    twice = ("a", "A", "b")
    samples = [
        sample(choices=twice, key="z"),
        sample(choices=twice, key="a"),
        sample(choices=twice, key="t", split="train"),
        sample(choices=twice, key="b", split="test"),
    ]
    assert [row[0] for row in found(samples)] == ["z", "a", "b", "t"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (prompt(*OPTIONS), OPTIONS),
        (prompt(*OPTIONS, after=""), OPTIONS),
        (prompt(*OPTIONS, after="\n[Hint] look"), OPTIONS),
        (prompt(*OPTIONS, before=prompt("x", "y") + "\nANSWER: (B)\n\n"), OPTIONS),
        (prompt("one\nwith a line", "two"), ("one with a line", "two")),
        (prompt("like (B) here", "two"), ("like (B) here", "two")),
        ("Which one? (A) a kettle (B) a lamp", None),
        ("(A) alone", None),
        ("", None),
    ],
)
def test_the_options_of_a_prompt(text: str, options: tuple[str, ...] | None) -> None:
    assert shown_options(text) == options
