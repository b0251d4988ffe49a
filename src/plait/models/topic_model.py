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
from plait.models.any_responses import AnyResponses
from plait.models.fitting import Checkpoints
from plait.models.inputs import Inputs
from plait.models.methods import influence
from plait.models.methods.availability import explains
from plait.models.parameters import declare_parameters
from plait.models.shared_docs import shared_docs
from plait.priors import AnyPrior, SymmetricPrior
from plait.responses import Response


@declare_parameters
class TopicModel(AnyResponses):
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
    value_feature_weights_ : ndarray of shape (features,)
        With a ValueResponse with features: `feature_weights_` of `SupervisedLDA`.
    label_feature_weights_ : ndarray of shape (tasks, features)
        With a LabelResponse with features: change of the score of each label per unit of a feature.
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
    responses: Sequence[Response] = ()
    cached: bool | None = None
    n_chains: int = 4
    n_sweeps: int = 100
    tolerance: float = 0.0
    learn_beta: bool = False

    _default_specifications: ClassVar = {"mixing": OwnDocument(), "prior": SymmetricPrior()}

    @shared_docs
    def fit(
        self, X: Any, y: Any = None, *, links: Any = None, values: Any = None, pair_matrices: Any = None,
        checkpoint: str | Path | None = None, checkpoint_every: int = 50,
    ) -> Self:  # fmt: skip
        """Learn topics from documents and from what the responses explain.

        <Parameters: training>
        y : array-like, optional
            Labels, in any form that `MedLDA` takes; None: the labels of the Corpus. A model without responses ignores
            it, because scikit-learn's pipelines pass it to all steps.
        links : matrix of shape (documents, documents), optional
            Links for a LinkResponse and for `LinkedDocuments`, as in `RelationalTopicModel`; None: the links of the
            Corpus.
        values : array-like of shape (documents,), optional
            Values for a ValueResponse; None or NaN where unknown.
        pair_matrices : mapping of str to matrix of shape (documents, documents), optional
            Numbers of the pairs for each `PairMatrix` among the pair features of a LinkResponse, by its key.
        <checkpoint>

        Returns
        -------
        self
            The fitted model.
        """
        return self._fit(X, Inputs(y, values, links, pair_matrices), Checkpoints(checkpoint, checkpoint_every))

    def resume(
        self, X: Any, y: Any = None, *, links: Any = None, values: Any = None, pair_matrices: Any = None,
        checkpoint: str | Path | None = None, checkpoint_every: int = 50,
    ) -> Self:  # fmt: skip
        """Resume an interrupted fit. The result is bit-identical to an uninterrupted one.

        The parameters are those of `fit`; documents and targets must be the same.

        Returns
        -------
        self
            The fitted model.
        """
        return self._resume(X, Inputs(y, values, links, pair_matrices), Checkpoints(checkpoint, checkpoint_every))

    transform, perplexity = influence.transform, influence.perplexity
    influencers, most_influential = influence.influencers, influence.most_influential
    strongest_links, infer_influence = influence.strongest_links, influence.infer_influence

    @available_if(explains("labels", "values"))
    @shared_docs
    def predict(self, X: Any, *, links: Any = None, features: Any = None) -> np.ndarray:
        """Return the predicted labels of documents as `MedLDA` does; without a LabelResponse, their values.

        <Parameters: documents, links, value_features>

        Returns
        -------
        ndarray
            Labels or values.
        """
        return self._predict(X, links, features)

    @shared_docs
    def score(self, X: Any, y: Any = None, *, links: Any = None, features: Any = None) -> float:
        """Return the accuracy of the predicted labels; without a LabelResponse, the log-likelihood per token.

        <Parameters: documents>
        y : array-like, optional
            Their labels, if the model has a LabelResponse; otherwise ignored.
        <links>
        <value_features>

        Returns
        -------
        float
            Higher is better.
        """
        return self._score(X, y, links, features)

    def _make_mixing(self) -> Mixing:
        return OwnDocument() if self.mixing is None else self.mixing

    def _make_prior(self) -> AnyPrior:
        return SymmetricPrior() if self.prior is None else self.prior
