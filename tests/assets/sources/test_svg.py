"""`assets.sources.svg`: seven polygons out of a tangram's SVG, and a reason for everything else."""

import ast
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.sources import svg
from assets.sources.svg import Refused, tangram

SVG = 'xmlns="http://www.w3.org/2000/svg"'
SQUARE = "0,0 10,0 10,10 0,10"


def polygon(piece="1", points=SQUARE, more=""):
    return f'<polygon id="{piece}" points="{points}" fill="lightgray" stroke="white" strokewidth="1" {more}/>'


SIX = "".join(polygon(piece) for piece in "234567")


def drawing(first=None, *, head="", root='viewBox="0 0 100 80"', body=None, before=""):
    body = (polygon() if first is None else first) + SIX if body is None else body
    return f"{before}<svg {SVG} {root} {head}>{body}</svg>".encode()


def first(data):
    return tangram(data).pieces[0].points


def reason(data):
    with pytest.raises(Refused) as caught:
        tangram(data)
    assert caught.value.reason in svg.REASONS
    return caught.value.reason


def test_a_drawing_has_its_view_box_and_its_pieces_in_order():
    found = tangram(drawing(root='viewBox="0 0 100.5 80" width="100%" height="100%" version="1.1" baseProfile="full"'))
    assert (found.width, found.height) == (100.5, 80.0)
    assert [piece.piece for piece in found.pieces] == list("1234567")
    assert found.pieces[0].points == (0, 0, 10, 0, 10, 10, 0, 10)


@pytest.mark.parametrize(
    "points",
    ["0,0 10,0 5,10", "0 0 10 0 5 10", " 0 , 0,10,0 5\n10 ", "0.0,.0 1e1,+0 5.,10"],
    ids=["commas", "blanks", "mixed", "forms"],
)
def test_points_are_separated_by_commas_or_blanks(points):
    assert first(drawing(polygon(points=points))) == (0, 0, 10, 0, 5, 10)


def test_a_matrix_moves_the_points():
    # x' = 0 x - 1 y + 20, y' = 1 x + 0 y + 5: a quarter turn, then a shift
    turned = polygon(points="0,0 10,0 10,4", more='transform="matrix(0, 1, -1, 0, 20, 5)"')
    assert first(drawing(turned)) == (20, 5, 20, 15, 16, 15)


def test_transforms_of_groups_are_applied_after_those_within():
    inner = polygon(points="1,1 2,1 2,2", more='transform="matrix(1 0 0 1 10 0)"')
    body = f'<g transform="matrix(2,0,0,2,0,0)"><g>{inner}</g></g>{SIX}'
    assert first(drawing(body=body)) == (22, 2, 24, 2, 24, 4)


def test_of_several_matrices_the_last_comes_first():
    moved = polygon(points="1,1 2,1 2,2", more='transform="matrix(2 0 0 2 0 0) matrix(1 0 0 1 10 0)"')
    assert first(drawing(moved)) == (22, 2, 24, 2, 24, 4)


def test_points_count_from_the_upper_left_of_the_view_box():
    assert first(drawing(polygon(points="5,7 9,7 9,9"), root='viewBox="5 7 100 80"')) == (0, 0, 4, 0, 4, 2)


def test_what_real_files_carry_besides_is_passed_over():
    head = 'xmlns:bx="https://boxy-svg.com" xmlns:xlink="http://www.w3.org/1999/xlink"'
    own = polygon(more='bx:origin=".5 .5" style=""')
    body = f"<defs/>\n  <!-- drawn by hand -->{own}{SIX}"
    before = '<?xml version="1.0" encoding="utf-8"?>\n'
    assert first(drawing(head=head, body=body, before=before)) == (0, 0, 10, 0, 10, 10, 0, 10)


BOMB = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE svg SYSTEM "file:///etc/passwd">'
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "empty_file"),
        (b" \n", "empty_file"),
        (b" " * 256_001 + drawing(), "file_too_long"),
        (drawing()[:-3], "not_xml"),
        (b"\x89PNG\r\n\x1a\n", "not_xml"),
        (drawing().decode().encode("utf-16"), "not_xml"),
        (drawing() + drawing(), "not_xml"),
        (drawing(polygon(more='id="1"')), "not_xml"),
        (drawing(before=BOMB), "doctype"),
        (drawing(before=OUTSIDE), "doctype"),
        (drawing("&lol;"), "entity"),
        (drawing(before='<?xml-stylesheet href="x.css"?>'), "processing_instruction"),
        (drawing("<script>alert(1)</script>"), "script"),
        (drawing(polygon(more='onload="alert(1)"')), "script"),
        (drawing("<style>@import url(x.css);</style>"), "style"),
        (drawing(polygon(more='style="display:none"')), "style"),
        (drawing("<foreignObject/>"), "foreign_object"),
        (drawing(f'<image {XLINK} xlink:href="http://127.0.0.1/x.png"/>'), "external_reference"),
        (drawing('<use href="#1"/>'), "external_reference"),
        (drawing('<a href="x">y</a>'), "external_reference"),
        (drawing(polygon(more=f'{XLINK} xlink:href="x"')), "external_reference"),
        (drawing(polygon().replace("lightgray", "URL(x.svg#p)")), "external_reference"),
        (drawing("<rect/>"), "unknown_element"),
        (drawing("<svg/>"), "unknown_element"),
        (drawing(f"<defs>{polygon()}</defs>"), "unknown_element"),
        (drawing('<polygon xmlns="urn:other"/>'), "unknown_element"),
        (b"<html/>", "unknown_element"),
        (drawing().replace(SVG.encode(), b""), "unknown_element"),
        (drawing(polygon(more='opacity="0"')), "unknown_attribute"),
        (drawing(head='transform="matrix(1 0 0 1 0 0)"'), "unknown_attribute"),
        (drawing(polygon() + "words"), "unexpected_text"),
        (drawing("<g/>" * 80), "too_many_elements"),
        (drawing("<g>" * 80 + "</g>" * 80), "too_many_elements"),
        (drawing(root=""), "no_view_box"),
        (drawing(root='viewBox="0 0 100"'), "bad_view_box"),
        (drawing(root='viewBox="0 0 0 80"'), "bad_view_box"),
        (drawing(root='viewBox="0 0 100 -80"'), "bad_view_box"),
        (drawing(root='viewBox="0 0 100 80" width="50px"'), "bad_view_box"),
        (drawing(root='viewBox="0 0 30000 30000"'), "view_box_too_large"),
        (drawing(root='viewBox="1e300 0 100 80"'), "view_box_too_large"),
        (drawing(root='viewBox="0 0 1000 1"'), "view_box_too_narrow"),
        (drawing(root='viewBox="0 0 1e999 80"'), "not_finite"),
        (drawing(polygon(more='transform="rotate(45)"')), "unknown_transform"),
        (drawing(polygon(more='transform="matrix(1,0,0,1,0)"')), "unknown_transform"),
        (drawing(polygon(more='transform="matrix(1,0,0,1,0,0) skewX(3)"')), "unknown_transform"),
        (drawing(polygon(points="0,0 10,0 ten,10")), "no_number"),
        (drawing(polygon(points="0,0 10,,0 10,10")), "no_number"),
        (drawing(polygon(points="0,0 1_0,0 10,10")), "no_number"),
        (drawing(polygon(points="0,0 10,0 NaN,10")), "not_finite"),
        (drawing(polygon(points="0,0 10,0 -inf,10")), "not_finite"),
        (drawing(polygon(points="0,0 10,0 1e400,10")), "not_finite"),
        (drawing(polygon(points="0,0 10,0 10,10 0")), "odd_points"),
        (drawing(polygon(points="")), "too_few_points"),
        (drawing('<polygon id="1"/>'), "too_few_points"),
        (drawing(polygon(points="0,0 10,0")), "too_few_points"),
        (drawing(polygon(points="1,1 " * 300)), "too_many_points"),
        (drawing(polygon(points="0,0 10,0 1e9,10")), "too_far_out"),
        (drawing(polygon(more='transform="matrix(1e308,1e308,1e308,1e308,0,0)"')), "too_far_out"),
        (drawing(body=SIX), "not_seven_pieces"),
        (drawing(polygon("2")), "not_seven_pieces"),
        (drawing(polygon() + polygon("8")), "not_seven_pieces"),
        (drawing("<polygon points='0,0 1,0 1,1'/>"), "not_seven_pieces"),
    ],
)
def test_what_is_no_tangram_is_refused_with_its_reason(data, expected):
    assert reason(data) == expected


def test_every_reason_is_given_somewhere_and_declared():
    tree = ast.parse(Path(svg.__file__).read_text(encoding="utf-8"))
    given_ = {
        constant.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused"
        for constant in ast.walk(node.args[0])
        if isinstance(constant, ast.Constant)
    }
    assert given_ | set(svg._REFUSED_ELEMENTS.values()) == set(svg.REASONS)
    assert len(set(svg.REASONS)) == len(svg.REASONS)


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: drawing(text)))
def test_no_bytes_do_anything_but_draw_or_be_refused(data):
    try:
        found = tangram(data)
    except Refused as refused:
        assert refused.reason in svg.REASONS
    else:
        assert all(math.isfinite(value) for piece in found.pieces for value in piece.points)
