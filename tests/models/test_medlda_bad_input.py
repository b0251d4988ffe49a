"""What MedLDA refuses, and what it says then."""

from __future__ import annotations

import numpy as np
import pytest

from plait import Corpus, PlaitError
from tests.models.small import NAMES, NAN, THOROUGH, as_corpus, fitted, of_classes

CLASSES = np.arange(24) % 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"c": 0}, "c, the cost of a wrong value, must be a number above 0, not 0"),
        ({"c": -1.0}, "c, the cost.*not -1.0"),
        ({"c": NAN}, "c, the cost.*not nan"),
        ({"c": "16"}, "c, the cost.*not '16'"),
        ({"ell": 0}, "ell, the margin, must be a number above 0, not 0"),
        ({"ell": float("inf")}, "ell, the margin.*not inf"),
        ({"nu": -2}, "nu, the standard deviation of the weights' prior, must be a number above 0, not -2"),
        ({"nu": None}, "nu, .*not None"),
        ({"loss": "squared"}, "loss must be 'hinge' or 'logistic' or 'probit', not 'squared'"),
        ({"n_chains": 0}, "n_chains must be a whole number, 1 or more, not 0"),
        ({"n_chains": 1.5}, "n_chains"),
        ({"cached": "yes"}, "cached must be None, True or False, not 'yes'"),
        ({"cached": False, "sampler": "limit"}, "sampler='limit' spreads tokens.*leave cached out, or use.*'plain'"),
        ({"cached": False, "sampler": "sparse(3)"}, "sampler='sparse.*spreads tokens"),
        ({"calibrate": 1}, "calibrate is a fraction of the documents, from 0 to below 1, not 1"),
        ({"calibrate": "a"}, "calibrate is a fraction"),
        ({"calibrate": 0.1}, "calibrate=0.1 sets aside 2 of 24 labelled documents.*at least 10 are needed"),
        ({"threshold": "high"}, "threshold must be a number, not 'high'"),
        ({"threshold": -0.2}, "threshold applies only to documents with several labels; of classes"),
        ({"class_weight": -2.0}, "class_weight must be a number above 0, not -2.0"),
        (
            {"class_weight": "even"},
            "class_weight must be None, 'balanced', a number or a dict from label to number, not 'even'",
        ),
        ({"class_weight": [1, 2]}, r"class_weight must be .* not \[1, 2\]"),
        ({"class_weight": {5: 1.0}}, "class_weight has the label 5, which no document has; the labels are"),
        ({"class_weight": {1: 0}}, "class_weight of 1 must be a number above 0, not 0"),
        ({"class_weight": {1: "two"}}, "class_weight of 1 must be a number above 0, not 'two'"),
        ({"min_documents": -1}, "min_documents must be a whole number, 0 or more, not -1"),
        ({"min_documents": 13}, "2 of 2 labels have fewer than 13 documents.*min_documents=12"),
        ({"alpha": [0.1, 0.2]}, "alpha has the shape"),
        ({"n_topics": 0}, "n_topics"),
    ],
)
def test_nonsense_is_refused_with_its_name(changes, message):
    counts, _ = of_classes(24, 2)
    with pytest.raises(PlaitError, match=message):
        fitted(counts, CLASSES, **changes)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None; give one label per document"),
        (["a"] * 24, r'the labels have 1 class only: every labelled document \(24\) has "a"; give documents of at'),
        ([*["a"] * 12, *["b"] * 11, "c"], r'1 of 3 labels has fewer than 2 documents: "c" \(document 23.*documents=1'),
        (["a", "b"] * 11, "y has labels for 22 documents, but there are 24 documents; give one per document"),
        (["a", "b"] * 13, "y has labels for 26 documents"),
        (np.ones((20, 3), dtype=int), "y has labels for 20 documents"),
        ([None] * 24, "all 24 documents are unlabelled"),
        ([["a"], []] * 11 + [["b"], []], "1 of 2 labels has fewer than 2 documents"),
        ([0.25, 0.75] * 12, "Unknown label type: continuous.*use SupervisedLDA"),
        (["a", 1] * 12, "all of one type"),
        ("a" * 24, "give a list or an array of labels, one per document"),
    ],
)
def test_labels_that_cannot_be_learned_from(y, message):
    counts, _ = of_classes(24, 2)
    with pytest.raises(PlaitError, match=message):
        fitted(counts, y)


def test_bad_documents():
    counts, y = of_classes(24, 2)
    with pytest.raises(PlaitError, match="the documents have no words: every count is 0"):
        fitted(np.zeros_like(counts), y)
    with pytest.raises(PlaitError, match=r"MedLDA\.fit: the count of word .* in document 0 .* needs integer counts"):
        fitted(counts + 0.5, y)
    with pytest.raises(
        PlaitError, match=r"MedLDA\.predict: the count of word .* in document 0 .* needs integer counts"
    ):
        fitted(counts, y).predict(counts + 0.5)
    with pytest.raises(PlaitError, match=r"the corpus has no labels \(name their field with label="):
        fitted(as_corpus(counts))
    with pytest.raises(ValueError, match="17 features, but MedLDA is expecting 18"):
        fitted(counts, y).predict(counts[:, 1:])
    with pytest.warns(UserWarning, match="1 of 2 tokens"):
        labels = fitted(as_corpus(counts), NAMES[y], **THOROUGH).predict(Corpus.from_texts(["river zebra"]))
    assert labels.tolist() == ["nature"]


def test_rare_labels_are_learned_where_allowed():
    counts, y = of_classes(25, 2)
    labels = [*NAMES[y[:24]], "sport"]
    model = fitted(counts, labels, min_documents=1)
    assert model.classes_.tolist() == NAMES.tolist()
