"""`assets.writer`: rules, recorded replies, and a store between a model and whoever asks it."""

import json
from pathlib import Path

import pytest

from assets.replies_store import RepliesStore
from assets.sources.jsonlines import SourceError
from assets.writer import (
    Answered,
    Replay,
    Reply,
    Request,
    Rules,
    Stored,
    Watched,
    WriterError,
    content_key,
    json_object,
    of,
)


class Model:
    """Answers as scripted by prompt; what it was asked is in `asked`."""

    name = model = "toy"
    sampling = {"temperature": 0.0}  # noqa: RUF012

    def __init__(self, answers=None):
        self.answers = answers or {}
        self.asked = []

    def write(self, requests):
        for request in requests:
            self.asked.append(request.id)
            status, text = self.answers.get(request.prompt, ("ok", f"about {request.prompt}"))
            yield Reply(request.id, status, text, "stop", 3, 4)


def ask(*prompts):
    return [Request(f"r{at}", "rewrite", prompt) for at, prompt in enumerate(prompts)]


def test_a_rule_answers_from_the_facts_and_nothing_to_say_is_an_empty_reply():
    writer = Rules({"greet": lambda facts: f"hello {facts['who']}", "mute": lambda facts: None, "blank": lambda _: " "})
    requests = [Request("a", "greet", "", {"who": "Ann"}), Request("b", "mute", ""), Request("c", "blank", "")]
    assert list(writer.write(requests)) == [
        Reply("a", "ok", "hello Ann"),
        Reply("b", "empty", ""),
        Reply("c", "empty", " "),
    ]


def test_a_task_without_a_rule_is_said():
    with pytest.raises(WriterError, match=r"no rule for task 'draw' \(there is greet\)"):
        list(Rules({"greet": lambda facts: "hello"}).write([Request("a", "draw", "")]))


def recorded(tmp_path, *lines):
    file = tmp_path / "replies.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return file


def test_recorded_replies_go_by_id_and_task_and_a_missing_one_is_empty(tmp_path):
    file = recorded(
        tmp_path,
        {"id": "r1", "task": "rewrite", "text": "second"},
        {"id": "r0", "task": "options", "text": "of another task"},
        {"id": "r0", "task": "rewrite", "text": "cut", "status": "truncated"},
        {"id": "r0", "task": "rewrite", "text": "first"},
        {"id": "r0", "task": "rewrite", "text": "too late"},
    )
    replies = Replay(file).write(ask("p", "q", "r"))
    assert list(replies) == [
        Reply("r0", "ok", "first"),
        Reply("r1", "ok", "second"),
        Reply("r2", "empty", "", "not recorded"),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is no reply .invalid_json.: mend it"),
        ({"id": "r0", "task": "rewrite"}, "line 1 is no reply: id, task and text must be texts"),
        ({"id": "r0", "task": "rewrite", "text": "x", "status": "fine"}, "line 1 has status 'fine': use one of ok"),
    ],
)
def test_a_line_that_is_no_reply_is_said(tmp_path, line, message):
    with pytest.raises((WriterError, SourceError), match=message):
        Replay(recorded(tmp_path, line, {"id": "a", "task": "b", "text": "c"}))


def test_the_store_is_asked_before_the_model(tmp_path):
    first, second = Model(), Model()
    with RepliesStore(tmp_path) as store:
        before = list(Stored(first, store).write(ask("p", "q")))
        after = list(Stored(second, store).write(ask("p", "q", "new")))
    assert first.asked == ["r0", "r1"]
    assert second.asked == ["r2"]
    assert (
        after[:2] == before == [Reply("r0", "ok", "about p", "stop", 3, 4), Reply("r1", "ok", "about q", "stop", 3, 4)]
    )
    assert after[2].text == "about new"


def test_a_stored_reply_answers_whoever_asks_the_same(tmp_path):
    with RepliesStore(tmp_path) as store:
        list(Stored(Model(), store).write([Request("old", "rewrite", "p")]))
        [reply] = Stored(Model(), store).write([Request("new", "rewrite", "p")])
    assert (reply.id, reply.text) == ("new", "about p")


@pytest.mark.parametrize(("status", "asked_again"), [
    ("ok", False), ("refusal", False), ("error", True), ("empty", True), ("filtered", True), ("truncated", True),
])  # fmt: skip
def test_what_failed_is_kept_as_an_attempt_and_asked_again(tmp_path, status, asked_again):
    failing, again = Model({"p": (status, "some")}), Model()
    with RepliesStore(tmp_path) as store:
        [reply] = Stored(failing, store).write(ask("p"))
        [later] = Stored(again, store).write(ask("p"))
        assert store.statistics().attempts == asked_again
    assert (reply.status, reply.text) == (status, "some")
    assert (again.asked != []) == asked_again
    assert later.status == ("ok" if asked_again else status)


def test_the_same_content_is_asked_once_in_a_run(tmp_path):
    model = Model({"q": ("error", "")})
    with RepliesStore(tmp_path) as store:
        replies = list(Stored(model, store).write(ask("p", "q", "p", "q")))
    assert model.asked == ["r0", "r1"]
    assert [(reply.id, reply.status) for reply in replies] == [
        ("r0", "ok"),
        ("r1", "error"),
        ("r2", "ok"),
        ("r3", "error"),
    ]


@pytest.mark.parametrize(
    "change", [{"template": "2"}, {"asking": "night-2026-11-30"}], ids=["another template", "another asking"]
)
def test_another_template_or_asking_asks_anew(tmp_path, change):
    again = Model()
    with RepliesStore(tmp_path) as store:
        list(Stored(Model(), store).write(ask("p")))
        list(Stored(again, store, **change).write(ask("p")))
    assert again.asked == ["r0"]


def test_the_content_key_is_that_of_its_canonical_json():
    # sha256sum of {"asking":"first","model":"m","prompt":"caf\u00e9","sampling":{"a":1,"b":null},"task":"t",
    # "template":"1"} without the line end
    key = content_key("m", "t", "café", {"b": None, "a": 1})
    assert key == "815b259e3617b3baf74121494aeb30098a66b2b23fa760b6ad73600e096b6c67"


def test_no_more_requests_are_read_than_the_look_ahead(tmp_path):
    read = []

    def requests():
        for request in ask(*map(str, range(100))):
            read.append(request.id)
            yield request

    with RepliesStore(tmp_path) as store:
        stream = Stored(Model(), store, ahead=8).write(requests())
        next(stream)
        assert len(read) == 8
        stream.close()


def test_what_came_back_before_a_stream_was_left_is_kept(tmp_path):
    with RepliesStore(tmp_path) as store:
        stream = Stored(Model(), store).write(ask("p", "q", "r"))
        next(stream)
        next(stream)
        stream.close()
    assert RepliesStore(tmp_path).statistics().accepted == 2


def test_progress_counts_the_replies_that_passed():
    told = []
    writer = Watched(Rules({"rewrite": lambda facts: "x"}), lambda done, total: told.append((done, total)))
    list(writer.write(ask("p", "q")))
    list(writer.write(iter(ask("p"))))
    assert told == [(0, 2), (1, 2), (2, 2), (0, None), (1, None)]


def test_settings_name_the_writer(tmp_path):
    file = recorded(tmp_path, {"id": "r0", "task": "rewrite", "text": "x"})
    assert of("rules", rules={}).name == "rules"
    assert of("replay", file=file).name == "replies"
    asking = of("openai", store_folder=tmp_path / "store", model="m", base_url="http://127.0.0.1:9/v1", max_tokens=5)
    assert asking.name == "m"
    assert not (tmp_path / "store").exists()


REPLAYED = {"id": "r0", "task": "rewrite", "text": "x"}


@pytest.mark.parametrize(
    ("lines", "lost", "first"),
    [
        ([], "4 of 4", "r0"),
        ([REPLAYED], "3 of 4", "r1"),
        ([{**REPLAYED, "id": f"r{at}", "text": ""} for at in range(4)], "4 of 4", "r0"),
    ],
    ids=["none", "most missing", "all empty"],
)
def test_a_replay_without_most_replies_is_a_fault(tmp_path, lines, lost, first):
    file = recorded(tmp_path, *lines)
    with pytest.raises(WriterError) as raised:
        list(of("replay", file=file).write(ask(*"pqrs")))
    assert str(raised.value).startswith(
        f"writer replay: {file} has no reply for {lost} requests (the first: {first}): set m3cot.writer.replies"
    )


def test_a_replay_with_half_of_the_replies_answers(tmp_path):
    writer = of("replay", file=recorded(tmp_path, REPLAYED))
    assert [reply.status for reply in writer.write(ask("p", "q"))] == ["ok", "empty"]
    assert list(writer.write([])) == []


def test_a_replay_whose_file_is_not_there_says_what_to_set(tmp_path):
    missing = tmp_path / "none.jsonl"
    with pytest.raises(WriterError) as raised:
        of("replay", file=missing)
    assert str(raised.value) == f"writer replay: there is no file {missing}: set m3cot.writer.replies to one"


def test_a_file_in_the_checkout_is_named_as_params_name_it():
    root = Path(__file__).resolve().parents[2]
    with pytest.raises(WriterError, match=r"there is no file \.\./x/none\.jsonl: set"):
        of("replay", file=root / "../x/none.jsonl")


def test_the_last_reply_is_held_back_so_that_nobody_can_overlook_the_fault():
    model = Model({prompt: ("error", "") for prompt in "pqr"})
    stream = Answered(model, lambda failed, total, reason, first: f"{failed}/{total} {reason} {first.id}")
    with pytest.raises(WriterError, match="3/4 stop r0"):
        list(zip(range(4), stream.write(ask("p", "q", "r", "s")), strict=False))


@pytest.mark.parametrize(
    ("kind", "message"), [("rules", "rules is not set"), ("replay", "file is not set"), ("telepathy", "choose one of")]
)
def test_a_kind_without_what_it_needs_is_said(kind, message):
    with pytest.raises(WriterError, match=message):
        of(kind)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure! Here it is:\n```json\n{"a": "x"}\n```\nAnything else?', {"a": "x"}),
        ('```\n{"a": "x"}', {"a": "x"}),
        ('The set {1, 2} is small. {"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': 'it's late', 'b': None}", {"a": "it's late", "b": None}),
        ("{“a”: “x”, b: True}", {"a": "x", "b": True}),
        ('{"a": "he said "no" twice"}', {"a": 'he said "no" twice'}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        (r'{"a": "\frac{1}{2} \times \(x\)\n"}', {"a": "\\frac{1}{2} \\times \\(x\\)\n"}),
        (r'{"a": "\\frac{1}{2}"}', {"a": "\\frac{1}{2}"}),
        ('{"a": {"b": -1.5e3}}', {"a": {"b": -1500.0}}),
        ('{"a": 1} as I said: {"a": 1}', {"a": 1}),
    ],
)
def test_the_object_of_a_reply_is_found_and_mended(text, found):
    assert json_object(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "", "no object", "[1, 2]", '{"a": 1} or {"a": 2}', '{"a": "cut sho', '{"a": 1, "a": 2}', '{"a": NaN}',
        "{" * 5000, '{"a":' * 5000, "[" * 5000 + "{", '{"a": 1 "b": 2}',
    ],
    ids=["nothing", "prose", "array", "two", "cut", "key twice", "nan", "braces", "deep", "brackets", "comma"],
)  # fmt: skip
def test_no_object_is_guessed(text):
    assert json_object(text) is None
