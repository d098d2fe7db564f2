from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.encoders import loading
from assets.schema.faults import Fault
from tests import tiny_judges


@given(st.lists(st.integers(0, 3000), max_size=200))
def test_batches_hold_each_place_once_and_no_more_tokens_than_fit(lengths: list[int]) -> None:
    found = list(loading.batches(lengths, 2048))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        longest = max(lengths[place] for place in batch)
        assert len(batch) == 1 or (len(batch) * longest <= 2048 and len(batch) <= loading.TEXTS_AT_ONCE)
    ordered = [lengths[place] for batch in found for place in batch]
    assert ordered == sorted(lengths, reverse=True)


def test_equal_items_share_a_number() -> None:
    assert loading.once(["b", "a", "b", "c"]) == {"b": 0, "a": 1, "c": 2}


def test_a_network_without_a_head_may_be_of_another_class_and_lack_its_pooler(tmp_path: Path) -> None:
    import transformers as hf

    kind: Any = hf.RobertaConfig
    config = kind(**tiny_judges.LAYERS, **tiny_judges.MARKS, vocab_size=30)
    hf.RobertaForMaskedLM(config).save_pretrained(tmp_path / "masked")
    tiny_judges.tokenizer().save_pretrained(tmp_path / "masked")
    loaded = loading.load(str(tmp_path / "masked"), "cpu", "analysis.rationales.sentences", hf.AutoModel, "an encoder")
    assert type(loaded.model) is hf.RobertaModel and not loaded.model.training
    with pytest.raises(Fault, match="is RobertaForMaskedLM and not a causal language model"):
        loading.load(str(tmp_path / "masked"), "cpu", "a.b", hf.AutoModelForCausalLM, "a causal language model")


def test_vectors_that_hold_no_numbers_are_refused_by_name() -> None:
    whole = np.array([[0.5, -1.0]])
    assert loading.finite(whole, "small") is whole
    with pytest.raises(Fault, match=r"^small: gave vectors that hold no numbers"):
        loading.finite(np.array([[0.5, np.nan]]), "small")
