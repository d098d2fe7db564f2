"""The released dialogues of M3CoT against the strategies' variants: how many asks come out byte for byte.

The options in a released prompt are not always those of its record, and records of one item differ between files. So
each item is asked twice: with the options of the record, and with those that stand in its own prompt.
"""

import gzip
import itertools
import json
import re
from pathlib import Path

import pytest
from imagehash import phash
from PIL import Image

from assets.evaluation.dialogue_m3cot import asks
from assets.evaluation.shots import NEAR
from assets.evaluation.strategy_m3cot import manner, manners
from assets.image_modes import plain
from assets.models.model import REPLY
from assets.schema.sample import Sample
from assets.sources import jsonlines, m3cot_released

RELEASED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "m3cot_released"

pytestmark = pytest.mark.skipif(not RELEASED.is_dir(), reason="the slice of released files is not here")

ITEMS = 2318
STRATEGY = {"direct": "direct", "cot": "cot", "dsp": "desp-cot", "ccot": "ccot"}

# by file: the variant; first asks that come out with the record's options; second asks released, and that come out
FOUND = {
    "cogvlm/cot": ("cogvlm", 2301, 2318, 2318),
    # the last 178 second asks are worded as those of desp-cot
    "cogvlm/direct": ("cogvlm", 2275, 2318, 2140),
    "cogvlm/dsp": ("cogvlm", 2303, 2318, 2318),
    "gemini/cot": ("gemini", 2303, 0, 0),
    "gemini/direct": ("gemini", 2303, 0, 0),
    # 277 dialogues have no second ask; 86 questions of the others hold a second block, of which the released second
    # ask has the question alone
    "gemini/dsp": ("gemini", 2303, 2041, 1955),
    "gpt4v/direct": ("gpt4v", 2296, 0, 0),
    "instruct-blip-13b/cot": ("instruct-blip", 2275, 0, 0),
    "instruct-blip-13b/direct": ("instruct-blip", 2275, 0, 0),
    # 93 questions hold a second block, as above
    "instruct-blip-13b/dsp": ("instruct-blip", 2303, 2318, 2225),
    "instruct-blip-7b/cot": ("instruct-blip", 2296, 0, 0),
    "instruct-blip-7b/direct": ("instruct-blip", 2275, 0, 0),
    "kosmos-2/cot": ("kosmos-2", 2303, 0, 0),
    "kosmos-2/direct": ("kosmos-2", 2303, 0, 0),
    "kosmos-2/dsp": ("kosmos-2", 2303, 2318, 2318),
    # of ccot the second ask is not in the files
    "llava-13b/ccot": ("llava", 2303, 0, 0),
    "llava-13b/cot": ("llava", 2303, 2318, 2318),
    "llava-13b/direct": ("llava", 2296, 2318, 2318),
    "llava-13b/dsp": ("llava", 2303, 2318, 2318),
    "llava-7b/ccot": ("llava", 2303, 0, 0),
    "llava-7b/cot": ("llava", 2296, 2318, 2318),
    "llava-7b/direct": ("llava", 2296, 2318, 2318),
    "llava-7b/dsp": ("llava", 2303, 2318, 2318),
    "openflamingo/cot": ("openflamingo", 2303, 0, 0),
}
# science items, not of biology, that have no second block in their question
WITHOUT_INNER = {
    "figurative-language-72",
    "cognitive-science-467",
    *(f"chemistry-{number}" for number in (116, 140, 149, 157, 159, 200, 258)),
}
_WORDS = re.compile(r"\n\n(?:Let's think|Describe the image|For the provided)")


@pytest.fixture(scope="module")
def items():
    file = RELEASED / "test_items.jsonl.gz"
    found = m3cot_released.samples(jsonlines.read(file, file.name), file=file.name)
    return {sample.id: sample._replace(images=("picture",)) for sample in found if sample.dropped is None}


def records(name):
    with gzip.open(RELEASED / "predictions" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def in_prompt(prompt):
    listed = _WORDS.split(prompt.rpartition("[Choices]\n")[2])[0]
    return tuple(re.split(r"(?:^|\n)\([A-F]\) ", listed)[1:])


def told(ask, reply=""):
    return "".join(reply if part == REPLY else part.text or "" for part in ask.parts)


def test_every_released_file_has_its_variant():
    files = {f"{path.parent.name}/{path.name.partition('.')[0]}" for path in RELEASED.glob("predictions/*/*.gz")}
    assert files == set(FOUND)
    wanted = {(STRATEGY[name.partition("/")[2]], variant) for name, (variant, *_) in FOUND.items()}
    ours = {(name, variant) for name, variants in manners().items() for variant in variants if variant != "default"}
    assert wanted == ours


@pytest.mark.parametrize("name", FOUND)
def test_the_released_asks_come_out_byte_for_byte(name, items):
    variant, first, released, second = FOUND[name]
    said = manner(STRATEGY[name.partition("/")[2]], variant)
    counted = [0, 0, 0]
    differing = set()
    for record in records(name):
        item: Sample = items[record["id"]]
        prompt, *rest = record["messages"]
        shown = asks(item._replace(choices=tuple(record.get("choices") or item.choices)), said)
        counted[0] += told(shown[0]) == prompt
        # 275 replies of gemini stand there as their characters, and one dialogue of cogvlm has no last reply
        if len(rest) in (2, 3):
            counted[1] += 1
            counted[2] += told(shown[1], rest[0]) == rest[1]
        if told(asks(item._replace(choices=in_prompt(prompt)), said)[0]) != prompt:
            differing.add(record["id"])
    assert counted == [first, released, second]
    assert differing == WITHOUT_INNER
    assert len(items) == ITEMS


def test_copies_of_real_pictures_are_nearer_than_the_bound_for_shots():
    pictures = [plain(Image.open(path)) for path in sorted(RELEASED.parent.glob("scienceqa/images/test/*/*.png"))[:60]]
    assert len(pictures) == 60
    hashes = [phash(one) for one in pictures]
    copies = [phash(one.resize((max(8, one.width // 2), max(8, one.height // 2)))) for one in pictures]
    assert [a - b for a, b in zip(hashes, copies, strict=True) if a - b > NEAR] == []
    pairs = [a - b for a, b in itertools.combinations(hashes, 2)]
    # of 1770 pairs; ScienceQA draws many of its pictures, such as those of magnets, after one pattern
    assert sum(one <= NEAR for one in pairs) < 90
