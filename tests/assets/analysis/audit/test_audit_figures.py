"""The figures of the audits: they draw every table, an empty one too, the same bytes each time, and stay small."""

import importlib.util

import pytest

from assets.analysis import figures
from assets.analysis.audit import (
    consensus_figure,
    extraction_figure,
    gaps_figure,
    items_figure,
    label_audit_figure,
)
from tests.expectations.analysis_audit_cases import GOOD

FIGURES = {
    "analysis/extraction": extraction_figure.draw,
    "analysis/gaps": gaps_figure.draw,
    "analysis/label_audit": label_audit_figure.draw,
    "analysis/items": items_figure.draw,
    "analysis/consensus": consensus_figure.draw,
}

pytestmark = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not here")


def words(figure) -> str:
    (axes,) = figure.axes
    labels = [label.get_text() for label in (*axes.get_yticklabels(), *axes.get_xticklabels(), *axes.texts)]
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return " ".join([axes.get_title(), axes.get_xlabel(), axes.get_ylabel(), *labels, *legends])


@pytest.mark.parametrize("asset", FIGURES)
def test_a_figure_is_the_same_bytes_each_time_and_small(asset: str) -> None:
    rows = GOOD[asset]()
    drawn = figures.png(FIGURES[asset](rows))
    assert drawn == figures.png(FIGURES[asset](rows))
    assert len(drawn) < 200_000


@pytest.mark.parametrize("asset", FIGURES)
def test_a_figure_of_no_rows_says_why_in_a_sentence(asset: str) -> None:
    figure = FIGURES[asset]([])
    (axes,) = figure.axes
    assert axes.get_title()
    assert len(axes.texts) == 1
    assert figures.png(figure)


def test_the_figures_say_what_they_count() -> None:
    assert "gpt4v_direct paper (n=4)" in words(FIGURES["analysis/extraction"](GOOD["analysis/extraction"]()))
    assert "gpt4v_direct  (3 of 5 read apart)" in words(FIGURES["analysis/gaps"](GOOD["analysis/gaps"]()))
    assert "+25.00 (letter_and_end_token)" in words(FIGURES["analysis/gaps"](GOOD["analysis/gaps"]()))
    assert "n = 1 of 4, 1 below 0" in words(FIGURES["analysis/items"](GOOD["analysis/items"]()))
    assert "m3cot (released), n = 3" in words(FIGURES["analysis/label_audit"](GOOD["analysis/label_audit"]()))
    assert "the first 3 of 3 suspects" in words(FIGURES["analysis/consensus"](GOOD["analysis/consensus"]()))
    assert "physics-1  B → A" in words(FIGURES["analysis/consensus"](GOOD["analysis/consensus"]()))
