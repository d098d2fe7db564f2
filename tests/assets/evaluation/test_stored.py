import pytest

from assets.evaluation import differences, scores, stored
from assets.evaluation.rows import Evaluation
from assets.models import replay
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.schema.tables import as_table
from assets.sources import m3cot_released
from assets.sources.jsonlines import Unreadable

ITEMS = [
    {"id": "algebra-1", "domain": "mathematics", "topic": "algebra", "choices": ["one", "two"], "answer": "A"},
    {"id": "algebra-2", "domain": "mathematics", "topic": "algebra", "choices": ["one", "two"], "answer": "B"},
    {"id": "algebra-3", "choices": []},
]
REPLIES = [
    (1, {"id": "algebra-1", "messages": ["q", "(A)"]}),
    (2, Unreadable("mine.jsonl", 2, "invalid_json", '{"id": ')),
    (3, {"id": "algebra-1", "messages": ["q", "(B)"]}),
    (4, {"id": "algebra-9", "messages": ["q", "(B)"]}),
    (5, {"messages": ["q", "(B)"]}),
]
RELEASED = ("m3cot", "released")
MINE = {"mine": Evaluation("m3cot", "test", "mine.jsonl")}


def tables():
    samples = as_table("sample", m3cot_released.samples(enumerate(ITEMS, start=1), file="items.jsonl"))
    mine = as_table("prediction", replay.rows("mine", "mine.jsonl", replay.replies(REPLIES), "m3cot"))
    return {RELEASED: samples}, {"mine": mine}


def answered(**options):
    samples, predictions = tables()
    return stored.answered(samples, predictions, MINE, **options)


def test_every_row_that_entered_is_in_the_flow_and_it_balances():
    samples, predictions = tables()
    rows = [row[:7] for row in stored.flows(samples, predictions, answered(), MINE)]
    # stage, source, entered, generated, retained, discarded, quarantined
    assert rows == [
        ("sources/m3cot_released", "items", 3, 0, 2, 0, 1),
        ("evaluation/recorded", "mine", 5, 0, 3, 0, 2),
        ("evaluation/answers", "mine", 3, 0, 1, 0, 2),
    ]


def test_reasons_of_the_flow_count_what_was_set_aside():
    samples, predictions = tables()
    assert [row.reasons for row in stored.flows(samples, predictions, answered(), MINE)] == [
        {"no_choices": 1},
        {"invalid_json": 1, "no_id": 1},
        {"duplicate_id": 1, "unknown_id": 1},
    ]


def test_every_record_set_aside_is_listed_with_its_place_and_reason():
    samples, predictions = tables()
    rows = stored.set_aside(samples, predictions, answered(), MINE)
    assert [(row.source, row.file, row.line, row.key, row.reason) for row in rows] == [
        ("sources/m3cot_released", "items.jsonl", 3, "algebra-3", "no_choices"),
        ("mine", "mine.jsonl", 2, None, "invalid_json"),
        ("mine", "mine.jsonl", 5, None, "no_id"),
        ("mine", "mine.jsonl", 3, "algebra-1", "duplicate_id"),
        ("mine", "mine.jsonl", 4, "algebra-9", "unknown_id"),
    ]


def test_counting_alone_reads_no_letter_and_sets_the_same_aside():
    assert answered(extractors=())["mine"].rows == []
    assert answered(extractors=())["mine"].quarantine == answered()["mine"].quarantine
    assert answered(extractors=())["mine"].flow == answered()["mine"].flow


def test_answers_come_back_from_their_table_as_they_went_in():
    found = answered()
    table = as_table("answer", stored.answer_rows(found))
    back = stored.answers_by_evaluation(table, MINE)["mine"]
    assert [answer._replace(span=answer.span and tuple(answer.span)) for answer in back] == found["mine"].rows


def test_items_and_replies_come_back_from_their_tables():
    samples, predictions = tables()
    assert list(stored.items(samples[RELEASED], "test")) == ["algebra-1", "algebra-2"]
    assert stored.items(samples[RELEASED], "test")["algebra-2"].choices == ("one", "two")
    assert stored.unscorable(samples[RELEASED], "test") == {"algebra-3": "no_choices"}
    assert [reply.text for reply in stored.replies(predictions["mine"])] == ["(A)", None, "(B)", "(B)", "(B)"]


def of_two_splits():
    """Two evaluations with the same replies, to one sample of each split and to one of none."""
    items = [{**ITEMS[0], "split": "dev"}, {**ITEMS[1], "split": "test"}, {**ITEMS[1], "id": "algebra-4"}]
    replies = [(line, {"id": f"algebra-{line}", "messages": ["q", "(A)"]}) for line in (1, 2, 9)]
    samples = as_table("sample", m3cot_released.samples(enumerate(items, start=1), file="items.jsonl"))
    evaluations = {name: Evaluation("m3cot", name, f"{name}.jsonl") for name in ("test", "validation")}
    predictions = {
        name: as_table("prediction", replay.rows(name, one.replies, replay.replies(replies), "m3cot"))
        for name, one in evaluations.items()
    }
    return {RELEASED: samples}, predictions, evaluations


def test_an_evaluation_is_answered_on_the_samples_of_its_split_and_of_no_other():
    found = stored.answered(*of_two_splits())
    assert {
        name: [(row.sample_id, row.status, row.counted) for row in one.rows if row.extractor == "strict"]
        for name, one in found.items()
    } == {
        "test": [("algebra-2", "ok", True), ("algebra-4", "missing", True)],
        "validation": [("algebra-1", "ok", True)],
    }
    assert [(row.key, row.reason) for row in found["test"].quarantine] == [
        ("algebra-1", "other_split"),
        ("algebra-9", "unknown_id"),
    ]
    assert [row.sample_id for row in found["test"].rows if row.extractor == "paper" and row.counted] == ["algebra-2"]
    assert found["validation"].flow.reasons == {"other_split": 1, "unknown_id": 1}


def test_scores_have_the_denominator_of_the_split():
    samples, predictions, evaluations = of_two_splits()
    answers = {name: one.rows for name, one in stored.answered(samples, predictions, evaluations).items()}
    items = stored.items_by_evaluation(samples, evaluations)
    rows = scores.of_all(answers, items, evaluations, labels=["released"], level=0.95)
    assert {
        row.evaluation: (row.n, row.correct) for row in rows if row.scope == "total" and row.extractor == "strict"
    } == {"test": (2, 0), "validation": (1, 1)}
    assert list(differences.pairs(answers, evaluations, ["released"], 0.95)) == []


def test_a_split_without_samples_is_named_with_the_ones_that_there_are():
    samples, predictions, evaluations = of_two_splits()
    asked = evaluations | {"test": Evaluation("m3cot", "train", "test.jsonl")}
    with pytest.raises(Fault, match=r"test\.split: m3cot \(released\) has no train samples: .*\(test, validation\)"):
        stored.answered(samples, predictions, asked)


def comt(*samples, source="comt_released"):
    """A table of CoMT's samples: (id, split) each."""
    return as_table(
        "sample",
        [
            Sample(
                id=sample_id,
                benchmark="comt",
                source=source,
                source_id=sample_id,
                provenance="generated",
                task="update",
                choices=("a", "b", "c", "d"),
                answer="A",
                split=split,
            )
            for sample_id, split in samples
        ],
    )


COMT = {"mine": Evaluation("comt", "test", "mine.jsonl")}


@pytest.mark.parametrize(
    ("edition", "samples", "way_out"),
    [
        ("released", comt(), "set sources.comt_released.items, or edition: built"),
        (
            "released",
            comt(("a", "validation")),
            "name one that it has (validation), or add items of it to sources.comt_released.items",
        ),
        ("built", comt(), "build comt/benchmark from sources that have some"),
        (
            "built",
            comt(("a", "validation")),
            "name one that it has (validation), or build comt/benchmark otherwise",
        ),
    ],
    ids=["no release", "another split", "nothing built", "built"],
)
def test_an_edition_without_samples_of_the_split_says_the_way_out(edition, samples, way_out):
    with pytest.raises(Fault) as raised:
        stored.items_by_evaluation({("comt", edition): samples}, {"mine": COMT["mine"]._replace(edition=edition)})
    assert str(raised.value) == f"evaluations.mine.split: comt ({edition}) has no test samples: {way_out}"


def test_what_is_scored_against_is_counted_under_the_asset_that_it_is():
    built = comt(("a", "test"), ("b", "validation"))
    assert stored.asset_of("comt", "built") == "comt/benchmark"
    assert stored.asset_of("comt", "released") == "sources/comt_released"
    replies = replay.replies([(1, {"id": "a", "response": "ANSWER: (A)"}), (2, {"id": "b", "response": "(A)"})], "comt")
    predictions = {"mine": as_table("prediction", replay.rows("mine", "mine.jsonl", replies, "comt"))}
    samples = {("comt", "released"): comt(("a", "test")), ("comt", "built"): built}
    mine = {"mine": COMT["mine"]._replace(edition="built")}
    found = stored.answered(samples, predictions, mine)
    assert [row[:7] for row in stored.flows(samples, predictions, found, mine)] == [
        ("comt/benchmark", "items", 2, 0, 2, 0, 0),
        ("evaluation/recorded", "mine", 2, 0, 2, 0, 0),
        ("evaluation/answers", "mine", 2, 0, 1, 0, 1),
    ]
    assert [(row.key, row.reason) for row in stored.set_aside(samples, predictions, found, mine)] == [
        ("b", "other_split")
    ]


def test_a_limit_asks_the_first_samples_of_the_split_and_no_more():
    samples = {("comt", "released"): comt(("a", "validation"), ("b", "test"), ("c", "test"), ("d", "test"))}
    mine = {"mine": COMT["mine"]._replace(limit=2)}
    assert list(stored.items_by_evaluation(samples, mine)["mine"]) == ["b", "c"]
    replies = replay.replies([(n, {"id": name, "response": "(A)"}) for n, name in enumerate("bd", start=1)], "comt")
    predictions = {"mine": as_table("prediction", replay.rows("mine", "mine.jsonl", replies, "comt"))}
    found = stored.answered(samples, predictions, mine)["mine"]
    assert [(row.key, row.reason) for row in found.quarantine] == [("d", "past_limit")]
    assert [(row.sample_id, row.extractor, row.status) for row in found.rows if row.counted] == [
        ("b", "paper", "ok"),
        ("b", "strict", "ok"),
        ("c", "strict", "missing"),
    ]


def test_what_was_not_asked_yet_of_a_model_is_no_wrong_answer():
    """A limit that was raised since: only asking again can say what the model replies."""
    samples = {("comt", "built"): comt(("a", "test"), ("b", "test"))}
    mine = {"mine": Evaluation("comt", "test", None, "built", None, "evaluation/asked")}
    replies = replay.replies([(1, {"id": "a", "response": "(A)"})], "comt")
    predictions = {"mine": as_table("prediction", replay.rows("mine", "", replies, "comt"))}
    with pytest.raises(Fault, match=r"mine: 1 of its samples were not asked yet: materialize evaluation/asked"):
        stored.answered(samples, predictions, mine)


def test_items_of_all_splits_are_those_that_have_any():
    samples, _ = tables()
    found = stored.items_of_all(samples | {("comt", "built"): comt(("a", "test"), ("b", "validation"))})
    assert {place: list(items) for place, items in found.items()} == {
        ("comt", "built", "validation"): ["b"],
        ("comt", "built", "test"): ["a"],
        ("m3cot", "released", "test"): ["algebra-1", "algebra-2"],
    }


def test_a_dropped_record_keeps_its_own_reason_in_every_split():
    samples, _ = tables()
    assert stored.unscorable(samples[RELEASED], "train") == {
        "algebra-1": "other_split",
        "algebra-2": "other_split",
        "algebra-3": "no_choices",
    }


def test_answers_older_than_params_are_named_with_the_way_out():
    table = as_table("answer", stored.answer_rows(answered()))
    with pytest.raises(Fault, match=r"still holds mine, which params\.yaml has not: materialize evaluation/answers"):
        stored.answers_by_evaluation(table, {"another": MINE["mine"]})


def test_replies_of_an_evaluation_that_params_has_no_more_are_named():
    samples, predictions = tables()
    with pytest.raises(Fault, match="there are replies of mine, which params"):
        stored.answered(samples, predictions, {"another": MINE["mine"]})


def test_answers_made_of_another_split_are_not_scored():
    samples, predictions, evaluations = of_two_splits()
    answers = {"test": stored.answered(samples, predictions, evaluations)["test"].rows}
    moved = {"test": evaluations["validation"]}
    items = stored.items_by_evaluation(samples, moved)
    with pytest.raises(Fault, match=r"on other samples than m3cot \(released\) validation .*: materialize"):
        list(scores.of_all(answers, items, moved, labels=["released"], level=0.95))


def test_replies_of_people_all_count_and_those_of_a_model_once():
    samples, _ = tables()
    said = [(1, {"id": "algebra-1", "messages": ["q", "(A)"]}), (2, {"id": "algebra-1", "messages": ["q", "(B)"]})]
    predictions = {
        name: as_table("prediction", replay.rows(name, f"{name}.jsonl", replay.replies(said), "m3cot"))
        for name in ("people", "model")
    }
    evaluations = {
        name: Evaluation("m3cot", "test", f"{name}.jsonl", several=name == "people") for name in ("people", "model")
    }
    found = stored.answered(samples, predictions, evaluations)
    assert {
        name: [(row.line, row.letter) for row in one.rows if row.extractor == "strict" and row.line]
        for name, one in found.items()
    } == {"people": [(1, "A"), (2, "B")], "model": [(1, "A")]}
    assert [row.reason for row in found["model"].quarantine] == ["duplicate_id"]
    assert found["people"].quarantine == []
