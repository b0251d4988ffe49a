"""Topic shares over time: sparklines, words and drawings."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from plait.plots import topic_trends
from plait.plots.files import figure_content
from plait.report.trends import current_slice, peak_slice, sparkline, time_range, top_words


def test_bars_go_from_zero_to_the_maximum():
    assert sparkline([1, 0.5, 0, 1]) == "█▅▁█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""


def test_many_values_are_averaged_and_gaps_are_kept():
    assert sparkline([1, 1, 0, 0, np.nan, np.nan, 1, np.nan], width=4) == "█▁ █"


def make_slices(shares, **more):
    return [
        SimpleNamespace(
            label=f"year {number}",
            begins=None,
            ends=None,
            topic_share=np.array([share]),
            words=np.array([[f"word{number}", "x"]], dtype=object),
            empty=bool(np.isnan(share)),
            **more,
        )
        for number, share in enumerate(shares)
    ]


def test_words_are_those_of_the_slice_beside_them():
    slices = make_slices([0.1, 0.3, 0.12, 0.01, np.nan])
    assert peak_slice(slices, 0) == 1
    assert top_words(slices[1], 0, 1) == ["word1"]
    assert current_slice(slices) == 3
    assert top_words(slices[3], 0, 2) == ["word3", "x"]
    assert top_words(make_slices([0.0])[0], 0, 2) == []  # without a token, words would be those of the prior


def test_a_panel_names_the_slice_of_its_words():
    (panel,) = topic_trends(make_slices([0.1, 0.3, 0.02]), [0]).figures
    assert panel.title == "0: word1 x (year 1)\nnow: word2 x"
    assert "now: no tokens" in topic_trends(make_slices([0.3, 0.0]), [0]).figures[0].title
    assert "now" not in topic_trends(make_slices([0.1, 0.3]), [0]).figures[0].title


def test_the_time_range_has_one_beginning_and_one_end():
    slices = make_slices([0.1, 0.2])
    assert time_range(slices) == "year 0 to year 1"
    assert time_range(slices[:1]) == "year 0"
    for one, (begins, ends) in zip(slices, [("1790-01-01", "1808-05-02"), ("2001-01-01", "2020-03-04")], strict=True):
        one.label, one.begins, one.ends = f"{begins} to {ends}", f"{begins}T00:00:00", f"{ends}T00:00:00"
    assert time_range(slices) == "1790-01-01 to 2020-03-04"


@pytest.mark.parametrize("n_topics", [1, 2, 5])
@pytest.mark.parametrize("name", ["a.png", "a.html", "a.svg"])
def test_words_and_labels_are_escaped(tmp_path, name, n_topics):
    if name != "a.svg":
        pytest.importorskip("plotly" if name == "a.html" else "matplotlib")
    words = np.array([["<b>", "$x^", "a_b"]] * n_topics, dtype=object)
    slices = [
        SimpleNamespace(
            label=f"<i>{number}$",
            begins=None,
            ends=None,
            topic_share=np.full(n_topics, 0.2),
            drift=np.zeros(n_topics),
            words=words,
            empty=False,
        )
        for number in range(3)
    ]
    drawn = figure_content(topic_trends(slices, range(n_topics)), tmp_path / name)
    if name == "a.svg":
        assert b"&lt;b&gt;" in drawn
        assert b"<b>" not in drawn
    elif name == "a.html":
        assert b"&lt;b&gt;" in drawn or rb"\u0026lt;b\u0026gt;" in drawn
    else:
        assert drawn.startswith(b"\x89PNG")
