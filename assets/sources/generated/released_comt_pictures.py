"""Pictures that generated models draw in their replies to CoMT, and the scores that simulated annotators give them.

Nobody drew or judged these. How good a picture is, is known where it is drawn.
"""

import base64
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from assets.sources.generated.drawing import png
from assets.sources.generated.released_comt import Item

Record = Mapping[str, object]

ANNOTATORS = {"simulated-a": 0.05, "simulated-b": 0.08, "simulated-c": 0.1, "simulated-d": 0.15}
"""Who judges, and the chance that a score of theirs is one off."""

PENDING = 0.05
"""The share of the drawn replies that one annotator alone has judged."""

DRAWS = {"direct": 0.05, "cot": 0.4, "desp-cot": 0.3, "vot": 0.5}
"""The chance that a reply draws, by strategy.

Source: arXiv:2412.12932, section 4 and figure 7: at least 48 % of the replies of models that can draw do not.
"""

EAGER = {"creation": 1.0, "deletion": 0.6, "update": 0.9, "selection": 0.7}

QUALITIES = (43, 22, 15, 13, 7)
"""How often, in 100, a picture has the score 0, 1, 2, 3, 4.

Source: arXiv:2412.12932, section 4: 43 % are irrelevant; the rest is ours.
"""

SEVERAL = 0.25
"""The share of right drawings that show two pictures of the rationale."""

SIDE = 240
_OTHER = {"creation": "deletion", "deletion": "creation", "update": "selection", "selection": "update"}
_SAID = ("another matter", "the matter, but not what is said", "a part of what is said", "what is said", "it well")


class Drawn(NamedTuple):
    """A record of a replies file, and how good what it draws is, from 0 to 4; None where it draws nothing."""

    record: Record
    score: int | None


def illustrated(records: Sequence[Record], items: Sequence[Item], strategy: str, seed: str) -> list[Drawn]:
    """The records, some of whose replies become a list of texts and pictures; the texts joined are the reply's still.

    Pictures stand in the record itself, as `data:` addresses. What a reply draws depends on the seed, its strategy and
    the items alone, and not on what the other replies draw.

    Args:
        records: {id, response}, one an item in their order.
        items: what is asked.
        strategy: how it is asked.
        seed: of this file.
    """
    found = []
    for record, item in zip(records, items, strict=True):
        rng = random.Random(f"{seed}/{item.record['id']}")
        chance = DRAWS[strategy] * EAGER[str(item.record["type"])]
        text = str(record["response"])
        if not text or rng.random() >= chance:
            found.append(Drawn(record, None))
            continue
        score = rng.choices(range(len(QUALITIES)), QUALITIES)[0]
        found.append(Drawn({**record, "response": _parts(text, drawing(item, score, items, rng))}, score))
    return found


def drawing(item: Item, score: int, items: Sequence[Item], rng: random.Random) -> list[bytes]:
    """What a reply to the item draws if it deserves this score: one picture as PNG, or two of the rationale.

    4: as in the rationale; 3: the same, coarse; 2: its left half; 1: as for another item of the task; 0: of another
    task, where geometry and crowds change places, and tangrams and pairs.
    """
    task = str(item.record["type"])
    if score < 2:
        wanted = _OTHER[task] if score == 0 else task
        item = rng.choice([one for one in items if one.record["type"] == wanted and one is not item])
    own = _of_rationale(item)
    shown = [own[0], own[-1]] if score > 1 and len(own) > 1 and rng.random() < SEVERAL else [own[-1]]
    return [_drawn(content, score) for content in shown]


def judgement_lines(evaluation: str, drawn: Iterable[Drawn], seed: int) -> list[str]:
    """The lines of the annotation file about one replies file, reply by reply: a line is one annotator's score.

    Args:
        evaluation: the name of the file's entry, which is that of the evaluation that reads it.
        drawn: what `illustrated` gives.
        seed: of the release.

    Source: arXiv:2412.12932, C.3: scores from 0 to 4, by several annotators.
    """
    lines = []
    for one in drawn:
        if one.score is None:
            continue
        name = f"{evaluation}:{one.record['id']}"
        pending = random.Random(f"{seed}/picture/{name}").random() < PENDING
        for annotator in list(ANNOTATORS)[:1] if pending else ANNOTATORS:
            rng = random.Random(f"{seed}/picture/{name}/{annotator}")
            score = one.score
            if rng.random() < ANNOTATORS[annotator]:
                score = rng.choice([near for near in (score - 1, score + 1) if 0 <= near < len(QUALITIES)])
            lines.append(
                {
                    "sample_id": name,
                    "stage": "picture_quality",
                    "round": 1,
                    "annotator": annotator,
                    "verdict": str(score),
                    "note": f"simulated: shows {_SAID[score]}",
                }
            )
    return [json.dumps(line, ensure_ascii=False) for line in lines]


def _parts(text: str, pictures: Iterable[bytes]) -> list[dict[str, Any]]:
    """The reply's text with its pictures before the last line, where the answer stands."""
    before, newline, answer = text.rpartition("\n")
    shown = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64.b64encode(content).decode()}"}}
        for content in pictures
    ]
    thought = [{"type": "text", "text": before + newline}] if newline else []
    return [*thought, *shown, {"type": "text", "text": answer}]


def _of_rationale(item: Item) -> list[bytes]:
    """The pictures of the item's rationale; the question's own, which creation has not, is none of them."""
    task, name = item.record["type"], item.record["id"]
    first = 0 if task == "creation" else 1
    return [item.pictures[f"{task}/{name}-{number}.png"] for number in range(first, len(item.record["image"]))]


def _drawn(content: bytes, score: int) -> bytes:
    from PIL import Image

    seen = Image.open(BytesIO(content)).convert("RGBA")
    page: Image.Image = Image.alpha_composite(Image.new("RGBA", seen.size, "#ffffff"), seen).convert("RGB")
    page.thumbnail((SIDE, SIDE))
    if score == 3:
        few = page.resize((max(1, page.width // 3), max(1, page.height // 3)), Image.Resampling.BOX)
        page = few.resize(page.size, Image.Resampling.NEAREST)
    if score == 2:
        page.paste("#ffffff", (page.width // 2, 0, page.width, page.height))
    return png(page)
