"""`assets.evaluation.scores`: every scope, both means, the intervals and the counts."""

import pytest

from assets.evaluation.rows import Answer, Item, Score
from assets.evaluation.scores import scores
from assets.schema.tables import TABLES
from assets.schema.vocabulary import DOMAINS, SCOPES, TASKS, TOPICS


def item(sample_id, topic="natural-science", domain="science", category="c", task=None, answer="A"):
    return Item(sample_id, ("x", "y"), answer, domain, topic, category, task)


def answer(sample_id, letter="A", label="A", status="ok", counted=True, extractor="paper"):
    return Answer(1, sample_id, extractor, letter, "rule", None, status, label, counted, letter == label)


def scored(answers, items, **options):
    return scores(answers, {one.id: one for one in items}, evaluation="e", **options)


def total(answers, items, **options):
    [row] = scored(answers, items, scopes=("total",), **options)
    return row


def test_a_score_has_the_columns_of_the_table_and_its_scopes():
    assert list(Score._fields) == TABLES["score"].names
    items = [item("a", task="update")]
    assert [row.scope for row in scored([answer("a")], items) if row.n] == list(SCOPES)


def test_total_is_one_row_with_micro_and_macro_named():
    items = [item(f"x{n}", "algebra", "mathematics") for n in range(10)] + [item(f"y{n}", "theory") for n in range(90)]
    answers = [answer(f"x{n}", "A" if n < 9 else "B") for n in range(10)]
    answers += [answer(f"y{n}", "A" if n < 9 else "B") for n in range(90)]
    row = total(answers, items)
    assert (row.n, row.correct, row.name) == (100, 18, "total")
    assert row.accuracy == pytest.approx(0.18)
    assert row.macro_accuracy == pytest.approx(0.5)
    assert row.low < 0.18 < row.high


def test_a_topic_with_nothing_right_stays_in_the_macro_mean():
    items = [item("a", "algebra"), item("b", "theory")]
    assert total([answer("a"), answer("b", "B")], items).macro_accuracy == 0.5


def test_empty_replies_stay_in_the_denominator():
    items = [item(str(n)) for n in range(10)]
    answers = [answer(str(n)) for n in range(4)] + [answer("4", "B")]
    answers += [answer(str(n), None, status="empty") for n in range(5, 10)]
    row = total(answers, items)
    assert (row.correct, row.n, row.accuracy, row.errors_excluded) == (4, 10, 0.4, 0.4)
    assert row.statuses == {"empty": 5, "ok": 5}


def test_errors_count_as_wrong_beside_the_accuracy_without_them():
    items = [item(str(n)) for n in range(4)]
    answers = [answer("0"), answer("1", "B"), answer("2", None, status="error"), answer("3", None, status="missing")]
    row = total(answers, items)
    assert (row.accuracy, row.errors_excluded, row.missing) == (0.25, 0.5, 1)


def test_accuracy_without_errors_is_nothing_when_there_are_only_errors():
    row = total([answer("0", None, status="error")], [item("0")])
    assert (row.accuracy, row.errors_excluded) == (0.0, None)


def test_three_of_a_hundred_replies():
    items = [item(str(n)) for n in range(100)]
    found = [answer(str(n)) for n in range(3)]
    strict = [answer(str(n), None, status="missing") for n in range(3, 100)]
    paper = [answer(str(n), None, status="missing", counted=False) for n in range(3, 100)]
    row = total(found + strict, items)
    assert (row.n, row.correct, row.missing) == (100, 3, 97)
    row = total(found + paper, items)
    assert (row.n, row.correct, row.missing, row.statuses) == (3, 3, 97, {"ok": 3})


def test_a_file_of_science_alone_shows_the_other_domains_without_a_score():
    rows = scored([answer("a")], [item("a")], scopes=("domain", "topic"))
    assert [row.name for row in rows] == [*DOMAINS, *TOPICS]
    empty = [row for row in rows if row.name in ("mathematics", "theory")]
    assert [(row.n, row.accuracy, row.low, row.high, row.macro_accuracy, row.macro_f1) for row in empty] == [
        (0, None, None, None, None, None)
    ] * 2


def test_a_persons_own_topics_stand_alone_in_order():
    rows = scored([answer("a")], [item("a", "soups", "cooking"), item("b", "cakes", "cooking")], scopes=("topic",))
    assert [(row.name, row.n) for row in rows] == [("cakes", 0), ("soups", 1)]


def test_a_scope_of_which_the_items_say_nothing_has_no_rows():
    items = [Item("a", ("x", "y"), "A", None, None, None, "update")]
    rows = scored([answer("a")], items, benchmark="comt")
    assert [(row.scope, row.name) for row in rows] == [("total", "total")] + [("task", task) for task in TASKS]


def test_a_macro_of_comt_is_over_tasks():
    items = [Item(str(n), ("x", "y"), "A", None, None, None, "update" if n else "creation") for n in range(4)]
    row = total([answer(str(n), "A" if n else "B") for n in range(4)], items, benchmark="comt")
    assert (row.accuracy, row.macro_accuracy) == (0.75, 0.5)


def test_an_unknown_id_that_comt_counts_is_in_the_total_alone():
    items = [Item("a", ("x", "y"), "A", None, None, None, "update")]
    unknown = answer("z", None, "", "not_evaluable")
    rows = scored([answer("a"), unknown], items, benchmark="comt")
    assert [(row.scope, row.n) for row in rows if row.n] == [("total", 2), ("task", 1)]


def test_an_empty_category_is_a_category():
    rows = scored([answer("a"), answer("b")], [item("a", category=""), item("b")], scopes=("category",))
    assert [(row.name, row.n) for row in rows] == [("", 1), ("c", 1)]


def test_macro_f1_is_over_the_letters_that_occur_as_labels():
    items = [item(str(n)) for n in range(4)]
    pairs = [("A", "A"), ("B", "B"), (None, "B"), ("A", "C")]
    answers = [answer(str(n), letter, label) for n, (letter, label) in enumerate(pairs)]
    assert total(answers, items).macro_f1 == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


def test_mean_f1_is_the_mean_of_what_the_tasks_have_each_over_its_own_labels():
    tasks = {"creation": "AAB", "deletion": "CC"}
    items = [
        Item(f"{task}{n}", ("x",) * 4, label, None, None, None, task)
        for task, labels in tasks.items()
        for n, label in enumerate(labels)
    ]
    said = {"creation0": "A", "creation1": "B", "creation2": "B", "deletion0": "C", "deletion1": None}
    answers = [answer(one.id, said[one.id], one.answer) for one in items]
    rows = {(row.scope, row.name): row for row in scored(answers, items, benchmark="comt")}
    # creation: A 1 hit of 2, said once: 2/3; B 1 hit of 1, said twice: 2/3. deletion: C 1 hit of 2, said once: 2/3
    assert rows["task", "creation"].macro_f1 == rows["task", "creation"].mean_f1 == pytest.approx(2 / 3)
    assert rows["task", "deletion"].mean_f1 == pytest.approx(2 / 3)
    assert rows["total", "total"].mean_f1 == pytest.approx(2 / 3)
    said["deletion0"] = "B"
    answers = [answer(one.id, said[one.id], one.answer) for one in items]
    row = total(answers, items, benchmark="comt")
    # deletion: 0, and stays in the mean; over all: A 2/3, B 1 hit of 1, said three times: 1/2, C 0
    assert row.mean_f1 == pytest.approx(1 / 3)
    assert row.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_a_task_without_a_reply_is_nothing_and_the_others_stand():
    items = [Item(task, ("x",) * 4, "A", None, None, None, task) for task in ("creation", "selection")]
    found = [answer("creation"), answer("selection", None, status="missing", counted=False)]
    rows = {row.name: row for row in scored(found, items, benchmark="comt", scopes=("task", "total"))}
    assert [(name, rows[name].n, rows[name].accuracy, rows[name].mean_f1) for name in TASKS] == [
        ("creation", 1, 1.0, 1.0),
        ("deletion", 0, None, None),
        ("update", 0, None, None),
        ("selection", 0, None, None),
    ]
    assert (rows["total"].accuracy, rows["total"].macro_accuracy, rows["total"].mean_f1) == (1.0, 1.0, 1.0)


def test_a_counted_id_that_is_no_samples_is_in_no_mean_over_tasks():
    items = [Item("a", ("x", "y"), "A", None, None, None, "update")]
    row = total([answer("a"), answer("z", None, "", "not_evaluable")], items, benchmark="comt")
    assert (row.accuracy, row.macro_accuracy, row.macro_f1, row.mean_f1) == (0.5, 1.0, 1.0, 1.0)
    row = total([answer("z", None, "", "not_evaluable")], items, benchmark="comt")
    assert (row.accuracy, row.macro_accuracy, row.mean_f1) == (0.0, None, None)


def test_the_label_set_decides_what_is_right():
    items = [item("social-commonsense-1274", "social-commonsense", "commonsense")]
    answers = [answer("social-commonsense-1274", "A", "B")]
    assert total(answers, items).correct == 0
    row = total(answers, items, labels="paper")
    assert (row.correct, row.labels, row.macro_f1) == (1, "paper", 1.0)
    with pytest.raises(ValueError, match="labels"):
        total(answers, items, labels="none")


def test_each_extractor_has_its_rows_and_its_policy():
    answers = [answer("a"), answer("a", extractor="strict")]
    rows = scored(answers, [item("a")], scopes=("total",))
    assert [(row.extractor, row.policy) for row in rows] == [("paper", "paper"), ("strict", "strict")]
    rows = scored(answers, [item("a")], scopes=("total",), policy="strict")
    assert [(row.extractor, row.policy) for row in rows] == [("paper", "strict"), ("strict", "strict")]
