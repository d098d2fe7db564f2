import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.analysis.encoders.inference import inference_model
from assets.models.transformers_checkpoint import threads
from assets.schema.faults import Fault
from tests import tiny_judges

PAIRS = [
    ("the cat sits on the mat .", "the dog runs"),
    ("a", "b"),
    ("the map is red , so the legend is not blue .", "therefore a circle is not a square"),
    ("the cat sits on the mat .", "the dog runs"),
]


def naive(folder: Path, place: int, pairs: list[tuple[str, str]]) -> list[float]:
    """One pair at a time, without padding."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    kind: Any = AutoModelForSequenceClassification
    model, words = kind.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    model.eval()
    found = []
    with threads("cpu"), torch.no_grad():
        for premise, hypothesis in pairs:
            logits = model(**words(premise, hypothesis, return_tensors="pt")).logits[0]
            found.append(float(torch.exp(logits[place]) / torch.exp(logits).sum()))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_judges.classifier(tmp_path_factory.mktemp("nli") / "tiny-nli")


@pytest.mark.parametrize("family", ["bert", "deberta", "roberta"])
def test_a_batch_of_pairs_gives_what_each_pair_gives_alone(tmp_path: Path, family: str) -> None:
    made = tiny_judges.classifier(tmp_path / family, family=family, seed=1)
    found = inference_model(str(made)).contradiction(PAIRS)
    assert found == pytest.approx(naive(made, 1, PAIRS), abs=1e-6)
    assert found[0] == found[3] and len(set(found.tolist())) == 3


def test_a_classifier_without_a_padding_token_reads_each_pair_alone(tmp_path: Path) -> None:
    made = tiny_judges.classifier(tmp_path / "decoder", family="gpt2", seed=4)
    words = tiny_judges.tokenizer()
    words.pad_token = None
    words.save_pretrained(made)
    found = inference_model(str(made)).contradiction(PAIRS)
    assert found == pytest.approx(naive(made, 1, PAIRS), abs=1e-6)


def test_the_contradiction_is_found_by_its_name_wherever_it_stands(tmp_path: Path) -> None:
    orders = [("contradiction", "neutral", "entailment"), ("Entailment", "Neutral", "Contradiction")]
    made = [tiny_judges.classifier(tmp_path / str(n), labels) for n, labels in enumerate(orders)]
    first, last = (inference_model(str(one)).contradiction(PAIRS[:3]) for one in made)
    assert first == pytest.approx(naive(made[0], 0, PAIRS[:3]), abs=1e-6)
    assert last == pytest.approx(naive(made[1], 2, PAIRS[:3]), abs=1e-6)
    assert not np.allclose(first, last)


def test_premise_and_hypothesis_are_not_exchanged(folder: Path) -> None:
    model = inference_model(str(folder))
    there, back = model.contradiction([("the cat sits", "a dog runs"), ("a dog runs", "the cat sits")])
    assert there == pytest.approx(naive(folder, 1, [("the cat sits", "a dog runs")])[0], abs=1e-6)
    assert there != pytest.approx(back, abs=1e-6)


def test_the_tables_name_the_folder_without_its_path(folder: Path) -> None:
    assert inference_model(str(folder)).name == "tiny-nli"


def test_no_pairs_give_no_numbers(folder: Path) -> None:
    assert inference_model(str(folder)).contradiction([]).shape == (0,)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_pair_longer_than_the_model_reads_is_cut_and_not_an_error(tmp_path: Path, family: str) -> None:
    made = tiny_judges.classifier(tmp_path / family, family=family, places=12)
    model = inference_model(str(made))
    # RoBERTa's places begin behind the padding's number, so of 12 it has 11; three of them are marks.
    left = 11 - 3 - 2 if family == "roberta" else 12 - 3 - 2
    long, exact = ("cat " * 30, "a dog"), ("cat " * left, "a dog")
    assert model.contradiction([long]) == pytest.approx(model.contradiction([exact]), abs=1e-6)


def test_torch_has_its_threads_back_afterwards(folder: Path) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        inference_model(str(folder)).contradiction(PAIRS)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_many_pairs_fill_several_batches_in_their_order(folder: Path) -> None:
    pairs = [(" ".join(["cat"] * (n % 13 + 1)), " ".join(["dog"] * (n % 7 + 1))) for n in range(150)]
    found = inference_model(str(folder)).contradiction(pairs)
    assert found[[0, 77, 149]] == pytest.approx(naive(folder, 1, [pairs[0], pairs[77], pairs[149]]), abs=1e-6)


def refused(folder: Path | str) -> str:
    with pytest.raises(Fault) as fault:
        inference_model(str(folder))
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_labels_without_names_are_refused_with_the_way_to_name_them(tmp_path: Path) -> None:
    said = refused(tiny_judges.classifier(tmp_path / "unnamed", None))
    assert "LABEL_0, LABEL_1, LABEL_2" in said and 'id2label of its config.json, such as "1": "contradiction"' in said


def test_a_model_of_two_way_entailment_is_refused(tmp_path: Path) -> None:
    said = refused(tiny_judges.classifier(tmp_path / "two", ("entailment", "not_entailment")))
    assert "it has entailment, not_entailment" in said


def test_a_language_model_is_refused_rather_than_given_a_random_head(tmp_path: Path) -> None:
    said = refused(tiny_judges.causal(tmp_path / "gpt"))
    assert "is GPT2LMHeadModel and not a classifier of natural language inference" in said


def test_a_checkpoint_that_lacks_its_head_is_refused(tmp_path: Path) -> None:
    import safetensors.torch

    made = tiny_judges.classifier(tmp_path / "headless")
    weights = safetensors.torch.load_file(made / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if not name.startswith("classifier")}
    safetensors.torch.save_file(kept, made / "model.safetensors", {"format": "pt"})
    assert "has no weights for classifier.bias and 1 more, which would be random" in refused(made)


def test_a_folder_that_is_not_there_and_one_without_a_checkpoint_are_told_apart(tmp_path: Path) -> None:
    assert "there is no folder" in refused(tmp_path / "nowhere")
    assert "holds no config.json" in refused(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickled")
    assert "only pickled weights (pytorch_model.bin), and loading a pickle would run code" in refused(tmp_path)


def test_code_that_a_checkpoint_brings_is_not_run(tmp_path: Path) -> None:
    made = tiny_judges.classifier(tmp_path / "own")
    config = json.loads((made / "config.json").read_text())
    own = {"AutoConfig": "own.Config", "AutoModelForSequenceClassification": "own.Model"}
    (made / "config.json").write_text(json.dumps(config | {"model_type": "own", "auto_map": own}))
    (made / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    assert "brings code of its own, which is never run here" in refused(made)
    assert not (tmp_path / "ran").exists()


def test_a_hub_that_cannot_be_reached_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub

    def away(*_: Any, **__: Any) -> None:
        raise ConnectionError("Name or service not known\nand more")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", away)
    said = refused("nobody/no-such-model")
    assert "analysis.rationales.inference: nobody/no-such-model cannot be loaded" in said
    assert "hf download" in said and "and more" not in said


def test_a_device_that_is_not_here_is_named_with_its_setting(folder: Path) -> None:
    with pytest.raises(Fault, match=r"analysis\.rationales\.device: 'abacus' is not here"):
        inference_model(str(folder), "abacus")
