"""`assets.analysis.systems`: the papers' systems, how they are run here, and what is claimed of them."""

import csv
from collections import Counter
from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter

from assets.analysis import figures
from assets.analysis.entries import Entry
from assets.analysis.published_tables import cells
from assets.analysis.systems import systems as module
from assets.analysis.systems import systems_figure
from assets.analysis.systems.systems import Way, counts, known, page, systems, ways
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table
from assets.schema.vocabulary import POLICIES_OF_TOOLS, SYSTEM_SETTINGS, TRAINING_FAMILIES
from assets.settings_evaluation import Evaluation, Model
from assets.settings_training import Training
from tests.expectations.analysis_tools_cases import PRINTED

MODELS, TRAININGS, EVALUATIONS = (TypeAdapter(dict[str, kind]) for kind in (Model, Training, Evaluation))
WAYS = {
    "tiny": Way("tools", "chameleon"),
    "lora": Way("trained", "lora"),
    "lora_blank": Way("trained", "lora", control=True),
    "recorded": Way("replay"),
    "served": Way("openai"),
    "sight": Way("transformers"),
    "guessing": Way("baseline", "random"),
    "most": Way("baseline", "majority"),
}


def entry(evaluation, model, published=None, **changes):
    return Entry(evaluation, model, "cot", 0, "m3cot", "released", "test", published)._replace(**changes)


def score(evaluation, correct, n=8, **changes):
    found = {"evaluation": evaluation, "extractor": "strict", "policy": "strict", "labels": "released", "n": n}
    found |= {"scope": "total", "name": "total", "correct": correct, "accuracy": correct / n, "low": 0.1, "high": 0.9}
    return dict.fromkeys(TABLES["score"].names) | found | {"missing": 0, "statuses": []} | changes


def found(scores, *entries):
    return list(systems(as_table("score", scores), entries, WAYS))


def of(rows, system, setting=None, paper="m3cot"):
    return [
        row for row in rows if (row["paper"], row["system"]) == (paper, system) and setting in (None, row["setting"])
    ]


def test_every_system_is_named_once_with_a_setting_of_its_own():
    names = Counter((one.paper, one.system, one.setting) for one in known())
    assert max(names.values()) == 1
    assert Counter(one.paper for one in known()) == {"m3cot": 27, "comt": 9}
    assert {one.setting for one in known()} == set(SYSTEM_SETTINGS)


def test_no_two_systems_answer_to_one_name_in_one_place():
    places = Counter((one.paper, one.named, one.setting == "in-context") for one in known())
    assert max(places.values()) == 1


def test_every_policy_and_every_family_is_a_system():
    assert {one.detail for one in known() if one.kind == "tools"} == set(POLICIES_OF_TOOLS)
    assert {one.detail for one in known() if one.kind == "trained"} == set(TRAINING_FAMILIES)


def test_every_row_of_both_tables_of_the_paper_is_a_system():
    rows = {(cell.table, cell.model) for cell in cells() if cell.table != "leaderboard"}
    shown = {(one.table, one.row) for one in known() if one.table}
    # these two stand in both tables; people have 91.17 in one and 91.61 in the other, the first is taken
    assert rows - shown == {("exploration", "random"), ("exploration", "human"), ("exploration", "gpt4v-cot")}
    assert shown <= rows


def test_the_published_numbers_are_those_of_the_paper():
    printed = {
        (row["system"], row["setting"]): (row["published"], row["published_as"])
        for row in found([])
        if row["published"] is not None
    }
    assert printed == PRINTED


@pytest.mark.parametrize("one", known(), ids=lambda one: f"{one.paper}-{one.system}-{one.setting}")
def test_params_yaml_takes_what_is_said_and_the_model_is_the_system(one):
    said = yaml.safe_load(one.how)
    assert said.keys() <= {"models", "trainings", "evaluations"}
    models = MODELS.validate_python(said["models"])
    trainings = TRAININGS.validate_python(said.get("trainings", {}))
    evaluations = EVALUATIONS.validate_python(said.get("evaluations", {}))
    [name] = [name for name, model in models.items() if model.published == one.named]
    its = ways(
        {name: model.model_dump() for name, model in models.items()}, {n: t.family for n, t in trainings.items()}
    )
    assert its[name] == Way(one.kind, one.detail)
    if one.kind == "tools":
        models[name].require(name, models)
    for named, evaluation in evaluations.items():
        evaluation.require(named, models[evaluation.model].kind)
        assert (evaluation.benchmark, evaluation.shots > 0) == (one.paper, one.setting == "in-context")
    # an evaluation of it, once it ran, stands in its row and in no other
    asked = entry("mine", name, one.named, benchmark=one.paper, shots=2 * (one.setting == "in-context"))
    rows = list(systems(as_table("score", [score("mine", 2)]), [asked], its))
    assert [(row["system"], row["setting"]) for row in rows if row["evaluation"]] == [(one.system, one.setting)]


def test_nothing_is_claimed_of_what_was_not_run():
    rows = found([], entry("chameleon_m3cot", "tiny", "chameleon"))
    assert len(rows) == len(known())
    assert [list(row) for row in rows] == [TABLES["system"].names] * len(rows)
    assert {row["evaluation"] for row in rows} == {row["ours"] for row in rows} == {None}
    assert counts(rows) == {"systems": 36, "published": 23, "run_here": 0, "run_with_other_weights_alone": 0}


def test_a_model_that_is_published_so_is_the_system_with_what_it_reached():
    rows = found([score("mine", 2)], entry("mine", "tiny", "chameleon", edition="built", limit=2400))
    [row] = of(rows, "Chameleon")
    assert {name: row[name] for name in ("evaluation", "asked", "n", "correct", "ours", "low", "high", "alike")} == {
        "evaluation": "mine",
        "asked": "m3cot built test, the first 2,400",
        "n": 8,
        "correct": 2,
        "ours": 25.0,
        "low": 10.0,
        "high": 90.0,
        "alike": [],
    }
    assert row["published"] == 34.29


def test_the_same_way_with_other_weights_is_alike_and_never_the_system():
    rows = found([score("mine", 2)], entry("mine", "tiny"))
    [row] = of(rows, "Chameleon")
    assert (row["evaluation"], row["ours"], row["alike"]) == (
        None,
        None,
        ["mine: 25.00 per cent of 8, m3cot released test"],
    )
    assert [row["system"] for row in rows if row["alike"]] == ["Chameleon"]
    assert counts(rows)["run_with_other_weights_alone"] == 1


def test_a_family_is_alike_every_system_of_it_but_not_with_other_pictures():
    scores = [score("a", 2), score("b", 4)]
    rows = found(scores, entry("a", "lora"), entry("b", "lora_blank"))
    assert [(row["system"], row["alike"]) for row in rows if row["alike"]] == [
        (name, ["a: 25.00 per cent of 8, m3cot released test"])
        for name in ("LLaVA-V1.5-7B", "LLaVA-V1.5-13B", "CogVLM-17B")
    ]


def test_a_system_that_is_given_other_pictures_is_none():
    rows = found([score("b", 4)], entry("b", "lora_blank", "llava-7b-lora"))
    assert not any(row["alike"] or row["evaluation"] for row in rows)


def test_replies_that_are_there_tell_nothing_of_how_others_ran():
    rows = found([score("a", 2)], entry("a", "recorded"))
    assert not any(row["alike"] or row["evaluation"] for row in rows)


def test_an_evaluation_that_is_one_system_is_not_alike_another():
    rows = found([score("a", 2), score("b", 4)], entry("a", "sight", "kosmos-2"), entry("b", "sight"))
    assert [row["evaluation"] for row in of(rows, "Kosmos-2-2B")] == ["a"]
    assert of(rows, "InstructBLIP-7B")[0]["alike"] == ["b: 50.00 per cent of 8, m3cot released test"]


def test_released_predictions_and_an_endpoint_are_the_system_too():
    rows = found([score("a", 2), score("b", 4)], entry("a", "recorded", "llava-7b"), entry("b", "served", "cogvlm"))
    assert [row["evaluation"] for row in of(rows, "LLaVA-V1.5-7B")] == ["a", None]
    assert [row["evaluation"] for row in of(rows, "CogVLM-17B")] == ["b", None]


def test_each_evaluation_of_a_system_has_a_row():
    rows = found([score("b", 4), score("a", 2)], entry("b", "served", "gpt4v"), entry("a", "served", "gpt4v"))
    assert [(row["evaluation"], row["ours"]) for row in of(rows, "GPT4V", "zero-shot")] == [("a", 25.0), ("b", 50.0)]
    assert counts(rows)["systems"] == 36 and counts(rows)["run_here"] == 1


def test_shots_make_it_the_in_context_system():
    rows = found([score("a", 2)], entry("a", "served", "gpt4v", shots=4))
    assert [row["evaluation"] for row in of(rows, "GPT4V", "in-context")] == ["a"]
    assert [row["evaluation"] for row in of(rows, "GPT4V", "zero-shot")] == [None]


def test_another_benchmark_is_another_papers_system():
    rows = found([score("a", 2)], entry("a", "served", "gemini", benchmark="comt"))
    assert [row["evaluation"] for row in of(rows, "Gemini-Pro", "zero-shot", "comt")] == ["a"]
    assert [row["evaluation"] for row in of(rows, "Gemini")] == [None]


def test_random_is_random_and_the_most_frequent_letter_is_not():
    rows = found([score("a", 2), score("b", 4)], entry("a", "guessing", "random"), entry("b", "most", "random"))
    assert [row["evaluation"] for row in of(rows, "Random")] == ["a"]
    assert [row["alike"] for row in of(rows, "Random")] == [[]]


def test_only_the_strict_total_with_released_labels_counts():
    others = [{"extractor": "paper"}, {"labels": "paper"}, {"scope": "topic", "name": "algebra"}]
    rows = found([*(score("a", 2, **one) for one in others)], entry("a", "served", "gpt4v"))
    assert of(rows, "GPT4V", "zero-shot")[0]["evaluation"] is None
    unread = score("a", 0, accuracy=None, low=None, high=None) | {"n": 0}
    assert of(found([unread], entry("a", "served", "gpt4v")), "GPT4V", "zero-shot")[0]["evaluation"] is None


@pytest.mark.parametrize(
    ("model", "published", "said"),
    [
        ("tiny", "hugginggpt", "of kind tools hugginggpt, and the model is of kind tools chameleon"),
        ("lora", "llava-7b", "LLaVA-V1.5-7B, of kind transformers, and the model is of kind trained lora"),
        ("lora", "mmr", "of kind trained mmr, and the model is of kind trained lora"),
    ],
)
def test_a_name_that_the_model_cannot_be_is_refused(model, published, said):
    with pytest.raises(Fault, match=f"models.{model}.published: {published} is .*{said}: set published to null"):
        found([score("a", 2)], entry("a", model, published))


def test_how_a_model_answers_is_read_off_params():
    models = {
        "a": {"kind": "tools", "policy": "idealgpt"},
        "b": {"kind": "trained", "training": "t", "pictures": "seen"},
        "c": {"kind": "trained", "training": "t", "pictures": "shuffled"},
        "d": {"kind": "baseline", "answers": "majority"},
        "e": {"kind": "transformers", "answer": "generate"},
    }
    assert ways(models, {"t": "mmr"}) == {
        "a": Way("tools", "idealgpt"),
        "b": Way("trained", "mmr"),
        "c": Way("trained", "mmr", control=True),
        "d": Way("baseline", "majority"),
        "e": Way("transformers"),
    }


def test_the_data_file_is_declared_for_staleness():
    [name] = module.FILES
    with (Path(module.__file__).parent / name).open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + len(known())


def test_the_page_says_how_and_what_was_not_run():
    rows = found([score("mine", 2), score("other", 4)], entry("mine", "served", "gpt4v"), entry("other", "tiny"))
    lines = page(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert {line.count("|") for line in lines} == {9}
    [chameleon] = [line for line in lines if "| Chameleon |" in line]
    other = "other: 50.00 per cent of 8, m3cot released test"
    assert chameleon.endswith(f"| 34.29 (exploration chameleon tool-usage) | not run | {other} |")
    [gpt4v] = [line for line in lines if "| GPT4V | zero-shot |" in line]
    assert "| 25.00 (10.00 to 90.00), 2 of 8, `mine` on m3cot released test |" in gpt4v


def test_the_figure_has_both_numbers_and_not_those_of_other_weights():
    rows = found([score("mine", 2), score("other", 4)], entry("mine", "served", "gpt4v"), entry("other", "tiny"))
    figure = systems_figure.draw(rows)
    [axes] = figure.axes
    assert axes.get_title() == "Systems of the papers: 1 of 36 run here"
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0] == "Random  (m3cot, baseline)" and len(labels) == 23
    drawn = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}
    assert len(drawn["published, the best total of its row"][0]) == 23
    at = labels.index("GPT4V  (m3cot, zero-shot)")
    assert drawn["here, strict extractor, with its interval (1 evaluations)"] == ([25.0], [22 - at])
    assert len(figures.png(figure)) < 200_000


def test_without_a_number_the_figure_says_so():
    [axes] = systems_figure.draw([]).axes
    assert "no system" in axes.texts[0].get_text()
