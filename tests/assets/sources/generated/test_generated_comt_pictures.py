"""Pictures in generated replies, and the simulated scores of them."""

import json
import random
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assets.analysis.drawn.drawn import agreed
from assets.annotation import by_sample
from assets.evaluation import recorded
from assets.evaluation.drawn import Drawn as Store
from assets.sources.generated import released_comt_pictures as pictures
from assets.sources.generated.released import JUDGEMENTS, draw
from assets.sources.generated.released_comt import Item, draw_items
from assets.sources.picture_judgements import judgements

REPLIES: dict[str, dict[str, object]] = {
    name: {"model": "generated-sketcher", "strategy": strategy, "skill": 0.3, "form": "answer_line", "defects": defects}
    for name, strategy, defects in (("one_cot", "cot", 0.0), ("two_vot", "vot", 0.2))
}


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return draw_items(40, 11)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    draw(folder, seed=11, items=0, replies={}, comt_items=40, comt_replies=REPLIES)
    return folder


def rows(world: Path, name: str, strategy: str) -> list[dict[str, Any]]:
    file = f"comt/predictions/generated-sketcher/{strategy}.jsonl"
    return list(recorded.rows(name, "replay", "comt", world, file, Store(world.parent / "pictures")))


def drawn_in(row: dict[str, Any]) -> list[Any]:
    return [part for turn in row["turns"] or () for part in turn["parts"] if part["kind"] == "image"]


def test_pictures_are_read_back_and_every_reply_with_one_is_judged_by_its_name(world: Path) -> None:
    read = list(judgements([(world / JUDGEMENTS, JUDGEMENTS)]))
    assert all(one.dropped is None and str(one.note).startswith("simulated: ") for one in read)
    assert {one.annotator for one in read} == set(pictures.ANNOTATORS)
    assert all(str(one.annotator).startswith("simulated-") for one in read)
    for name, strategy in (("one_cot", "cot"), ("two_vot", "vot")):
        kept = [row for row in rows(world, name, strategy) if row["dropped"] is None]
        drawn = {f"{name}:{row['sample_id']}" for row in kept if drawn_in(row)}
        assert all(part["image_id"] for row in kept for part in drawn_in(row))
        assert len(drawn) > 5
        judged = {one.sample_id for one in read if str(one.sample_id).startswith(f"{name}:")}
        # Of the file with defects some replies stand under an id that no item has: nobody judged those.
        unknown = {one for one in drawn if int(one.rpartition("-")[2]) > 40}
        assert judged == drawn - unknown


def test_the_texts_of_a_reply_are_what_they_were_without_its_pictures(items: list[Item]) -> None:
    texts = [{"id": item.record["id"], "response": f"A thought.\nANSWER: ({item.answer})"} for item in items]
    texts[0]["response"], texts[1]["response"] = "", "B"
    for strategy in pictures.DRAWS:
        for text, one in zip(texts, pictures.illustrated(texts, items, strategy, "seed"), strict=True):
            response = one.record["response"]
            if one.score is None:
                assert response == text["response"]
            else:
                assert "".join(part.get("text", "") for part in response) == text["response"]
                assert [part["type"] for part in response][-2:] == ["image_url", "text"]
    assert pictures.illustrated(texts, items, "vot", "seed")[0].score is None


def test_strategies_and_tasks_draw_as_often_as_they_are_said_to(
    items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most 52 % of the replies hold a picture: the paper has at least 48 % without."""
    monkeypatch.setattr(pictures, "drawing", lambda *_: [b""])
    texts = [{"id": item.record["id"], "response": "ANSWER: (A)"} for item in items]
    for strategy, chance in pictures.DRAWS.items():
        drew: Counter[str] = Counter()
        for number in range(25):
            for item, one in zip(items, pictures.illustrated(texts, items, strategy, str(number)), strict=True):
                drew[str(item.record["type"])] += one.score is not None
        for task, eager in pictures.EAGER.items():
            assert drew[task] / 250 == pytest.approx(chance * eager, abs=0.1)
        assert sum(drew.values()) / 1000 < 0.52


def test_a_picture_is_as_good_as_its_score(items: list[Item]) -> None:
    for item in items[::7]:
        found = {score: pictures.drawing(item, score, items, random.Random(3))[-1] for score in range(5)}
        pixels = {score: np.asarray(Image.open(BytesIO(png)), dtype=int) for score, png in found.items()}
        whole = pixels[4]
        assert max(whole.shape[:2]) <= pictures.SIDE and whole.shape[2] == 3
        assert pixels[3].shape == pixels[2].shape == whole.shape
        half = whole.shape[1] // 2
        assert (pixels[2][:, half:] == 255).all() and (pixels[2][:, :half] == whole[:, :half]).all()
        assert 0 < np.abs(pixels[3] - whole).mean() < 40
        assert len({png for png in found.values()}) == 5


def test_agreement_is_what_the_annotators_slips_leave(items: list[Item]) -> None:
    """Three of four agree unless two slip: with slips of 5, 8, 10 and 15 % that is in about 5 % of the replies."""
    drawn = [pictures.Drawn({"id": f"creation-{number}"}, number % 5) for number in range(1000)]
    lines = [json.loads(line) for line in pictures.judgement_lines("one_cot", drawn, 11)]
    from assets.annotation import of_record

    by = by_sample([of_record(line, "x") for line in lines], "picture_quality")
    alone = sum(len(given) == 1 for given in by.values())
    assert alone == pytest.approx(1000 * pictures.PENDING, abs=25)
    scores = {name: agreed(given, 3) for name, given in by.items() if len(given) > 1}
    right = sum(score == int(name.rpartition("-")[2]) % 5 for name, score in scores.items())
    none = sum(score is None for score in scores.values())
    assert none / len(scores) == pytest.approx(0.05, abs=0.03)
    assert right + none >= len(scores) - 10


def test_the_same_arguments_give_the_same_bytes_and_a_file_does_not_hang_on_another(
    world: Path, tmp_path: Path
) -> None:
    alone = {"one_cot": REPLIES["one_cot"]}
    draw(tmp_path / "alone", seed=11, items=0, replies={}, comt_items=40, comt_replies=alone)
    place = "comt/predictions/generated-sketcher/cot.jsonl"
    assert (tmp_path / "alone" / place).read_bytes() == (world / place).read_bytes()
    lines = (world / JUDGEMENTS).read_text().splitlines()
    assert (tmp_path / "alone" / JUDGEMENTS).read_text().splitlines() == [line for line in lines if '"one_cot:' in line]
    none = draw(tmp_path / "none", seed=11, items=0, replies={}, comt_items=40, comt_replies={})
    assert (tmp_path / "none" / JUDGEMENTS).read_bytes() == b"" and len(none) > 40
