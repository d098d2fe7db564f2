"""`assets.sources.folders` and `json_files`: what lies in a folder from outside, and its JSON, entry by entry."""

import json
import os

import pytest

from assets.ordering import natural
from assets.sources import folders, json_files
from assets.sources.folders import File, Walked, files, main_file, pictures, place, walked
from assets.sources.json_files import Unreadable, entries, items, json_file
from assets.sources.jsonlines import SourceError


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    return inside


def put(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def listed(folder, **options):
    return [(one.file, one.refused) for one in files(folder, (".png",), **options)]


def test_files_come_in_natural_order_with_their_place_in_the_folder(folder):
    put(folder, "b/10/image.png", "b/9/image.png", "b/9/image.txt", "a.png", "b/9/choice_10.PNG", "b/9/choice_9.png")
    assert listed(folder) == [
        ("a.png", None),
        ("b/9/choice_9.png", None),
        ("b/9/choice_10.PNG", None),
        ("b/9/image.png", None),
        ("b/10/image.png", None),
    ]
    assert files(folder, (".png",))[0].path == folder / "a.png"


def test_files_below_a_part_keep_their_place_in_the_whole_folder(folder):
    put(folder, "images/5/image.png", "other/image.png")
    assert listed(folder, below="images") == [("images/5/image.png", None)]
    assert listed(folder, below="pictures") == []


@pytest.mark.parametrize(
    "name", ["²", "٣", "9" * 200, "a1b", ""], ids=["superscript", "arabic", "long", "mixed", "none"]
)
def test_any_name_has_a_place_in_the_natural_order(name):
    assert sorted(["a", name, "1"], key=natural)


def test_names_with_odd_characters_survive(folder):
    names = sorted(["a b.png", "a\nb.png", "a\\b.png", "ä¿.png", "'\";$.png"])
    put(folder, *names)
    assert sorted(listed(folder)) == [(name, None) for name in names]


def test_a_name_that_is_no_utf8_is_listed_as_refused_and_shown_escaped(folder):
    with open(os.fsencode(folder) + b"/\xff.png", "wb"):
        pass
    assert listed(folder) == [("\\xff.png", "bad_name")]


def test_no_link_is_followed_out_of_the_folder(folder, tmp_path):
    put(tmp_path, "secret.png", "away/deep.png")
    put(folder, "kept.png")
    (folder / "here.png").symlink_to(folder / "kept.png")
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    (folder / "nowhere.png").symlink_to(tmp_path / "missing.png")
    (folder / "circle.png").symlink_to(folder / "circle.png")
    (folder / "around").symlink_to(folder)
    (folder / "away").symlink_to(tmp_path / "away")
    assert listed(folder) == [
        ("around", "linked_folder"),
        ("away", "path_outside"),
        ("circle.png", "path_outside"),
        ("here.png", None),
        ("kept.png", None),
        ("nowhere.png", "path_outside"),
        ("out.png", "path_outside"),
    ]


def test_a_part_that_is_a_link_out_of_the_folder_is_refused(folder, tmp_path):
    put(tmp_path, "away/deep.png")
    (folder / "images").symlink_to(tmp_path / "away")
    assert listed(folder, below="images") == [("images", "path_outside")]


@pytest.mark.parametrize("target", ["images", "missing"], ids=["circle", "nowhere"])
def test_a_part_that_is_a_link_to_itself_or_to_nothing_is_refused(folder, target):
    (folder / "images").symlink_to(folder / target)
    assert listed(folder, below="images") == [("images", "path_outside")]
    assert listed(folder, below="images/deep") == ([("images/deep", "path_outside")] if target == "images" else [])


def test_folders_in_which_nothing_lies_are_told_and_hidden_ones_are_not(folder):
    put(folder, "a/1.png", "b/.DS_Store", ".git/HEAD")
    for name in ("a/10", "a/9", ".git/refs", "__MACOSX"):
        (folder / name).mkdir()
    os.mkdir(os.fsencode(folder) + b"/\xff")
    (folder / "c").symlink_to(folder / "c")
    (folder / "d.txt").symlink_to(folder / "none")
    assert walked(folder, (".png",)) == Walked(
        [File(folder / "a/1.png", "a/1.png")],
        [
            File(folder / os.fsdecode(b"\xff"), "\\xff", "bad_name"),
            File(folder / "a/9", "a/9"),
            File(folder / "a/10", "a/10"),
            File(folder / "b", "b"),
            File(folder / "c", "c", "path_outside"),
        ],
    )
    assert walked(folder / "b", (".png",)) == Walked([], [])


def test_a_pipe_is_never_opened(folder):
    os.mkfifo(folder / "pipe.png")
    assert files(folder, (".png",)) == [File(folder / "pipe.png", "pipe.png", "not_a_file")]
    [row] = pictures(folder)
    assert (row.file, row.dropped, row.quarantined) == ("pipe.png", "not_a_file", ("pipe.png", None, None))
    assert json_file(folder / "pipe.png").reason == "unreadable_file"
    with pytest.raises(SourceError, match=r"pipe\.png: is not a file"):
        next(entries(folder / "pipe.png"))


def test_a_folder_without_bound_is_refused(folder, monkeypatch):
    put(folder, "1.png", "2.png", "3.png")
    monkeypatch.setattr(folders, "MOST_FILES", 2)
    with pytest.raises(SourceError, match="more than 2 files"):
        files(folder, (".png",))
    put(folder, "/".join("d" * 40) + "/1.png")
    monkeypatch.setattr(folders, "MOST_FILES", 100)
    with pytest.raises(SourceError, match="more than 32 levels"):
        files(folder, (".png",))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"absent: there is no such folder"):
        files(tmp_path / "absent", (".png",))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("images", "5", "image.png"), "images/5/image.png"),
        (("images", "5", "sub\\image.png"), "images/5/sub/image.png"),
        (("images", "..", "image.png"), None),
        (("images", "5", "../../x"), None),
        (("images", "5", "..\\x"), None),
        (("images", "5", "/etc/passwd"), None),
        (("images", "", "x"), None),
        (("images", "x\0.png"), None),
        (("images", "..."), "images/..."),
    ],
)
def test_a_place_never_climbs_out_of_its_folder(parts, expected):
    assert place(*parts) == expected


def test_the_main_file_is_in_its_folder_or_the_person_is_told(folder, tmp_path):
    (tmp_path / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "sub").mkdir()
    for name, said in [("absent.json", "no such file"), ("link.json", "leads out"), ("sub", "not a file")]:
        with pytest.raises(SourceError, match=said):
            main_file(folder, name)


def found(folder, text, read=entries):
    path = folder / "problems.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return [
        (one.key, one.value.reason if isinstance(one.value, Unreadable) else one.value, one.line) for one in read(path)
    ]


def test_entries_come_in_order_with_the_lines_of_their_keys(folder):
    assert found(folder, '\ufeff{"b": {"x": 1},\r\n\r\n "a" :\n [1, 2.5, null], "c": "é"}\n') == [
        ("b", {"x": 1}, 1),
        ("a", [1, 2.5, None], 3),
        ("c", "é", 4),
    ]


def test_a_key_that_comes_twice_gives_two_entries(folder):
    assert found(folder, '{"1": {"a": 1}, "1": {"a": 2}}') == [("1", {"a": 1}, 1), ("1", {"a": 2}, 1)]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('{"x": 1, "x": 2}', "duplicate_key"),
        ('{"y": {"x": 1, "x": 1}}', "duplicate_key"),
        ("NaN", "not_a_number"),
        ('{"x": [-Infinity]}', "not_a_number"),
        ("[1e999]", "not_a_number"),
        (r'"\ud800"', "lone_surrogate"),
        (r'{"\udfff": 1}', "lone_surrogate"),
        (b'"\xff\xfe"', "not_utf8"),
        (b'{"x": oops\xff}', "not_utf8"),
        ("[" * 65 + "]" * 65, "too_deep"),
        ("[" * 100_000 + "]" * 100_000, "too_deep"),
        ("oops", "invalid_json"),
        ("{'x': 1}", "invalid_json"),
        ('{"x": 1,}', "invalid_json"),
        ('{"x": "a\nb"}', "invalid_json"),
        ('{"x": ["]}", {"y": oops}]}', "invalid_json"),
        ("9" * 5_000, "invalid_json"),
    ],
    ids=lambda value: str(value)[:24] if len(value) < 1_000 else f"{str(value)[0]} {len(value)} times",
)
def test_a_broken_entry_is_set_aside_and_the_next_is_read(folder, value, reason):
    raw = value if isinstance(value, bytes) else value.encode()
    assert [row[:2] for row in found(folder, b'{"1": ' + raw + b', "2": {"x": "[{,"}}')] == [
        ("1", reason),
        ("2", {"x": "[{,"}),
    ]


@pytest.mark.parametrize(
    "value",
    [r'"\ud83d\ude00"', r'"\\ud800"', "[" * 64 + "]" * 64, '"' + "[" * 200 + '"', "9" * 4_000, "-1.5e-7"],
    ids=["pair", "escaped backslash", "64 levels", "brackets in text", "long integer", "exponent"],
)
def test_what_looks_broken_and_is_not_is_kept(folder, value):
    [(_, kept, _)] = found(folder, '{"1": ' + value + "}")
    assert kept == json.loads(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"1": {"x": 1}, "2": {"x": "ab', [("1", {"x": 1}), ("2", "truncated_json")]),
        (b'{"1": {"x": 1}, "2": {"x": "ab\xe4\xbf', [("1", {"x": 1}), ("2", "truncated_json")]),
        (b'{"1": {"x": 1}, "2": {"x": "a\xffb', [("1", {"x": 1}), ("2", "not_utf8")]),
        (b'{"1": {"x": 1}, "2": "a\xffb"', [("1", {"x": 1}), ("2", "not_utf8"), (None, "truncated_json")]),
        ('{"1": {"x": 1}', [("1", {"x": 1}), (None, "truncated_json")]),
        ('{"1": {"x": 1}, "2', [("1", {"x": 1}), (None, "truncated_json")]),
        ('{"1": {"x": 1}, "2":', [("1", {"x": 1}), (None, "truncated_json")]),
        ('{"1": {"x": 1},}', [("1", {"x": 1}), (None, "invalid_json")]),
        ('{"1": {"x": 1} "2": 3}', [("1", {"x": 1}), (None, "invalid_json")]),
        ('{"1": , "2": 3}', [(None, "invalid_json")]),
        ('{"1": 1} {"2": 2}', [("1", 1), (None, "invalid_json")]),
        ("{} x", [(None, "invalid_json")]),
        ("{}", []),
    ],
)
def test_what_cannot_be_read_on_says_so_once(folder, text, expected):
    assert [row[:2] for row in found(folder, text)] == expected


def test_values_that_cross_the_ends_of_chunks_are_whole(folder, monkeypatch):
    whole = {str(number): {"text": "ä" * number, "n": number * 1_000} for number in range(40)}
    text = json.dumps(whole, ensure_ascii=False, indent=1)
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr(json_files, "_CHUNK", size)
        assert [row[:2] for row in found(folder, text)] == list(whole.items())
        assert [row[1] for row in found(folder, "[1, 2.5, 1e+5, 456]", items)] == [1, 2.5, 1e5, 456]


def test_a_broken_value_longer_than_any_entry_ends_the_reading(folder, monkeypatch):
    monkeypatch.setattr(json_files, "_CHUNK", 10)
    monkeypatch.setattr(json_files, "_LONGEST_ENTRY", 20)
    assert [row[:2] for row in found(folder, '{"1": {"x": 1}, "2": {oops' + "[1]," * 50 + '}, "3": 1}')] == [
        ("1", {"x": 1}),
        ("2", "invalid_json"),
        (None, "truncated_json"),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "does not hold a JSON object"),
        (b"[1]", "does not hold a JSON object"),
        ('{"a": 1}'.encode("utf-16"), "is UTF-16 text"),
        (b'{"a": "123456789012345678901234567890"}', "has 39 bytes, more than the 30"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_said_in_one_sentence(folder, content, said):
    (folder / "problems.json").write_bytes(content)
    with pytest.raises(SourceError, match=said):
        list(entries(folder / "problems.json", most_bytes=30))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty_file"),
        (b" \n", "empty_file"),
        (b"{} {}", "invalid_json"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'{"a": "', "truncated_json"),
        (b'{"a": "\xff"}', "not_utf8"),
        (b"\x00\xff\xfe\x01", "not_utf8"),
        ('{"a": 1}'.encode("utf-16"), "not_utf8"),
        (b'{"a": "\xc3', "truncated_json"),
        (b'{"a": "12345678901234567890"}', "file_too_long"),
    ],
)
def test_a_small_file_that_is_no_json_says_why(folder, content, reason):
    (folder / "one.json").write_bytes(content)
    assert json_file(folder / "one.json", most_bytes=20).reason == reason


def test_a_small_file_gives_its_value_and_an_absent_one_a_reason(folder):
    (folder / "one.json").write_text('\ufeff{"a": [1]}\n', encoding="utf-8")
    assert json_file(folder / "one.json") == {"a": [1]}
    assert json_file(folder / "two.json").reason == "missing_file"
    assert json_file(folder).reason == "unreadable_file"
