"""Log-ratios equal their formula, depend less on document length than proportions, and reject zeros and negatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_positive_only_tag_during_fit

from plait.errors import PlaitError
from plait.graph import LogRatios


def test_log_ratios_equal_their_formula():
    shares = np.array([[0.5, 0.3, 0.2], [0.98, 0.01, 0.01]])
    means = shares.prod(axis=1) ** (1 / 3)
    found = LogRatios().fit_transform(shares)
    assert found == pytest.approx(np.log(shares / means[:, None]))
    assert found.sum(axis=1) == pytest.approx(0)


def test_the_scale_of_a_row_is_ignored():
    shares = np.random.default_rng(0).dirichlet(np.ones(5), size=20)
    scaled = shares * np.geomspace(1e-3, 1e3, 20)[:, None]
    assert LogRatios().fit(shares).transform(scaled) == pytest.approx(LogRatios().fit_transform(shares))


@pytest.mark.parametrize("wrong", [0.0, -0.1])
def test_proportions_that_are_not_positive_are_rejected(wrong):
    shares = np.full((3, 4), 0.25)
    shares[2, 1] = wrong
    message = rf"above 0, but row 2, column 1 is {wrong:g}"
    with pytest.raises(PlaitError, match=message):
        LogRatios().fit(shares)
    with pytest.raises(PlaitError, match=message):
        LogRatios().fit(np.full((3, 4), 0.25)).transform(shares)


def test_sparse_input_nan_and_other_shapes_are_rejected():
    shares = np.full((3, 4), 0.25)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        LogRatios().fit(sparse.csr_array(shares))
    with pytest.raises(ValueError, match="NaN"):
        LogRatios().fit(np.full((3, 4), np.nan))
    with pytest.raises(ValueError, match="4 features"):
        LogRatios().fit(shares).transform(shares[:, :3])


def test_feature_names_are_kept():
    model = clone(LogRatios()).fit(np.full((3, 2), 0.5))
    assert model.get_feature_names_out(["sport", "music"]).tolist() == ["sport", "music"]


@pytest.mark.parametrize("seed", range(3))
def test_log_ratios_depend_less_on_document_length(seed):
    rng = np.random.default_rng(seed)
    n_topics, alpha = 30, 0.5
    lengths = np.exp(rng.normal(5, 1, size=500))
    counts = lengths[:, None] * rng.dirichlet(np.full(n_topics, 0.3), size=500)
    shares = (counts + alpha) / (lengths + n_topics * alpha)[:, None]
    by_shares, by_ratios = (
        np.mean([abs(spearmanr(topic, lengths).statistic) for topic in features.T])
        for features in (shares, LogRatios().fit_transform(shares))
    )
    assert by_ratios < by_shares / 2


def test_the_positive_only_tag_is_set_and_passes_scikit_learns_check():
    assert get_tags(LogRatios()).input_tags.positive_only
    check_positive_only_tag_during_fit("LogRatios", LogRatios())
