"""A dialogue to look at as it will be sent: Markdown with its pictures, rows of a table, or plain text."""

import base64
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assets.models.model import ASSISTANT, REPLY, USER, Dialogue, ModelError, Pictures, Turn
from assets.schema.sample import Part

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES = 150_000
"""Of a whole preview, so that it can stand on an asset in the UI."""

_SIDES = (320, 240, 160, 96, 48)
_SHORT = 8
_BETWEEN_PAGES = "\n\n---\n\n"
_REPLIES = "(the model replies)"
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def preview(dialogue: Dialogue, pictures: Pictures, most: int = MOST_BYTES) -> str:
    """Markdown that shows every turn of a dialogue, its pictures among its texts, in less than `most` bytes.

    Texts stand in fences and are shown to the letter: nothing in them is read as Markdown or HTML. Pictures are
    shown smaller, each with the size in which it is sent; one that stands there again is named alone. What does not
    fit is said, with how much it is.
    """
    pieces = list(_pieces(dialogue, pictures, most * 2 // 3))
    spent = sum(len(piece.encode()) + 2 for piece in pieces if isinstance(piece, str))
    seen = [piece for piece in pieces if not isinstance(piece, str)]
    for side in _SIDES:
        shown = [_picture(name, image, side) for name, image in seen]
        if spent + sum(len(one) + 2 for one in shown) < most:
            break
    else:
        shown = [f"{name}, not shown here for want of room" for name, _ in seen]
    inline = iter(shown)
    return "\n\n".join(piece if isinstance(piece, str) else next(inline) for piece in pieces) + "\n"


def pages(several: Sequence[str], most: int = MOST_BYTES) -> str:
    """Several pages of Markdown as one, in at most `most` bytes; those that do not fit are counted."""
    shown: list[str] = []
    spent = 100
    for page in several:
        spent += len(page.encode()) + len(_BETWEEN_PAGES)
        if spent > most:
            break
        shown.append(page.rstrip("\n"))
    if left := len(several) - len(shown):
        shown.append(f"*({left} more not shown here for want of room)*")
    return _BETWEEN_PAGES.join(shown) + "\n"


def rows(evaluation: str, dialogues: Iterable[Dialogue], first: int | None = None) -> Iterator[dict[str, Any]]:
    """Rows of table `dialogue`: one for each of the first so many dialogues, all of them when None.

    Their turns are the user's; a part of kind `reply` is where a reply that is not there yet will stand.
    """
    for dialogue in itertools.islice(dialogues, first):
        turns = [turn for turn in _turns(dialogue) if turn.role == USER]
        parts = [part for turn in turns for part in turn.parts]
        yield {
            "evaluation": evaluation,
            "sample_id": dialogue.id,
            "turns": [{"role": turn.role, "parts": [part._asdict() for part in turn.parts]} for turn in turns],
            "pictures": sum(part.kind == "image" for part in parts),
            "characters": sum(len(part.text or "") for part in parts if part.kind == "text"),
        }


def shown(dialogue: Iterable[Turn]) -> str:
    """The turns as plain text to look at: each under its role, `[picture <short id>]` where a picture stands."""
    return "\n".join(f"{turn.role}:\n" + "".join(map(_plain, turn.parts)) + "\n" for turn in dialogue)


def _plain(part: Part) -> str:
    if part.image_id:
        return f"[picture {part.image_id[:_SHORT]}]"
    return "[the reply]" if part == REPLY else part.text or ""


def _turns(dialogue: Dialogue) -> Iterator[Turn]:
    """All turns, those of the model among them, whether or not it has replied."""
    for place, ask in enumerate(dialogue.asks):
        before = dialogue.said[place - 1] if 0 < place <= len(dialogue.said) else (REPLY,)
        yield Turn(USER, tuple(one for part in ask.parts for one in (before if part == REPLY else (part,))))
        yield Turn(ASSISTANT, dialogue.said[place] if place < len(dialogue.said) else (REPLY,))


def _pieces(dialogue: Dialogue, pictures: Pictures, room: int) -> "Iterator[str | tuple[str, Image.Image]]":
    """Paragraphs of Markdown in order, and (description, picture) where a picture is shown."""
    yield f"### {escaped(dialogue.id)}"
    named: set[str] = set()
    for place, turn in enumerate(_turns(dialogue)):
        if turn == Turn(ASSISTANT, (REPLY,)):
            yield f"*{_REPLIES}*"
            continue
        fresh = turn.role == USER and place > 0 and dialogue.asks[place // 2].fresh
        yield f"**{turn.role}**" + (", in a new conversation" if fresh else "")
        for part in turn.parts:
            if part == REPLY:
                yield "*(here stands the reply)*"
            elif part.image_id is None:
                said = _fenced(part.text or "", room)
                room -= len(said.encode())
                yield said
            elif part.image_id in named:
                yield f"picture {escaped(part.image_id[:_SHORT])}, again"
            else:
                named.add(part.image_id)
                yield _seen(part.image_id, pictures)


def _seen(image_id: str, pictures: Pictures) -> "str | tuple[str, Image.Image]":
    name = f"picture {escaped(image_id[:_SHORT])}"
    try:
        image = pictures.image(image_id).copy()
    except ModelError:
        return f"{name}, which is not there"
    name = f"{name}, {image.width} x {image.height} pixels"
    image.thumbnail((_SIDES[0], _SIDES[0]))
    return name, image


def _picture(name: str, image: "Image.Image", side: int) -> str:
    from PIL import Image

    small = image.copy()
    small.thumbnail((side, side))
    # 64 colours are enough to see what it is, in a fraction of the bytes
    stored = io.BytesIO()
    small.quantize(64, Image.Quantize.FASTOCTREE).save(stored, "PNG", compress_level=9)
    return f"![{name}](data:image/png;base64,{base64.b64encode(stored.getvalue()).decode()})  \n{name}"


def _fenced(text: str, room: int) -> str:
    """The text in a fence that nothing in it can close; what is over `room` bytes is counted, not shown."""
    shown = text.encode()[: max(room, 0)].decode(errors="ignore")
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", shown)), default=0))
    cut = len(text) - len(shown)
    return f"{fence}text\n{shown}\n{fence}" + (f"\n\n*({cut} more characters are sent)*" if cut else "")


def escaped(text: str) -> str:
    """A text as Markdown that shows it as it is, on one line."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))
