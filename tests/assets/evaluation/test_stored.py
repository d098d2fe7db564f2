from assets.evaluation import stored
from assets.models import replay
from assets.sources import m3cot_released
from assets.sources.jsonlines import Unreadable
from assets.tables import as_table

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


def tables():
    samples = as_table("sample", m3cot_released.samples(enumerate(ITEMS, start=1), file="items.jsonl"))
    mine = as_table("prediction", replay.rows("mine", "mine.jsonl", replay.replies(REPLIES), "m3cot"))
    return {"m3cot": samples}, {"mine": mine}


def answered(**options):
    samples, predictions = tables()
    return stored.answered(samples, predictions, {"mine": "m3cot"}, {"mine": "mine.jsonl"}, **options)


def test_every_row_that_entered_is_in_the_flow_and_it_balances():
    samples, predictions = tables()
    rows = [row[:7] for row in stored.flows(samples, predictions, answered())]
    # stage, source, entered, generated, retained, discarded, quarantined
    assert rows == [
        ("sources/m3cot_released", "items", 3, 0, 2, 0, 1),
        ("evaluation/predictions", "mine", 5, 0, 3, 0, 2),
        ("evaluation/answers", "mine", 3, 0, 1, 0, 2),
    ]


def test_reasons_of_the_flow_count_what_was_set_aside():
    samples, predictions = tables()
    assert [row.reasons for row in stored.flows(samples, predictions, answered())] == [
        {"no_choices": 1},
        {"invalid_json": 1, "no_id": 1},
        {"duplicate_id": 1, "unknown_id": 1},
    ]


def test_every_record_set_aside_is_listed_with_its_place_and_reason():
    samples, predictions = tables()
    rows = stored.set_aside(samples, predictions, answered())
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
    back = stored.answers_by_evaluation(table)["mine"]
    assert [answer._replace(span=answer.span and tuple(answer.span)) for answer in back] == found["mine"].rows


def test_items_and_replies_come_back_from_their_tables():
    samples, predictions = tables()
    assert list(stored.items(samples["m3cot"])) == ["algebra-1", "algebra-2"]
    assert stored.items(samples["m3cot"])["algebra-2"].choices == ("one", "two")
    assert stored.unscorable(samples["m3cot"]) == {"algebra-3": "no_choices"}
    assert [reply.text for reply in stored.replies(predictions["mine"])] == ["(A)", None, "(B)", "(B)", "(B)"]
