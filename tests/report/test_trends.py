"""Topic shares over time: sparklines, words and drawings."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from plait.report.trends import draw_trends, sparkline, top_words


def test_bars_go_from_zero_to_the_maximum():
    assert sparkline([1, 0.5, 0, 1]) == "█▅▁█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""


def test_many_values_are_averaged_and_gaps_are_kept():
    assert sparkline([1, 1, 0, 0, np.nan, np.nan, 1, np.nan], width=4) == "█▁ █"


def test_top_words_are_those_of_the_last_large_slice():
    shares = [0.1, 0.3, 0.12, np.nan, 0.01]
    slices = [
        SimpleNamespace(topic_share=np.array([share]), words=np.array([[f"word{number}", "x"]], dtype=object))
        for number, share in enumerate(shares)
    ]
    assert top_words(slices, 0, 1) == ["word2"]
    assert top_words(slices[:2], 0, 2) == ["word1", "x"]


@pytest.mark.parametrize("n_topics", [1, 2, 5])
@pytest.mark.parametrize("name", ["a.png", "a.html"])
def test_words_and_labels_are_escaped(tmp_path, name, n_topics):
    pytest.importorskip("plotly" if name == "a.html" else "matplotlib")
    words = np.array([["<b>", "$x^", "a_b"]] * n_topics, dtype=object)
    slices = [
        SimpleNamespace(
            label=f"<i>{number}$",
            topic_share=np.full(n_topics, 0.2),
            drift=np.zeros(n_topics),
            words=words,
            empty=False,
        )
        for number in range(3)
    ]
    drawn = draw_trends(slices, range(n_topics), tmp_path / name)
    if name == "a.html":
        assert b"&lt;b&gt;" in drawn or rb"\u0026lt;b\u0026gt;" in drawn
    else:
        assert drawn.startswith(b"\x89PNG")
