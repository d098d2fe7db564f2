import torch

from assets.training.mm_cot import Gate, GatedNetwork, Shape

SHAPE = Shape(20, 3, 4, 6, 8, width=16, heads=2, seeing=8, glances=2)
WORDS = torch.tensor([[5, 6, 7, 0], [8, 9, 10, 11]])
PLACES, KINDS = torch.arange(4).repeat(2, 1), torch.zeros(2, 4, dtype=torch.long)


def network(share: float | None) -> GatedNetwork:
    """A network whose gates let in this share everywhere, or what they have from the start."""
    torch.manual_seed(0)
    made = GatedNetwork(SHAPE).eval()
    for gate in made.modules():
        if isinstance(gate, Gate) and share is not None:
            torch.nn.init.zeros_(gate.share.weight)
            torch.nn.init.constant_(gate.share.bias, -1e4 if share == 0 else 1e4)
    return made


def test_a_closed_gate_leaves_the_states_of_the_text_alone() -> None:
    closed, features = network(0), torch.randn(2, 4, 6, 8)
    read = closed.read(WORDS, PLACES, KINDS, closed.vision(features))
    assert torch.equal(read, closed.alone(WORDS, PLACES, KINDS))
    assert torch.equal(read, closed.read(WORDS, PLACES, KINDS, closed.vision(features * 3)))


def test_closed_gates_leave_what_is_written_alone_too() -> None:
    closed, features, written = network(0), torch.randn(2, 4, 6, 8), torch.tensor([[1, 5, 9], [1, 7, 4]])
    states = closed.alone(WORDS, PLACES, KINDS)
    scores = [closed.write(written, states, WORDS, closed.vision(features * times)) for times in (1, 3)]
    assert torch.equal(scores[0], scores[1])
    fresh = network(None)
    states = fresh.alone(WORDS, PLACES, KINDS)
    scores = [fresh.write(written, states, WORDS, fresh.vision(features * times)) for times in (1, 3)]
    assert not torch.allclose(scores[0], scores[1])


def test_a_gate_that_is_not_closed_lets_the_picture_in() -> None:
    fresh, features = network(None), torch.randn(2, 4, 6, 8)
    read = fresh.read(WORDS, PLACES, KINDS, fresh.vision(features))
    assert not torch.allclose(read, fresh.alone(WORDS, PLACES, KINDS))
    assert not torch.allclose(read, fresh.read(WORDS, PLACES, KINDS, fresh.vision(features * 3)))


def test_a_gate_that_is_wide_open_leaves_only_what_was_found() -> None:
    torch.manual_seed(0)
    gate, states, patches = Gate(SHAPE), torch.randn(1, 2, 16), torch.randn(1, 3, 16)
    torch.nn.init.zeros_(gate.share.weight)
    torch.nn.init.constant_(gate.share.bias, 1e4)
    memory = gate.attention.remembered(patches)
    assert torch.equal(gate(states, memory), gate.attention(gate.norm(states), memory, None))


def test_what_is_written_word_by_word_is_what_is_scored_at_once() -> None:
    fresh = network(None)
    patches = fresh.vision(torch.randn(2, 4, 6, 8))
    states = fresh.read(WORDS, PLACES, KINDS, patches)
    written = fresh.told(states, WORDS, patches, 1, 2, 6)
    before = torch.nn.functional.pad(written[:, :-1], (1, 0), value=1)
    likeliest = fresh.write(before, states, WORDS, patches).argmax(-1)
    for row, scored in zip(written.tolist(), likeliest.tolist(), strict=True):
        ends = row.index(2) + 1 if 2 in row else len(row)
        assert row[:ends] == scored[:ends]
        assert all(word == 2 for word in row[ends:])
