"""Any topic model: a mixing, a prior on words and any responses, combined by the user.

The named models are special cases: with the same settings and seed they give bit-identical results.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from plait.mixing import Mixing, OwnDocument
from plait.models.base import TopicEstimator
from plait.models.explained import Explained
from plait.models.fitting import Checkpoints
from plait.models.inputs import Inputs
from plait.models.methods import influence
from plait.models.methods import labels as label_methods
from plait.models.methods import links as link_methods
from plait.models.methods import values as value_methods
from plait.models.methods.availability import explains
from plait.models.methods.targets import predict_targets, score_labels, valid_responses, with_classifier_tags
from plait.models.parameters import declare_parameters
from plait.priors import AnyPrior, SymmetricPrior


@declare_parameters
class TopicModel(TopicEstimator):
    """Topics that explain the words of documents and any of their labels, values and links at once.

    Parameters
    ----------
    mixing : OwnDocument, LinkedDocuments or None, default None
        Whose topic proportions tokens draw their topics from: those of their own document (`OwnDocument()`, or None),
        or also those of linked documents (`LinkedDocuments()`).
    prior : prior or None, default None
        Prior on topic–word distributions: `SymmetricPrior(0.01)` for None, a `TablePrior`, `SeedPrior`,
        `KnowledgePrior` or any other prior.
    responses : sequence of LabelResponse, ValueResponse and LinkResponse, default ()
        What topics explain besides words; at most one response of each kind.

    Attributes
    ----------
    label_weights_ : ndarray of shape (tasks, topics)
        With a LabelResponse: `weights_` of `MedLDA`. `classes_`, `multilabel_` and `n_unlabelled_` are as there.
    value_weights_ : ndarray of shape (topics,)
        With a ValueResponse: `weights_` of `SupervisedLDA`.
    n_without_value_ : int
        With a ValueResponse: training documents without a value.
    link_weights_ : ndarray of shape (topics, topics)
        With a LinkResponse: `weights_` of `RelationalTopicModel`. `links_`, `directed_`, `n_links_` … are as there.
    influence_ : csr_array of shape (documents, documents)
        With `LinkedDocuments`: as in `LinkedLDA`, and so are `source_topic_`, `n_self_links_` and `n_cut_links_`.

    `LDA` documents the other attributes (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, LabelResponse, LinkResponse, TopicModel
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 5
    >>> labels = ["nature", "nature", "finance", "finance"] * 5
    >>> links = [(str(i), str(i + 4)) for i in range(16)] + [(str(i), str(i + 1)) for i in range(0, 20, 2)]
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], labels=labels, links=links)
    >>> model = TopicModel(n_topics=2, responses=[LabelResponse(), LinkResponse()], random_state=0).fit(corpus)
    >>> new = Corpus.from_texts(["stream", "credit"])
    >>> model.predict(new).tolist()
    ['nature', 'finance']
    >>> model.score_links(new).shape
    (2, 20)
    """

    mixing: Mixing | None = None
    prior: AnyPrior | None = None
    responses: Sequence[Explained] = ()
    cached: bool | None = None
    n_chains: int = 4
    n_sweeps: int = 100
    tolerance: float = 0.0
    learn_beta: bool = False

    _default_specifications: ClassVar = {"mixing": OwnDocument(), "prior": SymmetricPrior()}

    def fit(
        self, X: Any, y: Any = None, *, links: Any = None, values: Any = None, checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:  # fmt: skip
        """Learn topics from documents and from what the responses explain.

        Parameters
        ----------
        X : Corpus, or matrix of shape (documents, words)
            Training documents: a Corpus, or counts (sparse, dense or a data frame).
        y : array-like, optional
            Labels, in any form that `MedLDA` takes; None: the labels of the Corpus. A model without responses ignores
            it, because scikit-learn's pipelines pass it to all steps.
        links : matrix of shape (documents, documents), optional
            Links for a LinkResponse and for `LinkedDocuments`, as in `RelationalTopicModel`; None: the links of the
            Corpus.
        values : array-like of shape (documents,), optional
            Values for a ValueResponse; None or NaN where unknown.
        checkpoint : path, optional
            File to which the unfinished model is saved. After a crash, load it and `resume`.
        checkpoint_every : int, default 50
            Sweeps between two checkpoints.

        Returns
        -------
        self
            The fitted model.
        """
        return self._fit(X, Inputs(y, values, links), Checkpoints(checkpoint, checkpoint_every))

    def resume(
        self, X: Any, y: Any = None, *, links: Any = None, values: Any = None, checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:  # fmt: skip
        """Resume an interrupted fit. The result is bit-identical to an uninterrupted one.

        Parameters
        ----------
        X, y, links, values, checkpoint, checkpoint_every
            As in `fit`; documents and targets must be the same.

        Returns
        -------
        self
            The fitted model.
        """
        return self._resume(X, Inputs(y, values, links), Checkpoints(checkpoint, checkpoint_every))

    transform = influence.transform
    perplexity = influence.perplexity
    influencers = influence.influencers
    most_influential = influence.most_influential
    strongest_links = influence.strongest_links
    infer_influence = influence.infer_influence

    decision_function = label_methods.decision_function
    predict_labels = label_methods.predict_labels
    predict_proba = label_methods.predict_proba
    explain = label_methods.explain

    predict_values = value_methods.predict_values
    explain_value = value_methods.explain_value

    score_links = link_methods.score_links
    suggest_links = link_methods.suggest_links
    suggest_missing_links = link_methods.suggest_missing_links
    score_pairs = link_methods.score_pairs
    predict_words = link_methods.predict_words
    topic_links = link_methods.topic_links
    weights_table = link_methods.weights_table

    @available_if(explains("labels", "values"))
    def predict(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return the predicted labels of documents as `MedLDA` does; without a LabelResponse, their values.

        Parameters
        ----------
        X : Corpus, or matrix of shape (documents, words)
            Documents.
        links : matrix, optional
            Their links, for a model with `LinkedDocuments` mixing: as in `LinkedLDA.transform`.

        Returns
        -------
        ndarray
            Labels or values.
        """
        return predict_targets(self, self._documents(X, "predict", links))

    def score(self, X: Any, y: Any = None, *, links: Any = None) -> float:
        """Return the accuracy of the predicted labels; without a LabelResponse, the log-likelihood per token.

        Parameters
        ----------
        X : Corpus, or matrix of shape (documents, words)
            Documents.
        y : array-like, optional
            With a LabelResponse: their labels. Otherwise ignored.
        links : matrix, optional
            As in `predict`.

        Returns
        -------
        float
            Higher is better.
        """
        if not self._explains("labels"):
            return influence.score(self, X, links=links)
        return score_labels(y, lambda: self.predict(X, links=links))

    def __sklearn_tags__(self) -> Any:
        return with_classifier_tags(super().__sklearn_tags__(), self._explains("labels"))

    def _make_mixing(self) -> Mixing:
        return OwnDocument() if self.mixing is None else self.mixing

    def _make_prior(self) -> AnyPrior:
        return SymmetricPrior() if self.prior is None else self.prior

    def _make_responses(self) -> tuple[Explained, ...]:
        return valid_responses(self.responses)
