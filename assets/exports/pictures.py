"""The bytes of pictures that go into an export: read once before, so that none is written that no one can open."""

import io
import struct
import warnings
import zlib

from assets.exports.folder import ExportError
from assets.images import LIMITS, Picture, format_of

_BROKEN = (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, TypeError, EOFError, MemoryError)
_BROKEN_TOO = (AttributeError, RuntimeError, struct.error, zlib.error)


def png(picture: Picture) -> bytes:
    """The picture's PNG.

    Raises:
        ExportError: it is none, cannot be decoded, or is larger than pictures from outside may be.
    """
    return _decoded(picture.png or b"", picture, ("PNG",))


def content(picture: Picture) -> bytes:
    """The bytes of the picture's file: those that were read, of any format that is read here, or else its PNG.

    Raises:
        ExportError: as `png` does.
    """
    if picture.original is None:
        return png(picture)
    return _decoded(picture.original, picture, ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"))


def _decoded(found: bytes, picture: Picture, formats: tuple[str, ...]) -> bytes:
    if why := _unreadable(found, formats):
        name = picture.file or (picture.image_id or "")[:12]
        raise ExportError(
            f"the picture {name!r} ({(picture.image_id or '')[:12]}) {why}: make the table of pictures again"
        )
    return found


def _unreadable(found: bytes, formats: tuple[str, ...]) -> str | None:
    """Why nobody could open the bytes; None when they decode."""
    kind = format_of(found)
    if kind not in formats:
        return f"is no {formats[0] if len(formats) == 1 else 'picture'}"
    if len(found) > LIMITS.most_bytes:
        return f"has more than {LIMITS.most_bytes:,} bytes"
    from PIL import Image

    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(found), formats=[kind]) as opened:
            width, height = opened.size
            if width * height > LIMITS.most_pixels or max(width, height) > LIMITS.longest_side:
                return f"has {width:,} x {height:,} pixels, more than are read here"
            opened.load()
    except Image.DecompressionBombError:
        return "has more pixels than are read here"
    except (*_BROKEN, *_BROKEN_TOO):
        return f"is a broken {kind}"
    return None
