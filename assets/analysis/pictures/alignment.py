"""Replies held against pictures: which pictures a sample has, what is left out of them, and one row a measure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from assets import images
from assets.analysis.pictures.clip_score import clip_score
from assets.analysis.pictures.interaction import interaction_steps
from assets.analysis.rationales.chains import Reasoned
from assets.comt.template import identifiers
from assets.schema.analysis_vocabulary import NO_MODEL, PICTURE_MEASURES

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    from assets.analysis.encoders.image_text import ImageText

AT_ONCE = 16
CLIP_SCORE, INTERACTION = PICTURE_MEASURES
Edition = tuple[str, str]


class Shown(NamedTuple):
    """The pictures of a sample by id; None for one that stands there and has none.

    asked: of its question and options, each once. told: of its gold rationale in its order, one shown twice twice.
    """

    asked: tuple[str | None, ...] = ()
    told: tuple[str | None, ...] = ()

    @property
    def ids(self) -> set[str]:
        """All of those that are pictures."""
        return {one for one in (*self.asked, *self.told) if one is not None}


class Looked(NamedTuple):
    """What came of looking at pictures: those of one colour, and the vectors of the others; None without a model."""

    blank: frozenset[str]
    vectors: "Mapping[str, np.ndarray | None]"


class Measured(NamedTuple):
    """Rows of table `alignment`, and how many different pictures were looked at and are all of one colour."""

    rows: list[dict[str, Any]]
    looked_at: int
    of_one_colour: int


def measured(
    replies: Sequence[Reasoned],
    editions: Mapping[str, Edition],
    samples: Mapping[Edition, pa.Table],
    stored: Mapping[Edition, images.Pictures],
    model: "ImageText | None",
    similarity: float,
) -> Measured:
    """Every reply held against the pictures of its sample.

    Args:
        replies: what was written.
        editions: the benchmark and edition that each evaluation was asked.
        samples: table `sample` of each.
        stored: the pictures of each.
        model: compares; None: measures are null, and what could be compared is counted all the same.
        similarity: the cosine from which on a step is about a picture.
    """
    ids: dict[Edition, set[str]] = {}
    for reply in replies:
        ids.setdefault(editions[reply.evaluation], set()).add(reply.sample_id)
    pictures = {edition: shown(samples[edition], ids[edition]) for edition in sorted(ids)}
    wanted = ((stored[edition], set().union(*(one.ids for one in own.values()))) for edition, own in pictures.items())
    looked = look(wanted, model)
    own = {
        (reply.evaluation, reply.sample_id): pictures[editions[reply.evaluation]].get(reply.sample_id, Shown())
        for reply in replies
    }
    return Measured(
        list(rows(replies, own, looked, model, similarity)), len(looked.blank) + len(looked.vectors), len(looked.blank)
    )


def shown(samples: pa.Table, ids: Iterable[str]) -> dict[str, Shown]:
    """The pictures of these samples of a table `sample`, by the sample's id.

    CoMT's `images` hold the pictures of question and rationale together: of those in its rationale only the ones that
    the question names are its own.
    """
    columns = ["id", "question", "images", "choice_images", "rationale", "dropped"]
    wanted = pc.is_in(samples["id"], value_set=pa.array(sorted(set(ids)), pa.string()))
    rows = samples.select(columns).filter(wanted).to_pylist()
    return {row["id"]: _shown(row) for row in rows if row["dropped"] is None}


def _shown(row: Mapping[str, Any]) -> Shown:
    told = tuple(part["image_id"] for part in row["rationale"] or () if part["kind"] == "image")
    named = set(identifiers(row["question"] or "")) if told else set()
    asked = [one for place, one in enumerate(row["images"] or ()) if one not in told or place in named]
    return Shown(tuple(dict.fromkeys((*asked, *(row["choice_images"] or ())))), told)


def look(tables: Iterable[tuple[images.Pictures, Iterable[str]]], model: "ImageText | None") -> Looked:
    """Look at each picture once, some at a time, in the order in which they are stored.

    Args:
        tables: stored pictures, each with the ids that are wanted of them; those that are not there come back nowhere.
        model: makes the vectors.
    """
    blank: set[str] = set()
    vectors: dict[str, np.ndarray | None] = {}
    for table, wanted in tables:
        waiting: dict[str, Image.Image] = {}
        for picture in table.stream(set(wanted) - blank - vectors.keys()):
            if picture.image_id is None or picture.png is None:
                continue
            image = images.on_white(images.decode(picture.png))
            if of_one_colour(image):
                blank.add(picture.image_id)
            else:
                waiting[picture.image_id] = image
            if len(waiting) == AT_ONCE:
                vectors |= _vectors(waiting, model)
                waiting = {}
        vectors |= _vectors(waiting, model)
    return Looked(frozenset(blank), vectors)


def of_one_colour(image: "Image.Image") -> bool:
    """Whether every pixel is the same, as in a picture that a filter has blackened."""
    return image.getcolors(1) is not None


def _vectors(waiting: "Mapping[str, Image.Image]", model: "ImageText | None") -> "dict[str, np.ndarray | None]":
    if model is None or not waiting:
        return dict.fromkeys(waiting)
    return dict(zip(waiting, model.pictures(list(waiting.values())), strict=True))


def rows(
    replies: Sequence[Reasoned],
    pictures: Mapping[tuple[str, str], Shown],
    looked: Looked,
    model: "ImageText | None",
    similarity: float,
) -> Iterator[dict[str, Any]]:
    """Rows of table `alignment`: of each reply one a measure, in their order.

    clip_score compares the whole reply with the pictures of the gold rationale, interaction_steps each of its steps
    with those of question and options. Pictures that are all of one colour, or not stored, are left out and counted.

    Args:
        replies: what was written.
        pictures: by (evaluation, sample id).
        looked: at all of these.
        model: as for `measured`.
        similarity: as for `measured`.
    """
    vectors, cut = _texts((text for reply in replies for text in (_whole(reply), *reply.chain.steps)), model)
    for reply in replies:
        own, steps = pictures[reply.evaluation, reply.sample_id], reply.chain.steps
        for measure, wanted, texts in ((CLIP_SCORE, own.told, (_whole(reply),)), (INTERACTION, own.asked, steps)):
            there = [one for one in wanted if one is not None and one in looked.vectors]
            value: float | None = None
            if model is not None and there and steps:
                value = _value(
                    measure, [vectors[text] for text in texts], [looked.vectors[one] for one in there], similarity
                )
            yield {
                "evaluation": reply.evaluation,
                "sample_id": reply.sample_id,
                "measure": measure,
                "value": value,
                "pictures": len(there),
                "excluded": len(wanted) - len(there),
                "steps": len(steps),
                "truncated": sum(text in cut for text in texts) if value is not None else 0,
                "model": NO_MODEL if model is None else model.name,
            }


def _whole(reply: Reasoned) -> str:
    return " ".join(reply.chain.steps)


def _value(measure: str, texts: "Sequence[Any]", pictures: "Sequence[Any]", similarity: float) -> float | None:
    import numpy as np

    said, seen = np.stack(texts), np.stack(pictures)
    return clip_score(said[0], seen) if measure == CLIP_SCORE else interaction_steps(said, seen, similarity)


def _texts(texts: Iterable[str], model: "ImageText | None") -> "tuple[dict[str, np.ndarray], set[str]]":
    """The vector of each text, and the texts that were cut."""
    different = [text for text in dict.fromkeys(texts) if text]
    if model is None or not different:
        return {}, set()
    encoded = model.texts(different)
    cut = {text for text, truncated in zip(different, encoded.truncated, strict=True) if truncated}
    return dict(zip(different, encoded.vectors, strict=True)), cut


def counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """By measure the replies, and of them those that could be compared, have a value, or leave a picture out."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        own = found.setdefault(row["measure"], dict.fromkeys(("replies", "comparable", "with_a_value", "excluding"), 0))
        own["replies"] += 1
        own["comparable"] += row["pictures"] > 0 and row["steps"] > 0
        own["with_a_value"] += row["value"] is not None
        own["excluding"] += row["excluded"] > 0
    return found


def why(model: "ImageText | None") -> str:
    """What compared, or what to do so that something does."""
    if model is not None:
        return model.name
    return f"{NO_MODEL}: name one in analysis.alignment.model, and both measures are computed"
