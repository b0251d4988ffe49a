"""Topics over calendar time in a report: shares, units, and models without dates."""

from __future__ import annotations

import numpy as np
import pytest

from plait.models import LDA, OnlineLDA
from plait.report import render_report, summarise
from plait.report.pictures import draw_pictures
from plait.report.summary.periods import period_unit
from plait.report.trends import longest_unit
from tests.report.braided import QUICK, braided

ONE_CHAIN = {name: value for name, value in QUICK.items() if name != "n_chains"}


def dated(times):
    """A model of documents with these times, again and again."""
    corpus = braided()
    every = np.array([times[row % len(times)] for row in range(len(corpus))], dtype="datetime64[s]")
    return LDA(3, **ONE_CHAIN).fit(corpus._with(times=every))


YEARS = ["2001-02-03", "2002-02-03", None, "2004-02-03"]


def test_shares_by_period_are_those_of_the_model():
    model = dated(YEARS)
    periods = summarise(model).periods
    assert (periods.unit, periods.n_periods, periods.first, periods.last) == ("year", 4, "2001", "2004")
    assert periods.n_undated == 15
    with pytest.warns(UserWarning, match="15 of 60 documents have no time"):
        frame = model.topics_over("year")
    shares = np.array(frame["share"].to_list(), dtype=float).reshape(4, 3)
    for trend in periods.trends:
        course = shares[:, trend.topic.index]
        assert trend.shares[2] is None  # no document is of 2003
        assert [trend.first, trend.last, trend.peak] == pytest.approx([course[0], course[3], np.nanmax(course)])
        assert trend.peak_period == str(2001 + int(np.nanargmax(course)))
    order = [trend.topic.index for trend in periods.trends]
    assert order == np.argsort(-model.topic_share_).tolist()


def test_the_report_shows_topics_over_time_where_documents_have_dates():
    pytest.importorskip("jinja2")
    model = dated(YEARS)
    page = render_report(model)
    assert page.count('id="p1-periods"') == 1
    assert 'href="#p1-periods"' in page
    assert "15 documents without a date are left out" in page
    assert [figure.title for figure in draw_pictures(model).stream] == ["Topics over time"]
    for other in (LDA(3, **ONE_CHAIN).fit(braided()), dated(["2001-02-03"])):
        assert period_unit(other) is None
        assert summarise(other).periods is None
        assert "-periods" not in render_report(other)


def test_a_stream_has_slices_of_its_own():
    corpus = braided()
    times = np.array([f"200{row // 15}-01-01" for row in range(len(corpus))], dtype="datetime64[s]")
    stream = OnlineLDA(3, **ONE_CHAIN).fit(corpus._with(times=times), times="year")
    assert period_unit(stream) is None
    assert summarise(stream).stream.n_slices == 4


def test_the_unit_is_the_longest_one_with_four_periods():
    days = np.datetime64("2024-01-01") + np.arange(1200)
    for n_days, unit in ((1200, "year"), (366, "month"), (30, "week"), (22, "week"), (21, "day"), (1, "day")):
        assert longest_unit(days[:n_days].astype("datetime64[s]")) == unit, n_days
    unknown = np.array(["2001-01-01", "NaT", "2009-01-01"], dtype="datetime64[s]")
    assert longest_unit(unknown) == "year"
