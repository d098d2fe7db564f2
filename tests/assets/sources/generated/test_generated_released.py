import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assets.sources.generated.released import DEFECTS, ITEM_DEFECTS, defect_counts, draw
from assets.sources.generated.released_items import LETTERS
from assets.sources.generated.released_replies import FULL_KEYS

SEED, ITEMS = 11, 400


def entry(model: str, strategy: str, skill: float, form: str, defects: float = 0.0) -> dict[str, object]:
    return {"model": f"generated-{model}", "strategy": strategy, "skill": skill, "form": form, "defects": defects}


REPLIES = {
    "lively_direct": entry("lively", "direct", 0.57, "lettered_rationale"),
    "lively_cot": entry("lively", "cot", 0.64, "thinking"),
    "spaced_direct": entry("spaced", "direct", 0.46, "spaced_reject"),
    "spaced_desp_cot": entry("spaced", "desp-cot", 0.48, "split_reject"),
    "closing_direct": entry("closing", "direct", 0.39, "letter_token"),
    "closing_cot": entry("closing", "cot", 0.43, "steps_token", 0.0175),
    "closing_ccot": entry("closing", "ccot", 0.37, "bare_letter"),
    "lower_direct": entry("lower", "direct", 0.36, "lower_case", 0.02),
    "echoing_direct": entry("echoing", "direct", 0.33, "prompt_echo"),
    "echoing_desp_cot": entry("echoing", "desp-cot", 0.30, "empty_reply"),
    "brief_cot": entry("brief", "cot", 0.31, "letter_newline", 0.05),
    "paired_cot": entry("paired", "cot", 0.41, "two_turns"),
}
ITEM_KEYS = [*FULL_KEYS[:-1], "provenance"]
RELEASED_KEY_SETS = [
    set(FULL_KEYS),
    {"id", "domain", "topic", "choices", "answer", "messages"},
    {"id", "domain", "topic", "messages"},
]
REAL_NAMES = ["gpt", "gemini", "cogvlm", "llava", "blip", "kosmos", "flamingo", "openai", "scienceqa", "m3cot"]


@dataclass(frozen=True)
class World:
    folder: Path
    paths: list[Path]
    lines: dict[str, list[str]]

    def records(self, name: str) -> list[dict[str, Any]]:
        return [record for line in self.lines[name] if isinstance(record := parsed(line), dict)]

    def last(self, name: str) -> list[str]:
        return [record["messages"][-1] for record in self.records(name) if "messages" in record]

    @property
    def items(self) -> dict[str, dict[str, Any]]:
        return {record["id"]: record for record in self.records("items")}


def parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def bytes_by_name(folder: Path, paths: list[Path]) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def read_lines(path: Path) -> list[str]:
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return text[:-1].split("\n")


def file_of(replies: dict[str, object]) -> str:
    prompts = {"desp-cot": "dsp"}
    return f"predictions/{replies['model']}/{prompts.get(str(replies['strategy']), replies['strategy'])}.jsonl"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("released")
    paths = draw(folder, seed=SEED, items=ITEMS, replies=REPLIES)
    lines = {name: read_lines(folder / file_of(replies)) for name, replies in REPLIES.items()}
    return World(folder, paths, {"items": read_lines(folder / "test_items.jsonl"), **lines})


def test_the_files_are_where_the_release_has_them(world: World) -> None:
    expected = {"test_items.jsonl", *(file_of(replies) for replies in REPLIES.values())}
    assert {str(path.relative_to(world.folder)) for path in world.paths} == expected
    assert world.paths == sorted(world.paths)
    assert sorted(path for path in world.folder.rglob("*") if path.is_file()) == world.paths


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(world: World, tmp_path: Path) -> None:
    again = draw(tmp_path / "again", seed=SEED, items=ITEMS, replies=dict(reversed(REPLIES.items())))
    assert bytes_by_name(tmp_path / "again", again) == bytes_by_name(world.folder, world.paths)
    other = bytes_by_name(tmp_path / "other", draw(tmp_path / "other", seed=12, items=ITEMS, replies=REPLIES))
    assert all(other[name] != data for name, data in bytes_by_name(world.folder, world.paths).items())


def test_another_entry_leaves_the_bytes_of_the_other_files_alone(world: World, tmp_path: Path) -> None:
    more = REPLIES | {"a_further_one": entry("further", "cot", 0.5, "lettered_steps", 0.1)}
    drawn = bytes_by_name(tmp_path, draw(tmp_path, seed=SEED, items=ITEMS, replies=more))
    assert drawn.pop("predictions/generated-further/cot.jsonl")
    assert drawn == bytes_by_name(world.folder, world.paths)


def test_the_whole_stays_under_five_megabytes(world: World) -> None:
    assert sum(path.stat().st_size for path in world.paths) < 5_000_000


def test_items_have_the_keys_of_the_release_and_say_generated(world: World) -> None:
    for item in world.items.values():
        assert list(item) == ITEM_KEYS
        assert item["provenance"].startswith("generated")
        assert item["image_id"].startswith("generated-")
        assert item["category"].startswith("generated") or item["category"] == ""
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*-\d+", item["id"])
        assert item["answer"] in LETTERS[: len(item["choices"])]


def test_unreadable_item_lines_are_as_many_as_declared(world: World) -> None:
    assert len(world.items) == ITEMS
    assert len(world.lines["items"]) == ITEMS + len(ITEM_DEFECTS)
    assert [parsed(line) is None for line in world.lines["items"]].count(True) == 2


def test_every_topic_has_twelve_items_and_options_and_labels_are_in_proportion(world: World) -> None:
    items = world.items.values()
    topics = Counter(item["topic"] for item in items)
    assert len(topics) == 9
    assert min(topics.values()) >= 12
    assert Counter(len(item["choices"]) for item in items) == {2: 25, 3: 135, 4: 215, 5: 25}
    labels = Counter(item["answer"] for item in items)
    released = {"A": 683, "B": 688, "C": 642, "D": 275, "E": 30}
    assert all(abs(labels[letter] / ITEMS - count / 2318) < 0.06 for letter, count in released.items())
    assert {item["domain"] for item in items} == {"science", "commonsense", "mathematics"}


def test_items_have_the_quirks_of_the_release(world: World) -> None:
    items = list(world.items.values())
    assert any(item["category"] == "" for item in items)
    assert 0.4 < sum(item["context"] == "" for item in items) / ITEMS < 0.65
    assert any(len({choice.lower() for choice in item["choices"]}) < len(item["choices"]) for item in items)
    assert any(a != b and a in b for item in items for a in item["choices"] for b in item["choices"])
    assert any(len(choice) <= 2 for item in items for choice in item["choices"])
    assert any(item["choices"][-1].startswith("none of") for item in items)
    assert len({item["image_id"] for item in items}) < ITEMS
    assert any("\n" in item["question"] and "<QUESTION>" not in item["question"] for item in items)
    nested = [item["question"] for item in items if item["question"].startswith("<QUESTION>\n")]
    assert nested
    assert all("\n\n<CHOICE>\n(A) " in question and "\n\n<CONTEXT>\n" in question for question in nested)


def test_options_of_an_item_are_distinct_even_if_only_by_case(world: World) -> None:
    assert all(len(set(item["choices"])) == len(item["choices"]) for item in world.items.values())


@pytest.mark.parametrize("name", REPLIES)
def test_defects_are_exactly_as_declared(world: World, name: str) -> None:
    declared = defect_counts(float(str(REPLIES[name]["defects"])), ITEMS)
    lines = world.lines[name]
    records = world.records(name)
    ids = Counter(record["id"] for record in records if "id" in record)
    readable = [line for line in lines if line and parsed(line) is not None]
    unparsable = len(lines) - len(readable) - lines.count("")
    no_id = sum("id" not in record for record in records)
    found = {
        "unparsable": unparsable,
        "blank": lines.count(""),
        "duplicate": sum(count - 1 for count in ids.values()),
        "unknown_id": len(set(ids) - set(world.items)),
        "absent": len(set(world.items) - set(ids)) - unparsable - no_id,
        "no_id": no_id,
        "no_messages": sum("messages" not in record for record in records),
    }
    assert {kind: count for kind, count in found.items() if count} == declared


def test_the_proposed_entries_show_every_kind_of_defect() -> None:
    kinds = {kind for replies in REPLIES.values() for kind in defect_counts(float(str(replies["defects"])), ITEMS)}
    assert kinds == set(DEFECTS)


def test_a_share_of_defects_above_nought_always_shows() -> None:
    assert defect_counts(0.0, 400) == {}
    assert defect_counts(0.0001, 400) == {"unparsable": 1}
    assert sum(defect_counts(0.05, 400).values()) == 20


@pytest.mark.parametrize("name", REPLIES)
def test_records_without_a_defect_follow_the_items_with_keys_of_the_release(world: World, name: str) -> None:
    if REPLIES[name]["defects"] == 0.0:
        assert [record["id"] for record in world.records(name)] == list(world.items)
    sound = [record for record in world.records(name) if "id" in record and "messages" in record]
    assert all(set(record) in RELEASED_KEY_SETS for record in sound)
    assert all(isinstance(message, str) for record in sound for message in record["messages"])
    ids = set(world.items)
    known = [record for record in sound if record["id"] in ids]
    assert all(record.get("answer", item["answer"]) == item["answer"] for record, item in joined(known, world))
    assert all(record["topic"] == item["topic"] for record, item in joined(known, world))


def joined(records: list[dict[str, Any]], world: World) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    items = world.items
    return [(record, items[record["id"]]) for record in records]


def test_key_sets_are_full_and_short_and_their_order_differs_by_file_and_within_files(world: World) -> None:
    orders = {name: {tuple(record) for record in world.records(name)} for name in ("lively_direct", "closing_ccot")}
    assert orders["lively_direct"] == {FULL_KEYS}
    assert orders["closing_ccot"] == {("id", "answer", "choices", "domain", "topic", "messages")}
    assert {tuple(record) for record in world.records("spaced_direct")} == {
        ("id", "domain", "topic", "choices", "answer", "messages")
    }
    paired = [tuple(record)[1] for record in world.records("paired_cot")]
    assert paired == ["answer"] * 370 + ["messages"] * 30


def test_rationales_end_in_parenthesised_letters_and_some_name_several(world: World) -> None:
    letters = [set(re.findall(r"\(([A-E])\)", reply)) for reply in world.last("lively_direct")]
    assert sum(len(found) == 1 for found in letters) > 200
    assert sum(len(found) > 1 for found in letters) >= 72
    assert sum(not found for found in letters) >= 36


def test_some_replies_deny_a_letter_after_the_answer(world: World) -> None:
    assert any(re.search(r"answer is \([A-E]\), not \([A-E]\)\.$", reply) for reply in world.last("lively_direct"))


def test_some_replies_are_an_option_text_and_nothing_else(world: World) -> None:
    replies = [(record["messages"][-1], record["choices"]) for record in world.records("closing_ccot")]
    assert sum(reply in choices for reply, choices in replies) >= 12


def test_lower_case_letters_in_parentheses_open_the_replies(world: World) -> None:
    assert sum(bool(re.match(r"\([a-e]\) ", reply)) for reply in world.last("lower_direct")) > 300


def test_letter_and_end_token_are_what_the_published_rule_cannot_read(world: World) -> None:
    bare = [r for r in world.records("closing_direct") if re.fullmatch(r"[A-E]</s>", r["messages"][-1])]
    assert len(bare) == 180
    assert sum(record["messages"][-1][0] == record["answer"] for record in bare) > 50
    assert all(reply.endswith("</s>") for reply in world.last("closing_direct"))


def test_bare_letters_stand_alone_or_before_a_newline_and_a_bracket(world: World) -> None:
    assert sum(bool(re.fullmatch(r"[A-E]", reply)) for reply in world.last("closing_ccot")) > 200
    brief = world.last("brief_cot")
    assert sum(bool(re.fullmatch(r"[A-E] \n\[", reply)) for reply in brief) > 300
    assert max(map(len, brief)) <= 11


def test_prompts_are_echoed_whole_and_in_part(world: World) -> None:
    echoes = world.last("echoing_direct")
    assert sum(reply.startswith("[Context] ") and "[Choices] (A) " in reply for reply in echoes) > 200
    assert sum("[Choices] (A) " in reply and "[Context]" not in reply for reply in echoes) > 40
    assert all("\n" not in reply for reply in echoes)


def test_dialogues_have_one_turn_or_two(world: World) -> None:
    assert {len(record["messages"]) for record in world.records("lively_direct")} == {2}
    assert {len(record["messages"]) for record in world.records("closing_direct")} == {4}


def test_replies_start_with_a_space_or_are_rejects(world: World) -> None:
    starts = Counter(reply[0] for reply in world.last("spaced_direct"))
    assert starts == {" ": 394, "R": 6}
    assert world.last("spaced_direct").count("REJECT") == 6


def test_split_rejects_are_five_letters_after_the_prompt(world: World) -> None:
    split = [record["messages"] for record in world.records("spaced_desp_cot") if len(record["messages"]) == 6]
    assert len(split) == 48
    assert all(messages[1:] == ["E", "J", "E", "C", "T"] for messages in split)


def test_second_turns_may_be_asked_afresh_with_the_description(world: World) -> None:
    asked = [r["messages"] for r in world.records("spaced_desp_cot") if len(r["messages"]) == 4]
    assert all(f"[Description] {messages[1]}\n" in messages[2] for messages in asked)
    assert all(messages[2].endswith("[Answer]") for messages in asked)


def test_two_records_lack_choices_and_answer(world: World) -> None:
    bare = [record for record in world.records("spaced_desp_cot") if "choices" not in record]
    assert [len(record["messages"]) for record in bare] == [2, 2]
    assert all("answer" not in record for record in bare)


def test_last_replies_may_be_empty(world: World) -> None:
    assert world.last("echoing_desp_cot").count("") == 396


def test_some_replies_refuse(world: World) -> None:
    refusal = re.compile(r"^(Sorry|I cannot|I am unable)")
    assert sum(bool(refusal.search(reply)) for reply in world.last("lively_direct")) == 8


def test_one_dialogue_has_three_messages_and_one_reply_is_thousands_of_zeros(world: World) -> None:
    assert Counter(len(record["messages"]) for record in world.records("paired_cot")) == {4: 399, 3: 1}
    assert [len(reply) for reply in world.last("paired_cot") if set(reply) == {"0"}] == [3000]


def test_choices_of_some_records_differ_from_the_items_even_in_number(world: World) -> None:
    ids = set(world.items)
    records = [record for record in world.records("lower_direct") if record.get("id") in ids]
    pairs = [(record["choices"], item["choices"]) for record, item in joined(records, world)]
    assert any(len(theirs) == len(ours) and theirs != ours for theirs, ours in pairs)
    assert any(len(theirs) < len(ours) for theirs, ours in pairs)
    assert any(len(set(theirs)) < len(theirs) for theirs, _ in pairs)


def test_questions_of_some_full_records_are_paraphrased_and_pictures_named_otherwise(world: World) -> None:
    pairs = joined(world.records("echoing_desp_cot"), world)
    assert sum(record["question"] != item["question"] for record, item in pairs) == 16
    assert all(r["image_id"] == f"{item['domain']}-{item['topic']}-{item['image_id']}" for r, item in pairs)


def test_options_in_the_prompt_are_worded_otherwise_in_about_six_of_ten(world: World) -> None:
    pairs = joined(world.records("lively_direct"), world)
    same = [
        record["messages"][0].endswith("\n".join(f"({c}) {t}" for c, t in zip(LETTERS, item["choices"], strict=False)))
        for record, item in pairs
    ]
    assert 0.5 < same.count(False) / len(same) < 0.7


def test_most_science_prompts_hold_a_second_block_of_question_choices_and_context(world: World) -> None:
    prompts = [r["messages"][0] for r in world.records("lively_direct") if r["domain"] == "science"]
    nested = [text for text in prompts if "[Question]\n<QUESTION>\n" in text and "<CHOICE>" in text]
    assert 0.7 < len(nested) / len(prompts) < 0.95
    assert all("[Context]" not in text for text in nested)


def test_long_chains_speak_of_persons_after_the_answer(world: World) -> None:
    replies = [reply for reply in world.last("closing_cot") if "person(s)" in reply]
    assert len(replies) >= 3
    assert all(reply.count("Step ") >= 3 and reply.rindex("person(s)") > reply.rindex("answer is") for reply in replies)


def test_replies_think_box_and_answer_in_chinese(world: World) -> None:
    replies = world.last("lively_cot")
    assert sum(reply.startswith("<think>") and "</think>" in reply for reply in replies) > 200
    assert sum(reply.startswith("<think>") and "</think>" not in reply for reply in replies) == 12
    assert sum(bool(re.search(r"\\boxed\{[A-E]\}", reply)) for reply in replies) == 48
    assert sum("答案" in reply for reply in replies) == 24


def test_nothing_names_a_real_system_a_path_or_a_time(world: World) -> None:
    for lines in world.lines.values():
        text = "\n".join(lines).lower()
        assert not [name for name in REAL_NAMES if name in text]
        assert str(world.folder).lower() not in text
        assert not re.search(r"(?<!<)/\w|[a-z]:\\\\|\d\d:\d\d|\b(19|20)\d\d-\d\d\b|https?:", text)


def test_skill_is_the_share_of_right_letters_and_hard_items_are_hard_for_all(world: World) -> None:
    items = world.items

    def right(name: str) -> dict[str, bool]:
        letters = {r["id"]: re.findall(r"[(]([A-E])[)]", r["messages"][-1]) for r in world.records(name)}
        return {key: found[-1] == items[key]["answer"] for key, found in letters.items() if found}

    first, second = right("spaced_direct"), right("paired_cot")
    assert abs(sum(first.values()) / len(first) - 0.46) < 0.07
    both = sorted(set(first) & set(second))
    after_right = [first[key] for key in both if second[key]]
    after_wrong = [first[key] for key in both if not second[key]]
    assert sum(after_right) / len(after_right) > sum(after_wrong) / len(after_wrong) + 0.1
