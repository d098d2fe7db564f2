"""What params.yaml may say of planners with tools, of trainings, and of the checkpoints that these adapt."""

import pytest

from assets import params
from tests.assets.test_params import asked

PLANS = {"kind": "text", "model": "packaged"}
LOOKS = {"kind": "transformers", "model": "some/checkpoint"}


def test_a_planner_has_models_that_look_for_it() -> None:
    tools = {"kind": "tools", "policy": "idealgpt", "planner": "plans", "sees": ["looks"]}
    settings = params.validate(asked(mine=tools, plans=PLANS, looks=LOOKS))
    assert (settings.models["mine"].calls, settings.models["mine"].rounds) == (8, 4)


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ({"planner": "nobody"}, "models.mine.planner: 'nobody' is not among models (calm, chance, looks, "),
        ({"planner": "chance"}, "models.mine.planner: chance is of kind baseline: name one of kind text or "),
        ({"planner": "mine"}, "models.mine.planner: mine is of kind tools: name one of kind text or transformers"),
        ({"sees": ["plans"]}, "models.mine.sees: plans is of kind text: name one of kind transformers or openai"),
        ({"sees": ["picks"]}, "models.mine.sees: picks chooses among options: name one with answer: generate"),
        ({"policy": "react"}, "Input should be 'chameleon', 'hugginggpt', 'visualchatgpt' or 'idealgpt'"),
        ({"rounds": 0}, "models.mine.tools.rounds"),
    ],
)
def test_a_planner_that_cannot_plan_or_see_is_named(tools: dict[str, object], said: str) -> None:
    mine = {"kind": "tools", "policy": "idealgpt", "planner": "plans", "sees": ["looks"]} | tools
    picks = LOOKS | {"answer": "loglikelihood"}
    chance = {"kind": "baseline", "answers": "random"}
    with pytest.raises(params.ParamsError) as raised:
        params.validate(asked(mine=mine, plans=PLANS, looks=LOOKS, picks=picks, chance=chance))
    assert said in str(raised.value)


def test_a_base_and_a_training_have_different_names() -> None:
    same = asked(mine={"kind": "baseline", "answers": "random"}) | {"bases": {"small": {"kind": "planner"}}}
    with pytest.raises(params.ParamsError, match=r"bases\.small: a training or an evaluation is called so too"):
        params.validate(same)


@pytest.mark.parametrize(
    ("training", "said"),
    [
        ({"family": "lora"}, "trainings.large.lora.base"),
        ({"family": "lora", "base": "b", "search": {"rates": [0]}}, "trainings.large.lora.search.rates"),
        ({"family": "mm-cot", "rank": 8}, "trainings.large.mm-cot.rank"),
        ({"family": "mmr", "hops": 0}, "trainings.large.mmr.hops"),
        ({"family": "adapter"}, "'mm-cot', 'mc-cot', 'mmr', 'lora', 'llama-adapter'"),
    ],
)
def test_what_a_training_cannot_be_is_named(training: dict[str, object], said: str) -> None:
    tree = asked(mine={"kind": "baseline", "answers": "random"})
    with pytest.raises(params.ParamsError) as raised:
        params.validate(tree | {"trainings": {"small": {"family": "mm-cot"}, "large": training}})
    assert said in str(raised.value)
