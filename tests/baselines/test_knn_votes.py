"""KnnVotes compared with its definition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity

from plait.baselines import KnnVotes
from plait.errors import PlaitError


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    return rng.poisson(0.5, (12, 20)), rng.random((12, 12)) < 0.15


@pytest.mark.parametrize("itself", [False, True])
@pytest.mark.parametrize("k", [1, 4, 50])
def test_votes_of_the_nearest(network, k, itself):
    counts, links = network
    new = np.random.default_rng(1).poisson(0.5, (5, 20))
    tfidf = TfidfTransformer().fit(counts)
    similar = cosine_similarity(tfidf.transform(new).toarray(), tfidf.transform(counts).toarray())
    either = (links | links.T) & ~np.eye(12, dtype=bool)
    expected = 1e-6 * similar
    for row, cosines in enumerate(similar):
        for voter in np.argsort(-cosines)[:k]:
            expected[row] += cosines[voter] * (either[voter] + (np.arange(12) == voter) * itself)
    found = KnnVotes(k=k, itself=itself).fit(counts, links).score_links(new)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_k_must_be_a_whole_number(network):
    with pytest.raises(PlaitError, match="k must be a whole number, 1 or more"):
        KnnVotes(k=0).fit(*network)
