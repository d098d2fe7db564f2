import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assets.m3cot.mathematics import asymptote
from assets.m3cot.mathematics.asymptote import available, draw, source

SQUARE = "size(72); fill((0,0)--(1,0)--(1,1)--(0,1)--cycle, black);"
needs_asy = pytest.mark.skipif(available() is None, reason="Asymptote is not installed: apt install asymptote")

REFUSED = {
    "input": 'file f = input("/etc/passwd"); label(f);',
    "output": 'file f = output("/tmp/x"); write(f, 1);',
    "system": 'system("id");',
    "eval": 'eval("system(1)");',
    "settings": 'settings.outformat = "png";',
    "shipout": 'shipout("../x");',
    "include": 'include "/etc/passwd";',
    "import_of_a_path": 'import "/etc/passwd" as x;',
    "import_of_another_module": "import slide;",
    "access": "access settings;",
    "from": "from settings access *;",
    "graphic": 'label(graphic("/etc/x.pdf"));',
    "tex_input": r'label("\input{/etc/passwd}");',
    "tex_carets": 'label("\\^^69nput");',
    "tex_definition": r'label("\def\x{\x}\x");',
    "long": "// " + "x" * 30_000,
    "zero_byte": "draw(\0);",
}


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED.keys())
def test_what_reaches_outside_the_figure_is_refused_before_it_runs(code: str) -> None:
    assert source(code) is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("size(9);", "import prelude;\nsize(9);\n"),
        ("import olympiad;size(9);", "import prelude;\nsize(9);\n"),
        ("size(9);draw(Circle((0,0),1));", "import graph;\nimport prelude;\nsize(9);draw(Circle((0,0),1));\n"),
        ("import graph;size(9);xaxis();", "import prelude;\nimport graph;size(9);xaxis();\n"),
        ("dot((0,0));", "import prelude;\nsize(200);\ndot((0,0));\n"),
        ("unitsize(1cm);", "import prelude;\nunitsize(1cm);\n"),
        ("size(9);draw(A--B^^C--D);", "import prelude;\nsize(9);draw(A--B^^C--D);\n"),
        ('size(9);label("what system?");', 'import prelude;\nsize(9);label("what system?");\n'),
    ],
    ids=["plain", "olympiad", "graph", "graph_already", "no_size", "unit_size", "carets", "word_in_text"],
)
def test_a_figure_is_completed_with_what_it_takes_for_granted(code: str, expected: str) -> None:
    assert source(code) == expected


def test_without_asymptote_every_figure_has_that_reason() -> None:
    assert list(draw([("a", SQUARE), ("b", "x")], executable=None)) == [
        ("a", None, "no_renderer"),
        ("b", None, "no_renderer"),
    ]


@pytest.fixture
def folder() -> Iterator[Path]:
    # pytest's own folders are closed to the unprivileged user that figures run as
    made = Path(tempfile.mkdtemp(prefix="fake-asy-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def script(folder: Path, text: str) -> str:
    path = folder / "asy"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exit 1", "unsupported_figure"),
        ("echo not a pdf > figure00.pdf", "unsupported_figure"),
        ("ln -s /etc/passwd figure00.pdf", "unsupported_figure"),
        ("sleep 60 & sleep 60", "figure_timeout"),
        ("while :; do :; done", "figure_timeout"),
        ("kill -XFSZ $$", "figure_too_large"),
        ("echo 'out of memory' >&2; exit 1", "figure_too_large"),
        ("kill -SEGV $$", "unsupported_figure"),
    ],
    ids=["error", "no_pdf", "link", "sleeps", "loops", "writes_too_much", "memory", "crash"],
)
def test_how_a_process_ends_gives_the_reason(folder: Path, text: str, expected: str) -> None:
    found = list(draw([("a", SQUARE)], executable=script(folder, text), seconds=0.5))
    assert found == [("a", None, expected)]
    assert expected in asymptote.REASONS


def test_what_a_process_started_ends_with_it(folder: Path) -> None:
    folder.chmod(0o777)
    late = folder / "late"
    list(draw([("a", SQUARE)], executable=script(folder, f"(sleep 1; touch {late}) & sleep 9"), seconds=0.3))
    list(draw([("a", SQUARE)], executable=script(folder, "sleep 9"), seconds=1.5))
    assert not late.exists()


def test_a_process_sees_no_environment_and_starts_in_an_empty_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    folder.chmod(0o777)
    list(draw([("a", SQUARE)], executable=script(folder, f"(env; ls) > {folder}/seen")))
    seen = (folder / "seen").read_text(encoding="utf-8")
    assert "SECRET_KEY" not in seen
    assert "openin_any=p" in seen
    assert [line for line in seen.splitlines() if "=" not in line] == ["figure00.asy", "prelude.asy"]


@needs_asy
def test_figures_come_in_order_and_one_that_fails_takes_no_other_with_it() -> None:
    figures = [("a", SQUARE), ("bad", "draw(bogus);"), ("refused", 'system("id");'), ("b", SQUARE)]
    found = list(draw(figures, executable=available()))
    assert [(name, reason) for name, _, reason in found] == [
        ("a", None),
        ("bad", "unsupported_figure"),
        ("refused", "unsupported_figure"),
        ("b", None),
    ]
    picture = found[0][1]
    assert picture is not None
    # 72 points at 200 dots an inch
    assert picture.mode == "RGB"
    assert picture.width == pytest.approx(200, abs=4)
    assert np.asarray(picture).mean() < 10
    assert found[3][1] is not None
    assert picture.tobytes() == found[3][1].tobytes()


@needs_asy
def test_an_endless_figure_ends_by_its_time_and_the_others_are_drawn() -> None:
    figures = [("a", SQUARE), ("loop", "while(true) {}"), ("b", SQUARE)]
    found = list(draw(figures, executable=available(), seconds=4))
    assert [(name, reason) for name, _, reason in found] == [("a", None), ("loop", "figure_timeout"), ("b", None)]


@needs_asy
def test_a_figure_of_a_page_wider_than_the_limit_is_too_large() -> None:
    found = list(draw([("a", "size(9000); draw((0,0)--(1,1));")], executable=available()))
    assert found == [("a", None, "figure_too_large")]


@needs_asy
def test_tex_reads_no_file_outside_even_where_the_command_is_put_together() -> None:
    code = 'size(72); label("\\inp" + "ut{/etc/passwd}", (0,0));'
    assert source(code) is not None
    # TeX refuses the file and asks for another name, which nobody gives
    ((_, picture, reason),) = draw([("a", code)], executable=available(), seconds=3)
    assert picture is None
    assert reason in ("unsupported_figure", "figure_timeout")


PRELUDE = """
bool near(pair a, pair b) { return abs(a - b) < 1e-6; }
pair A = (0,0), B = (4,0), C = (0,3);
assert(near(origin, (0,0)));
assert(near(foot(A,B,C), (1.44,1.92)));
assert(near(circumcenter(A,B,C), (2,1.5)) && abs(circumradius(A,B,C) - 2.5) < 1e-6);
assert(near(incenter(A,B,C), (1,1)) && abs(inradius(A,B,C) - 1) < 1e-6);
assert(near(orthocenter(A,B,C), A) && near(centroid(A,B,C), (4/3,1)));
assert(near(midpoint(A,B), (2,0)) && near(excenter(A,B,C), (6,6)));
assert(near(tangent((5,0), A, 3), (1.8,2.4)) && near(tangent((5,0), A, 3, 2), (1.8,-2.4)));
assert(near(IP(A--(4,4), (0,4)--B), (2,2)) && near(waypoint(A--B, 0.25), (1,0)));
assert(near(point(rightanglemark(C,A,B,10), 1), (0.3,0.3)));
assert(abs(arclength(anglemark(B,A,C,100)) - 1.5 * pi) < 1e-3);
assert(near(bisectorpoint(B,A,C), unit((1,1))));
size(100);
D(A--B--C--cycle); D(MP("A", A, SW)); D(incircle(A,B,C)); add(pathticks(A--B, 2)); add(grid(2,2));
rr_cartesian_axes(-1,3,-1,3,useticks=true); trig_axes(-pi,pi,-1,1,pi/2,1); rm_trig_labels(-2,2,2);
"""


@needs_asy
def test_the_prelude_gives_the_points_of_a_3_4_5_triangle() -> None:
    (found,) = draw([("a", PRELUDE)], executable=available())
    assert found[2] is None
