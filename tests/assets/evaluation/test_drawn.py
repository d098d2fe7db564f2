"""`assets.evaluation.drawn`: a picture that a model drew is there whole, or it is said which one is not."""

import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assets.evaluation.drawn import Drawn, DrawnError
from assets.images import Picture, decode, of_pixels


def picture(number: int, mode: str = "RGB") -> Picture:
    return of_pixels(Image.new(mode, (3, 2), number if mode == "L" else (number,) * len(mode)), f"drawn {number}")


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_pictures_come_back_in_the_order_of_the_ids(tmp_path: Path) -> None:
    drawn = Drawn(tmp_path)
    some = [picture(1), picture(2, "L"), picture(3, "RGBA")]
    for one in some:
        drawn.put(one)
    ids = [str(some[place].image_id) for place in (2, 0, 1, 0)]
    found = list(Drawn(tmp_path).read(ids))
    assert [(one.image_id, one.png, one.width, one.height, one.mode) for one in found] == [
        (some[place].image_id, some[place].png, 3, 2, mode)
        for place, mode in ((2, "RGBA"), (0, "RGB"), (1, "L"), (0, "RGB"))
    ]
    assert found[0].file == f"{ids[0]}.png"


def test_the_bytes_of_a_row_follow_from_the_pixels_whatever_wrote_the_file(tmp_path: Path) -> None:
    one = picture(1)
    Drawn(tmp_path).put(one)
    (file,) = (tmp_path / name for name in files(tmp_path))
    decode(one.png).save(file, "PNG", compress_level=0)
    assert file.read_bytes() != one.png
    assert [row.png for row in Drawn(tmp_path).read([one.image_id])] == [one.png]


def test_a_picture_put_twice_is_one_file(tmp_path: Path) -> None:
    for _ in range(2):
        Drawn(tmp_path).put(picture(1))
    name = picture(1).image_id
    assert files(tmp_path) == [f"{str(name)[:2]}/{name}.png"]


def test_nothing_is_made_before_the_first_picture(tmp_path: Path) -> None:
    assert picture(1).image_id not in Drawn(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_picture_that_is_not_there_is_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(DrawnError) as caught:
        list(Drawn(tmp_path / "drawn").read(["ab" * 32]))
    assert str(caught.value) == (
        f"drawn: the drawn picture {'ab' * 32} is not there: make evaluation/recorded "
        "again if it was recorded, put its file back, or ask again under another `asking`"
    )


@pytest.mark.parametrize("name", ["../../secret", "", "AB" * 32, "ab"])
def test_what_is_no_id_leads_to_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(b"x")
    assert name not in Drawn(tmp_path / "a" / "b")
    with pytest.raises(DrawnError, match="is not there"):
        Drawn(tmp_path / "a" / "b").png(name)
    with pytest.raises(ValueError, match="needs its id and its PNG"):
        Drawn(tmp_path).put(picture(1)._replace(image_id=name))


def test_a_file_that_changed_is_no_picture(tmp_path: Path) -> None:
    drawn = Drawn(tmp_path)
    drawn.put(picture(1))
    [file] = tmp_path.rglob("*.png")
    for content in (b"", file.read_bytes()[:-20], picture(2).png):
        file.write_bytes(content or b"")
        with pytest.raises(DrawnError, match=f"the file of the drawn picture {picture(1).image_id} is damaged"):
            list(drawn.read([str(picture(1).image_id)]))


def test_what_was_written_is_synced_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        done.append("file" if path.is_file() else "folder")
        sync(descriptor)

    def replaced(old: Any, new: Any) -> None:
        done.append("name")
        replace(old, new)

    monkeypatch.setattr("assets.evaluation.drawn.os.fsync", synced)
    monkeypatch.setattr("assets.evaluation.drawn.os.replace", replaced)
    Drawn(tmp_path).put(picture(1))
    assert done[:3] == ["file", "name", "folder"]


def test_a_write_that_fails_leaves_no_part_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assets.evaluation.drawn.os.fsync", full)
    with pytest.raises(DrawnError, match=r"cannot be written .No space left on device.: free or mend the disk"):
        Drawn(tmp_path).put(picture(1))
    assert files(tmp_path) == []


class Others:
    def png(self, image_id: str) -> bytes:
        return b"other"

    def image(self, image_id: str) -> Any:
        return "other"


def test_models_see_drawn_pictures_on_white_beside_the_others(tmp_path: Path) -> None:
    drawn = Drawn(tmp_path)
    clear = of_pixels(Image.new("RGBA", (3, 2), (0, 0, 0, 0)), "clear")
    for one in (clear, picture(7, "L")):
        drawn.put(one)
    both = drawn.beside(Others())
    image = decode(both.png(str(clear.image_id)))
    assert (image.mode, image.getpixel((0, 0))) == ("RGB", (255, 255, 255))
    assert both.image(str(clear.image_id)).getpixel((0, 0)) == (255, 255, 255)
    assert both.png(str(picture(7, "L").image_id)) == picture(7, "L").png
    assert both.image(str(picture(7, "L").image_id)).getpixel((0, 0)) == (7, 7, 7)
    assert (both.png("ab" * 32), both.image("ab" * 32)) == (b"other", "other")
