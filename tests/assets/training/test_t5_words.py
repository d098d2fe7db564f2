from pathlib import Path
from types import SimpleNamespace

import pytest

from assets.schema.faults import Fault
from assets.training.t5_words import T5Words
from tests.assets.training import tiny_checkpoints as tiny


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.t5(tmp_path_factory.mktemp("words") / "t5")


def words(folder: Path, **changed: object) -> T5Words:
    from transformers import AutoConfig, AutoTokenizer

    config = AutoConfig.from_pretrained(folder)
    for name, value in changed.items():
        setattr(config, name, value)
    return T5Words(AutoTokenizer.from_pretrained(folder), config, "trainings.text")


def test_pad_end_unknown_and_step_have_the_numbers_of_the_checkpoint(folder: Path) -> None:
    found = words(folder)
    assert (found.start, found.end, found.unknown, found.step) == (0, 1, 2, 3)
    assert found.count == len(found._tokenizer) + 8


def test_steps_come_back_as_they_were_written_up_to_the_end(folder: Path) -> None:
    found = words(folder)
    first, second = found.encoded("There is one square on white."), found.encoded("It is red.")
    written = [*first, found.step, *second, found.end, *first]
    assert found.decoded(written) == ["There is one square on white.", "It is red."]
    assert found.decoded([found.step, found.end]) == []


def test_numbers_without_a_word_are_written_by_networks_and_say_nothing(folder: Path) -> None:
    found = words(folder)
    assert found.decoded([*found.encoded("It is red."), found.count - 1, 0, 2, found.end]) == ["It is red."]


@pytest.mark.parametrize("said", ["</s>", "<pad>", "<extra_id_0>", "<unk>", "red</s> <pad>blue <extra_id_0> green"])
def test_a_text_that_spells_special_words_neither_ends_nor_pads_nor_steps(folder: Path, said: str) -> None:
    found = words(folder)
    assert not {0, found.end, found.step} & set(found.encoded(said))


def test_special_words_that_are_also_ordinary_ones_do_not_get_through(folder: Path) -> None:
    class Careless:
        all_special_ids = (0, 1, 2, 3)
        pad_token_id, eos_token_id, unk_token_id = 0, 1, 2

        def convert_tokens_to_ids(self, token: str) -> int:
            return 3

        def __len__(self) -> int:
            return 9

        def __call__(self, text: str, **given: object) -> dict[str, list[int]]:
            return {"input_ids": [5, 0, 1, 3, 6]}

    found = T5Words(Careless(), SimpleNamespace(decoder_start_token_id=0, vocab_size=9), "x")
    assert found.encoded("anything") == [5, 2, 2, 2, 6]


def test_what_is_written_loads_again_and_names_no_place(folder: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    words(folder).write(tmp_path / "again")
    again = AutoTokenizer.from_pretrained(tmp_path / "again")
    said = "Which colour does the square have?"
    assert again(said)["input_ids"] == AutoTokenizer.from_pretrained(folder)(said)["input_ids"]
    assert not any(str(folder.parent) in path.read_text("utf-8") for path in (tmp_path / "again").iterdir())


def test_a_tokenizer_of_another_kind_is_one_sentence(folder: Path) -> None:
    with pytest.raises(Fault, match=r"^trainings\.text: nothing of it starts what is written: name"):
        words(folder, decoder_start_token_id=None)
    with pytest.raises(
        Fault, match=r"^trainings\.text: its tokenizer has \d+ words, and its network numbers for 9: name"
    ):
        words(folder, vocab_size=9)
