"""Models to compare, their document features, and classifiers.

A setting names a corpus, a model, its sampler and its parameters. A model is fitted once per setting and process.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from functools import lru_cache
from typing import Any, NamedTuple

import joblib
import numpy as np
import scipy.sparse as sparse
from common import MOST_LINKS, Setting, fit_seconds
from data import load
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import plait
from experiments.options import FIXED_PRIORS
from plait.baselines import LinkPLSALDA
from plait.corpus import Corpus
from plait.engine.chain import Chain
from plait.graph import LogRatios, bayes_net, entropy_tree, svm
from plait.mixing import LinkedDocuments, OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler

TFIDF, LDA, LINKED, LINK_PLSA = "tf.idf", "LDA", "linked LDA", "link-PLSA-LDA"
LOG_RATIOS = "BayesNet on log ratios"
_ONLY_LINKED = ("p", "direction")  # parameters that LDA does not have


class Fitted(NamedTuple):
    """Features and influence of the documents that a model was fitted to."""

    features: dict[str, Any]  # by name: documents × features
    influence: sparse.csr_array | None
    seconds: float


def fitted(corpus: str, model: str, *, topics: int, seed: int, sampler: str = "plain", **parameters: Any) -> Fitted:
    """Fit a model to a corpus, or return it if it was fitted before.

    Parameters
    ----------
    model
        "tf.idf", "LDA", "linked LDA" or "link-PLSA-LDA"; the first has no topics, and the last has its own settings.
    parameters
        Parameters of LDA and linked LDA; LDA ignores those of linked LDA.
    """
    given: Setting = {"corpus": corpus, "model": model}
    if model != TFIDF:
        given |= {"topics": topics, "seed": seed}
    if model in (LDA, LINKED):
        given |= {"sampler": sampler} | parameters
    if model == LDA:
        given = {name: value for name, value in given.items() if name not in _ONLY_LINKED}
    return _fit(json.dumps(given, sort_keys=True))


@lru_cache(maxsize=4)
def _fit(key: str) -> Fitted:
    given = json.loads(key)
    corpus, name = load(given.pop("corpus")), given.pop("model")
    if name == TFIDF:
        return Fitted({"tf.idf": TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts)}, None, 0.0)
    topics, seed = given.pop("topics"), given.pop("seed")
    if name == LINK_PLSA:
        machine = LinkPLSALDA(topics, random_state=seed)
        seconds = fit_seconds(machine, corpus)
        return Fitted({"doc_topic_": machine.doc_topic_}, machine.influence_, seconds)
    if name == LDA:
        model: Any = plait.LDA(topics, random_state=seed, verbose=False, **FIXED_PRIORS | given)
    else:
        model = plait.LinkedLDA(topics, most_links=MOST_LINKS, random_state=seed, verbose=False, **given)
    seconds = fit_seconds(model, corpus)
    features = {"doc_topic_": model.doc_topic_}
    if name == LINKED:
        features["source_topic_"] = model.source_topic_
    return Fitted(features, model.influence_ if name == LINKED else None, seconds)


def make_chain(
    corpus: Corpus,
    model: str,
    sampler: str,
    topics: int,
    seed: int,
    *,
    alpha: float = 0.1,
    beta: float = 0.01,
    p: float = 10.0,
    direction: str = "out",
) -> Chain:
    """Return the chain of LDA or linked LDA in one shard, with plait's defaults."""
    linked = model == LINKED
    return Chain(
        corpus.counts,
        topics,
        mixing=LinkedDocuments(alpha, p, MOST_LINKS, direction) if linked else OwnDocument(alpha),
        prior=SymmetricPrior(beta),
        sampler=as_sampler(sampler),
        seed=seed,
        n_shards=1,
        links=corpus.links if linked else None,
    )


def classifiers(seed: int) -> dict[str, Any]:
    """Return the paper's three classifiers, each class against the rest, and naive Bayes on log ratios of shares."""
    return {
        "BayesNet": OneVsRestClassifier(bayes_net()),
        "SVM": svm(random_state=seed),
        "C4.5": OneVsRestClassifier(entropy_tree(random_state=seed)),
        LOG_RATIOS: OneVsRestClassifier(make_pipeline(LogRatios(), bayes_net())),
    }


def logistic() -> LogisticRegression:
    """Return a logistic regression, which the paper does not have."""
    return LogisticRegression(C=10, max_iter=1000)


class Remembered(ClassifierMixin, BaseEstimator):
    """A classifier that is not trained again on data that it was trained on before, in this process.

    Graph stacking trains its first layer on the same features and labels for every kind of edges.

    Parameters
    ----------
    classifier
        Unfitted classifier with `predict_proba`.
    """

    most = 500  # fits that are kept
    _fits: OrderedDict[str, Any] = OrderedDict()  # noqa: RUF012

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: Any, y: Any) -> Remembered:
        """Train the classifier, or take the one that was trained on the same data."""
        key = joblib.hash((self.classifier, X, y))
        if key not in self._fits:
            self._fits[key] = clone(self.classifier).fit(X, y)
        self._fits.move_to_end(key)
        if len(self._fits) > self.most:
            self._fits.popitem(last=False)
        self.fitted_ = self._fits[key]
        self.classes_ = self.fitted_.classes_
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class."""
        return self.fitted_.predict_proba(X)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most likely class of each row."""
        return self.fitted_.predict(X)


def n_words(corpus: str) -> int:
    """Return the size of a corpus's vocabulary, on which the paper's β depends."""
    return int(load(corpus).counts.shape[1])


def correlation(one: list[float], other: list[float]) -> float:
    """Return Pearson's correlation."""
    return float(np.corrcoef(one, other)[0, 1])
