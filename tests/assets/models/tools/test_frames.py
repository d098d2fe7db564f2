"""Messages between a run and a tool's process, well and ill formed."""

import io
import struct

import pytest

from assets.models.tools import frames
from assets.models.tools.frames import FrameError


def read(content: bytes) -> object:
    return frames.read(io.BytesIO(content).read)


def framed(text: bytes) -> bytes:
    return struct.pack(">I", len(text)) + text


def test_a_message_comes_back_with_its_blobs() -> None:
    content = frames.packed({"tool": "ocr", "text": "é"}, [b"abc", b"", b"\x00\xff"])
    assert read(content) == ({"tool": "ocr", "text": "é"}, [b"abc", b"", b"\x00\xff"])


def test_the_bytes_are_those_that_are_meant() -> None:
    assert frames.packed({"a": 1}, [b"xy"]) == b'\x00\x00\x00\x16{"a": 1, "sizes": [2]}xy'


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xff\xff\xff",
        framed(b"no json"),
        framed(b"[1]"),
        framed(b"{}"),
        framed(b'{"sizes": [-1]}'),
        framed(b'{"sizes": [true]}'),
        framed(b'{"sizes": [1e3]}'),
        framed(b'{"sizes": "12"}'),
        framed(b'{"sizes": [99999999999]}'),
        framed(b"[" * 100_000),
        framed(b"\xff\xfe"),
    ],
)
def test_what_is_no_message_is_refused(content: bytes) -> None:
    with pytest.raises(FrameError):
        read(content)


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(FrameError):
        frames.packed({"text": "a" * frames.JSON_BYTES})
    with pytest.raises(FrameError):
        frames.packed({}, [bytes(frames.BLOB_BYTES), b"a"])
