"""What shows that a model looks: its answers with other pictures, with blank ones, and guesses, beside its own."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assets.evaluation.baselines import drawn
from assets.evaluation.rows import Item
from assets.schema.sample import LETTERS, Sample
from assets.schema.vocabulary import CONTROLS
from assets.statistics import mcnemar
from assets.training import examples

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.answerer import Answerer

_AT_ONCE = 64


def shuffled(image_ids: Sequence[str | None], seed: int) -> list[str | None]:
    """Pictures in a seeded order in which none stays where it was, as far as there are others to take its place.

    What has no picture gets none. The result does not depend on anything but ids, order and seed.
    """
    places = [place for place, image_id in enumerate(image_ids) if image_id is not None]
    groups: dict[str, list[int]] = defaultdict(list)
    for place in places:
        groups[image_ids[place] or ""].append(place)
    order = list(groups)
    random.Random(f"{seed}/order").shuffle(order)
    around = [place for image_id in order for place in groups[image_id]]
    # A turn by as many as show the commonest picture takes every picture past those that are the same.
    turn = max(map(len, groups.values()), default=0)
    found: list[str | None] = [None] * len(image_ids)
    for number, place in enumerate(around):
        found[place] = image_ids[around[(number + turn) % len(around)]]
    return found


def report(
    folder: Path,
    samples: Sequence[Sample],
    images: "Pictures",
    split: str = "test",
    seed: int = 1,
    base: str | None = None,
) -> list[dict[str, Any]]:
    """A row a control and scope: {control, scope, name, n, correct, accuracy, p}; p is None of `seen` itself.

    The samples are the kept ones of the split that can be asked, once each control: `seen` is the checkpoint as it
    is, `shuffled` with each sample's picture taken from another one, `blank` without one, `random` a guess. What
    chooses no option is wrong. p is that of the exact McNemar test against `seen` on the same samples. Scopes: total,
    topic, subtopic, category. base: of an adapter, where the checkpoint is that it was fitted to.

    Raises:
        CheckpointError: the folder holds no whole checkpoint.
    """
    ordered = sorted((one for one in samples if one.split == split), key=lambda one: one.id or "")
    found = [(sample, one) for sample in ordered if (one := examples.of_sample(sample)) is not None]
    from assets.training import families

    right = _right(families.load(folder, base), [one for _, one in found], images, seed)
    rows: list[dict[str, Any]] = []
    for (scope, name), places in _scopes([sample for sample, _ in found]).items():
        for control in CONTROLS:
            own, seen = right[control], right["seen"]
            correct = sum(own[place] for place in places)
            only_seen = sum(seen[place] and not own[place] for place in places)
            only_own = sum(own[place] and not seen[place] for place in places)
            rows.append(
                {
                    "control": control,
                    "scope": scope,
                    "name": name,
                    "n": len(places),
                    "correct": correct,
                    "accuracy": correct / len(places),
                    "p": None if control == "seen" else mcnemar(only_seen, only_own),
                }
            )
    return rows


def _right(
    answerer: "Answerer", found: Sequence[examples.Example], images: "Pictures", seed: int
) -> Mapping[str, Sequence[bool]]:
    from assets.images import decode

    own = [one.asked.image_id for one in found]
    wanted = {image_id for image_id in own if image_id}
    features: dict[str | None, Any] = {None: answerer.features(None)}
    features |= {row.image_id: answerer.features(decode(row.png)) for row in images.stream(wanted) if row.png}
    looked_at: dict[str, list[str | None]] = {"seen": own, "shuffled": shuffled(own, seed), "blank": [None] * len(own)}
    right: dict[str, list[bool]] = {}
    for control, image_ids in looked_at.items():
        right[control] = []
        for at in range(0, len(found), _AT_ONCE):
            some = found[at : at + _AT_ONCE]
            asked = [one.asked for one in some]
            shown = [features[image_id] for image_id in image_ids[at : at + _AT_ONCE]]
            chosen = answerer.answers(asked, answerer.rationales(asked, shown), shown)
            right[control] += [number == one.answer for number, one in zip(chosen, some, strict=True)]
    guesses = [drawn(Item(one.asked.id, one.asked.choices, "", None, None, None, None), seed) for one in found]
    right["random"] = [letter == LETTERS[one.answer] for letter, one in zip(guesses, found, strict=True)]
    return right


def _scopes(samples: Sequence[Sample]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {("total", "total"): list(range(len(samples)))} if samples else {}
    for scope in ("topic", "subtopic", "category"):
        names: dict[str, list[int]] = defaultdict(list)
        for place, sample in enumerate(samples):
            name = getattr(sample, scope)
            if name is not None:
                names[name].append(place)
        found |= {(scope, name): names[name] for name in sorted(names)}
    return found
