"""The container: alignment is checked, nothing can be changed, nothing is shared with the caller."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from plait.corpus import Corpus, CorpusError, Skipped


def parts(**changes):
    given = {
        "counts": csr_array(np.array([[1, 0, 2], [0, 3, 0]])),
        "vocabulary": np.array(["x", "y", "z"], dtype=object),
        "ids": np.array(["a", "b"], dtype=object),
    }
    return given | changes


def test_sizes_and_types(papers):
    assert (papers.n_documents, papers.n_words, papers.n_tokens, papers.n_links) == (4, 4, 10, 3)
    assert len(papers) == 4
    assert papers.lengths.tolist() == [3, 2, 2, 3]
    assert papers.counts.dtype == np.int32
    assert papers.links.dtype == np.float64
    for matrix in (
        papers.counts,
        papers.links,
        papers.select([0]).counts,
        papers.merge(papers.select([])).links,
    ):
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert papers.times.dtype == np.dtype("datetime64[s]")
    assert papers.titles.tolist() == ["Red", "Blue", "", "Sky"]
    assert papers.labels == (("warm",), ("cold", "wet"), (), ("cold",))
    assert papers.splits.tolist() == ["train", "train", "", "test"]
    assert np.isnat(papers.times).tolist() == [False, False, True, False]
    assert repr(papers) == "Corpus(4 documents, 4 words, 10 tokens, 3 links, 3 labels)"


def test_labels_as_arrays(papers):
    assert papers.label_names == ("cold", "warm", "wet")
    assert papers.is_multilabel
    assert papers.label_indicator().toarray().tolist() == [
        [False, True, False],
        [True, False, True],
        [False, False, False],
        [True, False, False],
    ]
    with pytest.raises(CorpusError, match='document "b" has 2 labels'):
        papers.label_vector()
    assert papers.select(["d", "c"]).label_vector().tolist() == ["cold", None]
    with pytest.raises(CorpusError, match="label="):
        Corpus(**parts()).label_indicator()


def test_unsorted_duplicated_and_zero_entries_are_put_in_order():
    messy = csr_array((np.array([1, 2, 4, 0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 3))
    corpus = Corpus(**parts(counts=messy))
    assert corpus.counts.toarray().tolist() == [[2, 0, 5], [0, 0, 0]]
    assert corpus.counts.nnz == 2
    assert corpus.counts.has_canonical_format
    assert messy.nnz == 4, "the caller's matrix must stay as it was"


def test_whole_floats_become_integers_and_fractions_must_be_asked_for():
    assert Corpus(**parts(counts=np.array([[1.0, 0, 2], [0, 3, 0]]))).counts.dtype == np.int32
    halves = np.array([[0.5, 0, 2], [0, 3, 0]])
    with pytest.raises(CorpusError, match=r'document "a", word "x"\) is 0.5.*fractional=True') as caught:
        Corpus(**parts(counts=halves))
    assert caught.value.kind == "fractional count"
    corpus = Corpus(**parts(counts=halves, fractional=True))
    assert corpus.counts.dtype == np.float64
    assert corpus.n_tokens == 5.5


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"counts": np.array([[1, 0], [0, 1]])}, "", "2 × 2 but there are 2 documents and 3 words"),
        (
            {"counts": np.array([[1, 0, -2], [0, 1, 1]])},
            "negative count",
            r'counts\[0, 2\].*"a".*"z".* is -2',
        ),
        ({"counts": np.array([[1, 0, 1], [0, np.nan, 1]])}, "not a number", r'counts\[1, 1\].*"b", word "y"'),
        ({"counts": np.array([[1, 0, 1], [0, np.inf, 1]])}, "not a number", "inf"),
        ({"counts": np.array([[1, 0, 1], [0, 2**40, 1]])}, "count too large", "above"),
        ({"counts": np.array([["1", "0", "1"], ["0", "1", "1"]], dtype=object)}, "not a number", "counts"),
        (
            {"vocabulary": ["x", "y", "x"]},
            "duplicate word",
            r'vocabulary\[2\] is "x", and so is vocabulary\[0\]',
        ),
        ({"vocabulary": ["x", "y", 3]}, "", r"vocabulary\[2\] is 3"),
        ({"ids": ["a", "a"]}, "duplicate id", r'ids\[1\] is "a"'),
        ({"titles": ["only one"]}, "", "titles has 1 entries but there are 2 documents"),
        ({"titles": ["one", None]}, "", r"titles\[1\] is None"),
        ({"splits": ["train"]}, "", "splits has 1 entries"),
        ({"labels": (("x",),)}, "", "labels has 1 entries"),
        ({"labels": (("x", "x"), ())}, "", r"labels\[0\].*once"),
        ({"labels": ((3,), ())}, "", r"labels\[0\].*text"),
        ({"times": np.array(["1990"], dtype="datetime64[s]")}, "", "times has 1 entries"),
        ({"times": np.array([1990, 1991])}, "", "datetime64"),
        ({"links": np.ones((3, 3))}, "", "links is 3 × 3"),
        ({"links": np.array([[0, 1], [0, 1]])}, "self link", r'links\[1, 1\] \(from "b" to "b"\)'),
        ({"links": np.array([[0, -1], [0, 0]])}, "bad weight", r"links\[0, 1\]"),
        ({"skipped": None}, "", "skipped"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, kind, message):
    with pytest.raises(CorpusError, match=message) as caught:
        Corpus(**parts(**changes))
    assert caught.value.kind == kind


def test_nothing_can_be_changed(papers):
    with pytest.raises(dataclasses.FrozenInstanceError):
        papers.ids = papers.ids
    for array in (papers.vocabulary, papers.ids, papers.titles, papers.times, papers.splits):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    for matrix in (papers.counts, papers.links):
        with pytest.raises(ValueError, match="read-only"):
            matrix.data[0] = 7
        with pytest.raises(ValueError, match="copy"):
            matrix[0, 1] = 7
        with pytest.raises(ValueError, match="copy"):
            matrix[3, 3] = 7
    with pytest.raises(ValueError, match="read-only"):
        papers.select([0, 1]).counts.data[0] = 7


def test_a_copy_of_the_counts_can_be_changed(papers):
    changed = papers.counts.copy()
    changed[0, 0] = 99
    assert changed[0, 0] == 99
    assert papers.counts[0, 0] == 1


def test_the_callers_arrays_are_not_shared():
    given = parts(
        times=np.array(["1990", "1991"], dtype="datetime64[s]"), links=csr_array(np.array([[0, 1.0], [0, 0]]))
    )
    corpus = Corpus(**given)
    given["counts"].data[:] = 50
    given["ids"][0] = "changed"
    given["vocabulary"][0] = "changed"
    given["times"][0] = np.datetime64("2020")
    given["links"].data[:] = 50
    assert corpus.n_tokens == 6
    assert corpus.ids[0] == "a"
    assert corpus.vocabulary[0] == "x"
    assert str(corpus.times[0])[:4] == "1990"
    assert corpus.links.sum() == 1


def test_a_read_only_view_of_a_writable_array_is_copied():
    owned = np.array([[1, 0, 2], [0, 3, 0]], dtype=np.int32)
    matrix = csr_array(owned)
    matrix.data = matrix.data.view()
    writable = matrix.data.base
    matrix.data.setflags(write=False)
    corpus = Corpus(**parts(counts=matrix))
    writable[:] = 50
    assert corpus.n_tokens == 6


@pytest.mark.parametrize("clone", [lambda corpus: pickle.loads(pickle.dumps(corpus)), copy.deepcopy])
def test_pickled_and_copied_corpora_are_equal_and_still_frozen(papers, clone, as_dicts, link_set):
    papers.label_names  # noqa: B018  a cached property must not get in the way
    other = clone(papers)
    assert as_dicts(other) == as_dicts(papers)
    assert link_set(other) == link_set(papers)
    assert other.labels == papers.labels
    for array in (other.counts.data, other.links.data, other.ids, other.titles, other.times, other.splits):
        assert not array.flags.writeable


def test_a_corpus_may_be_empty():
    corpus = Corpus(csr_array((0, 2), dtype=np.int32), ["x", "y"], [])
    assert len(corpus) == 0
    assert corpus.n_tokens == 0
    assert corpus.lengths.shape == (0,)


def test_skipped_counts_prints_and_adds_up():
    first = Corpus.from_texts(["red", "", ""], on_error="skip").skipped
    second = Corpus.from_texts(["red", "", "blue"], times=[None, None, "n.d."], on_error="skip").skipped
    both = first + second
    assert (both["empty document"], both["bad date"], both.total) == (3, 1, 4)
    assert str(both).splitlines()[0].startswith("3 × empty document (texts, item 2; texts, item 3; texts, item 2)")
    assert both
    assert not Skipped()
    assert str(Skipped()) == "nothing was skipped"
