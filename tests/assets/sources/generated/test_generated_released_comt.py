import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageColor

from assets.comt import template
from assets.images import Pictures
from assets.sources import comt_released_folder
from assets.sources.generated.drawing import COLOURS
from assets.sources.generated.released import DEFECTS, draw
from assets.sources.generated.released_comt import draw_items

ITEMS = 80
REPLIES: dict[str, dict[str, object]] = {
    f"sketcher_{strategy}": {
        "model": "generated-sketcher", "strategy": strategy, "skill": skill, "form": form, "defects": defects,
    }
    for strategy, skill, form, defects in (
        ("direct", 0.4, "answer_line", 0.0), ("cot", 0.3, "loose", 0.0),
        ("desp-cot", 0.35, "answer_line", 0.1), ("vot", 1.0, "letters", 0.0))
}  # fmt: skip
MINUTE: dict[str, Any] = {"seed": 11, "items": 0, "replies": {}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    draw(folder, **MINUTE, comt_items=ITEMS, comt_replies=REPLIES)
    return folder / "comt"


@pytest.fixture(scope="module")
def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "data.jsonl").read_text().splitlines()]


def replies(folder: Path, strategy: str) -> list[str]:
    return (folder / f"predictions/generated-sketcher/{strategy}.jsonl").read_text().splitlines()


def spoken(record: dict[str, Any]) -> str:
    """What the reply says, without its pictures."""
    response = record["response"]
    return response if isinstance(response, str) else "".join(part.get("text", "") for part in response)


def test_the_release_is_read_back_without_a_fault(folder: Path) -> None:
    rows = list(comt_released_folder.pictures(folder))
    stored = Pictures.of(rows)
    samples = list(comt_released_folder.samples(folder, stored.ids(), stored.reasons(), provenance="generated"))
    assert len(samples) == ITEMS
    assert {sample.dropped for sample in samples} == {None}
    assert {template.fault(sample) for sample in samples} == {None}
    assert Counter(sample.task for sample in samples) == dict.fromkeys(template.DOMAIN_OF, ITEMS // 4)


def test_records_have_the_keys_of_the_release_and_say_that_they_are_generated(records: list[dict[str, Any]]) -> None:
    keys = ["id", "question", "option", "image", "rationale", "answer", "type", "annotations"]
    for record in records:
        assert list(record) == keys
        assert record["annotations"]["provenance"].startswith("generated")
        assert len(set(record["option"])) == 4


def test_every_picture_lies_where_its_name_says_and_no_other(folder: Path, records: list[dict[str, Any]]) -> None:
    named = {f"{record['type']}/{text[1:-1].partition(':')[2]}.png" for record in records for text in record["image"]}
    there = {path.relative_to(folder / "images").as_posix() for path in (folder / "images").rglob("*.png")}
    originals = {name for name in there if name.startswith("selection/original/")}
    assert there - originals == named
    assert len(originals) == 2 * ITEMS // 4


def test_letters_are_even_in_each_task(records: list[dict[str, Any]]) -> None:
    found = Counter((record["type"], record["answer"]) for record in records)
    assert set(found.values()) == {ITEMS // 16}


@pytest.mark.parametrize("task", ["deletion", "selection"])
def test_the_right_number_is_as_often_the_least_as_any_other(records: list[dict[str, Any]], task: str) -> None:
    ranks: Counter[int] = Counter()
    for record in records:
        if record["type"] == task:
            numbers = [int(text) for text in record["option"]]
            ranks[sorted(numbers).index(numbers["ABCD".index(record["answer"])])] += 1
    assert sorted(ranks.values()) == [4, 4, 4, 8] or set(ranks.values()) == {5}


def test_the_last_sentence_names_the_right_option_and_no_letter(records: list[dict[str, Any]]) -> None:
    for record in records:
        right = record["option"]["ABCD".index(record["answer"])]
        assert record["rationale"].endswith(f" {right}.")
        assert not re.search(r"\([A-D]\)", record["rationale"])


def test_faces_are_masked_ten_at_a_time(folder: Path, records: list[dict[str, Any]]) -> None:
    for record in [record for record in records if record["type"] == "deletion"][:5]:
        people = len(record["annotations"]["heads"])
        assert record["option"]["ABCD".index(record["answer"])] == str(people)
        assert len(record["image"]) == 1 + -(-people // 10)
        pages = [
            np.asarray(Image.open(folder / f"images/deletion/{record['id']}-{number}.png"), dtype=int)
            for number in range(len(record["image"]))
        ]
        black = [(page.sum(axis=2) == 0).sum() for page in pages]
        assert black == sorted(set(black))
        for left, right, *_ in [sorted(record["annotations"]["heads"])[:10]]:
            assert (pages[1][left[1], left[0]] == 0).all() and (pages[1][right[1], right[0]] == 0).all()


def test_crops_of_a_pair_add_up_to_its_differences_and_the_gap_is_transparent(
    folder: Path, records: list[dict[str, Any]]
) -> None:
    for record in [record for record in records if record["type"] == "selection"][:6]:
        groups = record["annotations"]["boxes"]
        assert len(groups) == 4 and all(groups) and len(record["image"]) == 5
        assert str(sum(map(len, groups))) == record["option"]["ABCD".index(record["answer"])]
        lefts = [box[0] for group in groups for box in group]
        assert lefts == sorted(lefts)
        for number in range(5):
            page = Image.open(folder / f"images/selection/{record['id']}-{number}.png")
            assert page.mode == "RGBA" and page.size == (612, 220)
            assert page.getchannel("A").crop((300, 0, 312, 220)).getextrema() == (0, 0)
        whole = Image.open(folder / f"images/selection/{record['id']}-0.png").convert("RGB")
        original = Image.open(folder / f"images/selection/original/{record['id']}-0-a.png")
        assert np.array_equal(np.asarray(whole.crop((0, 0, 300, 220))), np.asarray(original))


def test_a_tangram_gets_one_more_colour_in_every_picture(folder: Path, records: list[dict[str, Any]]) -> None:
    for record in [record for record in records if record["type"] == "update"][:10]:
        assert len(record["image"]) == 1 + len(record["annotations"]["groups"])
        colours = []
        for number in range(len(record["image"])):
            page = Image.open(folder / f"images/update/{record['id']}-{number}.png").convert("RGB")
            seen = {colour for count, colour in page.getcolors(100_000) or [] if count > 20}
            colours.append(sum(ImageColor.getrgb(tint) in seen for tint in COLOURS.values()))
        assert colours == list(range(len(record["image"])))


def test_most_replies_end_in_an_answer_line_and_each_quirk_occurs(folder: Path) -> None:
    texts = [spoken(json.loads(line)) for line in replies(folder, "cot")]
    assert sum(bool(re.search(r"ANSWER: \([A-D]\)$", text)) for text in texts) == ITEMS - 8 - 12 - 12 - 8 - 4
    assert texts.count("") == 4
    assert sum(bool(re.fullmatch("[A-D]", text)) for text in texts) == 12
    assert sum(bool(re.search(r"answer: \([a-d]\)$", text)) for text in texts) == 8
    assert sum("It seems to be" in text for text in texts) == 12


def test_a_reply_with_full_skill_is_right(folder: Path, records: list[dict[str, Any]]) -> None:
    right = {record["id"]: record["answer"] for record in records}
    found = [json.loads(line) for line in replies(folder, "vot")]
    letters = [(one["id"], re.search(r"^([A-D])$|ANSWER: \(([A-D])\)", spoken(one))) for one in found]
    assert all(right[name] == (letter[1] or letter[2]) for name, letter in letters if letter)
    assert sum(letter is not None for _, letter in letters) > 60


def test_defects_of_replies_are_as_declared(folder: Path, records: list[dict[str, Any]]) -> None:
    ids = {record["id"] for record in records}
    found = replies(folder, "desp-cot")
    assert found.count("") == 1
    parsed = []
    for line in found:
        try:
            parsed.append(json.loads(line))
        except ValueError:
            continue
    assert len(found) - 1 - len(parsed) == 2
    assert sum("id" not in one for one in parsed) == sum("response" not in one for one in parsed) == 1
    assert len([one for one in parsed if one.get("id", "creation-1") not in ids]) == 1
    assert len(DEFECTS) == 7
    assert [json.loads(line)["id"] for line in replies(folder, "direct")] == [record["id"] for record in records]


def test_the_same_arguments_give_the_same_bytes_and_m3cots_release_stays_as_it_was(
    folder: Path, tmp_path: Path
) -> None:
    m3cot: dict[str, Any] = {
        "seed": 11,
        "items": 60,
        "replies": {"a": {"model": "generated-a", "strategy": "cot", "skill": 0.5, "form": "thinking", "defects": 0.1}},
    }
    alone = draw(tmp_path / "alone", **m3cot)
    both = draw(tmp_path / "both", **m3cot, comt_items=ITEMS, comt_replies=REPLIES)
    assert len(alone) == 2
    for path in alone:
        assert (tmp_path / "both" / path.relative_to(tmp_path / "alone")).read_bytes() == path.read_bytes()
    assert [path.name for path in both if "comt" not in path.parts and path.name not in {p.name for p in alone}] == [
        "picture_judgements.jsonl"
    ]
    names = [path.relative_to(tmp_path / "both" / "comt") for path in both if "comt" in path.parts]
    assert len(names) == len([path for path in folder.rglob("*") if path.is_file()])
    assert all((folder / name).read_bytes() == (tmp_path / "both" / "comt" / name).read_bytes() for name in names)


@pytest.mark.parametrize("items", [36, 81, -4])
def test_a_number_that_four_tasks_cannot_share_is_refused_with_what_would_do(items: int) -> None:
    with pytest.raises(ValueError, match="give a multiple of 4, 40 or more"):
        draw_items(items, 11)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("strategy", "ccot", "choose one of"),
        ("form", "thinking", "choose one of"),
        ("model", "sketcher", "name it generated-"),
        ("skill", 1.5, "give a number from 0 to 1"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused(tmp_path: Path, key: str, value: object, said: str) -> None:
    entry = REPLIES["sketcher_direct"] | {key: value}
    with pytest.raises(ValueError, match=said):
        draw(tmp_path, **MINUTE, comt_items=40, comt_replies={"one": entry})


def test_nothing_asked_for_is_refused_as_before(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give 60 or more"):
        draw(tmp_path, **MINUTE)
