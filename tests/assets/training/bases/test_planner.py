import math
import random
from pathlib import Path

import pytest
import torch

from assets.evaluation.dialogue import Asked, dialogues
from assets.models.model import Ask, Dialogue, said
from assets.models.policies import chameleon, hugginggpt
from assets.models.policies.demonstrations import Demonstration
from assets.models.policies.policy import Limits, Note, Said
from assets.models.tools.inventory import inventory
from assets.models.transformers_text import TransformersText
from assets.settings_training import PlannerBase
from assets.training import checkpoint as sealing
from assets.training.bases import planner
from assets.training.train import TrainingError
from tests.assets.training import squares

SETTINGS = PlannerBase(kind="planner", seed=3, epochs=4)
QUICK = PlannerBase(kind="planner", seed=3, epochs=1)
SAMPLES, ROWS = squares.world(40, 4, 8)
FEW = [one for one in SAMPLES if one.split != "train"] + [one for one in SAMPLES if one.split == "train"][:8]
TEST = [one for one in SAMPLES if one.split == "test"]
TOOLS = inventory(None, sees=("eyes",), detects=None, limit_s=1.0)


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("planner") / "made"
    planner.make(SETTINGS, SAMPLES, into)
    return into


@pytest.fixture(scope="module", name="quick")
def _quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("quick") / "made"
    planner.make(QUICK, FEW, into)
    return into


def test_the_same_samples_give_the_same_files_in_any_order(quick: Path, tmp_path: Path) -> None:
    torch.manual_seed(99)
    planner.make(QUICK, FEW[::-1], tmp_path / "again")
    assert sealing.manifest(tmp_path / "again") == sealing.manifest(quick)
    planner.make(QUICK.model_copy(update={"seed": 4}), FEW, tmp_path / "other")
    assert sealing.digest(tmp_path / "other") != sealing.digest(quick)


def test_only_the_train_split_is_read(quick: Path, tmp_path: Path) -> None:
    spoiled = [one._replace(question="Who? What?") if one.split != "train" else one for one in FEW]
    planner.make(QUICK, spoiled, tmp_path / "again")
    assert sealing.digest(tmp_path / "again") == sealing.digest(quick)


def test_the_run_of_other_draws_goes_on_as_it_was(tmp_path: Path) -> None:
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    planner.make(QUICK, FEW, tmp_path / "made")
    assert torch.equal(torch.rand(1), expected)


def test_it_is_a_model_of_kind_text_that_writes_plans_which_can_be_carried_out(folder: Path) -> None:
    model = TransformersText("tiny", model=str(folder), packaged=folder / "none", max_tokens=160)
    tasks = {one.id or "": planner.task_of(one) for one in TEST}
    asks = {
        **{f"{name} c": chameleon.plan_prompt(task, TOOLS) for name, task in tasks.items()},
        **{f"{name} h": hugginggpt.plan_prompt(task, TOOLS) for name, task in tasks.items()},
    }
    spoken = [Dialogue(name, (Ask((said(text),)),), ()) for name, text in asks.items()]
    replies = {reply.id: reply for reply in model.replies(spoken, squares.Shown(ROWS))}
    assert {reply.status for reply in replies.values()} == {"ok"}
    faults = 0
    for name, reply in replies.items():
        run = chameleon.run if name.endswith("c") else hugginggpt.run
        steps = run(tasks[name[:-2]], TOOLS, Limits())
        next(steps)
        faults += isinstance(steps.send(Said(reply.text)), Note)
    assert faults <= len(replies) // 4


def test_learning_makes_the_replies_likelier(folder: Path, tmp_path: Path) -> None:
    planner.make(PlannerBase(kind="planner", seed=3, epochs=0), SAMPLES, tmp_path / "blank")
    blank, learned = (_loss(one) for one in (tmp_path / "blank", folder))
    assert blank == pytest.approx(math.log(_words(folder)), rel=0.3)
    assert learned < 0.2 * blank


def test_prompts_are_in_words_as_a_run_will_put_them(quick: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(quick)
    one = planner.numbered(tokenizer, Demonstration("Is </s> <|user|> a word?", "No."))
    words = list(one.words)
    assert tokenizer.decode(words) == "<s><|user|>Is </s> <|user|> a word?<|assistant|>No.</s>"
    marks = [words.count(tokenizer.convert_tokens_to_ids(mark)) for mark in ("<s>", "</s>", "<|user|>")]
    assert marks == [1, 1, 1]
    assert tokenizer.decode(words[-one.told :]) == "No.</s>"


def test_the_loss_is_of_the_words_of_replies_alone(quick: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(quick).eval()
    short, long = planner.Numbered((5, 6, 7, 8), 2), planner.Numbered((9, 10, 11, 12, 13, 14, 15), 1)
    with torch.no_grad():
        loss, count = planner._loss(model, [short, long])
        expected = 0.0
        for one in (short, long):
            chances = model(input_ids=torch.tensor([one.words])).logits[0].log_softmax(-1)
            for place in range(len(one.words) - one.told, len(one.words)):
                expected -= float(chances[place - 1, one.words[place]])
    assert count == 3
    assert float(loss) == pytest.approx(expected, rel=1e-5)


def test_the_rate_rises_and_falls() -> None:
    assert [planner.rate_at(step, 20) for step in (0, 1)] == [0.5, 1.0]
    assert planner.rate_at(10, 20) == pytest.approx(0.5 + 0.5 * math.cos(math.pi * 9 / 19))
    assert [planner.rate_at(step, 1) for step in (0, 1)] == [1.0, pytest.approx(0.0)]


def test_tasks_are_those_of_evaluations() -> None:
    task = planner.task_of(TEST[0])
    (dialogue,) = dialogues("m3cot", [TEST[0]], [], Asked("direct"), None)
    assert task.text == "".join(part.text or "" for part in dialogue.asks[0].parts)
    assert (task.choices, task.pictures) == (TEST[0].choices, ("picture_1",))


def test_every_policy_is_shown() -> None:
    texts = "".join(one.prompt for one in planner.written(FEW[-8:], random.Random(0), 8))
    for words in ("Program:", "Tasks:", "Next step:", "Sub-questions:"):
        assert words in texts


def test_a_split_without_a_sample_that_can_be_shown_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="split train: none of its samples"):
        planner.make(SETTINGS, [one for one in SAMPLES if one.split == "test"], tmp_path / "none")


def _loss(folder: Path) -> float:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    told = planner.written([one._replace(split="train") for one in TEST], random.Random(1), 8)
    with torch.no_grad():
        loss, count = planner._loss(model, [planner.numbered(tokenizer, one) for one in told])
    return float(loss) / count


def _words(folder: Path) -> int:
    from transformers import AutoTokenizer

    return len(AutoTokenizer.from_pretrained(folder))
