"""What identifies a checkpoint, and what is said of one that cannot be loaded here."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assets.models import transformers_checkpoint as checkpoints
from assets.models.model import ModelError
from assets.models.transformers_chat import TransformersChat
from tests.tiny_dialogues import PICTURES, TOKENS, chat, mixed
from tests.tiny_model import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("tiny") / "model")


def test_identity_is_of_contents_and_sampling_and_not_of_place_or_batch(folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    known = chat(folder).identity
    assert chat(moved, batch=3).identity == known
    assert json.loads(json.dumps(known)) == {
        "kind": "transformers",
        "model": checkpoints.contents(folder),
        "revision": None,
        "dtype": "float32",
        "answer": "generate",
        "sampling": {"temperature": 0.0, "top_p": None, "max_tokens": TOKENS, "seed": None},
        "pixels": None,
    }
    weights = moved / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert chat(moved).identity["model"] != known["model"]
    for other in ({"temperature": 0.5}, {"max_tokens": 7}, {"answer": "loglikelihood"}, {"dtype": "bfloat16"}):
        assert chat(folder, **other).identity != known
    assert TransformersChat("t", model="org/name", revision="abc", device="cpu").identity["model"] == "org/name"


def test_a_folder_that_cannot_be_loaded_says_why(folder: Path, tmp_path: Path) -> None:
    def sentence(where: Path | str, **given: Any) -> str:
        model = TransformersChat("tiny", model=str(where), **{"device": "cpu", **given})
        with pytest.raises(ModelError) as raised:
            list(model.replies([mixed(0)], PICTURES))
        return str(raised.value)

    def copy(name: str) -> Path:
        shutil.copytree(folder, tmp_path / name)
        return tmp_path / name

    pickled = copy("pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    assert "holds only pickled weights (pytorch_model.bin)" in sentence(pickled)
    silent = copy("silent")
    (silent / "chat_template.jinja").unlink()
    assert "has no chat template: put its chat_template.jinja beside" in sentence(silent)
    foreign = copy("foreign")
    config = json.loads((foreign / "config.json").read_text())
    del config["model_type"]
    (foreign / "config.json").write_text(json.dumps(config))
    assert f"{foreign} cannot be loaded as an image-text model" in sentence(foreign)
    coded = copy("coded")
    config |= {"model_type": "own", "auto_map": {"AutoModelForImageTextToText": "own.Own", "AutoConfig": "own.Config"}}
    (coded / "config.json").write_text(json.dumps(config))
    (coded / "own.py").write_text("raise SystemExit('code of a checkpoint was run')")
    assert f"{coded}" in sentence(coded)
    assert sentence("/no/such/folder") == (
        "models.tiny.model: there is no folder /no/such/folder: give one that holds a checkpoint"
    )
    assert "models.tiny.device: 'xpu' is not here" in sentence(folder, device="xpu")


def test_a_processor_that_needs_torchvision_says_so(folder: Path, tmp_path: Path) -> None:
    qwen = tmp_path / "qwen"
    shutil.copytree(folder, qwen)
    (qwen / "processor_config.json").write_text(
        json.dumps(
            {
                "processor_class": "Qwen2VLProcessor",
                "image_processor": {"image_processor_type": "Qwen2VLImageProcessor"},
                "video_processor": {"video_processor_type": "Qwen2VLVideoProcessor"},
            }
        )
    )
    with pytest.raises(ModelError, match="torchvision, which is not installed"):
        list(chat(qwen).replies([mixed(0)], PICTURES))


def test_a_name_that_is_neither_here_nor_reachable_says_to_download_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    model = TransformersChat("away", model="org/none", device="cpu")
    with pytest.raises(ModelError, match=r"org/none cannot be loaded.*download it first with `hf download`"):
        list(model.replies([mixed(0)], PICTURES))
