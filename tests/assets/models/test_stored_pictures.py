"""`assets.models.stored_pictures`: pictures by id out of stored tables, read some at a time."""

import io
import random
import threading

import pyarrow.parquet as pq
import pytest
from PIL import Image

from assets import images
from assets.models.model import ModelError
from assets.models.stored_pictures import ROWS_AT_ONCE, StoredPictures
from assets.schema.tables import TABLES, as_table


def grey(level, side=2):
    return images.of_pixels(Image.new("L", (side, side), level), f"{level}.png")


def stored(pictures, rows=64):
    """A table as storage keeps it, a row group each so many rows."""
    kept = io.BytesIO()
    with pq.ParquetWriter(kept, TABLES["image"].schema) as writer:
        for start in range(0, len(pictures), rows):
            writer.write_table(as_table("image", pictures[start : start + rows]))
    return images.Pictures(Counted(io.BytesIO(kept.getvalue())))


class Counted(pq.ParquetFile):
    """A parquet file that counts the rows whose PNG is read."""

    read_rows = 0

    def iter_batches(self, *arguments, **options):
        for batch in super().iter_batches(*arguments, **options):
            self.read_rows += batch.num_rows
            yield batch

    def read_row_group(self, number, columns=None, **options):
        assert "png" not in (columns or ["png"])
        return super().read_row_group(number, columns=columns, **options)


def test_a_picture_comes_back_byte_for_byte_from_whichever_table_has_it():
    tables = [stored([grey(1), grey(2)]), stored([grey(3)])]
    pictures = StoredPictures(tables)
    for level in (3, 1, 2):
        assert pictures.png(grey(level).image_id) == grey(level).png
    assert pictures.ids() == {grey(level).image_id for level in (1, 2, 3)}
    assert grey(2).image_id in pictures
    assert "0" * 64 not in pictures
    shown = pictures.image(grey(3).image_id)
    assert (shown.mode, shown.getpixel((0, 0))) == ("RGB", (3, 3, 3))


def pixels(image):
    return [image.getpixel((x, y)) for y in range(image.height) for x in range(image.width)]


def test_what_was_transparent_is_white():
    half = Image.new("RGBA", (2, 1), (255, 0, 0, 255))
    half.putpixel((1, 0), (0, 0, 0, 0))
    row = images.of_pixels(half, "half.png")
    pictures = StoredPictures([stored([row])])
    for _ in range(2):
        shown = images.decode(pictures.png(row.image_id))
        assert (shown.mode, pixels(shown)) == ("RGB", [(255, 0, 0), (255, 255, 255)])
    assert pixels(pictures.image(row.image_id)) == [(255, 0, 0), (255, 255, 255)]


def test_a_picture_that_is_not_there_is_named():
    pictures = StoredPictures([stored([grey(1)])])
    for wanted in (pictures.png, pictures.image):
        with pytest.raises(ModelError, match=f"^picture {'f' * 64}: is not among the 1 stored ones: materialize"):
            wanted("f" * 64)
    with pytest.raises(ModelError, match="among the 0 stored ones"):
        StoredPictures([]).png("f" * 64)


def test_a_file_with_the_pixels_of_another_is_that_picture_and_a_broken_one_is_none():
    again = grey(5)._replace(file="again.png")
    broken = images.read_bytes(b"not a picture", "broken.png")
    pictures = StoredPictures([stored(list(images.once([broken, grey(5), again])))])
    assert pictures.ids() == {grey(5).image_id}
    assert pictures.png(grey(5).image_id) == grey(5).png
    # the first table holds only the repeated row
    table = stored([again._replace(png=None, dropped="same_pixels")])
    assert StoredPictures([table, stored([grey(5)])]).png(grey(5).image_id) == grey(5).png


def many(n):
    return [images.of_pixels(Image.new("L", (1 + number // 256, 1), number % 256), str(number)) for number in range(n)]


def test_the_ids_are_known_without_a_picture_being_read():
    table = stored(many(200))
    assert len(StoredPictures([table]).ids()) == 200
    assert table._source.read_rows == 0


def test_in_the_tables_order_each_picture_is_read_once():
    rows = many(1000)
    table = stored(rows, rows=1000)
    pictures = StoredPictures([table])
    for row in rows:
        assert pictures.png(row.image_id) == row.png
    assert table._source.read_rows == 1000


def test_what_was_just_read_is_not_read_again_and_a_picture_costs_at_most_its_group():
    rows = many(320)
    table = stored(rows, rows=32)
    pictures = StoredPictures([table], cached=1)
    order = list(range(320))
    random.Random(4).shuffle(order)
    for place in order:
        before = table._source.read_rows
        assert pictures.png(rows[place].image_id) == rows[place].png
        assert table._source.read_rows - before <= 32
        before = table._source.read_rows
        assert pictures.png(rows[place].image_id) == rows[place].png
        assert table._source.read_rows == before


def test_no_more_is_kept_than_asked_for(monkeypatch):
    rows = many(400)
    pictures = StoredPictures([stored(rows)], cached=20)
    for row in rows:
        pictures.png(row.image_id)
        assert len(pictures._kept) <= 20
        assert pictures._weight == sum(map(len, pictures._kept.values()))
    assert len(StoredPictures([stored(rows)], cached=0)._kept) < ROWS_AT_ONCE
    monkeypatch.setattr("assets.models.stored_pictures.MOST_BYTES", 2 * len(rows[0].png))
    pictures.png(rows[0].image_id)
    assert 1 <= len(pictures._kept) <= 3


def test_threads_that_ask_at_once_get_each_its_own():
    rows = many(300)
    clear = images.of_pixels(Image.new("RGBA", (3, 3), (9, 9, 9, 0)), "clear")
    pictures = StoredPictures([stored([*rows, clear], rows=50)])
    wrong = []

    def ask(seed):
        order = [*rows, clear]
        random.Random(seed).shuffle(order)
        for row in order:
            png = pictures.png(row.image_id)
            expected = images.encode(Image.new("RGB", (3, 3), "white")) if row is clear else row.png
            if png != expected:
                wrong.append(row.file)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
