"""Object detection by a tiny checkpoint of random weights, against the boxes that its own outputs say."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assets.models.model import ModelError
from assets.models.tools.inventory import inventory
from assets.models.tools.object_detection import SAID, ObjectDetection, detector
from assets.models.tools.sandbox import Sandbox
from assets.schema.faults import Fault

LABELS = {0: "cat", 1: "dog", 2: "mat"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import YolosConfig, YolosForObjectDetection, YolosImageProcessor

    torch.manual_seed(0)
    layers = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = YolosConfig(
        **layers,
        image_size=[32, 48],
        patch_size=8,
        num_detection_tokens=30,
        id2label=LABELS,
        label2id={label: number for number, label in LABELS.items()},
        initializer_range=0.5,
    )
    made = tmp_path_factory.mktemp("detector") / "yolos"
    model = YolosForObjectDetection(config)
    # They are zero at first, and what is asked for with the same token is one and the same object.
    torch.nn.init.normal_(model.vit.embeddings.detection_tokens, std=3.0)
    model.save_pretrained(made)
    YolosImageProcessor(size={"height": 32, "width": 48}).save_pretrained(made)
    return made


def png() -> bytes:
    pixels = np.random.default_rng(1).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    stored = io.BytesIO()
    Image.fromarray(pixels).save(stored, "PNG")
    return stored.getvalue()


def expected(folder: Path, threshold: float) -> list[tuple[float, str, list[float]]]:
    """The objects, the surest first, out of logits and boxes as DETR has it: softmax without the last label."""
    import torch
    from transformers import YolosForObjectDetection, YolosImageProcessor

    model = YolosForObjectDetection.from_pretrained(folder).eval()
    given = YolosImageProcessor.from_pretrained(folder)(Image.open(io.BytesIO(png())), return_tensors="pt")
    with torch.inference_mode():
        outputs = model(**given)
    found = []
    for chances, (x, y, w, h) in zip(outputs.logits[0].softmax(-1), outputs.pred_boxes[0].tolist(), strict=True):
        number = int(chances[:-1].argmax())
        if float(chances[number]) > threshold:
            box = [min(1.0, max(0.0, side)) for side in (x - w / 2, y - h / 2, x + w / 2, y + h / 2)]
            found.append((-float(chances[number]), LABELS[number], box))
    return sorted(found)


def written(found: list[tuple[float, str, list[float]]]) -> list[str]:
    return [f"{label} {-score:.2f} at " + ", ".join(f"{side:.2f}" for side in box) for score, label, box in found]


def said(folder: Path, threshold: float) -> list[str]:
    return ObjectDetection(60.0, str(folder), threshold).compute({"picture": "p"}, {"p": png()}).text.splitlines()


def test_objects_are_those_of_the_models_outputs_the_surest_first(folder: Path) -> None:
    found = expected(folder, 0.0)
    assert len(found) == 30 and len(set(written(found))) > 20
    assert said(folder, 0.0) == [*written(found[:SAID]), "and 10 more"]
    between = -(found[4][0] + found[5][0]) / 2
    assert said(folder, between) == written(found[:5])


def test_nothing_found_is_said(folder: Path) -> None:
    assert said(folder, 1.0) == ["no object with a score of 1 or more"]


def test_it_runs_in_the_sandbox_as_outside_and_is_named_from_any_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    tools = inventory(["object_detection"], sees=(), detects=folder.name, limit_s=60.0)
    tool = ObjectDetection(60.0, folder.name, 0.0)
    with Sandbox() as sandbox:
        assert sandbox.use(tool, {"picture": "p"}, {"p": png()}).text.splitlines() == said(folder, 0.0)
    assert len(tools.identity["object_detection"]["contents"]) == 64


def test_weights_that_are_missing_are_refused(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    lost = next(name for name in sorted(weights) if name.startswith("class_labels_classifier"))
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    (tmp_path / "preprocessor_config.json").write_bytes((folder / "preprocessor_config.json").read_bytes())
    save_file({k: v for k, v in weights.items() if k != lost}, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(Fault, match=f"has no weights for {lost}, which would be random"):
        detector(str(tmp_path))


def test_what_is_no_checkpoint_of_detection_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="detects: there is no folder"):
        _ = ObjectDetection(60.0, str(tmp_path / "none")).facts
    pickled = tmp_path / "pickled"
    pickled.mkdir()
    (pickled / "config.json").write_bytes((folder / "config.json").read_bytes())
    (pickled / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ModelError, match="loading a pickle would run code"):
        _ = inventory(None, sees=(), detects=str(pickled), limit_s=1.0).identity
    other = tmp_path / "other"
    other.mkdir()
    config = json.loads((folder / "config.json").read_bytes()) | {"model_type": "bert"}
    (other / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (other / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    (other / "preprocessor_config.json").write_bytes((folder / "preprocessor_config.json").read_bytes())
    with pytest.raises(Fault, match="is not a model of object detection"):
        detector(str(other))
