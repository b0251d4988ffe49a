"""Vocabularies exchanged, filtered and merged."""

from __future__ import annotations

import pytest

from plait.corpus import Corpus, CorpusError


def test_with_vocabulary_recolumns_and_counts_what_falls_outside(papers, link_set):
    other = papers.with_vocabulary(["sky", "new", "red"])
    assert other.counts.toarray().tolist() == [[0, 0, 2], [0, 0, 0], [1, 0, 0], [3, 0, 0]]
    assert other.skipped["token outside the vocabulary"] == 4
    assert link_set(other) == link_set(papers)
    assert other.labels == papers.labels
    with pytest.raises(CorpusError, match="unique"):
        papers.with_vocabulary(["sky", "sky"])
    with pytest.raises(CorpusError, match="list of words"):
        papers.with_vocabulary("sky")


def test_nothing_is_reported_when_nothing_falls_outside(papers):
    assert not papers.with_vocabulary([*papers.vocabulary[::-1], "more"]).skipped


def test_restrict_keeps_the_order_and_knows_its_words(papers):
    assert papers.restrict(["sky", "blue"]).vocabulary.tolist() == ["blue", "sky"]
    with pytest.raises(CorpusError, match='1 of the 2 words are not in the vocabulary, the first is "pink"'):
        papers.restrict(["pink", "blue"])


def test_filter_words_by_frequency():
    corpus = Corpus.from_texts(["a1 b1 b1 c1", "a1 b1 d1", "a1 d1 d1 d1"], stop_words=None)
    assert corpus.filter_words(min_df=2).vocabulary.tolist() == ["a1", "b1", "d1"]
    assert corpus.filter_words(max_df=2).vocabulary.tolist() == ["b1", "c1", "d1"]
    with pytest.raises(CorpusError, match=r"max_df=1; relax it \(max_df=1 means one document, 1\.0 means all\)"):
        Corpus.from_texts(["a1 b1", "b1 a1"], stop_words=None).filter_words(max_df=1)
    assert corpus.filter_words(max_df=0.7).vocabulary.tolist() == ["b1", "c1", "d1"]
    assert corpus.filter_words(min_df=0.5).vocabulary.tolist() == ["a1", "b1", "d1"]
    assert corpus.filter_words(max_words=2).vocabulary.tolist() == ["a1", "d1"]
    assert corpus.filter_words(stop_words=["a1"]).vocabulary.tolist() == ["b1", "c1", "d1"]
    assert corpus.filter_words(min_df=2).counts.toarray().tolist() == [[1, 2, 0], [1, 1, 1], [1, 0, 3]]


def test_filter_words_drops_words_that_never_occur_unless_asked_not_to(papers):
    wider = papers.with_vocabulary([*papers.vocabulary, "never"])
    assert "never" not in wider.filter_words().vocabulary
    assert "never" in wider.filter_words(min_df=0).vocabulary


def test_filter_words_that_leave_nothing_say_why(papers):
    with pytest.raises(CorpusError, match=r"all 4 words were removed by min_df=9"):
        papers.filter_words(min_df=9)
    with pytest.raises(CorpusError, match=r"stop_words \(2\), min_df=9 \(2\); relax them"):
        papers.filter_words(stop_words=["red", "blue"], min_df=9)


@pytest.mark.parametrize(
    "limits",
    [
        {"min_df": -1},
        {"max_df": 1.5},
        {"min_df": True},
        {"max_words": 0},
        {"max_words": 2.0},
        {"min_df": "2"},
    ],
)
def test_limits_that_make_no_sense_are_refused(papers, limits):
    with pytest.raises(CorpusError, match=next(iter(limits))):
        papers.filter_words(**limits)


def test_merge_grows_the_vocabulary_and_keeps_both_links(as_dicts, link_set):
    first = Corpus.from_texts(["red blue", "blue"], ids=["a", "b"], links=[("a", "b")], titles=["A", "B"])
    second = Corpus.from_texts(["amber red", "pink"], ids=["c", "d"], links=[("d", "c", 3)], times=[1990, 1991])
    both = first.merge(second)
    assert both.vocabulary.tolist() == ["blue", "red", "amber", "pink"]
    assert as_dicts(both) == as_dicts(first) | as_dicts(second)
    assert link_set(both) == {("a", "b"): 1.0, ("d", "c"): 3.0}
    assert both.titles.tolist() == ["A", "B", "", ""]
    assert [str(time)[:4] for time in both.times] == ["NaT", "NaT", "1990", "1991"]
    assert both.labels is None


def test_merge_leaves_unknown_what_one_side_lacks(papers, link_set):
    plain = Corpus.from_texts(["pink"], ids=["z"])
    for merged in (papers.merge(plain), plain.merge(papers)):
        at = merged.ids.tolist().index("z")
        assert merged.labels[at] == ()
        assert merged.splits[at] == ""
        assert link_set(merged) == link_set(papers)
    assert plain.merge(plain.select([])).links is None


def test_merge_refuses_the_same_id_twice(papers):
    with pytest.raises(CorpusError, match='both corpora have a document with the id "d"') as caught:
        papers.merge(papers.select(["d", "a"]))
    assert caught.value.kind == "duplicate id"


def test_merge_of_whole_and_fractional_counts_is_fractional(papers):
    halves = Corpus.from_matrix([[0.5]], vocabulary=["red"], ids=["z"], fractional=True)
    merged = papers.merge(halves)
    assert merged.fractional
    assert merged.n_tokens == 10.5
