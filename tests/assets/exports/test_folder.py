"""`assets.exports.folder`, `names` and `pictures`: what no form writes, and the sentence that says so."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assets.comt import release as comt
from assets.comt import release_parquet as comt_parquet
from assets.exports import lmms_eval, pictures, scienceqa, vlmevalkit
from assets.exports.folder import PREFIX, ExportError, new_folder, within
from assets.images import LIMITS, Picture, encode, of_pixels
from assets.m3cot import release, release_parquet
from assets.samples import Sample
from tests.exported import benchmark, built_comt, drawn, files_of, pictures_of

FORMS: dict[str, Callable[..., Any]] = {
    "released": release.write,
    "parquet": release_parquet.write,
    "vlmevalkit": vlmevalkit.write,
    "lmms-eval": lmms_eval.write,
    "scienceqa": scienceqa.write,
}
BY_ID = ("released", "scienceqa")


def looped(tmp_path: Path) -> Path:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    return tmp_path / "loop"


def within_a_loop(tmp_path: Path) -> Path:
    return looped(tmp_path) / "x"


def in_a_file(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("mine")
    return tmp_path / "notes.txt" / "deep" / "x"


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (looped, r".*/loop: is a link that leads back to itself: name another folder"),
        (within_a_loop, r".*/loop/x: is a link that leads back to itself: name another folder"),
        (lambda path: path / ("n" * 300), r".*…: is too long a name for a file here: name a folder with a shorter one"),
        (lambda path: path / ("n" * 300) / "x", r".*…: is too long a name for a file here: .*"),
        (in_a_file, r".*/x: cannot be written, for .*/notes\.txt is a file: name a new folder elsewhere"),
    ],
)
def test_a_path_that_no_folder_can_have_is_refused_in_one_sentence(
    tmp_path: Path, made: Callable[[Path], Path], sentence: str
) -> None:
    path = made(tmp_path)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(ExportError, match=rf"\A{sentence}\Z"), new_folder(path):
        raise AssertionError("nothing is written there")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_name_may_be_as_long_as_the_file_system_has_it(tmp_path: Path) -> None:
    with new_folder(tmp_path / ("n" * 250)) as making:
        assert making.name.startswith(PREFIX) and len(making.name) < 30
        (making / "x").write_text("x")
    assert files_of(tmp_path) == {f"{'n' * 250}/x": b"x"}


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", ".", "", "a\0b"])
def test_no_path_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportError, match="is no name of a file within the export"):
        within(tmp_path, name)
    assert within(tmp_path, "a/b.png") == tmp_path / "a/b.png"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("split", ["../x", "other", "/tmp/x"])
def test_a_split_that_is_none_names_no_file(tmp_path: Path, form: str, split: str) -> None:
    rows, shown = benchmark()
    with pytest.raises(ExportError, match="split"):
        FORMS[form]([rows[0]._replace(split=split)], shown, tmp_path / "in/out")
    assert files_of(tmp_path) == {}


def test_a_record_of_comt_goes_to_a_file_of_its_release_or_nowhere(tmp_path: Path) -> None:
    rows, shown = built_comt()
    splits = ('["../escape","x"]', '["train",0]', '"data"', "[]", '[["data"],0]')
    for other in (*(f'{{"split":{split}}}' for split in splits), "[1]", "{"):
        bad = [rows[0]._replace(other=other), rows[1]]
        for write in (comt.write, comt_parquet.write, lmms_eval.write):
            with pytest.raises(ExportError, match=r"\Ac-0: its `other` .*: make the samples again\Z"):
                write(bad, shown, tmp_path / "in/out")
    assert files_of(tmp_path) == {}
    comt.write([rows[0]._replace(other='{"split":["dev","x"]}'), rows[1]], shown, tmp_path / "out")
    assert {name for name in files_of(tmp_path / "out") if "images" not in name} == {
        *("README.md", "data.jsonl", "dev.jsonl"),
    }


@pytest.mark.parametrize("form", FORMS)
def test_ids_that_two_samples_have_are_named(tmp_path: Path, form: str) -> None:
    rows, shown = benchmark()
    with pytest.raises(ExportError, match=r"\A'physics-0': more than one sample has this id: give each its own\Z"):
        FORMS[form]([rows[0], rows[1], rows[1]._replace(id="physics-0")], shown, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [comt.write, comt_parquet.write, vlmevalkit.write, lmms_eval.write])
def test_ids_that_two_samples_of_comt_have_are_named(tmp_path: Path, write: Callable[..., Any]) -> None:
    rows, shown = built_comt()
    with pytest.raises(ExportError, match=r"\A'c-0': more than one sample has this id: give each its own\Z"):
        write([rows[0], rows[0]], shown, tmp_path / "out")


def named(rows: list[Sample], *ids: str) -> list[Sample]:
    return [row._replace(id=name) for row, name in zip(rows, ids, strict=False)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["CON", "nul", "com1.x", "a:b", "x*?", "end.", "end ", "a<b", 'a"b', "a\tb"])
def test_ids_that_windows_has_no_file_for_are_refused_where_files_have_them(
    tmp_path: Path, form: str, name: str
) -> None:
    rows, shown = benchmark()
    if form not in BY_ID:
        FORMS[form](named(rows, name), shown, tmp_path / "out")
        return
    with pytest.raises(ExportError, match="is an id that no file on Windows can have: give the sample another one"):
        FORMS[form](named(rows, name), shown, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "ids", [("caf\u00e9", "cafe\u0301"), ("Caf\u00c9", "cafe\u0301"), ("x", "X"), ("\u00df", "SS")]
)
def test_ids_that_one_file_would_have_are_refused_where_files_have_them(
    tmp_path: Path, form: str, ids: tuple[str, str]
) -> None:
    rows, shown = benchmark()
    if form not in BY_ID:
        FORMS[form](named(rows, *ids), shown, tmp_path / "out")
        return
    with pytest.raises(ExportError, match="so that one file would have both: give the samples other ids") as told:
        FORMS[form](named(rows, *ids), shown, tmp_path / "out")
    assert all(ascii(name) in str(told.value) for name in ids)


def test_names_that_only_look_reserved_are_ids(tmp_path: Path) -> None:
    rows, shown = benchmark()
    release.write(named(rows, "console", "com", "lpt10", ".x", "a.b", "a b"), shown, tmp_path / "out")
    assert (tmp_path / "out/images/console.png").exists()


def bomb() -> bytes:
    return encode(Image.new("L", (LIMITS.longest_side + 1, 1)))


@pytest.mark.parametrize(
    ("png", "why"),
    [
        (b"notapng", "is no PNG"),
        (b"", "is no PNG"),
        (None, "is no"),
        (encode(drawn(2))[:60], "is a broken PNG"),
        (bomb(), "has 30,001 x 1 pixels, more than are read here"),
    ],
)
@pytest.mark.parametrize("form", [*FORMS, "comt", "comt_parquet"])
def test_a_picture_that_no_one_could_open_is_never_written(
    tmp_path: Path, form: str, png: bytes | None, why: str
) -> None:
    def broken(picture: Picture) -> Picture:
        return picture._replace(png=png)

    if form in FORMS:
        rows, shown = benchmark()
        found = pictures_of([broken(picture) if picture.file == "p0" else picture for picture in shown.files()])
        write = FORMS[form]
    else:
        rows, shown = built_comt()
        first, *others = shown.files()
        found = pictures_of([broken(first), *others])
        write = comt.write if form == "comt" else comt_parquet.write
    with pytest.raises(ExportError, match=r"make the (table of pictures|samples and their pictures) again") as told:
        write(rows, found, tmp_path / "out")
    assert png is None or why in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_an_original_of_any_format_that_is_read_goes_as_it_is() -> None:
    row = of_pixels(drawn(1), "x.gif")
    with pytest.raises(ExportError, match="is no picture"):
        pictures.content(row._replace(original=b"notapng"))
    with pytest.raises(ExportError, match="is a broken GIF"):
        pictures.content(row._replace(original=b"GIF89a"))
    assert pictures.content(row) == row.png
