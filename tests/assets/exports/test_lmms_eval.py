"""`assets.exports.lmms_eval`: the task's YAML names functions that are there, and they do what it says."""

import importlib.util
import io
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from assets.evaluation.extraction.strict import extract
from assets.exports import lmms_eval, lmms_eval_functions
from assets.exports.written import ExportError
from assets.images import identify
from assets.m3cot import release_parquet
from tests.exported import HOSTILE, benchmark, built_comt, files_of, interrupted, sample


def loaded(path: Path) -> dict[str, Any]:
    """The task file as lmms-eval reads it: what `!function` names is imported from the file beside it."""

    class Loader(yaml.FullLoader):
        pass

    def imported(loader: Loader, node: yaml.ScalarNode) -> Any:
        module, name = str(loader.construct_scalar(node)).split(".")
        spec = importlib.util.spec_from_file_location(module, path.parent / f"{module}.py")
        assert spec is not None and spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return getattr(made, name)

    Loader.add_constructor("!function", imported)
    found: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader)
    return found


def docs(folder: Path, split: str = "test") -> list[dict[str, Any]]:
    """The records as `datasets` gives them: pictures decoded."""

    def decoded(value: Any) -> Any:
        if isinstance(value, dict) and "bytes" in value:
            return Image.open(io.BytesIO(value["bytes"]))
        return [decoded(each) for each in value] if isinstance(value, list) else value

    rows = pq.read_table(folder / "data" / f"{split}-00000-of-00001.parquet").to_pylist()
    return [{name: decoded(value) for name, value in row.items()} for row in rows]


def test_the_task_asks_as_it_says_and_scores_the_reply(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    lmms_eval.write(rows, pictures, tmp_path / "out", task="m3cot_built")
    task = loaded(tmp_path / "out/m3cot_built.yaml")
    assert (task["task"], task["test_split"], task["output_type"]) == ("m3cot_built", "test", "generate_until")
    assert task["dataset_path"] == str(tmp_path / "out")
    assert task["metric_list"] == [{"metric": "accuracy", "aggregation": "mean", "higher_is_better": True}]
    doc = docs(tmp_path / "out")[1]
    said = task["doc_to_text"](doc, task["lmms_eval_specific_kwargs"]["default"])
    assert said == (
        f'{HOSTILE}\n{HOSTILE}?\n(A) None\n(B) 35\n(C) say "x"\t\n\n\nLet\'s think step-by-step! '
        "End with the letter of the right option, as in: The answer is (A)."
    )
    assert [identify(each) for each in task["doc_to_visual"](doc)] == list(rows[5].images or ())
    assert task["doc_to_target"](doc) == "B"
    assert task["process_results"](doc, ["(A) no, the answer is (B)"]) == {"accuracy": 1.0}
    assert task["process_results"](doc, ["C"]) == {"accuracy": 0.0}
    assert len(task["doc_to_visual"](docs(tmp_path / "out")[0])) == 5


def test_the_folder_may_be_moved(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    lmms_eval.write(rows, pictures, tmp_path / "a", task="m3cot_built")
    lmms_eval.write(rows, pictures, tmp_path / "b", task="m3cot_built")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    (tmp_path / "a").rename(tmp_path / "moved")
    assert loaded(tmp_path / "moved/m3cot_built.yaml")["dataset_path"] == str(tmp_path / "moved")
    release_parquet.write(rows, pictures, tmp_path / "hub")
    moved, hub = files_of(tmp_path / "moved"), files_of(tmp_path / "hub")
    assert {name: moved[name] for name in hub if name.startswith("data/")} == {
        name: each for name, each in hub.items() if name.startswith("data/")
    }


def test_comt_is_asked_with_the_pictures_that_its_question_names(tmp_path: Path) -> None:
    rows, pictures = built_comt()
    written = lmms_eval.write(rows, pictures, tmp_path / "out", task="comt_built")
    task = loaded(tmp_path / "out/comt_built.yaml")
    shown, creation = docs(tmp_path / "out")
    assert len(shown["images"]) == 2 and len(task["doc_to_visual"](shown)) == 1
    seen = task["doc_to_visual"](shown)[0]
    assert (seen.mode, seen.getpixel((0, 0))) == ("RGB", (255, 255, 255))
    assert task["doc_to_visual"](creation) == []
    assert task["doc_to_text"](shown) == "How many in [IMAGE1]?\n(A) 1\n(B) 2\n(C) 3\n(D) 4"
    assert "1 questions show no picture: models are asked them in words alone" in written.notes


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("(A) is wrong. The answer is (C).", "C"),
        ("**Answer:** **B**", "B"),
        ("Answer: B", "B"),
        ("(A) or (B)? It is (B)", "B"),
        ("B", "B"),
        ("b", "B"),
        ("B. two", "B"),
        ("A picture of two cars", "B"),
        ("It is three", "C"),
        ("one or two", None),
        ("(E)", None),
        ("", None),
    ],
)
def test_the_letter_of_a_reply(reply: str, letter: str | None) -> None:
    assert lmms_eval_functions.letter_of(reply, ["one", "two", "three"]) == letter


FORMS = {
    "B": [
        *(
            "B",
            "b",
            "B.",
            "(B)",
            "(b)",
            "[B]",
            "**B**",
            "<b>B</b>",
            "B</s>",
            r"\boxed{B}",
            r"$\boxed{\text{B}}$",
            "Option B",
        ),
        *("The answer is: B", "Answer is: **B**", "Answer - B", "Answer: B", "ANSWER: B", "answer = B", "The answer B"),
        *("The correct answer is option B", "The correct option is B", "The best choice is (B).", "The answer: 'B'"),
        *("The answer to the question is B.", "The answer is therefore B.", "The answer is (b).", "The answer is $B$."),
        *("B is correct.", "Option B is the correct answer.", "(B) is the answer.", "A is wrong. B is right."),
        *("Answer:\nB", "### Final Answer\n\nB", "The answer is:\n\n(B) two", "It shows one lamp.\n\n**B**"),
        *("B. two", "B) two", "B: two", "B - two", "B, because it is two.", "It is two."),
        *('{"answer": "B"}', "<answer>B</answer>", "<think>The answer is A.</think>The answer is B."),
        *("the answer is (A). Wait, the answer is: (B)", "So the answer is (B).\n\nThe others are (A) and (C)."),
        *("(A) is wrong, (B) it is", "Is the answer A? It is (B).", "(A) no, the answer is (B)"),
        *("The answer is A picture of two cars", "Answer the question: it is two"),
    ],
    None: [
        *("", "(E)", "The answer is (E).", "The answer is A or B.", "The answer is not A.", "not (A)", "A, B"),
        *("one or two", "twofold", "It is none of them", "A) one\nB) two\nC) three", "The answer is I think B"),
    ],
}


@pytest.mark.parametrize("letter", FORMS)
def test_forms_of_replies_are_read_as_the_strict_extraction_reads_them(letter: str | None) -> None:
    options = ["one", "two", "three"]
    for reply in FORMS[letter]:
        assert (reply, lmms_eval_functions.letter_of(reply, options)) == (reply, letter)
        assert (reply, extract(reply, options).letter) == (reply, letter)


@pytest.mark.parametrize(
    ("reply", "letter", "strict"),
    [
        # texts of options are looked for as the last thing, without what negates or declares them
        ("It is not one, it is two.", None, "B"),
        ("One might say one. The answer is two.", None, "B"),
        # only what is called an answer, or a correct option, is a declaration
        ("I would go with B.", None, "B"),
        # of several letters in brackets the last counts, where the strict extraction finds no one answer
        ("Both (A) and (B)", "B", None),
        # a small letter at an end is read
        ("The answer is b.", "B", None),
    ],
)
def test_where_the_exported_reading_is_simpler_than_the_strict_one(
    reply: str, letter: str | None, strict: str | None
) -> None:
    options = ["one", "two", "three"]
    assert lmms_eval_functions.letter_of(reply, options) == letter
    assert extract(reply, options).letter == strict


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ("There are 12.", ["1", "12", "2"], "B"),
        ("A red car.", ["car", "red car", "bus"], "B"),
        ("It costs $5 (five).", ["$5", "$50", "5"], "A"),
    ],
)
def test_an_option_does_not_stand_within_a_longer_word_or_option(reply: str, options: list[str], letter: str) -> None:
    assert lmms_eval_functions.letter_of(reply, options) == letter


@pytest.mark.parametrize("piece", ["\n", "answer ", "answer is ", "A ", "B is ", "*", "(", "answer is A or "])
def test_a_long_reply_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    # one that grew with the square would take half a minute
    lmms_eval_functions.letter_of(piece * 50_000 + "x y", ["one", "two"])


def test_without_a_test_split_the_validation_split_is_asked(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    kept = [row for row in rows if row.split != "test"]
    lmms_eval.write(kept, pictures, tmp_path / "out", task="t")
    assert loaded(tmp_path / "out/t.yaml")["test_split"] == "validation"


def test_what_has_no_place_is_left_out_and_half_a_folder_is_never_left(tmp_path: Path) -> None:
    rows, pictures = benchmark(sample(8, answer="F"), sample(9, images=("a", "b")))
    written = lmms_eval.write(rows, pictures, tmp_path / "out")
    assert sum(written.records.values()) == 6 and len([each for each in written.notes if "left out" in each]) == 2
    with pytest.raises(ExportError, match="can carry no sample"):
        lmms_eval.write(rows[6:], pictures, tmp_path / "none")
    with pytest.raises(KeyboardInterrupt):
        lmms_eval.write(rows, pictures, tmp_path / "none", interrupted)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
