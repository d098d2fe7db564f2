"""Messages between a run and a tool's process: a JSON object and the PNGs that it speaks of, never a pickle."""

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any

JSON_BYTES = 4 << 20
BLOB_BYTES = 64 << 20
_LENGTH = struct.Struct(">I")
_SIZES = "sizes"


class FrameError(ValueError):
    """What came over the pipe is no message."""


def packed(message: dict[str, Any], blobs: Sequence[bytes] = ()) -> bytes:
    """The message as bytes: the length of its JSON, its JSON, the blobs one after another.

    Raises:
        FrameError: it is longer than a message may be.
    """
    text = json.dumps(message | {_SIZES: [len(blob) for blob in blobs]}, sort_keys=True).encode("ascii")
    if len(text) > JSON_BYTES or sum(map(len, blobs)) > BLOB_BYTES:
        raise FrameError(f"a message of {len(text)} bytes with {sum(map(len, blobs))} of pictures is too long")
    return b"".join((_LENGTH.pack(len(text)), text, *blobs))


def read(take: Callable[[int], bytes]) -> tuple[dict[str, Any], list[bytes]]:
    """The next message and its blobs.

    Args:
        take: gives exactly so many bytes of what comes next.

    Raises:
        FrameError: it is no message, or longer than one may be.
    """
    (length,) = _LENGTH.unpack(take(_LENGTH.size))
    if length > JSON_BYTES:
        raise FrameError(f"a message announces {length} bytes")
    try:
        message = json.loads(take(length))
    except (ValueError, RecursionError) as error:
        raise FrameError("a message is no JSON") from error
    if not isinstance(message, dict):
        raise FrameError("a message is no JSON object")
    sizes = message.pop(_SIZES, None)
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise FrameError("a message does not say how long its pictures are")
    if sum(sizes) > BLOB_BYTES:
        raise FrameError(f"a message announces {sum(sizes)} bytes of pictures")
    return message, [take(size) for size in sizes]
