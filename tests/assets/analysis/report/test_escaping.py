"""What is put into the page as text stays text."""

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.report.escaping import json_text, sample_place, svg, text

TEXTS = st.text(st.characters(codec="utf-8"))


class Tags(HTMLParser):
    """The elements of a text that is read as HTML."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


@given(TEXTS)
def test_json_comes_back_and_holds_nothing_that_ends_a_script(said: str) -> None:
    found = json_text({"said": [said]})
    assert json.loads(found) == {"said": [said]}
    assert not {"<", ">", "&", "\u2028", "\u2029"} & set(found)


def test_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        json_text([float("nan")])


@given(TEXTS)
def test_text_makes_no_element_and_ends_no_attribute(said: str) -> None:
    assert Tags(f'<p title="{text(said)}">{text(said)}</p>').seen[0][0] == "p"
    assert len(Tags(f'<p title="{text(said)}">{text(said)}</p>').seen) == 1


def test_a_samples_address_has_its_parts_percent_encoded() -> None:
    assert sample_place("m3cot", "built", 'a/b?"#ü', "x&y") == "#sample/m3cot/built/a%2Fb%3F%22%23%C3%BC?a=x%26y"


FIGURE = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" viewBox="0 0 72 36">
<metadata><x/></metadata><style>*{fill:red}</style><script>alert(1)</script><!-- said -->
<defs><clipPath id="c"><rect width="1" height="1"/></clipPath></defs>
<g id="a" clip-path="url(#c)" onclick="alert(1)" style="fill: #0072b2">
<use xlink:href="#m"/><use xlink:href="https://example.org/x"/><a href="javascript:alert(1)"><text>gone</text></a>
<path d="M 0 0" style="fill: url(https://example.org)"/><text x="1">n &lt; 3 &amp; <tspan>more</tspan> than</text>
<foreignObject><p>gone</p></foreignObject></g></svg>"""


def test_a_figure_keeps_what_draws_and_nothing_else() -> None:
    assert svg(FIGURE, "one-", 'Title "x"') == (
        '<svg role="img" aria-label="Title &quot;x&quot;" viewBox="0 0 72 36" style="width:96px">'
        '<defs><clipPath id="one-c"><rect width="1" height="1"></rect></clipPath></defs>'
        '<g id="one-a" clip-path="url(#one-c)" style="fill: #0072b2"><use href="#one-m"></use><use></use>'
        '<path d="M 0 0"></path><text x="1">n &lt; 3 &amp; <tspan>more</tspan> than</text></g></svg>'
    )


def test_what_is_no_svg_is_refused() -> None:
    with pytest.raises(ValueError, match="a figure is a html, not an svg"):
        svg("<html/>", "", "")
