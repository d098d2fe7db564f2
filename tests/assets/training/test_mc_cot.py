import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from assets import images
from assets.settings_training import McCot
from assets.training import controls, examples, families, mc_cot
from assets.training.batches import Source
from assets.training.learning import Learning
from assets.training.mc_cot import aligned, fused
from assets.training.network import Sampled
from assets.training.train import MM_COT, train
from tests.assets.training import squares
from tests.assets.training.learned import FEW, Learned, learn

SEVERAL = McCot(family="mc-cot", rationales=3, temperature=0.8)


@pytest.fixture(scope="module", name="learned")
def _learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    return learn(tmp_path_factory.mktemp("squares") / "checkpoint", SEVERAL)


def test_with_one_rationale_it_is_mm_cot_to_the_last_bit(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 8)
    pictures = images.Pictures.of(rows)
    one = train(samples, pictures, FEW, tmp_path / "one", family=McCot(family="mc-cot", rationales=1))
    same = train(samples, pictures, FEW, tmp_path / "same", family=MM_COT)
    two = train(samples, pictures, FEW, tmp_path / "two", family=McCot(family="mc-cot", rationales=2))
    assert one.curves == same.curves
    weights = [{file for file in told.files if file.name.endswith(".safetensors")} for told in (one, same, two)]
    assert weights[0] == weights[1]
    assert len(weights[2] - weights[1]) == 1
    assert controls.report(tmp_path / "one", samples, pictures) == controls.report(tmp_path / "same", samples, pictures)


def test_several_scores_are_one_by_the_mean_of_log_probabilities() -> None:
    # Odds of 1:1 and of 4:1 are odds of 2:1, their geometric mean; what is added to all options changes nothing.
    first, second = torch.tensor([[0.0, 0.0]]), torch.tensor([[math.log(4.0) + 7, 7.0]])
    assert fused([first, second]).softmax(-1)[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    missing = torch.tensor([[1.0, float("-inf")]])
    assert fused([missing, missing + 1]).tolist() == [[1.5, float("-inf")]]


def test_scores_are_brought_into_the_order_of_the_first() -> None:
    scores = torch.tensor([[10.0, 11.0, 12.0], [20.0, 21.0, float("-inf")]])
    found = aligned(scores, [(2, 0, 1), (1, 0)], [(0, 1, 2), (1, 0)])
    assert found.tolist() == [[11.0, 12.0, 10.0], [20.0, 21.0, float("-inf")]]


def test_words_are_drawn_as_often_as_the_scores_say() -> None:
    scores = torch.tensor([0.5, 0.3, 0.2]).log().repeat(4000, 1)
    drawn = torch.bincount(Sampled([str(row) for row in range(4000)], 1.0)(scores), minlength=3) / 4000
    assert drawn.tolist() == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    # At half the temperature shares are squared: 25:9:4.
    cold = torch.bincount(Sampled([str(row) for row in range(4000)], 0.5)(scores), minlength=3) / 4000
    assert cold.tolist() == pytest.approx([25 / 38, 9 / 38, 4 / 38], abs=0.03)


def test_a_word_that_cannot_be_is_never_drawn() -> None:
    scores = torch.tensor([[0.0, float("-inf"), 0.0, float("-inf")]]).repeat(500, 1)
    assert set(Sampled([str(row) for row in range(500)], 1.0)(scores).tolist()) == {0, 2}


def test_what_is_drawn_of_one_does_not_depend_on_the_others() -> None:
    torch.manual_seed(1)
    scores = torch.randn(3, 5, 7)
    together, alone = Sampled(["a", "b", "c"], 1.0), Sampled(["b"], 1.0)
    for step in range(5):
        assert together(scores[:, step])[1] == alone(scores[1:2, step])[0]


def test_it_learns_the_toy_world(learned: Learned) -> None:
    rows = controls.report(learned.folder, learned.samples, images.Pictures.of(learned.rows), "test")
    total = {row["control"]: row["accuracy"] for row in rows if row["scope"] == "total"}
    assert total["seen"] >= 0.8
    assert total["blank"] <= 0.6


def test_an_answer_does_not_depend_on_what_else_is_asked(learned: Learned) -> None:
    answerer = families.load(learned.folder)
    found = [one.asked for sample in learned.samples if (one := examples.of_sample(sample))][-8:]
    shown = [answerer.features(images.decode(row.png)) for row in learned.rows[-8:] if row.png]
    told = answerer.rationales(found, shown)
    whole = answerer.answers(found, told, shown)
    single = [answerer.answers([one], [steps], [look])[0] for one, steps, look in zip(found, told, shown, strict=True)]
    assert whole == single


def test_the_rationales_of_a_batch_vote_on_the_same_options_and_those_of_validation_vote_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def numbers(learning: Any, network: torch.nn.Module, given: Source, patches: Any) -> torch.Tensor:
        """Of each option its number, wherever it stands."""
        return torch.tensor(given.orders, dtype=torch.float32) + 0 * sum(one.sum() for one in network.parameters())

    voted: list[Sequence[torch.Tensor]] = []
    monkeypatch.setattr(Learning, "_scores", numbers)
    monkeypatch.setattr(mc_cot, "fused", lambda scores: voted.append(scores) or fused(scores))
    samples, rows = squares.world(16, 8, 0)
    settings = FEW._replace(epochs_seeing=1, epochs_rationale=1, epochs_answer=1, batch=8, at_once=8)
    train(samples, images.Pictures.of(rows), settings, tmp_path / "a", family=SEVERAL)
    # Two batches of train, and one part of validation.
    assert [len(scores) for scores in voted] == [3, 3, 3]
    for scores in voted[:2]:
        assert torch.equal(scores[0], scores[1])
        assert torch.equal(scores[0], scores[2])
        assert len({tuple(row) for row in scores[0].tolist()}) > 1


def test_an_answer_is_that_of_all_rationales_and_not_of_the_first(
    learned: Learned, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The means are 1, 4/3, 0 and 0.
    told = iter([[3.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    monkeypatch.setattr(mc_cot, "scored", lambda *given: torch.tensor([next(told)]))
    answerer = families.load(learned.folder)
    asked = [one.asked for sample in learned.samples if (one := examples.of_sample(sample))][:1]
    assert answerer.answers(asked, [[]], [answerer.features(None)]) == [1]
    assert next(told, None) is None
