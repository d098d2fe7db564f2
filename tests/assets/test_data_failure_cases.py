"""Failure cases of data that other projects met, by their number in the project's catalogue: those no other file has.

D01 is tested beside each reader (`none_or_na`), D02 and D04 of one picture in test_images.py, D08 in
evaluation/test_answers.py (a difference is listed), D15 of releases in sources/test_m3cot_released.py and
sources/test_released_folder.py. D10 and D11 belong to few-shot prompts.
"""

import gzip
import io
import json

import pyarrow.parquet as pq
import pytest
from PIL import Image

from assets import samples as memory
from assets.flow import of_table, set_aside
from assets.images import Pictures, once
from assets.m3cot import letters, new_samples, rewrite
from assets.m3cot.account.benchmark_statistics import statistics
from assets.samples import Part, Sample
from assets.schema.faults import Fault
from assets.sources import (
    kilogram,
    math_problems,
    released_folder,
    scienceqa,
    sherlock,
    tabmwp,
)
from assets.writer import Reply, Rules
from expectations.suites import suite_of
from expectations.validation import validate

TEXTS = ("None", "NA", "null", "N/A", "nan")

PROBLEM = {
    "question": "Which is farthest north?",
    "choices": ["West Virginia", "Maine", "Ohio"],
    "answer": 1,
    "hint": "",
    "image": "image.jpg",
    "task": "closed choice",
    "grade": "grade2",
    "subject": "social science",
    "topic": "geography",
    "category": "State capitals",
    "skill": "Read a map",
    "lecture": "",
    "solution": "North is up.\nMaine is at the top.",
    "split": "test",
}

SAMPLE = Sample(
    "scienceqa-1",
    "m3cot",
    "scienceqa",
    "1",
    "released",
    domain="science",
    topic="social-science",
    subtopic="geography",
    category="State capitals",
    question="Which is farthest north?",
    context="",
    choices=("Ohio", "Utah", "Maine", "Iowa"),
    answer="C",
    rationale=(Part("text", "Look at the map. Maine is at the top.", None),),
    images=("0" * 64,),
    split="test",
)


def jpeg():
    stored = io.BytesIO()
    Image.radial_gradient("L").convert("RGB").save(stored, "JPEG")
    return stored.getvalue()


def of_scienceqa(folder, problems, pictures):
    for place, content in pictures.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(content)
    (folder / "problems.json").write_text(json.dumps(problems), encoding="utf-8")
    stored = Pictures.of(once(scienceqa.pictures(folder)))
    rows = scienceqa.samples(folder, stored.ids(), stored.reasons(), provenance="released")
    return memory.to_table(rows), stored


def asked_by(prompt_of, sample):
    [request] = prompt_of([sample])
    return request.prompt


def released(folder, **changes):
    record = {"id": "physics-1", "question": "?", "choices": ["a", "b"], "answer": "A", "context": ""} | changes
    (folder / "test.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return next(released_folder.samples(folder, {}, {}))


def test_d01_options_called_none_or_na_stand_in_what_the_writer_is_asked():
    one = SAMPLE._replace(choices=TEXTS, answer="B")
    said = asked_by(rewrite.requests, one)
    assert "(A) None\n(B) NA\n(C) null\n(D) N/A\n(E) nan\n" in said
    assert "Answer: (B) NA\n" in said
    [request] = new_samples.requests([one], sparse=2, most=1, seed=1)
    assert "Options: (A) None (B) NA (C) null (D) N/A (E) nan\nRight option: NA\n" in request.prompt


def test_d01_options_called_none_or_na_keep_their_text_when_reordered():
    [row] = letters.balanced([SAMPLE._replace(choices=TEXTS, answer="B")], seed=0)
    assert sorted(row.choices) == sorted(TEXTS)
    assert row.choices[letters.LETTERS.index(row.answer)] == "NA"


def test_d04_a_problem_with_a_truncated_jpeg_is_quarantined_and_counted(tmp_path):
    whole, cut = "images/test/1/image.jpg", "images/test/2/image.jpg"
    files = {whole: jpeg(), cut: jpeg()[: len(jpeg()) // 2]}
    table, stored = of_scienceqa(tmp_path, {"1": PROBLEM, "2": PROBLEM}, files)
    assert table["dropped"].to_pylist() == [None, "unreadable_picture"]
    [row] = of_table("sources/scienceqa", table)
    assert (row.entered, row.retained, row.quarantined, row.reasons) == (2, 1, 1, {"unreadable_picture": 1})
    [aside] = set_aside("sources/scienceqa", table, "id")
    assert (aside.file, aside.key, aside.excerpt) == ("problems.json", "scienceqa-2", f"{cut}: truncated_picture")
    [picture] = set_aside("sources/scienceqa_images", stored.index(), "file")
    assert (picture.file, picture.reason) == (cut, "truncated_picture")


@pytest.mark.parametrize("question", ["<image> What is shown?", "<image>\n<image> Compare <image_1>.", "<image>"])
def test_d05_a_question_that_holds_the_word_image_in_brackets_keeps_it_and_its_one_picture(tmp_path, question):
    table, stored = of_scienceqa(tmp_path, {"1": PROBLEM | {"question": question}}, {"images/test/1/image.jpg": jpeg()})
    [row] = memory.kept(table)
    assert row.question == question
    assert row.images == (stored.ids()["images/test/1/image.jpg"],)
    [balanced] = letters.balanced([row], seed=1)
    writer = Rules({rewrite.TASK: rewrite.rule})
    [anew] = rewrite.rewritten([balanced], writer.write(rewrite.requests([balanced])), writer.name).samples
    assert (anew.question, len(anew.images)) == (question, 1)
    assert "<image>" not in anew.text


def test_d05_a_released_question_with_image_in_brackets_is_kept(tmp_path):
    row = released(tmp_path, question="<image>\nWhat is it?", context="See <image>.")
    assert (row.question, row.context) == ("<image>\nWhat is it?", "See <image>.")


def test_d07_a_rationale_that_ends_in_another_option_is_counted_and_the_label_stays():
    one = SAMPLE.with_text("Look at the map. Iowa is at the top, so option (D).")
    assert rewrite.disagreeing(one)
    assert not rewrite.disagreeing(one._replace(answer="D"))
    counted = {
        row[:3]: row.value for row in statistics([one, SAMPLE], [], [], steps_profile="roscoe", profile="default")
    }
    assert counted["labels", "all", "rationale ends in another option"] == 1


def test_d07_no_rewrite_makes_a_rationale_or_a_label_agree():
    one = SAMPLE.with_text("Look at the map. Iowa is at the top, so option (D).")
    by_rule = rewrite.rewritten([one], Rules({rewrite.TASK: rewrite.rule}).write(rewrite.requests([one])), "rules")
    assert by_rule == ([one], {"other_answer": 1})
    text = json.dumps({"rationale": "Step 1: Look at the map.\nStep 2: So the answer is (D) Iowa."})
    by_model = rewrite.rewritten([one], [Reply("scienceqa-1", "ok", text)], "a model")
    assert by_model == ([one], {"other_answer": 1})


LOADER = """import datasets, pathlib
pathlib.Path(__file__).with_name("ran").touch()
class M3CoT(datasets.GeneratorBasedBuilder):
    VERSION = datasets.Version("1.0.0")
"""


@pytest.fixture
def loader(tmp_path):
    """A loader script as the hub's data sets had them; it leaves a file behind when it is run."""
    path = tmp_path / "data" / "m3cot.py"
    path.parent.mkdir()
    path.write_text(LOADER, encoding="utf-8")
    yield path
    assert not path.with_name("ran").exists()


READERS = {
    "scienceqa": (lambda path: scienceqa.samples(path, {}, {}, provenance="x"), "problems.json"),
    "math": (lambda path: math_problems.samples(path, provenance="x"), "folder"),
    "tabmwp": (lambda path: tabmwp.samples(path, {}, {}, provenance="x"), "folder|problems_"),
    "kilogram": (lambda path: kilogram.tangrams(path, provenance="x"), "tangrams-svg"),
    "sherlock": (lambda path: sherlock.clues(path, {}, {}, provenance="x"), "folder|sherlock_"),
    "m3cot_released": (lambda path: released_folder.samples(path.parent, {}, {}), "holds neither train.jsonl"),
}


@pytest.mark.parametrize("name", READERS)
def test_d13_a_loader_script_named_as_a_source_is_told_in_one_sentence(loader, name):
    read, said = READERS[name]
    with pytest.raises(Fault, match=said) as told:
        list(read(loader))
    assert "data" in str(told.value) or "m3cot.py" in str(told.value)
    assert "\n" not in str(told.value)


def test_d13_a_loader_script_named_as_items_is_told_in_one_sentence(loader):
    with pytest.raises(Fault, match=r"m3cot\.py: is no release of M3CoT: .*a loader script is never run") as told:
        released_folder.is_release(loader)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("text", [*TEXTS, "NaN", "<NA>", "#N/A", "0", "1e5", "True", " ", "\u00ad"])
def test_d14_a_text_is_the_same_after_parquet(tmp_path, text):
    one = SAMPLE._replace(
        question=text, context=text, category=text, choices=(text, "b"), before=text, answer="A"
    ).with_text(text)
    pq.write_table(memory.to_table([one]), tmp_path / "a.parquet")
    assert memory.of_table(pq.read_table(tmp_path / "a.parquet")) == [one]


def test_d14_texts_like_na_are_text_to_the_suites_and_a_null_is_not():
    """Great Expectations reads the table through pandas, whose text columns are no longer of dtype object."""
    rows = [
        SAMPLE._replace(id=f"scienceqa-{text}", source_id=text, question=text, choices=TEXTS, answer="A", category=text)
        for text in TEXTS
    ]
    suite = suite_of("sources/scienceqa")
    assert [result.name for result in validate(suite, memory.to_table(rows)).failed] == []
    lacking = memory.to_table([rows[0], rows[1]._replace(question=None)])
    assert [result.name for result in validate(suite, lacking).failed] == ["kept_are_complete"]


@pytest.mark.parametrize(
    ("name", "split"),
    [("dev.jsonl", "validation"), ("validation.jsonl", "validation"), ("dev.jsonl.gz", "validation")],
)
def test_d15_files_of_math_named_dev_or_validation_are_one_split(tmp_path, name, split):
    record = {"problem": "$1+1$", "solution": r"It is $\boxed{2}$.", "type": "Algebra"}
    text = (json.dumps(record) + "\n").encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert [row.split for row in math_problems.samples(tmp_path, provenance="x")] == [split]
