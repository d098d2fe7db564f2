"""The networks are held against transformers' own, asked in its own way."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from assets.training.backbone import Longest
from assets.training.batches import Source, numbered, source, steps_numbered
from assets.training.examples import Asked
from assets.training.mm_cot import Fusion, Gate, Shape
from assets.training.mmr import Hops
from assets.training.network import Sampled
from assets.training.t5_network import Patches, SmallNetwork, T5Network
from assets.training.t5_words import T5Words
from tests.assets.training import tiny_checkpoints as tiny

ASKED = (
    Asked("a", "Which colour does the square have?", ("red", "green", "blue"), None),
    Asked("b", "Which colour?", ("yellow", "red"), None),
)
SEEN = 8


def two_hops(shape: Shape) -> Fusion:
    return Hops(shape, 2)


def text_model(folder: Path) -> Any:
    from transformers import AutoModelForSeq2SeqLM

    return AutoModelForSeq2SeqLM.from_pretrained(folder).eval()


def network_of(folder: Path, fusion: Callable[[Shape], Fusion] = Gate) -> T5Network:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        text = text_model(folder)
        return T5Network(text, Patches(SEEN, text.config.d_model), fusion).eval()


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.t5(tmp_path_factory.mktemp("network") / "t5")


@pytest.fixture(scope="module", name="words")
def _words(folder: Path) -> T5Words:
    from transformers import AutoConfig, AutoTokenizer

    return T5Words(AutoTokenizer.from_pretrained(folder), AutoConfig.from_pretrained(folder), "x")


def given(words: T5Words, asked: tuple[Asked, ...] = ASKED, steps: tuple[str, ...] = ("It is red.",)) -> Source:
    longest = Longest()
    told = [steps_numbered(steps, words, longest)] * len(asked)
    return source([numbered(one, words, longest) for one in asked], words, told)


def features(count: int = 2) -> Tensor:
    return torch.randn((count, 5, SEEN), generator=torch.Generator().manual_seed(7))


def read(network: T5Network, put: Source) -> tuple[Tensor, Tensor]:
    patches = network.vision(features(len(put.words)))
    return network.read(put.words, put.places, put.kinds, patches), patches


def closed(network: T5Network) -> T5Network:
    with torch.no_grad():
        gate = network.fusion
        assert isinstance(gate, Gate)
        gate.share.weight.zero_()
        gate.share.bias.fill_(-1e3)
    return network


@torch.no_grad()
def test_with_a_closed_gate_its_logits_are_those_of_the_text_checkpoint_exactly(folder: Path, words: T5Words) -> None:
    network, put = closed(network_of(folder)), given(words)
    written = torch.tensor([[0, 9, 12, 3], [0, 7, 1, 0]])
    states, patches = read(network, put)
    own = text_model(folder)(
        input_ids=put.words, attention_mask=put.words.ne(0).long(), decoder_input_ids=written
    ).logits
    assert torch.equal(network.write(written, states, put.words, patches), own)
    assert torch.equal(states, network.alone(put.words, put.places, put.kinds))


@torch.no_grad()
@pytest.mark.parametrize("fusion", [Gate, two_hops])
def test_an_open_fusion_lets_the_picture_in(folder: Path, words: T5Words, fusion: Callable[[Shape], Fusion]) -> None:
    network, put = network_of(folder, fusion), given(words)
    states, _ = read(network, put)
    other = network.read(put.words, put.places, put.kinds, network.vision(features() + torch.arange(SEEN)))
    alone = network.alone(put.words, put.places, put.kinds)
    there = put.words.ne(0)
    assert not torch.allclose(states[there], other[there])
    assert not torch.allclose(states[there], alone[there])


@torch.no_grad()
def test_what_it_tells_word_by_word_is_the_greedy_text_of_transformers(folder: Path, words: T5Words) -> None:
    from transformers import GenerationConfig

    network, put = closed(network_of(folder)), given(words)
    states, patches = read(network, put)
    told = network.told(states, put.words, patches, words.start, words.end, 12)
    greedy = text_model(folder).generate(
        input_ids=put.words,
        attention_mask=put.words.ne(0).long(),
        generation_config=GenerationConfig(
            max_new_tokens=12, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, do_sample=False
        ),
    )
    # transformers pads what has ended.
    assert torch.equal(told.masked_fill(told.eq(1).cumsum(1).gt(1), 0), greedy[:, 1 : told.shape[1] + 1])


@torch.no_grad()
def test_after_an_end_there_are_ends_and_all_ended_is_the_end(folder: Path, words: T5Words) -> None:
    network, put = network_of(folder), given(words)
    states, patches = read(network, put)
    scripts = iter([[9, 1], [8, 5], [1, 5], [7, 7]])
    told = network.told(states, put.words, patches, 0, 1, 9, lambda scores: torch.tensor(next(scripts)))
    assert told.tolist() == [[9, 8, 1], [1, 1, 1]]


@torch.no_grad()
def test_the_score_of_an_option_is_the_mean_log_likelihood_of_its_words_and_end(folder: Path, words: T5Words) -> None:
    network, put = closed(network_of(folder)), given(words)
    states, _ = read(network, put)
    scores = network.chosen(states, put.words, put.places, put.kinds, put.options, put.most)
    model = text_model(folder)
    for row, one in enumerate(ASKED):
        own = put.words[row : row + 1]
        for column, choice in enumerate(one.choices):
            # The loss of transformers is the mean over the labels.
            labels = torch.tensor([[*words.encoded(choice), 1]])
            loss = model(input_ids=own, attention_mask=own.ne(0).long(), labels=labels).loss
            assert float(scores[row, column]) == pytest.approx(-float(loss), abs=1e-5)
    assert scores.shape == (2, 3)
    assert scores[1, 2] == float("-inf")


@torch.no_grad()
def test_scores_and_texts_of_one_do_not_depend_on_what_else_is_asked(folder: Path, words: T5Words) -> None:
    network = network_of(folder)
    both, one = given(words), given(words, ASKED[1:])
    states, patches = read(network, both)
    seen = network.vision(features()[1:])
    alone = network.read(one.words, one.places, one.kinds, seen)
    scores = network.chosen(states, both.words, both.places, both.kinds, both.options, both.most)
    own = network.chosen(alone, one.words, one.places, one.kinds, one.options, one.most)
    assert scores[1, :2].tolist() == pytest.approx(own[0].tolist(), abs=1e-5)
    told = network.told(states, both.words, patches, 0, 1, 8, Sampled(["x", "y"], 0.7))
    assert torch.equal(told[1:], network.told(alone, one.words, seen, 0, 1, 8, Sampled(["y"], 0.7)))


@pytest.mark.parametrize("fusion", [Gate, two_hops])
def test_every_weight_learns_but_those_of_no_sense(
    folder: Path, words: T5Words, fusion: Callable[[Shape], Fusion]
) -> None:
    network, put = network_of(folder, fusion), given(words)
    states, patches = read(network, put)
    scores = network.chosen(states, put.words, put.places, put.kinds, put.options, put.most)
    (
        network.write(torch.tensor([[0, 5], [0, 6]]), states, put.words, patches).square().sum() + scores[:, 0].sum()
    ).backward()
    unmoved = {name for name, value in network.named_parameters() if value.grad is None or not value.grad.any()}
    last = network.fusion.to_words[1] if isinstance(network.fusion, Hops) else None
    # What the picture finds in the words after the last hop is not looked at; nothing before a softmax can shift it.
    expected = (
        {f"fusion.to_words.1.{name}" for name, _ in last.named_parameters()}
        | {"fusion.before_words.1.weight", "fusion.before_words.1.bias"}
        if last is not None
        else set()
    )
    assert expected <= unmoved
    assert {name for name in unmoved - expected if "key.bias" not in name} == set()


def zeroed(network: T5Network) -> T5Network:
    with torch.no_grad():
        for value in network.parameters():
            value.zero_()
    return network


def test_each_weight_is_kept_once_and_comes_back_under_all_its_names(folder: Path) -> None:
    from safetensors.torch import load, save

    network = network_of(folder)
    state = network.state_dict()
    assert [name for name in state if state[name].shape[0] == network.text.config.vocab_size] == ["text.shared.weight"]
    other = zeroed(copy.deepcopy(network))
    other.load_state_dict(load(save(state)))
    for part in (other.text.encoder.embed_tokens, other.text.decoder.embed_tokens, other.text.lm_head):
        assert part.weight is other.text.shared.weight
    assert all(torch.equal(value, other.state_dict()[name]) for name, value in state.items())
    with pytest.raises(RuntimeError, match="shared"):
        other.load_state_dict({name: value for name, value in state.items() if "shared" not in name})


@torch.no_grad()
def test_an_output_of_its_own_comes_back_into_a_network_that_transformers_ties(tmp_path: Path, words: T5Words) -> None:
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    folder, put = tiny.t5(tmp_path / "t5", tied=False), given(words)
    network = network_of(folder)
    state = network.state_dict()
    assert torch.equal(state["text.lm_head.weight"], state["text.shared.weight"].flip(0))
    network.text.config.save_pretrained(tmp_path / "kept")
    bare = AutoModelForSeq2SeqLM.from_config(AutoConfig.from_pretrained(tmp_path / "kept"))
    assert bare.lm_head.weight is bare.shared.weight
    other = zeroed(T5Network(bare, Patches(SEEN, bare.config.d_model), Gate)).eval()
    other.load_state_dict(state)
    written = torch.tensor([[0, 9], [0, 7]])
    own, again = (one.write(written, read(one, put)[0], put.words, features()) for one in (network, other))
    assert torch.equal(own, again)


def test_a_copy_learns_without_its_original(folder: Path) -> None:
    network = network_of(folder)
    other = copy.deepcopy(network)
    with torch.no_grad():
        other.text.shared.weight.zero_()
    assert network.state_dict()["text.shared.weight"].any()
    assert not other.state_dict()["text.shared.weight"].any()


def test_patches_have_nothing_to_learn_to_see() -> None:
    sight = Patches(SEEN, 16)
    assert sight(features()).shape == (2, 5, 16)
    assert sight.seeing() == []
    assert sight.told(features()).shape == (2, 0)


@torch.no_grad()
def test_the_small_network_looks_through_patches_too() -> None:
    shape = Shape(20, 1, 1, 12, 20, width=16, dropout=0.0)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = SmallNetwork(shape, Patches(SEEN, 16), two_hops).eval()
    words = torch.tensor([[5, 6, 7]])
    nothing = torch.zeros_like(words)
    shown = [network.read(words, nothing, nothing, network.vision(features(2)[one : one + 1])) for one in (0, 1)]
    assert shown[0].shape == (1, 3, 16)
    assert not torch.allclose(shown[0], shown[1])
