import math
from pathlib import Path

import pytest
import torch

from assets import images
from assets.settings_training import Mmr
from assets.training import controls
from assets.training.mm_cot import Shape
from assets.training.mmr import Hops, HopsNetwork, contrast, pooled
from assets.training.train import train
from tests.assets.training import squares
from tests.assets.training.learned import FEW, learn

SHAPE = Shape(20, 3, 4, 6, 8, width=16, heads=2, seeing=8, glances=2)


@pytest.mark.parametrize(("temperature", "loss"), [(1.0, 0.3132616875), (0.5, 0.1269280110)])
def test_the_contrast_of_two_that_are_alike_only_with_their_own(temperature: float, loss: float) -> None:
    # Likenesses ((1, 0), (0, 1)): each share is e^(1/t) / (e^(1/t) + 1), and the loss log(1 + e^(-1/t)).
    states, sentences = torch.tensor([[2.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.0], [0.0, 3.0]])
    found = contrast(states, sentences, torch.tensor([0, 1]), temperature)
    assert float(found) == pytest.approx(loss, abs=1e-6)
    assert loss == pytest.approx(math.log1p(math.exp(-1 / temperature)), abs=1e-9)


def test_the_contrast_of_two_that_are_alike_with_each_other_is_worse() -> None:
    # Likenesses ((0, 1), (1, 0)): the share is 1 / (1 + e), the loss log(1 + e).
    states, sentences = torch.eye(2), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert float(contrast(states, sentences, torch.tensor([0, 1]), 1.0)) == pytest.approx(1.3132616875, abs=1e-6)


def test_sentences_of_one_rationale_do_not_stand_against_each_other() -> None:
    # log(1 + 1/e) = 0.3132617; log(2) = 0.6931472, since of the second only the third stands beside it;
    # log(2 + 1/e) = 0.8619948.
    states = torch.eye(2)
    sentences = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    found = contrast(states, sentences, torch.tensor([0, 0, 1]), 1.0)
    assert float(found) == pytest.approx((0.3132617 + 0.6931472 + 0.8619948) / 3, abs=1e-6)


def test_a_sentence_alone_has_no_contrast() -> None:
    assert float(contrast(torch.eye(1), torch.eye(1), torch.tensor([0]), 0.1)) == 0


def test_the_pooled_state_is_the_mean_over_words() -> None:
    states = torch.tensor([[[1.0, 2.0], [3.0, 6.0], [100.0, 100.0]], [[5.0, 5.0], [9.0, 9.0], [9.0, 9.0]]])
    assert pooled(states, torch.tensor([[4, 7, 0], [3, 0, 0]])).tolist() == [[2.0, 4.0], [5.0, 5.0]]


def looked(hops: Hops, states: torch.Tensor, patches: torch.Tensor) -> torch.Tensor:
    return hops.look(states, torch.ones(1, 1, 1, states.shape[1], dtype=torch.bool), patches)


def test_from_the_second_hop_on_a_word_sees_what_the_picture_saw_in_the_others() -> None:
    torch.manual_seed(0)
    states, patches = torch.randn(1, 3, 16), torch.randn(1, 5, 16)
    other = states.clone()
    other[0, 2] += 1
    once, twice = Hops(SHAPE, 1), Hops(SHAPE, 2)
    assert torch.equal(looked(once, states, patches)[0, 0], looked(once, other, patches)[0, 0])
    assert not torch.allclose(looked(twice, states, patches)[0, 0], looked(twice, other, patches)[0, 0])


def test_what_is_no_word_is_not_looked_at() -> None:
    torch.manual_seed(0)
    hops, states, patches = Hops(SHAPE, 3), torch.randn(1, 3, 16), torch.randn(1, 5, 16)
    there = torch.tensor([[[[True, True, False]]]])
    other = states.clone()
    other[0, 2] += 1
    first, second = (hops.look(one, there, patches)[0, :2] for one in (states, other))
    assert torch.equal(first, second)


def test_hops_that_add_nothing_leave_the_states_of_the_text_alone() -> None:
    torch.manual_seed(0)
    network = HopsNetwork(SHAPE, 2).eval()
    words = torch.tensor([[5, 6, 7, 0]])
    places, kinds, patches = torch.arange(4)[None], torch.zeros(1, 4, dtype=torch.long), torch.randn(1, 7, 16)
    alone = network.alone(words, places, kinds)
    assert not torch.allclose(network.read(words, places, kinds, patches), alone)
    hops = network.encoder[-1].gate
    for attention in hops.to_picture:
        torch.nn.init.zeros_(attention.out.weight)
        torch.nn.init.zeros_(attention.out.bias)
    assert torch.equal(network.read(words, places, kinds, patches), alone)


def test_the_contrast_is_learned_from_as_much_as_it_weighs(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 0)
    settings = FEW._replace(epochs_seeing=1, epochs_rationale=1, epochs_answer=1)
    curves = [
        train(
            samples,
            images.Pictures.of(rows),
            settings,
            tmp_path / str(weight),
            family=Mmr(family="mmr", contrast=weight),
        ).curves
        for weight in (0.0, 0.1, 0.2)
    ]
    seeing, rationale, _ = zip(*curves, strict=True)
    assert seeing[0] == seeing[1] == seeing[2]
    without, some, twice = (row["loss"] for row in rationale)
    # Untrained, the shares of eight examples' sentences are near even: some -log of an eighth to a sixteenth or so.
    assert without + 0.1 < some < without + 1
    assert twice > some + 0.1


def test_it_learns_the_toy_world(tmp_path_factory: pytest.TempPathFactory) -> None:
    learned = learn(tmp_path_factory.mktemp("squares") / "checkpoint", Mmr(family="mmr"))
    rows = controls.report(learned.folder, learned.samples, images.Pictures.of(learned.rows), "test")
    total = {row["control"]: row["accuracy"] for row in rows if row["scope"] == "total"}
    assert total["seen"] >= 0.8
    assert total["blank"] <= 0.6
