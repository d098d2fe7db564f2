"""`assets.sources.jsonlines`: every line comes out, as a record or as what is known of it."""

import gzip
import random

import pytest

from assets.sources import jsonlines
from assets.sources.jsonlines import SourceError, Unreadable, read


def lines_of(tmp_path, content, name="replies.jsonl"):
    path = tmp_path / name
    path.write_bytes(content)
    return list(read(path, "replies"))


def reasons(lines):
    return [(number, record.reason if isinstance(record, Unreadable) else record) for number, record in lines]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "blank_line"),
        (b" \t ", "blank_line"),
        (b"\r", "blank_line"),
        (b"[1, 2]", "not_an_object"),
        (b"3", "not_an_object"),
        (b'"text"', "not_an_object"),
        (b"null", "not_an_object"),
        (b"123456789012345678901234567890", "not_an_object"),
        (b'{"id": ', "invalid_json"),
        (b"{'id': 1}", "invalid_json"),
        (b'{"id": 1} x', "invalid_json"),
        (b"\x00", "invalid_json"),
        (b'{"id": ' + b"9" * 5000 + b"}", "invalid_json"),
        (b'{"id": "\xff"}', "not_utf8"),
        (b'{"id": "\xed\xa0\x80"}', "not_utf8"),
        (b'{"id": 1, "id": 2}', "duplicate_key"),
        (b'{"id":1, "id" : 2}', "duplicate_key"),
        (b'{"id":1,"id"\t:2}', "duplicate_key"),
        (b'{"id":1,"id"\r:2}\r', "duplicate_key"),
        (b'{"id":1,"\\u0069d":2}', "duplicate_key"),
        (b'{"a": {"b": 1, "b": 2}}', "duplicate_key"),
        (b'{"a": [{"b": 1, "b": 2}]}', "duplicate_key"),
        (b'{"a": NaN}', "not_a_number"),
        (b'{"a": -Infinity}', "not_a_number"),
        (b'{"a": "\\ud800"}', "lone_surrogate"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
    ],
)
def test_a_line_that_is_no_record_is_quarantined_with_its_reason(tmp_path, line, reason):
    found = reasons(lines_of(tmp_path, b'{"id": "a"}\n' + line + b'\n{"id": "b"}\n'))
    assert found == [(1, {"id": "a"}), (2, reason), (3, {"id": "b"})]


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"id": "a: b", "c":"d\\":e"}', {"id": "a: b", "c": 'd":e'}),
        (b'{"id" : "a"}', {"id": "a"}),
        (b'{"id": {"id": 1}}', {"id": {"id": 1}}),
        (b'{"n": 123456789012345678901234567890}', None),
        (b'{"id": "\\u00e4\\ud83d\\ude00"}', {"id": "ä😀"}),
        (b"{}", {}),
    ],
)
def test_a_record_is_read_whatever_its_spacing_and_escapes(tmp_path, line, record):
    [(number, found)] = lines_of(tmp_path, line)
    assert number == 1
    assert isinstance(found, dict)
    assert record is None or found == record


def test_byte_order_mark_and_crlf_are_no_fault(tmp_path):
    content = b'\xef\xbb\xbf{"id": "a"}\r\n{"id": "b"}\r\n'
    assert reasons(lines_of(tmp_path, content)) == [(1, {"id": "a"}), (2, {"id": "b"})]


def test_a_last_line_without_newline_is_read(tmp_path):
    assert reasons(lines_of(tmp_path, b'{"id": "a"}\n{"id": "b"}')) == [(1, {"id": "a"}), (2, {"id": "b"})]


def test_an_unreadable_line_says_file_line_and_how_it_begins(tmp_path):
    [(_, found)] = lines_of(tmp_path, b"nonsense " + b"x" * 10_000)
    assert found[:3] == ("replies", 1, "invalid_json")
    assert found.excerpt.startswith("nonsense x")
    assert len(found.excerpt) == jsonlines.EXCERPT


def test_a_line_beyond_the_bound_is_skipped_and_the_next_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonlines, "LONGEST_LINE", 1 << 20)
    long = b'{"id": "' + b"x" * (3 << 20) + b'"}'
    found = reasons(lines_of(tmp_path, b'{"id": "a"}\n' + long + b'\n{"id": "b"}\n' + long))
    assert found == [(1, {"id": "a"}), (2, "line_too_long"), (3, {"id": "b"}), (4, "line_too_long")]


def test_lines_are_the_same_however_the_chunks_fall(tmp_path, monkeypatch):
    content = b"".join(b'{"n": %d}\n' % n for n in range(500))
    whole = lines_of(tmp_path, content)
    monkeypatch.setattr(jsonlines, "_CHUNK", 7)
    assert lines_of(tmp_path, content) == whole
    assert lines_of(tmp_path, gzip.compress(content, mtime=0), "a.jsonl.gz") == whole


def test_gzip_is_known_by_its_content_and_may_have_several_members_and_padding(tmp_path):
    content = gzip.compress(b'{"id": "a"}\n{"id":', mtime=0) + gzip.compress(b' "b"}\n') + b"\0" * 700_000
    expected = [(1, {"id": "a"}), (2, {"id": "b"})]
    assert reasons(lines_of(tmp_path, content, "a.jsonl.gz")) == expected
    assert reasons(lines_of(tmp_path, content, "a.jsonl")) == expected


def noise(n):
    rng = random.Random(0)
    return b"".join(b'{"n": %d, "noise": "%d"}\n' % (k, rng.getrandbits(400)) for k in range(n))


def test_a_truncated_gzip_keeps_its_rows_and_one_entry_says_where_it_broke(tmp_path):
    packed = gzip.compress(noise(3000), mtime=0)
    found = lines_of(tmp_path, packed[: len(packed) // 2], "a.jsonl.gz")
    assert [number for number, _ in found] == list(range(1, len(found) + 1))
    assert all(isinstance(record, dict) for _, record in found[:-1])
    assert 1000 < len(found) < 2000
    assert found[-1][1][:3] == ("replies", len(found), "truncated_gzip")


def test_a_damaged_gzip_keeps_the_rows_before_the_damage(tmp_path):
    packed = bytearray(gzip.compress(noise(30_000), mtime=0))
    packed[len(packed) // 2] ^= 255
    found = lines_of(tmp_path, bytes(packed), "a.jsonl.gz")
    broken = [record for _, record in found if isinstance(record, Unreadable)]
    assert broken[-1].reason == "damaged_gzip"
    assert len(found) > 5000


def test_bytes_after_the_gzip_stream_are_said(tmp_path):
    found = lines_of(tmp_path, gzip.compress(b'{"id": "a"}\n', mtime=0) + b"rest", "a.jsonl.gz")
    assert reasons(found) == [(1, {"id": "a"}), (2, "damaged_gzip")]


def test_a_gzip_bomb_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonlines, "LONGEST_STREAM", 1 << 20)
    found = lines_of(tmp_path, gzip.compress(b'{"id": "a"}\n' * 400_000, mtime=0), "a.jsonl.gz")
    assert found[-1][1].reason == "stream_too_long"
    assert len(found) < 100_000


def test_a_flood_of_unreadable_lines_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonlines, "MOST_UNREADABLE", 10)
    found = lines_of(tmp_path, b"\n" * 1000)
    assert [record.reason for _, record in found] == ["blank_line"] * 10 + ["too_many_unreadable_lines"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"id": "a"}\n', "is named .gz and holds no gzip data"),
        (gzip.compress(b'{"id": "a"}\n', mtime=0)[:12], "ends in the middle before its first line"),
        (b"\x1f\x8bnonsense and more of it", "is damaged"),
    ],
)
def test_a_gz_of_which_nothing_can_be_read_is_one_sentence(tmp_path, content, sentence):
    with pytest.raises(SourceError, match=sentence):
        lines_of(tmp_path, content, "a.jsonl.gz")


def test_a_missing_file_a_folder_and_another_encoding_are_one_sentence_each(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        list(read(tmp_path / "none.jsonl"))
    with pytest.raises(SourceError, match="is a folder"):
        list(read(tmp_path))
    with pytest.raises(SourceError, match="UTF-16"):
        lines_of(tmp_path, '{"id": "a"}\n'.encode("utf-16"))


def test_an_empty_file_has_no_lines(tmp_path):
    assert lines_of(tmp_path, b"") == []
    assert lines_of(tmp_path, b"", "a.jsonl.gz") == []
    assert lines_of(tmp_path, gzip.compress(b"", mtime=0), "b.jsonl.gz") == []
