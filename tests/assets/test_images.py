"""Pictures from outside, each kind that does harm made in memory, and the stored table."""

import io
import os
import struct
import warnings
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFile, PngImagePlugin

from assets.images import (
    REASONS,
    Limits,
    Picture,
    Pictures,
    batches,
    decode,
    encode,
    format_of,
    identify,
    of_pixels,
    on_white,
    once,
    read,
    read_bytes,
)
from assets.schema.tables import TABLES


def stored(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def drawn(seed: int = 0, size: tuple[int, int] = (40, 24)) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def pixels(picture: Picture) -> np.ndarray:
    assert picture.png is not None, picture
    return np.asarray(decode(picture.png))


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def test_the_same_pixels_have_one_id_in_every_lossless_format() -> None:
    files = [stored(drawn(), kind) for kind in ("PNG", "BMP", "TIFF")] + [stored(drawn(), "WEBP", lossless=True)]
    assert {read_bytes(file, "a").image_id for file in files} == {identify(drawn())}


def test_the_id_is_the_sha256_over_mode_size_and_pixels() -> None:
    # From: printf 'L:2x1:\x00\xff' | sha256sum
    picture = Image.frombytes("L", (2, 1), b"\x00\xff")
    assert identify(picture) == "43d655b9dee7bc377dc3c80dde63f949db09794f5fb62f29098ca4ff6023ee49"
    assert identify(picture) != identify(Image.frombytes("L", (1, 2), b"\x00\xff"))
    assert identify(picture) != identify(picture.convert("RGB"))


def test_metadata_changes_neither_id_nor_bytes() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "made at noon")
    told = read_bytes(stored(drawn(), pnginfo=info, dpi=(300, 300), icc_profile=b"profile"), "a")
    assert told == read_bytes(stored(drawn()), "a")
    assert told.png is not None and b"noon" not in told.png


def test_black_text_on_a_transparent_palette_stays_readable() -> None:
    palette = Image.new("P", (60, 20), 0)
    palette.putpalette([0, 0, 0, 0, 0, 0])
    ImageDraw.Draw(palette).text((5, 5), "text", fill=1)
    shown = pixels(read_bytes(stored(palette, transparency=0), "a"))
    assert shown.shape == (20, 60, 3)
    assert (shown[0] == 255).all() and (shown == 0).any()


@pytest.mark.parametrize(
    ("mode", "clear", "solid"),
    [("RGBA", (9, 9, 9, 0), (10, 20, 30, 255)), ("LA", (9, 0), (10, 255))],
    ids=["RGBA", "LA"],
)
def test_what_is_see_through_is_white(mode: str, clear: tuple[int, ...], solid: tuple[int, ...]) -> None:
    picture = Image.new(mode, (2, 1), clear)
    picture.putpixel((1, 0), solid)
    read_back = read_bytes(stored(picture), "a")
    left, right = pixels(read_back)[0].tolist()
    assert read_back.mode == mode
    assert (left, right) == (([255] * 3, [10, 20, 30]) if mode == "RGBA" else (255, 10))


def test_half_transparent_black_is_grey_on_white() -> None:
    assert pixels(read_bytes(stored(Image.new("RGBA", (1, 1), (0, 0, 0, 128))), "a")).tolist() == [[[127] * 3]]


@pytest.mark.parametrize("mode", ["L", "RGB", "1"])
def test_a_colour_key_of_a_png_is_white(mode: str) -> None:
    black: object = (0, 0, 0) if mode == "RGB" else 0
    shown = pixels(read_bytes(stored(Image.new(mode, (2, 2), 0), transparency=black), "a"))
    assert (shown == 255).all()


def test_opaque_rgba_is_the_same_picture_as_rgb() -> None:
    assert read_bytes(stored(drawn().convert("RGBA")), "a").image_id == identify(drawn())


def test_sixteen_bits_become_eight() -> None:
    deep = Image.fromarray(np.array([[0, 128, 129, 257, 32768, 65535]], dtype=np.uint16))
    for kind in ("PNG", "TIFF"):
        picture = read_bytes(stored(deep, kind), "a")
        assert picture.mode == "I;16"
        assert pixels(picture).tolist() == [[0, 0, 1, 1, 128, 255]]


def test_a_depth_without_a_white_is_quarantined() -> None:
    picture = read_bytes(stored(Image.fromarray(np.full((2, 2), 0.5, np.float32)), "TIFF"), "a")
    assert (picture.dropped, picture.quarantined) == ("unknown_depth", ("a", None, "TIFF of mode F"))


def test_cmyk_of_adobe_is_not_read_as_a_negative() -> None:
    paper = Image.new("CMYK", (16, 16), (0, 0, 0, 0))
    paper.paste((0, 255, 255, 0), (0, 0, 8, 16))
    file = stored(paper, "JPEG", quality=95)
    assert b"Adobe" in file
    shown = pixels(read_bytes(file, "a")).astype(int)
    assert abs(shown[8, 2] - [255, 0, 0]).max() < 12 and abs(shown[8, 13] - 255).max() < 12


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_stands_as_its_exif_says(kind: str, orientation: int) -> None:
    upright = Image.new("L", (32, 16), 255)
    upright.paste(0, (0, 0, 16, 8))
    # How a camera stores what stands upright under each orientation: rows and columns as EXIF 2.3 numbers them.
    a = np.asarray(upright)
    lying = [a, a[:, ::-1], a[::-1, ::-1], a[::-1], a.T, a.T[::-1], a.T[::-1, ::-1], a.T[:, ::-1]][orientation - 1]
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = stored(Image.fromarray(np.ascontiguousarray(lying)).convert("RGB"), kind, exif=exif)
    picture = read_bytes(file, "a")
    assert (picture.width, picture.height) == (32, 16)
    assert abs(pixels(picture)[..., 0].astype(int) - a).max() < 40


def test_of_several_frames_the_first_is_read() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    for kind in ("GIF", "TIFF", "PNG"):
        file = stored(frames[0], kind, save_all=True, append_images=frames[1:])
        assert pixels(read_bytes(file, "a"))[0, 0].tolist() == [255, 0, 0]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_a_cut_file_is_never_read_in_part(kind: str) -> None:
    file = stored(drawn(size=(90, 70)), kind)
    for share in (0.4, 0.7, 0.95):
        picture = read_bytes(file[: int(len(file) * share)], "a")
        assert picture.png is None and picture.dropped in {"truncated_picture", "broken_picture"}
        if kind in {"PNG", "JPEG", "WEBP", "BMP"}:
            assert picture.dropped == "truncated_picture"


def test_a_cut_file_is_not_read_even_where_another_library_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    file = stored(drawn(size=(90, 70)), "JPEG")
    assert read_bytes(file[: len(file) // 2], "a").dropped == "truncated_picture"
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True


def test_a_png_with_a_changed_byte_is_quarantined() -> None:
    file = bytearray(stored(drawn()))
    file[len(file) // 2] ^= 1
    assert read_bytes(bytes(file), "a").dropped == "broken_picture"


def test_a_bomb_is_refused_by_its_header() -> None:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(7501) * 100)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    assert read_bytes(bomb, "a").dropped == "picture_bomb"


def test_pixels_and_sides_are_bounded() -> None:
    file = stored(Image.new("L", (50, 10)))
    assert read_bytes(file, "a", Limits(most_pixels=500, longest_side=50)).dropped is None
    refused = read_bytes(file, "a", Limits(most_pixels=499))
    assert (refused.dropped, refused.quarantined) == ("picture_bomb", ("a", None, "50 x 10 pixels"))
    assert read_bytes(file, "a", Limits(longest_side=49)).dropped == "picture_bomb"


def test_a_text_bomb_in_a_png_is_quarantined() -> None:
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(200 << 20), 9))
    file = stored(drawn())
    assert read_bytes(file[:33] + text + file[33:], "a").png is None


def test_a_wrong_suffix_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(stored(drawn()))
    picture = read(tmp_path / "a.jpg", "sub/a.jpg")
    assert (picture.image_id, picture.file, picture.dropped) == (identify(drawn()), "sub/a.jpg", None)


def test_files_that_are_no_picture_say_why(tmp_path: Path) -> None:
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "page.png").write_bytes(b"<html>404 Not Found</html>\n")
    (tmp_path / "noise.png").write_bytes(b"\x00\x01\xfe")
    (tmp_path / "long.png").write_bytes(stored(drawn()))
    (tmp_path / "head.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    names = ("empty", "page", "noise", "long", "head", "folder", "pipe", "absent")
    found = {}
    for name in names:
        limits = Limits(most_bytes=100) if name == "long" else Limits()
        found[name] = read(tmp_path / f"{name}.png", f"{name}.png", limits)
    assert {name: picture.dropped for name, picture in found.items()} == {
        "empty": "empty_file",
        "page": "not_a_picture",
        "noise": "not_a_picture",
        "long": "file_too_long",
        "head": "broken_picture",
        "folder": "unreadable_file",
        "pipe": "unreadable_file",
        "absent": "missing_picture",
    }
    assert found["page"].quarantined == ("page.png", None, "<html>404 Not Found</html>\n")
    assert found["noise"].quarantined == ("noise.png", None, "00 01 fe")


def test_formats_that_are_not_asked_for_are_not_opened() -> None:
    assert format_of(b"%!PS-Adobe-3.0 EPSF-3.0\n") is None
    assert format_of(stored(drawn(), "ICO")) is None
    assert format_of(stored(drawn(), "PPM")) is None


FILES = {
    kind: stored(drawn(size=(20, 12)), kind, **({"save_all": True} if kind == "GIF" else {}))
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(FILES)), st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=4))
def test_a_damaged_file_is_read_or_quarantined_and_never_raises(kind: str, damage: list[tuple[int, int]]) -> None:
    file = bytearray(FILES[kind])
    for place, value in damage:
        file[place % len(file)] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = read_bytes(bytes(file), "a")
    assert (picture.image_id is None) == (picture.dropped in REASONS) == (picture.quarantined is not None)
    assert picture == read_bytes(bytes(file), "a")


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_a_picture_drawn_here_comes_back_as_it_was(mode: str) -> None:
    picture = of_pixels(drawn().convert(mode), "sample-1")
    assert picture.png is not None and decode(picture.png).mode == mode == picture.mode
    assert identify(decode(picture.png)) == picture.image_id
    assert encode(decode(picture.png)) == picture.png


def test_a_picture_of_another_mode_is_not_stored() -> None:
    with pytest.raises(ValueError, match="mode P: convert it"):
        of_pixels(Image.new("P", (2, 2)), "sample-1")


def test_alpha_that_was_drawn_is_put_on_white_when_asked() -> None:
    assert on_white(Image.new("RGBA", (1, 1), (1, 2, 3, 0))).getpixel((0, 0)) == (255, 255, 255)
    assert on_white(drawn()) == drawn()


def rows() -> list[Picture]:
    bad = read_bytes(b"", "d.png")
    return list(once([of_pixels(drawn(1), "a.png"), of_pixels(drawn(2), "b.png"), of_pixels(drawn(1), "c.png"), bad]))


def test_the_same_pixels_are_stored_once() -> None:
    first, _, again, bad = rows()
    assert (again.image_id, again.png, again.dropped) == (first.image_id, None, "same_pixels")
    assert again.quarantined is None and bad.dropped == "empty_file"


def test_batches_are_bounded_in_rows_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [batch.num_rows for batch in batches(rows(), rows=3)] == [3, 1]
    assert all(batch.schema == TABLES["image"].schema for batch in batches(rows()))
    monkeypatch.setattr("assets.images.PNG_BYTES_IN_A_BATCH", 1)
    assert [batch.num_rows for batch in batches(rows())] == [1, 1, 2]
    assert list(batches([])) == []


def test_a_stored_table_gives_ids_reasons_and_pictures() -> None:
    pictures = Pictures.of(rows())
    first, second, _, _ = rows()
    assert pictures.ids() == {"a.png": first.image_id, "b.png": second.image_id, "c.png": first.image_id}
    assert pictures.reasons() == {"d.png": "empty_file"}
    assert list(pictures.stream()) == [first, second]
    assert list(pictures.stream({second.image_id or ""})) == [second]
    assert list(pictures.stream([])) == []
    assert list(Pictures.of([]).stream()) == []


def test_the_index_never_reads_a_png() -> None:
    asked: list[list[str]] = []

    class Watched(pq.ParquetFile):
        def read(self, columns: list[str] | None = None, **options: object) -> object:
            asked.append(columns or [])
            return super().read(columns=columns, **options)

    file = io.BytesIO()
    with pq.ParquetWriter(file, TABLES["image"].schema) as writer:
        for batch in batches(rows()):
            writer.write_batch(batch)
    pictures = Pictures(Watched(io.BytesIO(file.getvalue())))
    light = [name for name in TABLES["image"].names if name not in ("png", "original")]
    assert pictures.index().column_names == light
    pictures.ids(), pictures.reasons()
    assert len(asked) == 3 and not any({"png", "original"} & set(columns) or not columns for columns in asked)


def test_a_kept_file_has_its_own_bytes_where_the_png_is_another_one() -> None:
    jpeg, plain = stored(drawn(), "JPEG"), encode(drawn())
    kept = read_bytes(jpeg, "a.jpg", keep=True)
    assert kept == read_bytes(jpeg, "a.jpg")._replace(original=jpeg)
    assert read_bytes(plain, "a.png", keep=True) == of_pixels(drawn(), "a.png")
    assert read_bytes(stored(drawn(), dpi=(300, 300)), "a.png", keep=True).original is not None
    assert read_bytes(jpeg[:200], "a.jpg", keep=True).original is None


def test_a_kept_picture_that_was_drawn_here_stays_see_through_and_another_one_does_not() -> None:
    clear = Image.new("RGBA", (4, 4), (9, 8, 7, 100))
    assert read_bytes(encode(clear), "a", keep=True) == of_pixels(clear, "a")
    assert read_bytes(encode(clear), "a").image_id == identify(on_white(clear))
    foreign = stored(clear, dpi=(300, 300))
    kept = read_bytes(foreign, "a", keep=True)
    assert (kept.image_id, kept.original) == (identify(on_white(clear)), foreign)


def test_a_stored_table_gives_every_file_again_once_same_pixels_or_not() -> None:
    files = {
        "a.png": encode(drawn(1)),
        "b.png": stored(drawn(1), dpi=(300, 300)),
        "c.jpg": stored(drawn(2), "JPEG"),
        "d.png": encode(drawn(1)),
        "e.bmp": stored(drawn(3), "BMP"),
        "f.png": encode(drawn(3)),
        "g.jpg": stored(drawn(2), "JPEG"),
        "h.png": b"no picture",
    }
    pictures = Pictures.of(once(read_bytes(content, name, keep=True) for name, content in files.items()))
    found = [(row.file, row.png if row.original is None else row.original) for row in pictures.files()]
    assert len(found) == 7 and dict(found) == {name: files[name] for name in files if name != "h.png"}
    assert list(Pictures.of([]).files()) == []


def test_files_are_streamed_in_memory_that_does_not_grow_with_their_number() -> None:
    def peak(files: int) -> int:
        kept = (read_bytes(stored(drawn(n // 2), "JPEG"), f"{n}.jpg", keep=True) for n in range(files))
        pictures = Pictures.of(once(kept))
        before = pa.total_allocated_bytes()
        return max(pa.total_allocated_bytes() - before for _ in pictures.files())

    assert peak(4 * 256) <= 1.2 * peak(256)
