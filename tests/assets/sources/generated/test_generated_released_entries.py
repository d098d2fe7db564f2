from pathlib import Path
from random import Random

import pytest

from assets.sources.generated.released import draw
from assets.sources.generated.released_items import chances, draw_items, shared_out
from assets.sources.generated.released_replies import FORMS, REQUESTS, prompt


def entry(model: str, strategy: str, skill: float, form: str) -> dict[str, object]:
    return {"model": f"generated-{model}", "strategy": strategy, "skill": skill, "form": form, "defects": 0.0}


def test_chances_have_the_skill_as_mean() -> None:
    items = draw_items(200, Random("any"))
    for skill in (0.0, 0.02, 0.3, 0.75, 1.0):
        assert sum(chances(items, skill)) / len(items) == pytest.approx(skill)


def test_shares_add_up_and_keep_the_floor() -> None:
    assert shared_out(10, [1, 1, 1]) == [4, 3, 3]
    assert shared_out(100, [97, 2, 1], 12) == [76, 12, 12]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_goes_with_every_strategy_on_the_smallest_world(tmp_path: Path, form: str) -> None:
    replies = {name.replace("-", "_"): entry("any", name, 0.5, form) for name in REQUESTS}
    *files, items = draw(tmp_path, seed=3, items=60, replies=replies)
    assert [path.name for path in files] == [f"{name}.jsonl" for name in ("ccot", "cot", "direct", "dsp")]
    assert {path.read_bytes().count(b"\n") for path in files} == {60}
    assert items.read_bytes().count(b"\n") == 63


def test_the_smallest_world_has_all_topics() -> None:
    assert len({item.topic for item in draw_items(60, Random("any"))}) == 9


def test_prompts_carry_the_context_only_where_there_is_one() -> None:
    items = draw_items(60, Random("any"))
    assert all(prompt(item, "direct").startswith("[Context]\n") <= bool(item.context) for item in items)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": "sonnet"}, "entry odd has the form 'sonnet': choose one of"),
        ({"strategy": "vot"}, "entry odd has the strategy 'vot': choose one of"),
        ({"skill": 1.2}, "entry odd has the skill 1.2: give a number from 0 to 1"),
        ({"skill": True}, "entry odd has the skill True"),
        ({"defects": 0.6}, r"entry odd has the defects 0.6: give a number from 0 to 0\.5"),
        ({"model": "lively"}, "entry odd has the model 'lively': name it generated-"),
        ({"model": "generated-../x"}, "entry odd has the model"),
        ({"shots": 3}, "entry odd has the keys .*'shots'.*: give"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused_with_the_way_out(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    odd = entry("odd", "direct", 0.5, "bare_letter") | change
    with pytest.raises(ValueError, match=message):
        draw(tmp_path, seed=1, items=60, replies={"odd": odd})
    assert not list(tmp_path.iterdir())


def test_two_entries_for_one_file_are_refused(tmp_path: Path) -> None:
    same = entry("same", "direct", 0.5, "bare_letter")
    with pytest.raises(ValueError, match="entries one and two both write predictions/generated-same/direct"):
        draw(tmp_path, seed=1, items=60, replies={"one": same, "two": same})


def test_too_few_items_and_a_folder_in_use_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="items 59 is too few"):
        draw(tmp_path, seed=1, items=59, replies={})
    (tmp_path / "kept").write_text("something")
    with pytest.raises(ValueError, match="is not an empty folder"):
        draw(tmp_path, seed=1, items=60, replies={})
