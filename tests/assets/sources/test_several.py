from assets.images import Picture
from assets.sources import several


def test_the_upstreams_name_stands_before_each_file_and_is_taken_off_again() -> None:
    read = Picture("1", "a/b.png", b"", 1, 1, "L")
    broken = Picture(None, "c.png", None, None, None, None, "empty_file", ("c.png", None, None))
    first, second = several.prefixed([read, broken], "geoqa")
    assert first.file == "geoqa/a/b.png"
    assert (second.file, second.quarantined) == ("geoqa/c.png", ("geoqa/c.png", None, None))
    said = {"geoqa/a/b.png": "1", "geometry3k/a/b.png": "2", "geoqa_more/a.png": "3"}
    assert several.own(said, "geoqa") == {"a/b.png": "1"}
