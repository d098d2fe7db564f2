from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assets import images, samples
from assets.analysis.encoders.image_text import Encoded, image_text_model
from assets.analysis.pictures import alignment
from assets.analysis.pictures.alignment import Shown, measured, of_one_colour, shown
from assets.analysis.rationales.chains import Chain, Reasoned
from assets.schema.sample import Part, Sample
from assets.schema.tables import as_table
from tests import tiny_judges

COMT, M3COT = ("comt", "released"), ("m3cot", "released")
EDITIONS = {"drawing": COMT, "chain": M3COT}


def dotted(colour: str, mode: str = "RGB") -> Image.Image:
    image = Image.new(mode, (20, 12), "white")
    image.paste(colour, (0, 0, 20, 9))
    return image


DRAWN = {
    "red": dotted("red"),
    "blue": dotted("blue"),
    "green": dotted("#00ff00"),
    "black": Image.new("RGB", (20, 12), "black"),
    "grey": Image.new("L", (9, 9), 7),
    "clear": Image.new("RGBA", (9, 9), (200, 0, 0, 0)),
}
IDS = {name: images.identify(image) for name, image in DRAWN.items()}


class Colours:
    """Its axes are red, green and blue: a text is what it names, a picture its upper left pixel."""

    name = "colours"

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.read: list[str] = []

    def texts(self, texts: Sequence[str]) -> Encoded:
        self.read += texts
        axes = [[float(word in text) for word in ("red", "green", "blue")] for text in texts]
        rows = np.array(axes, np.float32) + np.array([0, 0, 1e-9], np.float32)
        return Encoded(rows / np.linalg.norm(rows, axis=1, keepdims=True), [len(text) > 40 for text in texts])

    def pictures(self, pictures: Sequence[Image.Image]) -> Any:
        self.seen.append(len(pictures))
        pixels = np.array([picture.convert("RGB").getpixel((0, 0)) for picture in pictures], np.float32) / 255
        return pixels / np.linalg.norm(pixels, axis=1, keepdims=True)


def stored(*names: str, twice: bool = False) -> images.Pictures:
    pictures = [images.of_pixels(DRAWN[name], f"{name}.png") for name in names]
    return images.Pictures.of(images.once([*pictures, *pictures] if twice else pictures))


def sample(sample_id: str, benchmark: str, question: str, shown: Sequence[str], told: Sequence[str] = ()) -> Sample:
    rationale = [Part("text", "We look.", None), *(Part("image", f"[IMAGE{n}]", IDS[x]) for n, x in enumerate(told))]
    return Sample(
        sample_id,
        benchmark,
        "hand",
        sample_id,
        "hand",
        question=question,
        choices=("a", "b"),
        answer="A",
        rationale=tuple(rationale),
        images=tuple(IDS[name] for name in shown) or None,
        split="test",
    )


TABLES = {
    COMT: samples.to_table(
        [
            sample("deletion-1", "comt", "How many? [IMAGE0]", ("red", "blue", "black"), ("blue", "black")),
            sample("creation-1", "comt", "How long?", ("green",), ("green",)),
        ]
    ),
    M3COT: samples.to_table(
        [
            sample("physics-1", "m3cot", "Which?", ("red", "blue"))._replace(choice_images=(IDS["green"], IDS["red"])),
            sample("physics-2", "m3cot", "Which?", ()),
        ]
    ),
}
STORED = {COMT: stored("blue", "red", "black", "green"), M3COT: stored("green", "red", "blue", twice=True)}


def wrote(evaluation: str, sample_id: str, *steps: str) -> Reasoned:
    return Reasoned(evaluation, sample_id, Chain(("Which?",), steps), True)


def rows_of(*replies: Reasoned, model: Any = None, similarity: float = 0.5) -> dict[tuple[str, str], dict[str, Any]]:
    found = measured(replies, EDITIONS, TABLES, STORED, model, similarity).rows
    as_table("alignment", found)
    return {(row["sample_id"], row["measure"]): row for row in found}


def test_each_rationale_picture_is_held_against_the_whole_reply() -> None:
    row = rows_of(wrote("drawing", "deletion-1", "A blue one.", "And nothing."), model=Colours())
    score = row["deletion-1", "clip_score"]
    assert score["value"] == 2.5
    # the black one is left out, and counted
    assert (score["pictures"], score["excluded"], score["steps"]) == (1, 1, 2)
    both = rows_of(wrote("drawing", "deletion-1", "A blue one.", "A red one."), model=Colours())
    # cos of (1, 0, 1) with (0, 0, 1) is 0.7071
    assert both["deletion-1", "clip_score"]["value"] == pytest.approx(2.5 * 0.7071, abs=1e-3)


def test_interaction_steps_look_at_the_question_s_pictures_and_not_at_the_rationale_s() -> None:
    found = rows_of(wrote("drawing", "deletion-1", "A red one.", "A blue one.", "Red it is."), model=Colours())
    row = found["deletion-1", "interaction_steps"]
    assert (row["value"], row["pictures"], row["excluded"]) == (1.0, 1, 0)


def test_pictures_of_options_belong_to_the_question() -> None:
    steps = ("It is red.", "It is green.", "It is blue.", "It is not: red green blue.")
    found = rows_of(wrote("chain", "physics-1", *steps), model=Colours(), similarity=0.6)
    row = found["physics-1", "interaction_steps"]
    # three different pictures in four places; the last step's cosine is 0.577 with each
    assert (row["value"], row["pictures"]) == (3.0, 3)


def test_a_rationale_without_pictures_has_no_clip_score() -> None:
    row = rows_of(wrote("chain", "physics-1", "It is red."), model=Colours())["physics-1", "clip_score"]
    assert (row["value"], row["pictures"], row["excluded"]) == (None, 0, 0)


def test_a_question_without_a_picture_has_no_interaction_steps() -> None:
    for evaluation, sample_id in (("drawing", "creation-1"), ("chain", "physics-2")):
        row = rows_of(wrote(evaluation, sample_id, "It is red."), model=Colours())[sample_id, "interaction_steps"]
        assert (row["value"], row["pictures"]) == (None, 0)


def test_a_reply_without_steps_has_no_value_and_not_nought() -> None:
    found = rows_of(wrote("drawing", "deletion-1"), model=Colours())
    assert [row["value"] for row in found.values()] == [None, None]
    assert [row["pictures"] for row in found.values()] == [1, 1]


def test_without_a_model_what_could_be_compared_is_counted_all_the_same() -> None:
    reply = wrote("drawing", "deletion-1", "A blue one.", "And nothing.")
    without, with_model = rows_of(reply), rows_of(reply, model=Colours())
    assert {row["model"] for row in without.values()} == {"no model"}
    for key, row in without.items():
        assert row["value"] is None
        told = ("pictures", "excluded", "steps")
        assert [row[name] for name in told] == [with_model[key][name] for name in told]


def test_texts_that_were_cut_are_counted() -> None:
    long = "It is red, as far as anybody can see from here."
    found = rows_of(wrote("drawing", "deletion-1", long, "Short.", long), model=Colours())
    assert found["deletion-1", "clip_score"]["truncated"] == 1
    assert found["deletion-1", "interaction_steps"]["truncated"] == 2
    assert rows_of(wrote("drawing", "deletion-1", long))["deletion-1", "clip_score"]["truncated"] == 0


def test_a_picture_that_is_not_stored_is_left_out_and_counted() -> None:
    reply = wrote("drawing", "deletion-1", "A blue one.")
    found = measured([reply], EDITIONS, TABLES, {**STORED, COMT: stored("red")}, Colours(), 0.5).rows
    assert [(row["value"], row["pictures"], row["excluded"]) for row in found] == [(None, 0, 2), (0.0, 1, 0)]


def test_a_rationale_s_picture_without_an_id_is_left_out_and_counted() -> None:
    lost = sample("deletion-1", "comt", "How many? [IMAGE0]", ("red", "blue"), ("blue",))
    table = samples.to_table([lost._replace(rationale=(*(lost.rationale or ()), Part("image", "[IMAGE7]", None)))])
    reply = wrote("drawing", "deletion-1", "A blue one.")
    row = measured([reply], EDITIONS, {COMT: table}, STORED, Colours(), 0.5).rows[0]
    assert (row["value"], row["pictures"], row["excluded"]) == (2.5, 1, 1)


def test_each_picture_and_each_text_is_read_once_whoever_needs_it() -> None:
    model = Colours()
    replies = [wrote(name, one, "It is red.") for name, one in (("drawing", "deletion-1"), ("chain", "physics-1"))]
    found = measured([*replies, *replies], EDITIONS, TABLES, STORED, model, 0.5)
    assert sum(model.seen) == 3
    assert sorted(model.read) == ["It is red."]
    assert (found.looked_at, found.of_one_colour) == (4, 1)


def test_pictures_are_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "AT_ONCE", 2)
    model = Colours()
    measured([wrote("chain", "physics-1", "It is red.")], EDITIONS, TABLES, STORED, model, 0.5)
    assert model.seen == [2, 1]


def test_replies_keep_their_order_with_both_measures_each() -> None:
    found = measured(
        [wrote("chain", "physics-2", "A."), wrote("drawing", "creation-1", "B.")], EDITIONS, TABLES, STORED, None, 0.5
    ).rows
    assert [(row["sample_id"], row["measure"]) for row in found] == [
        ("physics-2", "clip_score"),
        ("physics-2", "interaction_steps"),
        ("creation-1", "clip_score"),
        ("creation-1", "interaction_steps"),
    ]


def test_pictures_of_one_colour_are_told_from_others_whatever_their_mode() -> None:
    assert of_one_colour(DRAWN["black"]) and of_one_colour(DRAWN["grey"])
    assert of_one_colour(images.on_white(DRAWN["clear"]))
    nearly = DRAWN["black"].copy()
    nearly.putpixel((19, 11), (0, 0, 1))
    assert not of_one_colour(nearly) and not of_one_colour(DRAWN["red"])


def test_a_rationale_s_picture_that_the_question_names_too_is_both() -> None:
    table = samples.to_table([sample("update-1", "comt", "[IMAGE0] or [IMAGE1]?", ("red", "blue"), ("blue", "blue"))])
    assert shown(table, ["update-1"]) == {
        "update-1": Shown((IDS["red"], IDS["blue"]), (IDS["blue"], IDS["blue"])),
    }


def test_a_word_in_brackets_of_an_m3cot_question_names_no_picture() -> None:
    table = samples.to_table([sample("physics-1", "m3cot", "What does [IMAGE7] say?", ("red",))])
    assert shown(table, ["physics-1", "gone"]) == {"physics-1": Shown((IDS["red"],), ())}


def test_counts_say_what_could_be_compared() -> None:
    replies = [wrote("drawing", "deletion-1", "A blue one."), wrote("chain", "physics-2", "It is red.")]
    counted = {"replies": 2, "comparable": 1, "with_a_value": 1}
    assert alignment.counts(measured(replies, EDITIONS, TABLES, STORED, Colours(), 0.5).rows) == {
        "clip_score": counted | {"excluding": 1},
        "interaction_steps": counted | {"excluding": 0},
    }
    assert "name one in analysis.alignment.model" in alignment.why(None)


def test_a_real_clip_gives_what_its_vectors_give_by_hand(tmp_path: Path) -> None:
    model = image_text_model(str(tiny_judges.image_text(tmp_path / "tiny-clip", seed=5)))
    steps = ("the red circle is not blue .", "so the map is north .", "therefore a cat sits on the mat and runs on .")
    found = rows_of(wrote("chain", "physics-1", *steps), wrote("drawing", "creation-1", *steps), model=model)
    seen = {name: model.pictures([DRAWN[name]])[0] for name in ("red", "green", "blue")}
    whole, (*said,) = model.texts([" ".join(steps)]).vectors[0], model.texts(steps).vectors
    by_hand = sum(any(float(one @ two) >= 0.5 for two in seen.values()) for one in said)
    assert found["physics-1", "interaction_steps"]["value"] == by_hand
    assert found["physics-1", "interaction_steps"]["truncated"] == 1
    score = found["creation-1", "clip_score"]
    assert score["value"] == pytest.approx(2.5 * max(0.0, float(whole @ seen["green"])), abs=1e-4)
    assert (score["truncated"], score["model"]) == (1, "tiny-clip")
