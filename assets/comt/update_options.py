"""The pool of whole-shape labels, and the three wrong ones that stand beside a right one."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from assets.tangram_labels import near, stems, words

WRONG = 3
_LOOKS = 100


class Asked(NamedTuple):
    """A sample that wants wrong options: the tangram, its right label, and what its parts are called."""

    sample_id: str
    tangram: str
    label: str
    parts: tuple[str, ...]


class Pool:
    """The usable whole labels of all tangrams.

    A label can stand beside those of a tangram if it could not be taken for anything that anybody said about that
    tangram, and beside another wrong one if the two could not be taken for each other, as `tangram_labels.alike`
    has it.
    """

    def __init__(self, said: Mapping[str, Sequence[str]], usable: Callable[[str], bool]) -> None:
        """Take what was said of each tangram, usable or not, and which of it is usable."""
        self.said = said
        self.labels = sorted({label for labels in said.values() for label in labels if usable(label)})
        self._bit = {label: 1 << place for place, label in enumerate(self.labels)}
        self._holding: dict[str, int] = {}
        for label in self.labels:
            for word in words(label):
                self._holding[word] = self._holding.get(word, 0) | self._bit[label]
        self._near = near({word for labels in said.values() for label in labels for word in words(label)})
        self.alike = lru_cache(maxsize=65_536)(self._alike)

    def suffices(self, tangram: str) -> bool:
        """Whether three labels can stand beside each other and beside what was said of the tangram."""
        return self._completed((), self._free(tangram), self.labels) is not None

    def wrong(self, asked: Sequence[Asked], seed: int) -> dict[str, tuple[str, ...]]:
        """Three wrong labels for each sample, by its id; what is right of one is wrong of others, about evenly.

        A label that is right n times is dealt about 3 n times as a wrong one, so that none stands out by how often it
        is shown. Labels with a word that this leaves too little room for (people: on the slice 239 of 681 right
        labels are of people, and such a label can stand beside 187 others, not 574) are dealt wherever they can
        stand, and the others somewhat more often in turn. Of labels that are next, one that shares a word with the
        parts goes first, as right ones often do.

        Raises:
            ValueError: a tangram has no three labels; `suffices` says so beforehand.
        """
        dice = random.Random(f"{seed}/wrong")
        order = dice.sample(list(asked), len(asked))
        crowded = self._crowded(order)
        scarce, common = self._dealt(order, crowded, dice)
        found = {}
        for each in order:
            free = self._free(each.tangram)
            told = {word for part in each.parts for word in stems(part)}
            chosen: list[str] = []
            for hand in (scarce, common, common, common):
                if len(chosen) < WRONG and (label := self._next(hand, free, told, dice)):
                    chosen.append(label)
                    free &= ~self.alike(label)
            any_order = dice.sample(self.labels, len(self.labels)) if len(chosen) < WRONG else ()
            whole = self._completed(tuple(chosen), free, any_order) or self._completed(
                (), self._free(each.tangram), any_order
            )
            if whole is None:
                raise ValueError(f"{each.tangram}: the pool has no three labels for it: ask `suffices` first")
            found[each.sample_id] = tuple(dice.sample(whole, WRONG))
        return found

    def _crowded(self, asked: Sequence[Asked]) -> int:
        """The labels, as bits, with a word that is right too often to be wrong three times as often."""
        right = Counter(word for each in asked for word in words(each.label))
        room = Counter[str]()
        for tangram, times in Counter(each.tangram for each in asked).items():
            free = self._free(tangram)
            room.update({word: times for word, holding in self._holding.items() if free & holding})
        found = 0
        for word, times in right.items():
            if WRONG * times > room[word]:
                found |= self._holding.get(word, 0)
        return found

    def _dealt(self, asked: Sequence[Asked], crowded: int, dice: random.Random) -> tuple[list[str], list[str]]:
        """The labels to deal, each as often as it is wanted: those that are crowded, and the others."""
        right = Counter(each.label for each in asked)
        scarce = [label for label, times in sorted(right.items()) if crowded & self._bit[label]]
        others = [label for label in sorted(right) if not crowded & self._bit[label]]
        places = sum(1 for each in asked if self._free(each.tangram) & crowded)
        scarce_hand = [label for label in scarce for _ in range(WRONG * right[label])]
        slots = WRONG * len(asked) - min(places, len(scarce_hand))
        share = slots / max(1, sum(right[label] for label in others))
        return scarce_hand, [label for label in others for _ in range(int(share * right[label] + dice.random()))]

    def _next(self, hand: list[str], free: int, told: set[str], dice: random.Random) -> str | None:
        """A label of the hand that is free, taken out of it; None if there is none."""
        found: list[int] = []
        for _ in range(_LOOKS if hand else 0):
            place = dice.randrange(len(hand))
            if free & self._bit[hand[place]]:
                found.append(place)
                if not told.isdisjoint(stems(hand[place])):
                    found = [place]
                    break
        if not found:
            found = [place for place, label in enumerate(hand) if free & self._bit[label]][:1]
        if not found:
            return None
        hand[found[0]], hand[-1] = hand[-1], hand[found[0]]
        return hand.pop()

    def _free(self, tangram: str) -> int:
        taken = 0
        for label in self.said[tangram]:
            taken |= self.alike(label)
        return (1 << len(self.labels)) - 1 & ~taken

    def _alike(self, label: str) -> int:
        """The labels of the pool that could be taken for this one, as bits."""
        found = 0
        for word in words(label):
            for kin in self._near.get(word, (word,)):
                found |= self._holding.get(kin, 0)
        return found

    def _completed(self, chosen: tuple[str, ...], free: int, order: Sequence[str]) -> tuple[str, ...] | None:
        if len(chosen) == WRONG:
            return chosen
        for label in order:
            if free & self._bit[label]:
                # of this label and those before it, all that can be found has been
                free &= ~self._bit[label]
                if found := self._completed((*chosen, label), free & ~self.alike(label), order):
                    return found
        return None
