"""Models, policies and a desk of tools for tests of runs: what they say is written out, what they are asked is kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from assets import images
from assets.models.model import Ask, Dialogue, ModelError, Reply, Turn, said
from assets.models.tools.tool import Computing, Given
from assets.schema.sample import Part

Speech = Callable[[str], str | tuple[str, str]]


class Speaker:
    """A model that replies to a text with what `says` gives: a text, or a text and a status.

    asked: every conversation that it got. batches: how many came at once. shown: the size of each picture that it saw.
    """

    def __init__(self, name: str, says: Speech, **identity: Any) -> None:
        self.name, self.says = name, says
        self.identity = {"kind": "speaker", "name": name, **identity}
        self.asked: list[str] = []
        self.batches: list[int] = []
        self.shown: list[tuple[int, int]] = []

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
        several = list(dialogues)
        self.batches.append(len(several))
        # The last first: nothing may hang on the order of replies.
        for dialogue in reversed(several):
            [turn] = dialogue.conversation()
            text = words(turn)
            self.asked.append(text)
            self.shown += [pictures.image(part.image_id).size for part in turn.parts if part.image_id is not None]
            spoken = self.says(text)
            reply, status = spoken if isinstance(spoken, tuple) else (spoken, "ok")
            parts = (said(reply),) if status != "error" else ()
            reason = reply if status == "error" else "stop"
            yield Reply(dialogue.id, 0, parts, status, reason, len(text), len(reply), f"{self.name}-v1")


class Desk:
    """Where tools compute in tests of runs: here, unless `raises` says otherwise of a tool. used: what was used."""

    def __init__(self, raises: Mapping[str, Exception] | None = None) -> None:
        self.raises = dict(raises or {})
        self.used: list[tuple[str, dict[str, Any]]] = []

    def use(self, tool: Computing, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        self.used.append((tool.name, dict(arguments)))
        if tool.name in self.raises:
            raise self.raises[tool.name]
        return tool.compute(arguments, pngs)


class Grey:
    """Pictures of one grey, 40 x 20, their ids being the grey in figures; `broken` is not there."""

    def png(self, image_id: str) -> bytes:
        return images.encode(self._drawn(image_id))

    def image(self, image_id: str) -> Any:
        return self._drawn(image_id).convert("RGB")

    def _drawn(self, image_id: str) -> Any:
        from PIL import Image

        if not image_id.isdigit():
            raise ModelError(f"picture {image_id}: is not stored")
        return Image.new("L", (40, 20), int(image_id))


def words(turn: Turn) -> str:
    return "".join(part.text or "" for part in turn.parts)


def question(number: int, *image_ids: str) -> Dialogue:
    shown = [Part("image", None, image_id) for image_id in image_ids]
    return Dialogue(f"s{number}", (Ask((*shown, said(f"Question {number}?"))),), ("one", "two"))


def turn(role: str, text: str, *image_ids: str) -> Turn:
    return Turn(role, (said(text), *(Part("image", None, image_id) for image_id in image_ids)))
