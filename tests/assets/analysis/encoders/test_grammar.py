from pathlib import Path
from typing import Any

import pytest

from assets.analysis.encoders.grammar import grammar_model
from assets.models.transformers_checkpoint import threads
from assets.schema.faults import Fault
from tests import tiny_judges

TEXTS = ["the cat sits on the mat .", "cat", "", "a blue circle is not a red square , therefore the map is north"]


def naive(folder: Path, place: int) -> list[float]:
    """One text at a time, without padding."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    kind: Any = AutoModelForSequenceClassification
    model, words = kind.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    model.eval()
    with threads("cpu"), torch.no_grad():
        return [float(model(**words(text, return_tensors="pt")).logits[0].softmax(0)[place]) for text in TEXTS]


@pytest.mark.parametrize(
    ("labels", "place"), [(("unacceptable", "acceptable"), 1), (("Acceptable", "Unacceptable"), 0)], ids=str
)
def test_acceptable_is_found_by_its_name_in_either_order(tmp_path: Path, labels: tuple[str, str], place: int) -> None:
    made = tiny_judges.classifier(tmp_path / "cola", labels, family="roberta", seed=3)
    model = grammar_model(str(made))
    found = model.acceptable([*TEXTS, TEXTS[1]])
    assert found[:4] == pytest.approx(naive(made, place), abs=1e-6)
    assert found[4] == found[1] and all(0 <= chance <= 1 for chance in found)
    assert model.name == "cola" and model.acceptable([]).shape == (0,)


def test_a_text_longer_than_the_model_reads_is_cut(tmp_path: Path) -> None:
    model = grammar_model(str(tiny_judges.classifier(tmp_path / "cola", ("no", "grammatical"), places=10)))
    long, exact = model.acceptable(["cat " * 50, "cat " * 8])
    assert long == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (None, 'calls its labels LABEL_0, LABEL_1, LABEL_2, .*"1": "acceptable"'),
        (("unacceptable", "neutral"), "does not choose between acceptable and other labels"),
        (("acceptable", "ACCEPTABLE"), "does not choose between acceptable and other labels"),
        (("acceptable",), "does not choose between acceptable and other labels"),
    ],
)
def test_a_model_that_does_not_say_what_is_acceptable_is_refused(tmp_path: Path, labels: Any, said: str) -> None:
    made = tiny_judges.classifier(tmp_path / "cola", labels)
    with pytest.raises(Fault, match=rf"^analysis\.rationales\.grammar: cola .*{said}"):
        grammar_model(str(made))
