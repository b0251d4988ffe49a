"""Topics of the training documents in a file: sums over samples, which must agree with the model."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import LDA, PlaitError, load, save
from plait.engine.doc_topics import DocTopicSums, stack_rows

COUNTS = sparse.csr_array(np.random.default_rng(0).poisson(0.6, size=(12, 9)).astype(np.int32))


@pytest.fixture
def model():
    return LDA(3, n_sweeps=3, n_samples=2, sample_every=1, random_state=0, verbose=False).fit(COUNTS)


@pytest.mark.parametrize(
    "change",
    {
        "no groups": lambda sums, alpha, number: ([], [], []),
        "more topics": lambda sums, alpha, number: ([sparse.csr_array(np.ones((12, 4)))], [alpha], [number]),
        "fewer documents": lambda sums, alpha, number: ([sums[:11]], [alpha], [number]),
        "another alpha": lambda sums, alpha, number: ([sums], [alpha[:2]], [number]),
        "alpha that is not a number": lambda sums, alpha, number: ([sums], [alpha * np.nan], [number]),
        "negative counts": lambda sums, alpha, number: ([-sums], [alpha], [number]),
        "no samples": lambda sums, alpha, number: ([sums], [alpha], [0]),
        "a group without samples": lambda sums, alpha, number: ([sums, sums], [alpha, alpha], [number]),
        "two groups": lambda sums, alpha, number: ([sums, sums], [alpha, alpha], [number, number]),
    }.items(),
    ids=lambda change: change[0],
)
def test_sums_that_do_not_agree_with_the_model_are_errors(change, model, tmp_path):
    sums = model._doc_topics
    model._doc_topics = DocTopicSums(*change[1](sums.sums[0], sums.alphas[0], sums.n_samples[0]))
    save(model, tmp_path / "model.plait")
    with pytest.raises(PlaitError, match="is damaged"):
        load(tmp_path / "model.plait")


def test_proportions_are_those_of_the_definition(model):
    ((counts,), (alpha,), (number,)) = (model._doc_topics.sums, model._doc_topics.alphas, model._doc_topics.n_samples)
    smoothed = counts.toarray() / number + alpha
    assert (model.doc_topic_ == smoothed / smoothed.sum(axis=1, keepdims=True)).all()
    lengths = COUNTS.sum(axis=1)
    np.testing.assert_allclose(model.topic_share_, lengths @ model.doc_topic_ / lengths.sum(), rtol=1e-12)


def test_blocks_of_documents_give_the_same_bits(model, monkeypatch):
    whole = model.doc_topic_
    monkeypatch.setattr("plait.engine.doc_topics._BLOCK", 5)
    again = DocTopicSums(model._doc_topics.sums, model._doc_topics.alphas, model._doc_topics.n_samples)
    assert again.proportions.tobytes() == whole.tobytes()


def test_stacked_rows_are_those_of_scipy():
    parts = [COUNTS[:5], COUNTS[5:5], COUNTS[5:]]
    stacked = stack_rows(list(parts))
    expected = sparse.csr_array(sparse.vstack(parts))
    for name in ("data", "indices", "indptr"):
        mine, other = getattr(stacked, name), getattr(expected, name)
        assert mine.dtype == other.dtype
        assert (mine == other).all()


def test_topics_of_documents_can_be_replaced(model):
    model.doc_topic_ = np.full((12, 3), 1 / 3)
    assert (model.doc_topic_ == 1 / 3).all()
    assert not hasattr(LDA(3), "doc_topic_")
