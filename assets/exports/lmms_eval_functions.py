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
    r"""The letter that a reply gives, or None; what comes before `</think>` is not read.

    The last letter that is declared ("answer is B", "correct option: (b)", `\boxed{B}`, "B is correct"), which may be
    none of the options or one of two, and is None then; else a letter alone, as the reply or as its last line; else one
    that begins the reply, before a mark; else the last one in brackets; else the one option whose text stands there.
    """
    said = _TAGS.sub("", reply.rpartition("</think>")[2])
    letters = LETTERS[: len(options)]
    declared = [found for pattern in (_DECLARED, _JUDGED) for found in pattern.finditer(said)]
    if declared:
        last = max(declared, key=lambda found: found.start(1))
        letter = last[1].upper()
        return letter if letter in letters and not _ANOTHER.match(said, last.end(1)) else None
    lines = [line for line in said.split("\n") if any(character.isalnum() for character in line)]
    alone = _ALONE.findall(lines[-1]) if lines else []
    for heard in (alone, _OPENING.findall(said), _BRACKETS.findall(said)):
        within = [letter for found in heard if (letter := found.upper()) in letters]
        if within:
            return str(within[-1])
    told = said.lower()
    named = [text for text in (option.strip().lower() for option in options) if text and _stands(text, told)]
    longest = [text for text in named if not any(text != other and _stands(text, other) for other in named)]
    return letters[[option.strip().lower() for option in options].index(longest[0])] if len(longest) == 1 else None


def _stands(text: str, said: str) -> bool:
    """Whether the text stands in what is said, not within a longer word or number."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said) is not None


_LETTER_ENDS = r"(?![A-Za-z0-9]|['\u2019-][A-Za-z0-9]|[)\]}*_]*\s*\?)"
_LETTER = (
    # "A" and "I" before a word are words, but not before a reason; a small letter needs a mark or an end behind it
    rf"(?<![A-Za-z0-9])([B-HJ-Z]{_LETTER_ENDS}"
    rf"|[AI]{_LETTER_ENDS}(?!\s+(?!(?:because|since|as|due|for|and|or)\b)[a-z])"
    rf"|[a-z]{_LETTER_ENDS}(?=[ \t]*(?:[^\w\s]|\n|\Z)))"
)
_DECLARED = re.compile(
    r"(?:(?<![A-Za-z0-9])(?i:answer|(?:correct|right|best)\s+(?:option|choice|letter))(?![A-Za-z0-9])|\\boxed)"
    r"(?:[^A-Za-z0-9.!?;]|(?i:is|was|be|must|should|would|will|to|the|this|question|problem|correct|right|best|most|"
    r"clearly|likely|probably|therefore|thus|so|option|choice|letter|boxed|text|textbf|mathrm|mathbf)(?![A-Za-z0-9]))*"
    + _LETTER
)
_JUDGED = re.compile(
    r"(?<![A-Za-z0-9'\u2019])([A-Z])[)\]}*_]*\s+(?:is|seems|must\s+be|should\s+be)\s+(?:the\s+)?"
    r"(?:(?:correct|right|best)(?:\s+(?:answer|option|choice)\b|(?=[*_)]*\s*(?:[.,;!]|\Z|because\b|since\b)))|answer\b)"
)
_ANOTHER = re.compile(r"[)\]}*_]*\s*(?:/|&|\bor\b|\band\b)\s*[(\[*_]*[A-Z](?![A-Za-z0-9])")
_TAGS = re.compile(r"</?(?:b|i|s|em|strong)>|<\|[a-z_]+\|>")
"""What sets type, and what models end a turn with."""
_ALONE = re.compile(r"\A[\W_]*(?:(?i:option|choice)[\W_]+)?([A-Za-z])[\W_]*\Z")
_OPENING = re.compile(
    r"\A[\s*_\"'`>#]*([A-Za-z](?=[*_]*[.:)])|[A-Z](?=[*_]*(?:,(?!\s*[A-Z]\b)|\n|\s[-\u2013\u2014]\s)))"
    # not the first line of a list of options
    r"(?![^\n]*\n\s*[(*_]*[A-Z][.):])"
)
_BRACKETS = re.compile(
    r"(?<![A-Za-z0-9])(?<!not )(?<!n't )[(\[]\s*[*_]*([A-Za-z])[*_]*\s*[)\]](?!\s+is\s+(?:not|wrong|incorrect|false)\b)"
)


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
