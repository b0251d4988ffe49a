"""TfidfSVM compared with TfidfTransformer and LinearSVC; unknown labels."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from plait.baselines import TfidfSVM
from plait.errors import PlaitError
from plait.inputs.targets import read_targets
from plait.metrics import score_labels

DATA = os.environ.get("PLAIT_DATA")


@pytest.fixture
def counts():
    """Documents of three classes, 20 of each, mostly linearly separable."""
    rng = np.random.default_rng(0)
    means = np.repeat([[8.0, 1, 1, 1, 1], [1, 8, 1, 1, 1], [1, 1, 8, 1, 1]], 20, axis=0)
    return sparse.csr_array(rng.poisson(means))


@pytest.mark.parametrize("names", [["a", "b", "c"], ["a", "b", "b"]])
@pytest.mark.parametrize("sublinear", [True, False])
def test_one_class_per_document_equals_linear_svc(counts, names, sublinear):
    y = np.repeat(names, 20)
    targets = read_targets(y, 60)
    model = TfidfSVM(sublinear=sublinear).fit(counts, targets.classes, targets.signs, multilabel=False)
    weighed = TfidfTransformer(sublinear_tf=sublinear).fit_transform(counts)
    reference = LinearSVC(random_state=0).fit(weighed, y)
    predicted = [label for (label,) in model.predict(counts)]
    assert predicted == reference.predict(weighed).tolist()
    assert (np.array(predicted) == y).mean() > 0.8
    np.testing.assert_allclose(
        model.decision_function(counts).squeeze(), reference.decision_function(weighed), atol=1e-3
    )


def test_labels_are_predicted_independently(counts):
    labels = [["a", "x"]] * 20 + [["b"]] * 20 + [[]] * 20
    targets = read_targets(labels, 60)
    model = TfidfSVM().fit(counts, targets.classes, targets.signs, multilabel=True)
    predicted = model.predict(counts)
    assert {len(names) for names in predicted} > {0, 2}
    assert score_labels(labels, predicted, targets.classes, multilabel=True).micro_f1 > 0.8


def test_documents_with_an_unknown_label_are_not_used_for_it(counts):
    signs = np.repeat([[1, -1], [-1, 1], [-1, -1]], 20, axis=0)
    wrong, unknown = signs.copy(), signs.copy()
    wrong[:10, 0] = -1
    unknown[:10, 0] = 0
    one, other, whole = (
        TfidfSVM().fit(counts, ["a", "b"], given, multilabel=True).decision_function(counts)
        for given in (unknown, wrong, signs)
    )
    assert (one[:20, 0] > 0).mean() > (other[:20, 0] > 0).mean()
    np.testing.assert_array_equal(one[:, 1], whole[:, 1])


def test_labels_that_all_or_none_have(counts):
    signs = np.ones((60, 3), dtype=int)
    signs[:, 1] = -1
    signs[:, 2] = 0
    model = TfidfSVM().fit(counts, ["all", "none", "unknown"], signs, multilabel=True)
    assert set(model.predict(counts)) == {("all",)}


def test_wrong_shapes(counts):
    with pytest.raises(PlaitError, match=r"signs are of shape \(60, 1\); 60 documents and 3 classes need \(60, 3\)"):
        TfidfSVM().fit(counts, ["a", "b", "c"], np.ones((60, 1)), multilabel=False)
    model = TfidfSVM().fit(counts, ["a", "b"], np.repeat([[1], [-1]], 30, axis=0), multilabel=False)
    with pytest.raises(PlaitError, match="the documents have 4 words, the training documents had 5"):
        model.predict(counts[:, :4])


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="PLAIT_DATA names no folder of corpora")
def test_metrics_on_20_newsgroups_and_bibtex():
    import plait

    for name, measure, least in (("20news_matlab", "accuracy", 0.824), ("bibtex", "micro_f1", 0.411)):
        corpus = plait.read_corpus(Path(DATA, name))
        train, test = corpus.part("train"), corpus.part("test")
        targets = read_targets(None, len(train), train)
        multilabel = targets.kind == "multilabel"
        model = TfidfSVM().fit(train.counts, targets.classes, targets.signs, multilabel=multilabel)
        scored = score_labels(test.labels, model.predict(test.counts), targets.classes, multilabel=multilabel)
        assert getattr(scored, measure) >= least
