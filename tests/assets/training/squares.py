"""A toy world: one coloured square on white, and the question which colour it has."""

import itertools
import random

from PIL import Image, ImageDraw

from assets import images
from assets.models.model import Ask, Dialogue, ModelError, said
from assets.schema.sample import LETTERS, Part, Sample
from assets.training.train import TrainingSettings

COLOURS = {"red": (220, 30, 30), "green": (30, 160, 60), "blue": (40, 80, 220), "yellow": (240, 210, 40)}
SETTINGS = TrainingSettings(
    seed=3,
    epochs_seeing=4,
    epochs_rationale=5,
    epochs_answer=2,
    rate_rationale=5e-3,
    rate_answer=3e-3,
    width=32,
    seeing=32,
    colours=8,
)


def drawn(colour: str, rng: random.Random) -> Image.Image:
    sheet = Image.new("RGB", (64, 48), "white")
    left, top = rng.randrange(4, 40), rng.randrange(4, 24)
    ImageDraw.Draw(sheet).rectangle((left, top, left + 19, top + 19), fill=COLOURS[colour])
    return sheet


def world(train: int = 100, validation: int = 24, test: int = 40) -> tuple[list[Sample], list[images.Picture]]:
    """The samples and their pictures, each sample with one of its own."""
    rng = random.Random(1)
    samples: list[Sample] = []
    rows: list[images.Picture] = []
    splits = ["train"] * train + ["validation"] * validation + ["test"] * test
    for number, (split, colour) in enumerate(zip(splits, itertools.cycle(COLOURS), strict=False)):
        picture = images.of_pixels(drawn(colour, rng), f"{number}.png")
        rows.append(picture)
        choices = rng.sample(sorted(COLOURS), 4)
        told = f"Step 1: There is one square on white.\nStep 2: It is {colour}.\nStep 3: So the colour is {colour}."
        samples.append(
            Sample(
                f"square-{number:03}",
                "m3cot",
                "squares",
                str(number),
                "test",
                topic="squares",
                subtopic="squares",
                category="dark" if colour in {"red", "blue"} else "light",
                question="Which colour does the square have?",
                choices=tuple(choices),
                answer=LETTERS[choices.index(colour)],
                rationale=(Part("text", told, None),),
                images=(picture.image_id or "",),
                split=split,
            )
        )
    return samples, rows


class Shown:
    """The world's pictures as models are shown them."""

    def __init__(self, rows: list[images.Picture]) -> None:
        self.rows = {row.image_id: row.png for row in rows}

    def png(self, image_id: str) -> bytes:
        png = self.rows.get(image_id)
        if png is None:
            raise ModelError(f"picture {image_id}: is not stored")
        return png

    def image(self, image_id: str) -> Image.Image:
        return images.decode(self.png(image_id)).convert("RGB")


def dialogue(sample: Sample, asks: int = 2) -> Dialogue:
    options = "\n".join(f"({letter}) {choice}" for letter, choice in zip(LETTERS, sample.choices or (), strict=False))
    first = Ask(
        (
            Part("image", None, (sample.images or ("",))[0]),
            said(f"[Question]\n{sample.question}\n[Choices]\n{options}\n\nLet's think step-by-step!"),
        )
    )
    again = Ask((said('Please select the correct answer from the ["(A)"] options.'),))
    return Dialogue(sample.id or "", (first, again)[:asks], sample.choices or ())
