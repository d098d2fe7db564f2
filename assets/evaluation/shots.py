"""Which solved samples of M3CoT may stand before a question: of its category, and not the question itself in disguise.

A sample is nearly another one where options and question are the same up to case and space, where they share a
picture, or where their questions are the same and two of their pictures look alike. The authors' release measures
that by perceptual hashes, of 64 bits each: see `NEAR`.
"""

import random
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from assets.evaluation.dialogue_parts import DEVELOPMENT, Album, Choice, DialogueError, pictures_of
from assets.schema.sample import Sample

NEAR = 10
"""Bits in which the perceptual hashes of two pictures that look alike may differ, of 64.

Measured: of 388 pictures of ScienceQA and TabMWP, 1,160 of 1,164 copies of half and twice the size and as JPEG of
quality 50 are within it, and 1 in 100 pairs of different ones. Under the same question a different one that looks as
alike is refused too, which costs a shot and gives nothing away.
"""


class Shelf:
    """The development samples of M3CoT to choose from, with what tells them apart.

    A sample is on it if it was kept and is of split validation, whatever the release calls that.
    """

    def __init__(self, dev: Iterable[Sample], pictures: Album | None) -> None:
        """Take the samples, in whatever order; `pictures` are looked at where two questions are the same."""
        kept = [one for one in dev if one.dropped is None and one.split in DEVELOPMENT]
        self._samples = sorted(kept, key=lambda one: one.id or "")
        self._pictures = pictures
        self._hashes: dict[str, int] = {}

    def choice(self, sample: Sample, k: int, seed: int) -> Choice:
        """`k` solved samples to show before `sample`, in the order to show them.

        They are of its category; where that has too few, the rest are of its topic. Seed and sample id alone decide
        which, and those of k are the first of those of k + 1.

        Raises:
            DialogueError: fewer than `k` are left, or the pictures of two samples cannot be compared.

        Source: arXiv:2405.16473, B.2.2: "we only randomly select samples under the same categories from the
        development set". That a topic helps out is ours.
        """
        if k < 0:
            raise DialogueError(f"{sample.id}: {k} samples cannot be shown: ask for 0 or more")
        if k == 0:
            return Choice(())
        own = [one for one in self._samples if sample.category and one.category == sample.category]
        others = [
            one
            for one in self._samples
            if sample.topic and one.topic == sample.topic and not (sample.category and one.category == sample.category)
        ]
        found: list[Sample] = []
        of_category = refused = 0
        for place, group in enumerate((own, others)):
            for one in self._shuffled(group, f"{seed}/{sample.id}/{place}"):
                if len(found) == k:
                    break
                if self.alike(one, sample):
                    refused += 1
                else:
                    found.append(one)
            if place == 0:
                of_category = len(found)
        if len(found) < k:
            raise DialogueError(
                f"{sample.id}: {k} samples are to be shown before it, and of the {len(own)} of category "
                f"{sample.category or 'none'} and {len(others)} others of topic {sample.topic or 'none'} in the "
                f"development set {len(found)} are not the same or nearly: ask for {len(found)} or fewer, or add more"
            )
        return Choice(tuple(found), k - of_category, refused)

    def alike(self, one: Sample, other: Sample) -> bool:
        """Whether a sample is the other one, or nearly.

        Raises:
            DialogueError: their questions are the same, and there are no pictures to tell them apart by.
        """
        if one.id == other.id or not pictures_of(one).isdisjoint(pictures_of(other)):
            return True
        if plain(one.question or "") != plain(other.question or ""):
            return False
        if sorted(map(plain, map(str, one.choices or ()))) == sorted(map(plain, map(str, other.choices or ()))):
            return True
        hashes = [[self._hash(image_id, sample) for image_id in sorted(pictures_of(sample))] for sample in (one, other)]
        return any((a ^ b).bit_count() <= NEAR for a in hashes[0] for b in hashes[1])

    def _hash(self, image_id: str, sample: Sample) -> int:
        if image_id not in self._hashes:
            if self._pictures is None:
                raise DialogueError(
                    f"{sample.id}: a shot has its question, and pictures tell whether it is the same: give the pictures"
                )
            if image_id not in self._pictures:
                raise DialogueError(
                    f"{sample.id}: its picture {image_id} is not there: give it, or leave the sample out"
                )
            from imagehash import phash

            self._hashes[image_id] = int(str(phash(self._pictures.image(image_id))), 16)
        return self._hashes[image_id]

    @staticmethod
    def _shuffled(group: Sequence[Sample], seed: str) -> Iterator[Sample]:
        order = list(group)
        random.Random(seed).shuffle(order)
        yield from order


@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """The text as it is compared: NFKC, case folded, spaces collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
