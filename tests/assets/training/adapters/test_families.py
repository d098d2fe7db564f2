import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load as unpacked

from assets import images
from assets.models.model import ModelError
from assets.models.transformers_checkpoint import Checkpoint
from assets.settings_training import Search
from assets.training import checkpoint as sealing
from assets.training.adapters import families, lessons, llama_adapter, lora, weights
from assets.training.checkpoint import CheckpointError
from assets.training.train import TrainingError
from tests import tiny_model
from tests.assets.training import squares
from tests.assets.training.adapters import tiny

BOTH = pytest.mark.parametrize("family", ["lora", "llama-adapter"])
MODULES = {"lora": lora, "llama-adapter": llama_adapter}


@pytest.fixture(scope="module", name="base")
def _base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.base(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(name="held")
def _held(base: Path) -> Checkpoint:
    return tiny.checkpoint(base)


def given(held: Checkpoint, folder: Path) -> dict[str, Any]:
    found, pictures = tiny.prompts(held, folder, squares.world(16, 8, 0)[0])
    some = found.lessons[:4]
    return lessons.batch(held, [one.waiting for one in some], [one.target for one in some], pictures)


def logits(held: Checkpoint, batch: dict[str, Any]) -> torch.Tensor:
    held.model.eval()
    with torch.no_grad():
        found: torch.Tensor = held.model(**batch).logits
    return found


def attached(family: str, held: Checkpoint, base: Path, **others: Any) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return MODULES[family].attach(held.model, tiny.settings(family, base, **others))


def disturbed(peft: Any) -> None:
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(2)
        for weight in peft.parameters():
            if weight.requires_grad:
                weight.add_(torch.randn_like(weight) * 0.3)


@BOTH
def test_an_adapter_starts_as_the_identity(family: str, held: Checkpoint, base: Path, tmp_path: Path) -> None:
    batch = given(held, tmp_path)
    before = logits(held, batch)
    peft = attached(family, held, base)
    assert torch.equal(logits(held, batch), before)
    disturbed(peft)
    assert not torch.allclose(logits(held, batch), before, atol=1e-3)


@BOTH
def test_nothing_but_the_language_models_attention_learns(family: str, held: Checkpoint, base: Path) -> None:
    attached(family, held, base)
    learns = [name for name, weight in held.model.named_parameters() if weight.requires_grad]
    assert learns
    assert all(name.startswith("model.language_model.layers.") and ".self_attn." in name for name in learns)


def test_low_rank_updates_are_those_of_the_projections_of_attention(held: Checkpoint, base: Path) -> None:
    peft = attached("lora", held, base, rank=4)
    sizes = {name: tuple(weight.shape) for name, weight in peft.named_parameters() if weight.requires_grad}
    assert len(sizes) == 2 * 4 * 2
    ends = {name.split(".self_attn.")[1] for name in sizes}
    assert ends == {f"{side}_proj.lora_{half}.default.weight" for side in "qkvo" for half in "AB"}
    assert {shape for name, shape in sizes.items() if "lora_A" in name} == {(4, 64)}
    assert {shape for name, shape in sizes.items() if "lora_B" in name} == {(64, 4)}


def test_prompts_are_those_of_the_last_layers_and_their_gates_are_closed(held: Checkpoint, base: Path) -> None:
    peft = attached("llama-adapter", held, base, prompts=3, layers=1)
    found = {name: weight for name, weight in peft.named_parameters() if weight.requires_grad}
    assert [name.rpartition("layers.")[2] for name in found] == [
        "1.self_attn.adaption_prompt",
        "1.self_attn.adaption_gate",
    ]
    prompt, gate = found.values()
    assert (tuple(prompt.shape), gate.tolist()) == ((1, 3, 64), [0.0])


def test_a_model_with_less_layers_has_prompts_in_each(held: Checkpoint, base: Path) -> None:
    peft = attached("llama-adapter", held, base, layers=30)
    gates = [name for name, weight in peft.named_parameters() if weight.requires_grad and "gate" in name]
    assert len(gates) == 2


def test_merged_updates_say_what_unmerged_ones_say(held: Checkpoint, base: Path, tmp_path: Path) -> None:
    batch = given(held, tmp_path)
    before = logits(held, batch)
    peft = attached("lora", held, base)
    disturbed(peft)
    apart = logits(held, batch)
    merged = held._replace(model=peft.merge_and_unload())
    assert not any("lora" in name for name, _ in merged.model.named_parameters())
    worst = (logits(merged, batch) - apart).abs().max().item()
    assert worst < 1e-3
    assert not torch.allclose(apart, before, atol=1e-2)


@BOTH
def test_weights_come_back_as_they_were_written(family: str, base: Path, tmp_path: Path) -> None:
    held = tiny.checkpoint(base)
    batch = given(held, tmp_path / "pictures")
    peft = attached(family, held, base)
    disturbed(peft)
    for name, content in weights.content(peft, "some base").items():
        (tmp_path / name).write_bytes(content)
    again = tiny.checkpoint(base)
    back = MODULES[family].attach(again.model, tiny.settings(family, base))
    weights.restore(back, tmp_path)
    assert torch.equal(logits(again, batch), logits(held, batch))
    assert weights.content(back, "some base") == weights.content(peft, "some base")
    assert json.loads((tmp_path / weights.CONFIG).read_text())["base_model_name_or_path"] == "some base"


@BOTH
def test_what_it_writes_from_memory_is_what_it_writes_reading_all_anew(family: str, tmp_path: Path) -> None:
    held = tiny.checkpoint(tiny_model.make(tmp_path / "base", scale=4.0))
    found, pictures = tiny.prompts(held, tmp_path / "pictures", squares.world(16, 8, 0)[0])
    disturbed(attached(family, held, tmp_path / "base"))
    held.model.eval()
    batch = lessons.batch(held, [one.waiting for one in found.lessons[:3]], [()] * 3, pictures)
    del batch["labels"]
    written = [
        held.model.generate(**batch, max_new_tokens=12, do_sample=False, use_cache=use).tolist()
        for use in (True, False)
    ]
    assert written[0] == written[1]
    assert len({tuple(row[-12:]) for row in written[0]}) > 1


@BOTH
def test_what_is_learned_of_one_does_not_depend_on_what_else_is_in_the_batch(family: str, tmp_path: Path) -> None:
    held = tiny.checkpoint(tiny_model.make(tmp_path / "base", scale=4.0))
    samples = squares.world(16, 8, 0)[0]
    samples[1] = samples[1]._replace(question=f"{'Never mind this. ' * 20}{samples[1].question}")
    found, pictures = tiny.prompts(held, tmp_path / "pictures", samples)
    disturbed(attached(family, held, tmp_path / "base"))

    def learned(some: list[lessons.Lesson]) -> torch.Tensor:
        batch = lessons.batch(held, [one.waiting for one in some], [one.target for one in some], pictures)
        return logits(held, batch)[0][batch["labels"][0] != lessons.IGNORED]

    short, long = found.lessons[:2]
    assert len(long.waiting.dialogue.asks[0].parts[1].text or "") > 300
    assert torch.allclose(learned([short]), learned([short, long]), rtol=0, atol=1e-3)


def test_a_target_that_names_nothing_is_one_sentence(held: Checkpoint, base: Path) -> None:
    with pytest.raises(TrainingError, match=r"^target 'nothing.x': names no modules .*: set a regular expression of"):
        attached("lora", held, base, target="nothing.x")


def test_a_language_model_without_a_place_for_prompts_is_one_sentence(held: Checkpoint, base: Path) -> None:
    held.model.get_decoder().config.model_type = "strange"
    with pytest.raises(TrainingError, match=r"type strange has no place for prompts \(.*llama.* have\): name another"):
        attached("llama-adapter", held, base)


@BOTH
def test_the_same_seed_gives_the_same_files_whatever_the_order_of_the_samples(
    family: str, base: Path, tmp_path: Path
) -> None:
    samples, rows = squares.world(12, 4, 0)
    pictures = images.Pictures.of(rows)
    settings = tiny.settings(family, base, epochs=1)
    lines: list[str] = []
    first = families.train(settings, samples, pictures, tmp_path / "a", tmp_path / "keep", lines.append)
    torch.manual_seed(99)
    random.seed(99)
    before = (random.getstate(), torch.get_rng_state())
    again = families.train(settings, samples[::-1], pictures, tmp_path / "b", tmp_path / "keep")
    assert random.getstate() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])
    other = families.train(
        settings.model_copy(update={"seed": 6}), samples, pictures, tmp_path / "c", tmp_path / "keep"
    )
    assert first == again
    names = ["adapter_config.json", "adapter_model.safetensors", "description.json"]
    assert [file.name for file in first.files] == names
    digests = [sealing.digest(tmp_path / name) for name in "abc"]
    assert digests[0] == digests[1] != digests[2]
    assert other.files[1].sha256 != first.files[1].sha256
    assert not (tmp_path / "keep").exists()
    assert [(row["stage"], row["epoch"], row["step"]) for row in first.curves] == [("adapter", 1, 3)]
    assert len(lines) == 1
    assert lines[0].startswith("batch 4, rate 0.01, epoch 1 of 1: loss ")
    assert (first.facts["train"], first.facts["validation"], first.facts["left_out"]) == (12, 4, 0)


def test_what_was_fitted_loads_and_says_what_it_is(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(12, 4, 0)
    settings = tiny.settings("lora", base, epochs=1, rationale=False)
    made = families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    told = sealing.verified(tmp_path / "a")
    assert (told["family"], told["facts"]) == ("lora", made.facts)
    assert told["settings"] == settings.model_dump(mode="json") | {"base": base.name}
    answerer = families.load(tmp_path / "a", str(base))
    found = lessons.of_split(samples, "validation")
    seen = [answerer.features(None) for _ in found]
    assert answerer.rationales([one.asked for one in found], seen) == [[], [], [], []]
    assert all(number in range(4) for number in answerer.answers([one.asked for one in found], [[]] * 4, seen))


def test_all_pairs_of_a_search_are_tried_and_the_best_stays(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 0)
    search = Search(batches=(4, 8), rates=(1e-6, 5e-2))
    settings = tiny.settings("lora", base, epochs=1, rationale=False, search=search)
    made = families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    tried = made.facts["search"]
    assert [(row["batch"], row["rate"]) for row in tried] == [(4, 1e-6), (4, 5e-2), (8, 1e-6), (8, 5e-2)]
    best = max(tried, key=lambda row: (row["accuracy_validation"], -row["loss_validation"]))
    assert (made.facts["batch"], made.facts["rate"]) == (best["batch"], best["rate"])
    assert made.curves[0]["loss_validation"] == best["loss_validation"]
    # The same pair alone ends with the same weights: a fit does not know what was tried before it.
    alone = settings.model_copy(update={"search": None, "batch": best["batch"], "rate": best["rate"]})
    families.train(alone, samples, images.Pictures.of(rows), tmp_path / "b", tmp_path / "keep")
    one, other = (unpacked((tmp_path / name / weights.WEIGHTS).read_bytes()) for name in "ab")
    assert all(torch.equal(one[name], other[name]) for name in one)
    # The curves of all: those of the best under their own name, those of the others under the pair's.
    others = [
        f"batch-{row['batch']}-rate-{row['rate']!r}"
        for row in tried
        if (row["batch"], row["rate"]) != (best["batch"], best["rate"])
    ]
    assert [row["stage"] for row in made.curves] == ["adapter", *others]
    assert sorted(row["loss_validation"] for row in made.curves) == sorted(row["loss_validation"] for row in tried)


def test_a_description_that_is_not_known_is_one_sentence(base: Path, tmp_path: Path) -> None:
    sealing.describe(tmp_path, "lora", {"settings": {"family": "lora", "colour": "red"}})
    sealing.seal(tmp_path)
    with pytest.raises(CheckpointError, match=r"is of family lora with settings that are unknown here: train the"):
        families.load(tmp_path)


def test_another_base_than_the_one_it_was_fitted_to_is_one_sentence(base: Path, tmp_path: Path) -> None:
    own = shutil.copytree(base, tmp_path / "base")
    samples, rows = squares.world(8, 4, 0)
    settings = tiny.settings("llama-adapter", own, epochs=1, rationale=False)
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    config = own / "generation_config.json"
    config.write_text(config.read_text() + " ")
    with pytest.raises(CheckpointError, match=r"was fitted to base when its contents were [0-9a-f]{16}, and they are"):
        families.load(tmp_path / "a", str(own))


def test_a_base_that_reads_no_pictures_is_one_sentence(tmp_path: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, vocab_size=32
    )
    LlamaForCausalLM(config).save_pretrained(tmp_path)
    settings = tiny.settings("lora", tmp_path)
    with pytest.raises(
        ModelError, match=r"^family lora, base: .* cannot be loaded as an image-text model \("
    ) as raised:
        families.base(settings)
    assert "\n" not in str(raised.value)


def test_a_base_that_reads_and_writes_in_two_sequences_is_one_sentence(base: Path, tmp_path: Path) -> None:
    own = shutil.copytree(base, tmp_path / "base")
    told = json.loads((own / "config.json").read_text()) | {"is_encoder_decoder": True}
    (own / "config.json").write_text(json.dumps(told))
    with pytest.raises(
        ModelError, match=r"^family lora, base: .* is an encoder with a decoder, .*: name another base$"
    ):
        families.base(tiny.settings("lora", own))


def test_a_base_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"^family lora, base: there is no folder .*: give one that holds"):
        families.base(tiny.settings("lora", tmp_path / "none"))


def test_samples_that_do_not_fit_are_one_sentence(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 0)
    settings = tiny.settings("lora", base, length=20)
    with pytest.raises(TrainingError, match=r"^split train: none of its 8 samples fits into 20 tokens: set length"):
        families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
