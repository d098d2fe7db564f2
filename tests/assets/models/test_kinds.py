"""The model that an entry of params.yaml names, with its settings and those of the evaluation, unloaded."""

import pickle
from functools import partial

import pytest

from assets.models import kinds
from assets.models.model import ModelError
from assets.settings_evaluation import Baseline, Human, OpenAI, Sampling, Transformers

SAMPLING = Sampling(temperature=0.5, max_tokens=7, seed=3)


@pytest.mark.parametrize(
    "settings",
    [
        Baseline(kind="baseline", answers="random"),
        OpenAI(kind="openai", model="m", base_url="http://127.0.0.1:9/v1", key_variables=()),
        Transformers(kind="transformers", model="some/checkpoint"),
    ],
    ids=lambda settings: settings.kind,
)
def test_a_kind_gives_a_model_of_that_name_which_workers_can_build_too(settings: object) -> None:
    build = partial(kinds.of, "mine", settings, SAMPLING)
    for model in (build(), pickle.loads(pickle.dumps(build))()):
        assert (model.name, model.identity["kind"]) == ("mine", settings.kind)


def test_how_an_evaluation_samples_is_part_of_what_its_replies_depend_on() -> None:
    settings = OpenAI(kind="openai", model="m", key_variables=())
    sampling = kinds.of("mine", settings, SAMPLING).identity["sampling"]
    assert (sampling["temperature"], sampling["max_tokens"], sampling["seed"]) == (0.5, 7, 3)
    assert kinds.of("mine", settings, Sampling()).identity["sampling"] != sampling


def test_people_are_not_asked_here() -> None:
    with pytest.raises(ModelError, match=r"models\.mine\.kind: human is not asked"):
        kinds.of("mine", Human(kind="human"), SAMPLING)
