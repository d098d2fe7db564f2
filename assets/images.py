"""Pictures as rows of table `image`: files from outside read with care, and pictures drawn here, each as one PNG."""

import contextlib
import hashlib
import io
import stat
import struct
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assets.image_modes import on_white as on_white
from assets.image_modes import plain, upright
from assets.schema.tables import TABLES, as_table

if TYPE_CHECKING:
    from PIL import Image

REASONS = (
    "missing_picture",
    "unreadable_file",
    "empty_file",
    "file_too_long",
    "not_a_picture",
    "picture_bomb",
    "truncated_picture",
    "broken_picture",
    "unknown_depth",
    "same_pixels",
)
MODES = ("L", "RGB", "RGBA")
PNG_BYTES_IN_A_BATCH = 32 << 20
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"II+\x00", "TIFF"),
    (b"MM\x00+", "TIFF"),
)
_DECODING = (
    OSError,
    SyntaxError,
    ValueError,
    ArithmeticError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    MemoryError,
    RuntimeError,
    struct.error,
    zlib.error,
)


class Picture(NamedTuple):
    """Table `image`, column by column; a file that gave no picture has `dropped` and `quarantined`."""

    image_id: str | None
    file: str
    png: bytes | None
    width: int | None
    height: int | None
    mode: str | None
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None
    original: bytes | None = None


class Limits(NamedTuple):
    """What a picture file from outside may have at most: bytes, pixels as its header says, pixels along a side."""

    most_bytes: int = 64 << 20
    most_pixels: int = 64_000_000
    longest_side: int = 30_000


LIMITS = Limits()


def read(path: Path, file: str, limits: Limits = LIMITS, *, keep: bool = False) -> Picture:
    """The picture in a file from outside as a row named `file`; a bad one comes back quarantined, it never raises.

    The content decides what the file is (PNG, JPEG, GIF, WEBP, BMP or TIFF), so a picture under a wrong suffix is
    read like any other. Of several frames the first is taken. It is turned as its EXIF says, 16 bits become 8, and
    palette, CMYK and transparency become grey or RGB, transparency on white; `mode` is the file's own. Colour
    profiles are not applied. A picture of which any pixel is missing is not read. The caller sees to it that
    `path` stays in its folder.

    With `keep` the file can be written again: its bytes are `original` where the PNG made of them is another one,
    and one that `encode` has written, as pictures drawn here are, keeps its transparency.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            return _set_aside(file, "unreadable_file", "not a regular file")
        if facts.st_size > limits.most_bytes:
            return _set_aside(file, "file_too_long", f"{facts.st_size} bytes")
        with path.open("rb") as opened:
            content = opened.read(limits.most_bytes + 1)
    except FileNotFoundError:
        return _set_aside(file, "missing_picture", None)
    except OSError as error:
        return _set_aside(file, "unreadable_file", error.strerror)
    return read_bytes(content, file, limits, keep=keep)


def read_bytes(content: bytes, file: str, limits: Limits = LIMITS, *, keep: bool = False) -> Picture:
    """The picture in the bytes of a file from outside, as `read` gives it."""
    if not content:
        return _set_aside(file, "empty_file", None)
    if len(content) > limits.most_bytes:
        return _set_aside(file, "file_too_long", f"over {limits.most_bytes} bytes")
    kind = format_of(content)
    if kind is None:
        return _set_aside(file, "not_a_picture", _excerpt(content))
    from PIL import Image, UnidentifiedImageError

    try:
        with _whole_pictures_only(), Image.open(io.BytesIO(content), formats=[kind]) as opened:
            width, height = opened.size
            if width * height > limits.most_pixels or max(width, height) > limits.longest_side:
                return _set_aside(file, "picture_bomb", f"{width} x {height} pixels")
            mode = opened.mode
            if kind == "PNG":
                with Image.open(io.BytesIO(content), formats=[kind]) as again:
                    again.verify()
            opened.load()
            if keep and kind == "PNG" and mode == "RGBA" and encode(opened) == content:
                return _row(opened, file, mode)
            shown = upright(opened)
            if shown.mode in {"I", "F"}:
                return _set_aside(file, "unknown_depth", f"{kind} of mode {mode}")
            row = _row(plain(shown), file, mode)
            return row._replace(original=content) if keep and row.png != content else row
    except Image.DecompressionBombError:
        return _set_aside(file, "picture_bomb", _excerpt(content))
    except UnidentifiedImageError:
        return _set_aside(file, "broken_picture", _excerpt(content))
    except _DECODING as error:
        cut = isinstance(error, EOFError) or "truncated" in str(error).lower() or _is_cut_riff(kind, content)
        return _set_aside(file, "truncated_picture" if cut else "broken_picture", _excerpt(content))


def format_of(content: bytes) -> str | None:
    """The format that the first bytes of a file announce, as Pillow names it; None when they announce no picture."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WEBP"
    return next((kind for magic, kind in _MAGIC if content.startswith(magic)), None)


def of_pixels(image: "Image.Image", file: str) -> Picture:
    """A picture drawn here as a row named `file`; grey, RGB and RGBA are kept as they are.

    Raises:
        ValueError: the picture has another mode.
    """
    return _row(image, file, image.mode)


def identify(image: "Image.Image") -> str:
    """The picture's id: SHA-256 over mode, width, height and pixels, as 64 hexadecimal digits.

    Raises:
        ValueError: the picture is neither L, RGB nor RGBA.
    """
    _check_mode(image)
    digest = hashlib.sha256(f"{image.mode}:{image.width}x{image.height}:".encode())
    digest.update(image.tobytes())
    return digest.hexdigest()


def encode(image: "Image.Image") -> bytes:
    """The picture as PNG, the same bytes for the same pixels under one version of Pillow, without metadata.

    Raises:
        ValueError: the picture is neither L, RGB nor RGBA.
    """
    from PIL import Image

    _check_mode(image)
    bare = Image.frombytes(image.mode, image.size, image.tobytes())
    stored = io.BytesIO()
    bare.save(stored, "PNG", optimize=False, compress_level=6)
    return stored.getvalue()


def decode(png: bytes) -> "Image.Image":
    """The picture in a PNG that `encode` made."""
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
        opened.load()
        return opened.copy()


def once(pictures: Iterable[Picture]) -> Iterator[Picture]:
    """The rows with each distinct picture stored once: later rows of the same id lose their PNG, as `same_pixels`.

    The `original` of such a row stays: another file may show the same pixels.
    """
    seen: set[str] = set()
    for picture in pictures:
        if picture.image_id is None or picture.dropped is not None:
            yield picture
        elif picture.image_id in seen:
            yield picture._replace(png=None, dropped="same_pixels")
        else:
            seen.add(picture.image_id)
            yield picture


def batches(pictures: Iterable[Picture], rows: int = 64) -> Iterator[pa.RecordBatch]:
    """The rows as record batches of table `image`, of at most `rows` rows and about 32 MB of PNG each."""
    waiting: list[Picture] = []
    weight = 0
    for picture in pictures:
        more = len(picture.png or b"") + len(picture.original or b"")
        if waiting and (len(waiting) == rows or weight + more > PNG_BYTES_IN_A_BATCH):
            # One copy of the PNGs at a time: the rows go before the batch is written, the batch before rows come again.
            batch, waiting, weight = _batch(waiting), [], 0
            yield batch
            del batch
        waiting.append(picture)
        weight += more
    if waiting:
        yield _batch(waiting)


class Pictures:
    """A stored table `image`, read as far as it is asked for: the PNGs never all at once."""

    def __init__(self, source: pq.ParquetFile) -> None:
        """Take the open parquet file."""
        self._source = source

    @classmethod
    def of(cls, pictures: Iterable[Picture]) -> "Pictures":
        """The rows as if they had been stored, in memory."""
        stored = io.BytesIO()
        with pq.ParquetWriter(stored, TABLES["image"].schema) as writer:
            for batch in batches(pictures):
                writer.write_batch(batch)
        return cls(pq.ParquetFile(io.BytesIO(stored.getvalue())))

    def index(self) -> pa.Table:
        """The table without its PNGs and original files."""
        return self._source.read(columns=[name for name in TABLES["image"].names if name not in ("png", "original")])

    def ids(self) -> dict[str, str]:
        """Every file that gave a picture, with its image id; files with the pixels of another one included."""
        rows = self._source.read(columns=["file", "image_id"]).to_pylist()
        return {row["file"]: row["image_id"] for row in rows if row["image_id"] is not None}

    def reasons(self) -> dict[str, str]:
        """Every file that gave no picture, with why."""
        rows = self._source.read(columns=["file", "image_id", "dropped"]).to_pylist()
        return {row["file"]: row["dropped"] for row in rows if row["image_id"] is None}

    def stream(self, ids: Collection[str] | None = None) -> Iterator[Picture]:
        """The rows that hold a PNG, of all pictures or of these ids, in stored order, some rows at a time."""
        wanted = None if ids is None else frozenset(ids)
        for group in range(self._source.num_row_groups):
            if wanted is not None:
                present = self._source.read_row_group(group, columns=["image_id"])["image_id"].to_pylist()
                if wanted.isdisjoint(present):
                    continue
            yield from self._of_group(group, wanted)
            # The pool would keep what it is given back for a while, and the next group would come on top.
            pa.default_memory_pool().release_unused()

    def files(self) -> Iterator[Picture]:
        """A row for every file that gave a picture, some at a time: the file's bytes are `original`, or else `png`.

        Files with the pixels of another one that have no `original` come last, with the PNG of those pixels.
        """
        waiting: dict[str, list[Picture]] = {}
        for group in range(self._source.num_row_groups):
            for row in self._of_group(group, None, whole=False):
                if row.png is None and row.original is None:
                    waiting.setdefault(row.image_id or "", []).append(row)
                else:
                    yield row
            pa.default_memory_pool().release_unused()
        for row in self.stream(waiting):
            yield from (later._replace(png=row.png) for later in waiting[row.image_id or ""])

    def _of_group(self, group: int, wanted: Collection[str] | None, whole: bool = True) -> Iterator[Picture]:
        """The rows of a group that have an image id, of all pictures or of these; `whole`: only those with a PNG."""
        for batch in self._source.iter_batches(batch_size=16, row_groups=[group]):
            present = batch.column("image_id").to_pylist()
            holds = batch.column("png").is_valid().to_pylist()
            rows = [
                place
                for place, image_id in enumerate(present)
                if image_id is not None and (holds[place] or not whole) and (wanted is None or image_id in wanted)
            ]
            for row in batch.take(pa.array(rows, pa.int64())).to_pylist():
                where = row["quarantined"]
                yield Picture(**row | {"quarantined": where and (where["file"], where["line"], where["excerpt"])})


def _batch(pictures: list[Picture]) -> pa.RecordBatch:
    return as_table("image", pictures).combine_chunks().to_batches()[0]


def _row(image: "Image.Image", file: str, mode: str) -> Picture:
    return Picture(identify(image), file, encode(image), image.width, image.height, mode)


def _check_mode(image: "Image.Image") -> None:
    if image.mode not in MODES:
        raise ValueError(f"a picture of mode {image.mode}: convert it to one of {', '.join(MODES)} first")


def _set_aside(file: str, reason: str, excerpt: str | None) -> Picture:
    return Picture(None, file, None, None, None, None, reason, (file, None, excerpt and excerpt[:200]))


def _excerpt(content: bytes) -> str:
    text = content[:200].decode("utf-8", "ignore")
    return text if text and text.replace("\n", " ").replace("\r", " ").isprintable() else content[:64].hex(" ")


def _is_cut_riff(kind: str, content: bytes) -> bool:
    return kind == "WEBP" and int.from_bytes(content[4:8], "little") + 8 > len(content)


@contextlib.contextmanager
def _whole_pictures_only() -> Iterator[None]:
    """Within it Pillow reads no picture of which pixels are missing, whatever else in the process has set."""
    from PIL import ImageFile

    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before
