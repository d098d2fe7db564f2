"""Trainings on tiny checkpoints of texts and pictures, by each family, as params.yaml would start them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from assets import images
from assets.models.trained import Trained as TrainedModel
from assets.schema.faults import Fault
from assets.settings_training import Learned, McCot, MmCot, Mmr
from assets.training import checkpoint, controls, examples, families, t5_backbone, vision_features
from assets.training.backbone import Longest
from assets.training.train import Trained
from tests.assets.training import squares
from tests.assets.training import tiny_checkpoints as tiny

FAMILIES: dict[str, Callable[..., Learned]] = {
    "mm-cot": lambda **given: MmCot(family="mm-cot", **given),
    "mc-cot": lambda **given: McCot(family="mc-cot", rationales=2, **given),
    "mmr": lambda **given: Mmr(family="mmr", **given),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints in the working folder, features beside them, and short texts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(t5_backbone, "HELD", tmp_path / "features")
    monkeypatch.setattr(t5_backbone.T5Language, "longest", Longest(96, 24, 40))
    tiny.t5(Path("t5"))
    tiny.vit(Path("vit"))


def train(
    settings: Learned,
    into: str,
    size: tuple[int, int, int] = (12, 6, 4),
    keep: Path | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> Trained:
    samples, rows = squares.world(*size)
    return families.train(settings, samples, images.Pictures.of(rows), Path(into), keep, progress)


def answered(folder: Path, size: tuple[int, int, int] = (12, 6, 4)) -> list[tuple[list[str], int | None]]:
    """What is said of each test sample."""
    samples, rows = squares.world(*size)
    reader, shown = families.load(folder), squares.Shown(rows)
    asked = [one.asked for sample in samples if sample.split == "test" and (one := examples.of_sample(sample))]
    features = [reader.features(shown.image(one.image_id or "")) for one in asked]
    told = reader.rationales(asked, features)
    return list(zip(told, reader.answers(asked, told, features), strict=True))


def test_a_t5_with_a_vit_learns_the_toy_world_and_looks() -> None:
    settings = FAMILIES["mm-cot"](text="t5", vision="vit", epochs=12, rate=5e-3, batch=8)
    assert train(settings, "out", (100, 24, 40)).facts["accuracy_validation"] >= 0.9
    samples, rows = squares.world(100, 24, 40)
    report = controls.report(Path("out"), samples, images.Pictures.of(rows), "test")
    total = {row["control"]: row["accuracy"] for row in report if row["scope"] == "total"}
    assert total["seen"] >= 0.9
    assert max(total["shuffled"], total["blank"], total["random"]) <= 0.5
    assert answered(Path("out"), (100, 24, 1))[0][0][:1] == ["There is one square on white."]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_trains_is_kept_and_answers_without_what_it_was_made_of(family: str) -> None:
    stages = train(FAMILIES[family](text="t5", vision="vit", epochs=1, rate=3e-3, batch=4), "out").curves
    assert [row["stage"] for row in stages] == ["rationale", "answer"]
    before = answered(Path("out"))
    for gone in ("t5", "vit", "features"):
        shutil.rmtree(gone)
    shutil.move("out", "moved")
    assert answered(Path("moved")) == before
    assert {number for _, number in before} <= {0, 1, 2, 3}
    assert sorted(path.as_posix() for path in Path("moved").rglob("*") if path.is_file()) == sorted(
        f"moved/{name}"
        for name in (
            "answer.safetensors",
            "description.json",
            "manifest.json",
            "rationale.safetensors",
            "text/config.json",
            "text/tokenizer.json",
            "text/tokenizer_config.json",
            "vision/config.json",
            "vision/model.safetensors",
            "vision/preprocessor_config.json",
        )
    )


def test_with_one_rationale_mc_cot_is_mm_cot_here_too() -> None:
    given: dict[str, Any] = {"text": "t5", "vision": "vit", "epochs": 1, "rate": 3e-3, "batch": 4}
    made = {
        "one": train(McCot(family="mc-cot", rationales=1, **given), "one"),
        "same": train(MmCot(family="mm-cot", **given), "same"),
        "two": train(McCot(family="mc-cot", rationales=2, **given), "two"),
    }
    weights = {name: {file for file in told.files if file.name == "answer.safetensors"} for name, told in made.items()}
    assert weights["one"] == weights["same"] != weights["two"]
    assert made["one"].curves == made["same"].curves
    assert answered(Path("one")) == answered(Path("same"))


def test_the_contrast_is_learned_from_here_too() -> None:
    given: dict[str, Any] = {"text": "t5", "vision": "vit", "epochs": 1, "rate": 3e-3, "batch": 4}
    without, some = (train(Mmr(family="mmr", contrast=weight, **given), f"at-{weight}").curves for weight in (0.0, 1.0))
    # The contrast of four questions' sentences, near even at first, is some log of a tenth.
    assert without[0]["loss"] + 0.3 < some[0]["loss"]
    held = load_file("at-1.0/answer.safetensors")
    assert {name.split(".")[2] for name in held if name.startswith("fusion.to_picture.")} == {"0", "1"}


def test_as_a_model_of_an_evaluation_it_replies_with_a_rationale_and_a_letter() -> None:
    train(FAMILIES["mm-cot"](text="t5", vision="vit", epochs=1, rate=3e-3, batch=4), "out")
    samples, rows = squares.world(12, 6, 4)
    dialogues = [squares.dialogue(sample) for sample in samples if sample.split == "test"]
    replies = list(TrainedModel("t5", Path("out")).replies(dialogues, squares.Shown(rows)))
    assert [(reply.ask, reply.status) for reply in replies] == [(0, "ok"), (1, "ok")] * 4
    chosen = ["ABCD"[number or 0] for _, number in answered(Path("out"))]
    assert [reply.parts[0].text for reply in replies[1::2]] == [f"The answer is ({letter})." for letter in chosen]


@pytest.mark.parametrize(
    ("named", "stages"),
    [({"text": "t5"}, ["seeing", "rationale", "answer"]), ({"vision": "vit"}, ["rationale", "answer"])],
)
@pytest.mark.parametrize("family", FAMILIES)
def test_either_checkpoint_goes_with_what_is_learned_from_nothing(
    family: str, named: dict[str, str], stages: list[str]
) -> None:
    found = train(FAMILIES[family](**named, epochs=1, batch=4), "out")
    assert [row["stage"] for row in found.curves] == stages
    before = answered(Path("out"))
    for gone in ("t5", "vit"):
        shutil.rmtree(gone)
    assert answered(Path("out")) == before


def test_the_same_settings_give_the_same_files_which_name_no_place(tmp_path: Path) -> None:
    settings = FAMILIES["mm-cot"](text="t5", vision="vit", epochs=1, rate=3e-3, batch=4)
    train(settings, "a")
    # Twelve to learn from, six to choose on, and the white one.
    assert len(list(Path("features").glob("*/*.safetensors"))) == 19
    torch.manual_seed(99)
    train(settings, "b")
    shutil.rmtree("features")
    train(settings, "c")
    assert checkpoint.digest(Path("a")) == checkpoint.digest(Path("b")) == checkpoint.digest(Path("c"))
    there = {key: str(tmp_path / key) for key in ("t5", "vit")}
    train(FAMILIES["mm-cot"](text=there["t5"], vision=there["vit"], epochs=1, rate=3e-3, batch=4), "d")
    assert checkpoint.digest(Path("d")) == checkpoint.digest(Path("a"))
    assert not any(str(tmp_path).encode() in path.read_bytes() for path in Path("d").rglob("*") if path.is_file())
    assert checkpoint.verified(Path("d"))["facts"]["contents"] == t5_backbone.contents(settings)


def test_a_training_that_was_stopped_goes_on_to_the_same_files() -> None:
    class Stopped(Exception):
        pass

    def stopping(line: str) -> None:
        if line.startswith("stage 2 (answer), epoch 1"):
            raise Stopped

    settings = FAMILIES["mc-cot"](text="t5", vision="vit", epochs=2, rate=3e-3, batch=4)
    train(settings, "whole")
    with pytest.raises(Stopped):
        train(settings, "again", keep=Path("keep"), progress=stopping)
    lines: list[str] = []
    train(settings, "again", keep=Path("keep"), progress=lines.append)
    assert [line.split(":")[0] for line in lines if line.startswith("stage")] == ["stage 2 (answer), epoch 2 of 2"]
    assert checkpoint.digest(Path("again")) == checkpoint.digest(Path("whole"))


def test_pictures_whose_features_are_kept_are_answered_without_seeing_them(monkeypatch: pytest.MonkeyPatch) -> None:
    train(FAMILIES["mm-cot"](text="t5", vision="vit", epochs=1, batch=4), "out")
    before = answered(Path("out"))

    def never(*given: Any) -> vision_features.Tower:
        raise AssertionError("the checkpoint is loaded again")

    monkeypatch.setattr(t5_backbone, "tower", never)
    assert answered(Path("out")) == before


def test_an_epoch_and_a_rate_are_mm_cots_where_nothing_is_said() -> None:
    knobs = families.knobs(FAMILIES["mm-cot"](text="t5"))
    assert (knobs.epochs_rationale, knobs.epochs_answer, knobs.rate_rationale, knobs.batch) == (20, 20, 5e-5, 16)
    assert families.knobs(FAMILIES["mm-cot"](text="t5", epochs=3, rate=1e-4, batch=2)).epochs_answer == 3


def test_the_contents_of_checkpoints_are_told_by_their_files_and_those_of_the_hub_by_name() -> None:
    settings = FAMILIES["mm-cot"](text="t5", vision="vit")
    first = t5_backbone.contents(settings)
    assert len(set(first)) == 2
    shutil.copytree("t5", "copy")
    assert t5_backbone.contents(FAMILIES["mm-cot"](text="copy", vision="somebody/vit")) == [first[0], "somebody/vit"]
    tiny.t5(Path("t5"), seed=1)
    assert t5_backbone.contents(settings)[0] != first[0]
    assert t5_backbone.contents(FAMILIES["mm-cot"]()) == []


def test_what_is_no_t5_is_one_sentence() -> None:
    with pytest.raises(Fault, match=r"^trainings\.text: .*vit.* cannot be loaded as an encoder-decoder of T5's kind"):
        train(FAMILIES["mm-cot"](text="vit"), "out")
    config = json.loads(Path("t5/config.json").read_bytes())
    Path("t5/config.json").write_text(json.dumps(config | {"model_type": "mbart"}), "utf-8")
    with pytest.raises(Fault, match=r"^trainings\.text: "):
        train(FAMILIES["mm-cot"](text="t5"), "out")
    with pytest.raises(Fault, match=r"^trainings\.text: there is no folder \./none"):
        train(FAMILIES["mm-cot"](text="./none"), "out")
