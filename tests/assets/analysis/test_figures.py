"""Figures as files: whatever a sample's id says, they are drawn, and the id stands there as it reads."""

import io
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from assets.analysis import figures

HOSTILE = ["$\\frac$", "a\x01b\x00c", "$x$ \\u", "{\x7f}", "a$b^$", "\u202egpj", "tab\there", "two\nlines", "\ufffe"]
READ = ["$\\frac$", "abc", "$x$ \\u", "{}", "a$b^$", "gpj", "tab here", "two", "lines"]


def ticks(axes: Any, labels: list[str]) -> None:
    axes.plot(range(len(labels)), range(len(labels)))
    axes.set_yticks(range(len(labels)), labels)


def categories(axes: Any, labels: list[str]) -> None:
    axes.barh(labels, range(len(labels)))


def texts(axes: Any, labels: list[str]) -> None:
    for place, label in enumerate(labels):
        axes.text(0, place / 10, label)
        axes.plot([0, 1], [0, 1], label=label)
    axes.set_title(labels[0])
    axes.set_xlabel(labels[0])
    axes.legend(fontsize=4)


KINDS: list[Callable[[Any, list[str]], None]] = [ticks, categories, texts]


@pytest.mark.parametrize("put", KINDS)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_an_id_of_maths_or_control_characters_is_drawn_as_it_reads(put: Callable[[Any, list[str]], None]) -> None:
    figure, axes = figures.axes_of(5, 5)
    put(axes, HOSTILE)
    drawn = ElementTree.fromstring(figures.svg(figure))
    said = {element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert set(READ) <= said
    picture = figures.png(figure)
    assert Image.open(io.BytesIO(picture)).size == (500, 500)
    assert figures.png(figure) == picture


@given(st.text(st.characters(codec="utf-8"), max_size=6))
@settings(max_examples=25, deadline=None)
@pytest.mark.filterwarnings("ignore:Glyph", "ignore:Matplotlib currently does not support")
def test_any_text_makes_a_figure_that_can_be_read(said: str) -> None:
    figure, axes = figures.axes_of(2, 2, said)
    axes.set_yticks([0], [said])
    assert ElementTree.fromstring(figures.svg(figure)).tag.endswith("svg")
