from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.analysis.encoders.image_text import ImageText, image_text_model
from assets.models.transformers_checkpoint import threads
from assets.schema.faults import Fault
from tests import tiny_judges

TEXTS = ["a red circle", "the cat sits on the mat .", "dog", "a red circle"]
FAMILIES = ["clip", "siglip"]


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    family: str = request.param
    return tiny_judges.image_text(tmp_path_factory.mktemp("images") / f"tiny-{family}", family=family)


@pytest.fixture(scope="module")
def model(folder: Path) -> ImageText:
    return image_text_model(str(folder))


def pictures() -> list[Any]:
    from PIL import Image

    drawn = [Image.new("RGB", (40, 3), "red"), Image.new("RGB", (3, 21), "blue"), Image.new("L", (30, 20), 200)]
    drawn[0].putpixel((1, 1), (0, 0, 255))
    drawn[1].paste("white", (0, 5, 3, 12))
    drawn[2].paste(10, (3, 3, 12, 12))
    return drawn


def naive(folder: Path, texts: list[str]) -> Any:
    """One text at a time, as the model's own documentation has it: SigLIP's at their full length, CLIP's without."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    kind: Any = AutoModel
    network, words = kind.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    network.eval()
    rows = []
    with threads("cpu"), torch.no_grad():
        for text in texts:
            if "siglip" in folder.name:
                ids = words(text, padding="max_length", max_length=10, return_tensors="pt")["input_ids"]
                told = network.get_text_features(input_ids=ids)
            else:
                told = network.get_text_features(**words(text, return_tensors="pt"))
            vector = told.pooler_output[0].numpy()
            rows.append(vector / np.linalg.norm(vector))
    return np.array(rows)


def test_a_batch_of_texts_gives_what_each_text_gives_alone(folder: Path, model: ImageText) -> None:
    found = model.texts(TEXTS)
    assert found.vectors == pytest.approx(naive(folder, TEXTS), abs=1e-5)
    assert np.array_equal(found.vectors[0], found.vectors[3])
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert found.vectors.dtype == np.float32 and found.truncated == [False] * 4


def test_a_text_is_cut_at_the_longest_with_its_end_token_and_counted(model: ImageText) -> None:
    # ten places, two of them for the marks
    whole, longer, far = " ".join(["cat"] * 8), " ".join(["cat"] * 9), "cat " * 120
    found = model.texts([whole, longer, far])
    assert found.truncated == [False, True, True]
    assert found.vectors[1] == pytest.approx(found.vectors[0], abs=1e-6)
    assert found.vectors[2] == pytest.approx(found.vectors[0], abs=1e-6)


def test_long_texts_that_begin_differently_stay_apart(tmp_path: Path) -> None:
    model = image_text_model(str(tiny_judges.image_text(tmp_path / "clip", places=77)))
    found = model.texts(["cat dog " * 60, "dog cat " * 60, "cat dog " * 37 + "cat"])
    # 77 places are 75 words and two marks: the last text is the first one, cut
    assert found.truncated == [True, True, False]
    assert found.vectors[0] == pytest.approx(found.vectors[2], abs=1e-6)
    assert float(found.vectors[0] @ found.vectors[1]) < 0.9999


def test_a_picture_gives_the_same_alone_and_in_a_batch_however_small_it_is(folder: Path, model: ImageText) -> None:
    import torch
    from transformers import AutoImageProcessor, AutoModel

    kind: Any = AutoModel
    network, processor = kind.from_pretrained(folder), AutoImageProcessor.from_pretrained(folder)
    network.eval()
    found = model.pictures(pictures() * 7)
    assert found.shape[0] == 21 and found.dtype == np.float32
    for row, picture in zip(found[18:], pictures(), strict=True):
        given = processor([picture.convert("RGB")], return_tensors="pt")
        with threads("cpu"), torch.no_grad():
            told = network.get_image_features(**given).pooler_output[0].numpy()
        assert row == pytest.approx(told / np.linalg.norm(told), abs=1e-5)


def test_a_picture_three_pixels_high_is_not_taken_for_its_colours(tmp_path: Path) -> None:
    from PIL import Image

    model = image_text_model(str(tiny_judges.image_text(tmp_path / "siglip", family="siglip")))
    stripes = Image.new("RGB", (40, 3), "white")
    stripes.paste("red", (5, 0, 15, 3))
    stripes.paste("blue", (22, 0, 31, 3))
    # SigLIP stretches every picture to its square, where lines that are all alike stay so
    low, high = model.pictures([stripes, stripes.resize((40, 12), 0)])
    assert low == pytest.approx(high, abs=1e-4)


def test_what_is_transparent_is_seen_on_white(model: ImageText) -> None:
    from PIL import Image

    clear = Image.new("RGBA", (20, 20), (0, 0, 0, 0))
    clear.paste((255, 0, 0, 255), (2, 2, 9, 9))
    white = Image.new("RGB", (20, 20), "white")
    white.paste((255, 0, 0), (2, 2, 9, 9))
    black = Image.new("RGB", (20, 20), "black")
    black.paste((255, 0, 0), (2, 2, 9, 9))
    on_white, same, other = model.pictures([clear, white, black])
    assert on_white == pytest.approx(same, abs=1e-6)
    assert float(on_white @ other) < 0.999


def test_grey_and_colour_of_the_same_pixels_are_one_picture(model: ImageText) -> None:
    grey = pictures()[2]
    one, other = model.pictures([grey, grey.convert("RGB")])
    assert one == pytest.approx(other, abs=1e-6)


def test_nothing_gives_nothing(model: ImageText) -> None:
    assert model.texts([]).truncated == [] and len(model.texts([]).vectors) == 0
    assert len(model.pictures([])) == 0


def test_the_tables_name_the_folder_without_its_path(folder: Path, model: ImageText) -> None:
    assert model.name == folder.name


@pytest.mark.parametrize("kind", ["classifier", "causal"])
def test_what_does_not_compare_texts_with_pictures_is_refused(tmp_path: Path, kind: str) -> None:
    made = {"classifier": tiny_judges.classifier, "causal": tiny_judges.causal}[kind](tmp_path / "other")
    with pytest.raises(Fault, match=r"^analysis\.alignment\.model: .* not a model that compares texts with pictures"):
        image_text_model(str(made))


def test_a_checkpoint_without_its_picture_processor_is_refused(tmp_path: Path) -> None:
    made = tiny_judges.image_text(tmp_path / "clip")
    (made / "preprocessor_config.json").unlink()
    with pytest.raises(Fault, match=r"^analysis\.alignment\.model: .*cannot be loaded as a model that compares"):
        image_text_model(str(made))
