"""Dialogues about drawn pictures for the tiny model, and what it says to one at a time by the plain calls."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from PIL import Image

from assets import images
from assets.models.model import Ask, Dialogue, ModelError, Reply, said
from assets.models.transformers_chat import TransformersChat
from assets.schema.sample import Part

TOKENS = 20
OPTIONS = ("red", "two blue squares", "the Pacific Ocean", "a red circle beside two squares")
SIZES = ((48, 40), (40, 64), (33, 33))


class Drawn:
    """Pictures of noise by number; `broken` has bytes that are no picture, anything else is not there."""

    def png(self, image_id: str) -> bytes:
        if image_id == "broken":
            return b"\x89PNG\r\n\x1a\n" + bytes(40)
        if not image_id.isdigit():
            raise ModelError(f"picture {image_id}: is not stored")
        width, height = SIZES[int(image_id) % 3]
        pixels = random.Random(int(image_id)).randbytes(width * height * 3)
        return images.encode(Image.frombytes("RGB", (width, height), pixels))

    def image(self, image_id: str) -> Image.Image:
        return images.decode(self.png(image_id)).convert("RGB")


PICTURES = Drawn()


PICTURES = Drawn()


def picture(image_id: str) -> Part:
    return Part("image", None, image_id)


def mixed(number: int) -> Dialogue:
    """With none, one or two pictures, between and before texts of any length; every other one asks again."""
    rng = random.Random(number)
    shown = [picture(str(10 * number + place)) for place in range(number % 3)]
    words = " ".join(rng.choices(("red", "circle", "which", "12", "map", "Let's", "question"), k=rng.randint(2, 40)))
    parts = (*shown[:1], said(f"Number {number}. {words}"), *shown[1:], said("\n(A) red (B) blue"))
    again = (Ask((said("Therefore, the answer is"),)),) if number % 2 else ()
    return Dialogue(f"d{number}", (Ask(parts), *again), OPTIONS[: 2 + number % 3])


def loaded(folder: Path) -> Any:
    """Processor and model as their own documentation loads them."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    return AutoProcessor.from_pretrained(folder), AutoModelForImageTextToText.from_pretrained(folder).eval()


def chat(folder: Path, **given: Any) -> TransformersChat:
    return TransformersChat("tiny", model=str(folder), device="cpu", **{"max_tokens": TOKENS, **given})


def by_ask(replies: Iterator[Reply]) -> dict[tuple[str, int], Reply]:
    found = list(replies)
    kept = {(reply.id, reply.ask): reply for reply in found}
    assert len(kept) == len(found)
    return kept


def messages(dialogue: Dialogue) -> list[dict[str, Any]]:
    return [
        {
            "role": turn.role,
            "content": [
                {"type": "image", "image": PICTURES.image(part.image_id)}
                if part.image_id
                else {"type": "text", "text": part.text}
                for part in turn.parts
            ],
        }
        for turn in dialogue.conversation()
    ]


def encoded(processor: Any, dialogue: Dialogue) -> Any:
    return processor.apply_chat_template(
        messages(dialogue), add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )


def alone(plain: Any, dialogue: Dialogue, tokens: int = TOKENS) -> list[tuple[str, int, int]]:
    """Text, tokens in and tokens out of every reply, one dialogue at a time, without a batch."""
    processor, model = plain
    found = []
    while len(dialogue.said) < len(dialogue.asks):
        given = encoded(processor, dialogue)
        with torch.inference_mode():
            made = model.generate(**given, max_new_tokens=tokens, do_sample=False)[0, given["input_ids"].shape[1] :]
        text = processor.decode(made, skip_special_tokens=True)
        found.append((text, given["input_ids"].shape[1], len(made)))
        dialogue = dialogue.replied((said(text),) if text else ())
    return found
