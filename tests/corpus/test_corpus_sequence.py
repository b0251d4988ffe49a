"""A corpus is a sequence of documents: indexing, slices, iteration, and scikit-learn's selection of rows."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, train_test_split
from sklearn.utils import indexable, shuffle

from plait.corpus import Corpus, CorpusError, Document


def test_a_position_gives_a_document_with_everything_known_about_it(papers):
    document = papers[1]
    assert isinstance(document, Document)
    assert document == Document(
        id="b",
        counts={"blue": 1, "green": 1},
        title="Blue",
        labels=("cold", "wet"),
        links={"c": 2.0},
        time=np.datetime64("1990-03-01T00:00:00"),
        split="train",
        excerpt="blue green",
    )
    assert repr(document) == "Document('b', 2 words, 2 tokens, 1 link, labels cold, wet)"
    assert papers[2] == Document("c", {"green": 1, "sky": 1}, excerpt="green sky")
    assert papers[-1].id == papers[np.int64(3)].id == "d"
    assert list(papers[0].counts) == ["blue", "red"], "in the order of the vocabulary"


def test_a_document_of_a_corpus_without_more_than_counts():
    assert Corpus.from_matrix([[0, 2]])[0] == Document("1", {"w1": 2})
    assert Corpus.from_matrix([[0, 0.5]], fractional=True)[0].counts["w1"] == 0.5


def test_a_document_cannot_be_changed_and_can_be_hashed_and_pickled(papers):
    document = papers[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.id = "x"
    with pytest.raises(TypeError):
        document.counts["red"] = 7
    assert len({document, papers[0], papers[1]}) == 2
    assert pickle.loads(pickle.dumps(document)) == document


def test_there_are_no_documents_beyond_the_ends(papers):
    for position in (4, -5):
        with pytest.raises(IndexError, match=f"no document at position {position}; there are 4 documents"):
            papers[position]


def test_iteration_and_membership_are_by_document(papers):
    assert [document.id for document in papers] == ["a", "b", "c", "d"]
    assert papers[2] in papers
    assert papers[2] not in papers[:2]
    assert [document.id for document in reversed(papers)] == ["d", "c", "b", "a"]
    assert list(papers[:0]) == []


@pytest.mark.parametrize(
    ("which", "ids"),
    [
        (slice(1, 3), ["b", "c"]),
        (slice(None, None, -1), ["d", "c", "b", "a"]),
        ([3, 0], ["d", "a"]),
        (np.array([1, -1]), ["b", "d"]),
        (np.array([True, False, True, False]), ["a", "c"]),
        ([], []),
        (["c", "a"], ["c", "a"]),
        ((np.array([2, 3]), ...), ["c", "d"]),
    ],
)
def test_several_documents_are_a_corpus_with_their_links(papers, which, ids, link_set):
    chosen = papers[which]
    assert isinstance(chosen, Corpus)
    assert chosen.ids.tolist() == ids
    assert chosen.labels == tuple(papers.labels[papers._row_of[name]] for name in ids)
    expected = {ends: weight for ends, weight in link_set(papers).items() if set(ends) <= set(ids)}
    assert link_set(chosen) == expected


@pytest.mark.parametrize("which", ["a", 1.5, True, None, [0, 0], [9], [[0, 1]], (0, 1), (slice(None), 2)])
def test_what_selects_no_documents_is_an_error(papers, which):
    with pytest.raises(CorpusError):
        papers[which]


def test_the_shape_is_documents_by_words(papers):
    assert papers.shape == (4, 4)
    assert Corpus.from_matrix([[1, 0, 2]]).shape == (1, 3)


def test_a_corpus_is_never_read_as_an_array(papers):
    for read in (np.asarray, np.array, np.log):
        with pytest.raises(TypeError, match=r"not an array; use corpus\.counts"):
            read(papers)


def test_scikit_learn_selects_documents(papers):
    for splitter in (KFold(2), ShuffleSplit(2, test_size=1, random_state=0)):
        for train, test in splitter.split(papers):
            assert sorted(papers[train].ids.tolist() + papers[test].ids.tolist()) == ["a", "b", "c", "d"]
    assert indexable(papers, [1, 2, 3, 4])[0] is papers
    train, test, y_train, y_test = train_test_split(papers, [0, 1, 2, 3], test_size=0.5, random_state=0)
    assert isinstance(train, Corpus)
    assert train.ids.tolist() + test.ids.tolist() == [papers.ids[row] for row in y_train + y_test]
    assert sorted(shuffle(papers, random_state=1).ids) == ["a", "b", "c", "d"]
