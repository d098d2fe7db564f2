"""One evaluation asked, from its tables to the table of its replies, with the store between."""

from pathlib import Path

import pytest
from PIL import Image

from assets import images, samples
from assets.evaluation import asked
from assets.evaluation.asked import Tables
from assets.models.baseline import Baseline
from assets.models.stored_pictures import StoredPictures
from assets.replies_store import RepliesStore
from assets.schema.faults import Fault
from assets.schema.sample import Part, Sample
from assets.settings_evaluation import Evaluation, OpenAI

BLUE = images.of_pixels(Image.new("RGB", (8, 6), "#0000ff"), "blue.png")
RED = images.of_pixels(Image.new("RGB", (8, 6), "#ff0000"), "red.png")


def sample(number: int, split: str = "test", answer: str = "A", **columns: object) -> Sample:
    return Sample(
        id=f"s{number}",
        benchmark="m3cot",
        source="scienceqa",
        source_id=str(number),
        provenance="generated",
        domain="science",
        topic="natural-science",
        category="Colours",
        question=f"Which colour is square {number}?",
        choices=("red", "blue"),
        answer=answer,
        rationale=(Part("text", f"Square {number} looks red.", None),),
        images=(str(RED.image_id),),
        split=split,
    )._replace(**columns)


def tables(*rows: Sample) -> Tables:
    return Tables(samples.to_table(rows), [images.Pictures.of([RED, BLUE])])


def evaluation(**said: object) -> Evaluation:
    one = {"benchmark": "m3cot", "edition": "built", "split": "test", "model": "guess", "strategy": "direct"}
    return Evaluation.model_validate(one | said)


def ask(folder: Path, own: Tables, said: Evaluation, **options: object) -> asked.Asked:
    model = Baseline("guess", "majority", letter="B")
    return asked.asked("guess_direct", said, own, model, folder=folder, most_failures=0.2, **options)


def test_an_evaluation_becomes_a_row_a_sample_of_its_split_as_it_was_asked(tmp_path: Path) -> None:
    own = tables(sample(1), sample(2, "train"), sample(3), sample(4, dropped="no_answer"))
    found = ask(tmp_path, own, evaluation())
    rows = found.table.to_pylist()
    assert [(row["line"], row["sample_id"], row["status"], row["choices"]) for row in rows] == [
        (1, "s1", "ok", ["red", "blue"]),
        (2, "s3", "ok", ["red", "blue"]),
    ]
    [user, assistant] = rows[1]["turns"]
    assert user["parts"][0]["image_id"] == RED.image_id
    assert "Which colour is square 3?" in user["parts"][1]["text"]
    assert assistant["parts"] == [{"kind": "text", "text": "The answer is (B).", "image_id": None}]
    assert (found.facts["asked"], found.facts["reused"], found.facts["asking"]) == (2, 0, "first")
    assert found.facts["status"] == {"ok": 2}


def test_a_limit_asks_the_first_samples_and_what_is_asked_later_is_the_rest_alone(tmp_path: Path) -> None:
    own = tables(*(sample(number) for number in range(6)))
    few = ask(tmp_path, own, evaluation(limit=2))
    whole = ask(tmp_path, own, evaluation())
    assert [row["sample_id"] for row in few.table.to_pylist()] == ["s0", "s1"]
    assert (whole.facts["asked"], whole.facts["reused"]) == (4, 2)
    assert whole.table.slice(0, 2).equals(few.table)


@pytest.mark.parametrize("other", [{"asking": "second"}, {"strategy": "cot"}, {"variant": "llava"}])
def test_another_asking_or_wording_asks_anew(tmp_path: Path, other: dict[str, object]) -> None:
    own = tables(sample(1))
    ask(tmp_path, own, evaluation())
    assert ask(tmp_path, own, evaluation(**other)).facts["reused"] == 0


def test_a_night_asks_anew_and_leaves_the_asking_of_record(tmp_path: Path) -> None:
    own = tables(sample(1))
    ask(tmp_path, own, evaluation())
    assert ask(tmp_path, own, evaluation(), asking="night-2026-11-30").facts["asked"] == 1
    assert ask(tmp_path, own, evaluation()).facts["reused"] == 1
    with RepliesStore(tmp_path) as store:
        assert {record["asking"] for _, record in store.records()} == {"first", "night-2026-11-30"}


def test_shots_come_from_the_validation_split_and_are_counted(tmp_path: Path) -> None:
    blue = (str(BLUE.image_id),)
    dev = [sample(3, "validation", images=blue), sample(4, "validation", images=blue)]
    own = tables(sample(1), sample(2, "train"), *dev, sample(5, "validation"))
    found = ask(tmp_path, own, evaluation(shots=1, shot_rationales="text"))
    text = "".join(part["text"] or "" for part in found.table.to_pylist()[0]["turns"][0]["parts"])
    assert sum(f"Which colour is square {number}?" in text for number in (3, 4)) == 1
    assert "Which colour is square 2?" not in text
    counted = ("shots", "shots_of_another_category", "shots_refused")
    # The one that shows the same picture is refused.
    assert [found.facts[name] for name in counted] == [1, 0, 1]


@pytest.mark.parametrize(
    ("rows", "said", "message"),
    [
        ([sample(1)], {"split": "train"}, "evaluations.guess_direct.split: m3cot (built) has no train samples: name a"),
        ([sample(1, images=("0" * 64,))], {}, "evaluations.guess_direct: s1: its picture "),
        ([sample(1)], {"shots": 2}, "evaluations.guess_direct: s1: 2 samples are to be shown before it"),
        ([sample(1)], {"variant": "shouted"}, "evaluations.guess_direct: "),
        ([sample(1)], {"strategy": "vot"}, "evaluations.guess_direct: "),
    ],
    ids=["no split", "no picture", "no shots", "no variant", "no strategy"],
)
def test_what_cannot_be_asked_is_one_sentence_before_anything_is_asked(
    tmp_path: Path, rows: list[Sample], said: dict[str, object], message: str
) -> None:
    with pytest.raises(Fault) as raised:
        ask(tmp_path, tables(*rows), evaluation(**said))
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.glob("segment-*"))


def test_the_majority_letter_is_the_train_splits_or_of_one_without_its_own() -> None:
    train = [sample(number, "train", "B") for number in range(3)] + [sample(9, "train", "A")]
    asked_ones = [sample(20, answer="A"), sample(21, answer="A"), sample(22, answer="B")]
    assert asked.majority(tables(*train, *asked_ones), "test") == "B"
    assert asked.majority(tables(*asked_ones), "test") == "A"
    assert asked.majority(tables(), "test") is None


def test_cost_is_of_a_million_tokens_each_way_and_unsaid_without_prices() -> None:
    facts = {"tokens_in": 2_000_000, "tokens_out": 500_000}
    model = OpenAI(kind="openai", model="m", price_in=3.0, price_out=12.0)
    assert asked.cost(facts, model) == {"cost": 12.0}
    assert asked.cost(facts, OpenAI(kind="openai", model="m")) == {}


def test_the_first_dialogues_are_those_that_are_sent(tmp_path: Path) -> None:
    own = tables(sample(1), sample(2))
    pictures = StoredPictures(own.pictures)
    [first] = asked.dialogues("guess_direct", evaluation(limit=1), own, pictures)
    sent = ask(tmp_path, own, evaluation()).table.to_pylist()[0]["turns"][0]["parts"]
    assert [part._asdict() for part in first.asks[0].parts] == sent
