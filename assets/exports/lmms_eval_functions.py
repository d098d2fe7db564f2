"""What the task file of this folder names: how lmms-eval shows a record to a model, and how it reads the reply."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = str(Path(__file__).resolve().parent)
"""Where the records lie: beside this file, wherever the folder is."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """The pictures of a question, in its order, as RGB on white: CoMT's by the identifiers in it, M3CoT's its own."""
    if "images" in doc:
        numbers = dict.fromkeys(int(number) for number in re.findall(r"\[IMAGE([0-9]+)\]", doc["question"]))
        shown = [doc["images"][number] for number in numbers if number < len(doc["images"])]
    else:
        shown = [] if doc["image"] is None else [doc["image"]]
        shown += doc.get("choice_images") or []
    return [_on_white(picture) for picture in shown]


def doc_to_text(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None) -> str:
    """The context where there is one, the question and the options, between the words that the task file adds."""
    said = lmms_eval_specific_kwargs or {}
    lines = [doc["context"]] if (doc.get("context") or "").strip() else []
    lines.append(doc["question"])
    lines += [f"({LETTERS[place]}) {option}" for place, option in enumerate(_options(doc))]
    return str(said.get("pre_prompt", "")) + "\n".join(lines) + str(said.get("post_prompt", ""))


def doc_to_target(doc: dict[str, Any]) -> str:
    """The letter of the right option."""
    return str(doc["answer"])


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Whether the letter of the reply is the right one: {accuracy: 1.0 or 0.0}."""
    return {"accuracy": float(letter_of(results[0], _options(doc)) == doc["answer"])}


def letter_of(reply: str, options: list[str]) -> str | None:
    """The letter that a reply gives, or None.

    The last letter behind "answer is" or "answer:"; else the last one in brackets; else a reply that begins with a
    letter, alone or before a mark; else the one option whose text stands in the reply.
    """
    letters = LETTERS[: len(options)]
    for pattern in (
        rf"(?i:answer(?:\s+is|\s*:))[\s*]*\(?([{letters}])\b",
        rf"\(([{letters}])\)",
        rf"\A\s*\**([{letters}])(?=\s*\Z|[.:),*\n])",
    ):
        if found := re.findall(pattern, reply):
            return str(found[-1])
    said = reply.lower()
    named = [place for place, option in enumerate(options) if option and option.lower() in said]
    return letters[named[0]] if len(named) == 1 else None


def _options(doc: dict[str, Any]) -> list[str]:
    return list(doc["option"] if "option" in doc else doc["choices"])


def _on_white(picture: Any) -> Any:
    from PIL import Image

    if picture.mode not in ("RGBA", "LA", "PA") and "transparency" not in picture.info:
        return picture.convert("RGB")
    seen = picture.convert("RGBA")
    sheet = Image.new("RGB", seen.size, "white")
    sheet.paste(seen.convert("RGB"), mask=seen.getchannel("A"))
    return sheet
