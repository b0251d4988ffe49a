"""Parts of a corpus: selection, random and fixed splits, slices of time."""

from __future__ import annotations

import numpy as np
import pytest

from plait.corpus import Corpus, CorpusError


@pytest.mark.parametrize(
    "which",
    [["d", "a"], [3, 0], [-1, 0], np.array([3, 0]), np.array(["d", "a"], dtype=object), np.array(["d", "a"])],
)
def test_select_takes_positions_and_ids_in_the_given_order(papers, which, as_dicts, link_set):
    part = papers.select(which)
    assert part.ids.tolist() == ["d", "a"]
    assert as_dicts(part) == {"d": {"sky": 3}, "a": {"red": 2, "blue": 1}}
    assert link_set(part) == {("d", "a"): 1.0}
    assert part.labels == (("cold",), ("warm",))
    assert part.titles.tolist() == ["Sky", "Red"]
    assert part.splits.tolist() == ["test", "train"]
    assert str(part.times[0])[:4] == "1991"
    assert part.vocabulary is papers.vocabulary


def test_select_takes_masks_and_slices(papers):
    assert papers.select(np.array([True, False, True, False])).ids.tolist() == ["a", "c"]
    assert papers.select([True, False, False, True]).ids.tolist() == ["a", "d"]
    assert papers.select(slice(1, None, 2)).ids.tolist() == ["b", "d"]
    assert papers.select([]).ids.tolist() == []


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (["a", "nobody"], 'no document has the id "nobody"'),
        ([0, 4], "no document at position 4; there are 4 documents"),
        ([0, 0], 'document "a" is selected twice'),
        (["a", "a"], "selected twice"),
        ([True, False], "the mask has 2 entries"),
        ("a", "list of ids"),
        (2, "positions"),
        ([1.5], "1.5"),
    ],
)
def test_select_refuses_what_it_cannot_find(papers, which, message):
    with pytest.raises(CorpusError, match=message):
        papers.select(which)


def test_split_is_reproducible_and_keeps_every_document(papers):
    train, test = papers.split(test_size=0.5, random_state=3)
    again = papers.split(test_size=0.5, random_state=3)
    assert train.ids.tolist() == again[0].ids.tolist()
    assert sorted([*train.ids, *test.ids]) == ["a", "b", "c", "d"]
    assert len(test) == 2
    assert train.ids.tolist() == sorted(train.ids)


def test_split_can_keep_the_shares_of_labels():
    corpus = Corpus.from_texts(["word"] * 20, labels=["x"] * 10 + ["y"] * 10)
    _, test = corpus.split(0.4, random_state=0, stratify=True)
    assert sorted(test.label_vector()) == ["x"] * 4 + ["y"] * 4


def test_split_says_why_it_cannot(papers):
    with pytest.raises(CorpusError, match="test_size=7"):
        papers.split(test_size=7)
    with pytest.raises(CorpusError, match="several"):
        papers.split(stratify=True)


def test_part_of_a_fixed_split(papers):
    assert papers.part("train").ids.tolist() == ["a", "b"]
    with pytest.raises(CorpusError, match='no document belongs to the split "dev"; the splits are "", "test", "train"'):
        papers.part("dev")
    with pytest.raises(CorpusError, match="say which field has the split"):
        Corpus.from_texts(["red"]).part("train")


def dated(*times):
    return Corpus.from_texts(["word"] * len(times), times=times)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (
            "day",
            {
                "1969-12-28": 1,
                "1969-12-29": 1,
                "1969-12-30": 0,
                "1969-12-31": 0,
                "1970-01-01": 0,
                "1970-01-02": 2,
            },
        ),
        ("week", {"1969-W52": 1, "1970-W01": 3}),
        ("month", {"1969-12": 2, "1970-01": 2}),
        ("year", {"1969": 2, "1970": 2}),
    ],
)
def test_calendar_slices_have_no_gaps(by, expected):
    corpus = dated("1970-01-02T23:59:59", "1969-12-28", "1969-12-29", "1970-01-02")
    slices = corpus.slice_by_time(by)
    assert {label: len(part) for label, part in slices} == expected
    assert [label for label, _ in slices] == sorted(expected)


def test_documents_of_a_slice_keep_their_order():
    slices = dated(1991, 1990, 1991, 1990).slice_by_time("year")
    assert [part.ids.tolist() for _, part in slices] == [["2", "4"], ["1", "3"]]


def test_slices_of_about_equal_numbers_keep_one_moment_together():
    corpus = dated(1990, 1990, 1990, 1990, 1990, 1991, 1992, 1993)
    slices = corpus.slice_by_time(3)
    assert [(label, len(part)) for label, part in slices] == [
        ("1990-01-01", 5),
        ("1991-01-01", 1),
        ("1992-01-01 to 1993-01-01", 2),
    ]
    assert [len(part) for _, part in dated(*range(1900, 1912)).slice_by_time(4)] == [3, 3, 3, 3]
    with pytest.raises(CorpusError, match="4 different times; give a number from 1 to 4"):
        corpus.slice_by_time(5)


def test_slices_between_edges_include_the_first_and_not_the_second():
    corpus = dated(1990, 1995, 2000)
    slices = corpus.slice_by_time([1990, "1995-01-01", 1997, 2001])
    assert [len(part) for _, part in slices] == [1, 1, 1]
    assert slices[0][0] == "1990-01-01 until 1995-01-01"
    with pytest.raises(CorpusError, match=r'document "3": the time 2000.* outside the boundaries.*on_error="skip"'):
        corpus.slice_by_time([1990, 2000])
    skipping = corpus.slice_by_time([1990, 2000], on_error="skip")
    assert [len(part) for _, part in skipping] == [2]
    assert skipping.skipped["time outside the boundaries"] == 1


def test_documents_without_a_time_are_an_error_or_counted(papers):
    with pytest.raises(CorpusError, match='document "c": it has no time'):
        papers.slice_by_time("year")
    slices = papers.slice_by_time("year", on_error="skip")
    assert [part.ids.tolist() for _, part in slices] == [["a", "b"], ["d"]]
    assert slices.skipped["document without a time"] == 1
    with pytest.raises(CorpusError, match="no document has a time"):
        Corpus.from_texts(["red"]).slice_by_time("year", on_error="skip")


@pytest.mark.parametrize("by", ["decade", True, None, [1990], [1990, 1980], ["n.d.", 1990], 0])
def test_other_ways_to_slice_are_refused(by):
    with pytest.raises(CorpusError):
        dated(1990, 1991).slice_by_time(by)
