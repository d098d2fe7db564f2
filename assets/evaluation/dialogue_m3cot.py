"""What is said to a model about a sample of M3CoT: its question laid out as a strategy's asks have it.

Pictures stand before the text of the block that they belong to, in their order, and a picture of an option right
behind the option. The texts, put together, are the block to the letter: pictures never change one, and no text ever
stands for a picture, whatever it looks like.
"""

import json
from collections.abc import Callable, Sequence

from assets.evaluation.dialogue_parts import DialogueError, Rationales, joined, picture, said
from assets.evaluation.strategy_m3cot import Block, Manner, Wording
from assets.models.model import REPLY, Ask
from assets.schema.sample import Part, Sample, letter

_BETWEEN_SHOTS = "\n\n"


def asks(
    sample: Sample, manner: Manner, shots: Sequence[Sample] = (), rationales: Rationales = "multimodal"
) -> tuple[Ask, ...]:
    """The asks of a sample; what opens a conversation has the shots before it.

    Raises:
        DialogueError: the sample, or a shot, lacks a text or a picture.

    Source: arXiv:2405.16473, section 5.1 and B.2.2.
    """
    before = [part for shot in shots for part in (*shot_parts(shot, manner, rationales), said(_BETWEEN_SHOTS))]
    found = []
    for place, one in enumerate(manner.asks):
        parts = _filled(one.wording, lambda name: _standing(name, sample, manner))
        opens = place == 0 or one.fresh
        found.append(Ask(joined([*before, *parts] if opens else parts), one.fresh))
    return tuple(found)


def shot_parts(shot: Sample, manner: Manner, rationales: Rationales = "multimodal") -> tuple[Part, ...]:
    """A solved sample as the strategy shows it: its block, how it is solved, and the answer.

    Args:
        shot: the sample.
        manner: the strategy.
        rationales: multimodal: with its pictures; text: texts alone, whether or not it has pictures.

    Raises:
        DialogueError: the shot lacks a text, or a picture.

    Source: arXiv:2405.16473, figure 10: demonstrations in "textual modality and multi-modality".
    """
    seen = rationales == "multimodal"
    parts = _filled(manner.shot, lambda name: _standing(name, shot, manner, pictures=seen))
    return joined(part for part in parts if seen or part.kind == "text")


def block(sample: Sample, laid_out: Block, *, pictures: bool = True) -> tuple[Part, ...]:
    """The question of a sample with its pictures: its context where it has one, the question, the options.

    Raises:
        DialogueError: the sample lacks a question, an option or, with `pictures`, a picture.
    """
    for name in ("question", "choices"):
        if not getattr(sample, name):
            raise DialogueError(f"{sample.id}: has no {name} to show")
    for place, choice in enumerate(sample.choices or ()):
        if not isinstance(choice, str):
            raise DialogueError(f"{sample.id}: its option {letter(place)} is no text: leave the sample out")
    if pictures and not sample.images:
        raise DialogueError(f"{sample.id}: has no picture to show: give it one, or leave it out")
    if sample.choice_images and len(sample.choice_images) != len(sample.choices or ()):
        raise DialogueError(
            f"{sample.id}: has {len(sample.choices or ())} options and {len(sample.choice_images)} pictures of them: "
            "give each option one, or none"
        )
    options = _options(sample)
    written: dict[str, Sequence[Part]] = {
        "context": [said(sample.context or "")],
        "question": [said(sample.question or "")],
        "choices": options,
    }
    inner = _inner(sample, laid_out)
    if inner is not None:
        texts = written | {"choices": [part for part in options if part.kind == "text"]}
        written["question"] = _filled(inner, texts.__getitem__)
    shown: list[Part] = [picture(image_id) for image_id in sample.images or ()]
    if (sample.context or "").strip():
        shown += _filled(laid_out.context, written.__getitem__)
    shown += _filled(laid_out.rest, written.__getitem__)
    return joined(part for part in shown if pictures or part.kind == "text")


def letters(options: int) -> str:
    """The letters of so many options, as the released dialogues list them: `["(A)","(B)"]`."""
    return json.dumps([f"({letter(place)})" for place in range(options)], separators=(",", ":"))


def _inner(sample: Sample, laid_out: Block) -> Wording | None:
    """What stands for the sample's question; some released questions have it within them already."""
    if laid_out.inner is None or sample.domain != laid_out.domain or sample.subtopic in laid_out.but:
        return None
    kind, opening = laid_out.inner[0]
    held = kind == "text" and (sample.question or "").startswith(opening.split("\n")[0])
    return None if held else laid_out.inner


def _standing(name: str, sample: Sample, manner: Manner, *, pictures: bool = True) -> Sequence[Part]:
    """What stands in a template where it has `name` in braces."""
    if name in manner.blocks:
        return block(sample, manner.blocks[name], pictures=pictures)
    if name == "reply":
        return [REPLY]
    if name == "letters":
        return [said(letters(len(sample.choices or ())))]
    if name == "rationale":
        if not sample.text.strip():
            raise DialogueError(f"{sample.id}: has no rationale to show")
        return _rationale(sample, pictures=pictures)
    if not sample.answer or sample.answer not in map(letter, range(len(sample.choices or ()))):
        raise DialogueError(f"{sample.id}: has no answer to show: its answer is {sample.answer or 'none'}")
    return [said(f"({sample.answer})")]


def _filled(wording: Wording, standing: Callable[[str], Sequence[Part]]) -> list[Part]:
    return [part for kind, name in wording for part in ([said(name)] if kind == "text" else standing(name))]


def _options(sample: Sample) -> list[Part]:
    found: list[Part] = []
    for place, choice in enumerate(sample.choices or ()):
        found.append(said(f"\n({letter(place)}) {choice}" if place else f"({letter(place)}) {choice}"))
        if sample.choice_images:
            found.append(picture(sample.choice_images[place]))
    return found


def _rationale(sample: Sample, *, pictures: bool) -> list[Part]:
    """The parts of a rationale, with a line break between two texts."""
    found: list[Part] = []
    for part in sample.rationale or ():
        if part.kind == "image" and pictures:
            if not part.image_id:
                raise DialogueError(f"{sample.id}: its picture {part.text} is missing: give it one, or leave it out")
            found.append(picture(part.image_id))
        elif part.kind == "text" and part.text:
            found += [said("\n")] if found and found[-1].kind == "text" else []
            found.append(said(part.text))
    return found
