"""The page: sections, sentences, what is left out, and that the same tables give the same bytes."""

import hashlib
import re
from base64 import b64encode
from pathlib import Path

import pytest

from assets.analysis.report import page, sentences
from assets.analysis.report.page import FILES, Stored, build
from assets.analysis.report.sections import SECTIONS, of_evaluations
from assets.schema.faults import Fault
from assets.schema.tables import TABLES
from tests.assets.analysis.report.report_tables import HOSTILE, contents


@pytest.fixture(scope="module")
def made() -> page.Page:
    return build(contents(), 5)


@pytest.fixture(scope="module")
def text(made: page.Page) -> str:
    return made.html.decode()


def section(text: str, name: str) -> str:
    return text.partition(f'<section id="{name}"')[2].partition("</section>")[0]


def test_the_same_tables_give_the_same_bytes(made: page.Page) -> None:
    assert build(contents(), 5).html == made.html


def test_a_section_whose_table_is_there_has_a_figure_and_a_table(text: str) -> None:
    shown = section(text, "leaderboard")
    assert shown.count("<svg ") == 1
    assert "analysis/leaderboard: 3 rows" in shown
    assert shown.count("<tr>") == 4


def test_a_section_whose_table_is_not_there_says_how_to_make_it(text: str) -> None:
    assert "analysis/pairs: not made yet: cotline materialize analysis/pairs</p>" in section(text, "pairs")
    assert text.count("not made yet: cotline materialize") == len(SECTIONS) - 1


def test_a_table_that_failed_its_checks_is_not_shown() -> None:
    refused = {("analysis", "items"): Stored(None, None, "failed its check x: cotline materialize analysis/items")}
    shown = section(build(contents(tables=refused), 5).html.decode(), "items")
    assert "analysis/items: failed its check x" in shown


def test_nothing_of_the_network_and_one_script_that_the_policy_names(text: str) -> None:
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert len(scripts) == 1
    assert policy is not None
    assert f"default-src 'none'; script-src 'sha256-{digest}'" in policy.group(1)
    assert "innerHTML" not in scripts[0]


def test_what_a_reply_says_stands_nowhere_in_the_page_but_packed(text: str) -> None:
    assert HOSTILE not in text
    assert "onerror" not in text


def test_the_page_ends_with_the_md5s_of_its_tables_and_its_profile(text: str) -> None:
    end = section(text, "made-from")
    assert "Profile small." in end
    assert "<td>analysis/leaderboard</td><td class=number>3</td><td><code>0123456789abcdef</code></td>" in end


def test_the_page_says_what_it_holds_and_what_no_table_has(made: page.Page, text: str) -> None:
    assert made[1:] == (4, 0, 5, 0, 2, 0, 1)
    assert "4 samples, 5 replies and 2 pictures (longest side at most 320 pixels)." in text
    assert "Not on the page, which is at most 5 MB: 1 pictures that no table has." in text


def test_a_bound_that_tables_and_figures_pass_alone_is_refused() -> None:
    with pytest.raises(Fault, match=r"--most-mb 0.01: tables and figures alone are 0.\d MB: allow more than that"):
        build(contents(), 0.01)


def test_pictures_are_left_out_before_replies_and_these_before_texts(made: page.Page) -> None:
    texts, dialogues, picture = (len(element(made, name)) for name in ("t0", "d0", "p0"))
    rooms = (texts - 1, texts, texts + dialogues - 1, texts + dialogues, texts + dialogues + picture + 64)
    held = [page.fitting(contents(), room) for room in rooms]
    assert [(one.samples, one.dialogues, one.pictures) for one in held] == [
        (0, 0, 0),
        (4, 0, 0),
        (4, 0, 0),
        (4, 5, 0),
        (4, 5, 1),
    ]


def element(made: page.Page, name: str) -> bytes:
    start = made.html.index(f'<script type="text/plain" id="{name}">'.encode())
    return made.html[start : made.html.index(b"</script>\n", start) + 10]


def test_rows_are_limited_to_evaluations() -> None:
    rows = [{"evaluation": "x"}, {"evaluation": "y"}, {"evaluation": None}, {"a": "x", "b": "y"}, {"kind": "z"}]
    assert of_evaluations(rows, ["x"]) == [rows[0], rows[2], rows[4]]
    assert of_evaluations(rows, None) is rows


def test_sections_name_columns_that_their_tables_have() -> None:
    for one in SECTIONS:
        names = [name for word in (*one.columns, *one.percent) for name in word.split("..")]
        assert set(names) <= set(TABLES[one.kind].names), one.name
    assert len({one.name for one in SECTIONS}) == len(SECTIONS)


@pytest.mark.parametrize("one", [one for one in SECTIONS if one.draw], ids=lambda one: one.name)
def test_each_figure_can_be_drawn_of_no_rows(one: object) -> None:
    assert one.draw([]).axes  # type: ignore[attr-defined]


def test_the_files_of_the_page_are_those_that_the_closure_sees() -> None:
    folder = Path(page.__file__).parent / "page"
    assert {f"page/{path.name}" for path in folder.iterdir()} == set(FILES)


def pair(a: str, b: str, difference: float, p: float) -> dict[str, object]:
    split = {"benchmark": "m3cot", "edition": "built", "split": "test"}
    return {**split, "a": a, "b": b, "difference": difference, "p": p, "p_adjusted": p, "n": 9}


def test_the_matrix_has_the_best_first_and_a_star_where_holms_p_is_below_5_per_cent() -> None:
    rows = [pair("x", "y", 0.1, 0.5), pair("z", "x", 0.2, 0.01), pair("z", "y", 0.3, 0.001)]
    found = sentences.matrices(rows)
    assert re.findall(r'scope="row">(\w)', found) == ["z", "x", "y"]
    assert re.findall(r">([+-]\d+\.\d\*?)<", found) == ["+20.0*", "+30.0*", "-20.0*", "+10.0", "-30.0*", "-10.0"]


def test_gaps_are_told_by_evaluation_the_largest_first_and_the_whole_before_its_shapes() -> None:
    def gap(evaluation: str, shape: str, moved: float | None, n: int = 1) -> dict[str, object]:
        return {"evaluation": evaluation, "shape": shape, "moved": moved, "n": n, "sentence": f"{evaluation} {shape}"}

    rows = [gap("x", "empty", 0.01), gap("x", "total", 0.01), gap("y", "total", -0.2), gap("z", "total", 0.0, 0)]
    assert sentences.gaps(rows) == ("<h3>y</h3><p>y total</p><h3>x</h3><p>x total</p><ul><li>x empty</li></ul>")
    assert "read every reply alike" in sentences.gaps(rows[3:])


def test_compared_cells_are_counted_by_extractor_and_labels() -> None:
    rows = [{"extractor": "paper", "labels": "paper", "equal": equal} for equal in (True, False, None)]
    assert sentences.compared(rows) == "<ul><li>paper extractor, labels paper: 1 of 2 cells equal</li></ul>"
    assert sentences.compared(rows[2:]) == "<p>No evaluation here repeats a published row.</p>"
