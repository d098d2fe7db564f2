"""`assets.evaluation.labels`: named label sets, departures with reasons."""

import pytest

from assets.evaluation.labels import ERRATA, LABEL_SETS, errata


def test_released_departs_from_nothing():
    assert errata("released") == {}


def test_paper_has_the_one_label_as_it_was_when_the_paper_was_scored():
    assert errata("paper") == {"social-commonsense-1274": "A"}
    assert errata("paper", "comt") == {}


def test_every_erratum_says_why_and_names_known_sets():
    for erratum in ERRATA:
        assert erratum.reason
        assert erratum.released != erratum.label
        assert set(erratum.label_sets) <= set(LABEL_SETS)


def test_an_unknown_label_set_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'papre'.*released, paper"):
        errata("papre")
