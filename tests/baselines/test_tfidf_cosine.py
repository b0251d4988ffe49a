"""TfidfCosine compared with its definition and with published figures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity

from plait.baselines import TfidfCosine
from plait.errors import PlaitError
from plait.metrics import mean_link_scores, score_link_ranks, split_documents, undirected_links

DATA = os.environ.get("PLAIT_DATA")


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    return rng.poisson(0.5, (12, 20)), rng.random((12, 12)) < 0.15


@pytest.mark.parametrize("hops", [0, 1, 2])
def test_cosine_of_averages(network, hops):
    counts, links = network
    tfidf = TfidfTransformer().fit(counts)
    around = (links | links.T) & ~np.eye(12, dtype=bool) | np.eye(12, dtype=bool)
    scale = 1 / np.sqrt(around.sum(axis=1))
    known = tfidf.transform(counts).toarray()
    for _ in range(hops):
        known = (scale[:, None] * around * scale) @ known
    expected = cosine_similarity(tfidf.transform(counts[:3]).toarray(), known)
    np.testing.assert_allclose(TfidfCosine(hops=hops).fit(counts, links).score_links(counts[:3]), expected)


def test_hops_must_be_an_integer(network):
    with pytest.raises(PlaitError, match="hops must be a whole number, 0 or more"):
        TfidfCosine(hops=-1).fit(*network)


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="PLAIT_DATA names no folder of corpora")
@pytest.mark.parametrize(("name", "rank", "area"), [("cora", 420, 0.807), ("citeseer", 277, 0.897)])
def test_metrics_equal_an_independent_implementation(name, rank, area):
    """The other implementation broke ties by document order, which gives 424 instead of 420 on Cora."""
    from plait import read_corpus

    corpus = read_corpus(Path(DATA, name), on_error="skip")
    either, folds = undirected_links(corpus.links), []
    for training, held_out in split_documents(corpus.n_documents):
        model = TfidfCosine().fit(corpus.counts[training], either[training][:, training])
        folds.append(score_link_ranks(model.score_links(corpus.counts[held_out]), either[held_out][:, training]))
    mean = mean_link_scores(folds)
    assert round(mean.link_rank) == rank
    assert mean.auc == pytest.approx(area, abs=6e-4)
