"""MedLDA: topics that also predict labels by max margin; own-document mixing, a prior on words, labels as response.

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from plait.inputs.features import check_features
from plait.inputs.words import Words
from plait.mixing import OwnDocument
from plait.models.answers.tasks import TaskLayout
from plait.models.base import TopicEstimator
from plait.models.fitting import Fit
from plait.models.labelling.choice import CHOSEN, DEFAULTS, LabelChoice
from plait.models.labelling.choosing import choose_settings, chooses, learned_tasks
from plait.models.labelling.features import TEXT
from plait.models.methods import labels
from plait.models.parameters import declare_parameters
from plait.models.specification import response_of
from plait.models.supervised import supervised_mixing
from plait.responses import LabelResponse


@declare_parameters
class MedLDA(ClassifierMixin, TopicEstimator):
    """Topics that explain the words of documents and predict their labels: one of several classes, or several labels.

    Every label has weights over topics, and all labels share the topics. The score of a label for a document is the
    mean weight of the document's tokens; the loss grows with the distance of a score from the right side of a margin.

    Parameters
    ----------
    n_topics : int, default 40
        Number of topics; about twice the number of classes is a good start.
    c : float or "auto", default "auto"
        Cost of a wrong score, relative to the log-likelihood of the words. Larger values bind topics to labels. "auto"
        tries a few on held-out training documents, with short chains.
    ell : float, default 1.0
        Margin ℓ of the hinge loss.
    nu : float, default 1.0
        Prior standard deviation of the weights.
    class_weight : None, float, dict, "balanced" or "auto", default "auto"
        Factor of c for the documents that have a label, so that rare labels are learned: a number for all labels, a
        dict by label, or "balanced": mean class size / size of the class; for several labels per document,
        √(documents without the label / documents with it). "auto" tries None and "balanced" where documents have
        several labels, and is None otherwise.
    loss : {"hinge", "logistic", "probit"}, default "hinge"
        Loss of the scores; "hinge" is max margin. "probit" needs whole costs.
    threshold : float or "auto", default "auto"
        Score above which a document is given a label, where it may have several. "auto" chooses one per label by the
        F1 of held-out training documents; those of rare labels are drawn towards a common one.
    features : None, "text" or matrix of shape (documents, features), default "text"
        What scores labels beside topics: linear machines on TF-IDF of the words ("text"), or on columns that you give
        for the training documents here and for new documents to `predict`, such as metadata or embeddings. Topics do
        not depend on these features; the weights of both parts of a score are learned on held-out training documents.
        (`LabelResponse(features=…)` and `SupervisedLDA(features=…)` draw the weights of features inside the chain.
        For labels, the combination after the chains predicted better.)
    one_vs_all : bool, default False
        Learn separate topics for every label (`n_topics` each) instead of shared ones.
    calibrate : float, default 0.0
        Fraction of the labelled documents whose labels are set aside to fit the probabilities of `predict_proba`.
    min_documents : int, default 2
        Minimum number of documents per label.
    alpha : float, array-like of shape (n_topics,) or None, default None
        Dirichlet prior on the topic proportions of a document: one number, or one per topic; None for 4 / n_topics.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    multilabel_ : bool
        Whether a document may have several labels.
    weights_ : ndarray of shape (tasks, topics)
        Weight of each topic for each label, averaged over the samples of the first chain. Two classes are one task:
        positive weights speak for ``classes_[1]``.
    n_unlabelled_ : int
        Training documents without labels; they are used for the topics only.
    label_choice_ : LabelChoice or None
        What was chosen for "auto", and why; the weights of topics and features; None if there was nothing to choose.
    thresholds_ : ndarray of shape (labels,) or None
        Score above which a document has a label, where it may have several.

    `LDA` documents the other attributes (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 9
    >>> corpus = Corpus.from_texts(texts, labels=["nature", "nature", "finance", "finance"] * 9)
    >>> model = MedLDA(n_topics=4, random_state=0).fit(corpus)
    >>> model.predict(Corpus.from_texts(["stream", "credit"])).tolist()
    ['nature', 'finance']
    """

    n_topics: int = field(default=40, kw_only=False)
    n_chains: int = 4
    n_sweeps: int = 30
    c: Any = CHOSEN
    class_weight: Any = CHOSEN
    loss: str = "hinge"
    ell: float = 1.0
    nu: float = 1.0
    cached: bool | None = None
    one_vs_all: bool = False
    threshold: Any = CHOSEN
    features: Any = TEXT
    calibrate: float = 0.0
    min_documents: int = 2
    tolerance: float = 0.0
    alpha: Any = None
    beta: Any = 0.01
    learn_beta: bool = False
    fold_in_sweeps: int = 12

    _y_kind: ClassVar = "labels"
    _own_names: ClassVar = {"label_weights_": "weights_"}

    decision_function, predict_proba = labels.decision_function, labels.predict_proba
    predict, predict_labels, explain = labels.predict, labels.predict_labels, labels.explain

    @property
    def thresholds_(self) -> np.ndarray | None:
        """Score above which a document has a label, one per label; None where a document has one class."""
        check_is_fitted(self)
        return labels.label_predictions(self).thresholds

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, features: Any = None) -> float:
        """Return the accuracy of the predicted labels.

        Parameters
        ----------
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            Documents.
        y : array-like or None, default None
            Their labels; None: the labels of the Corpus or data frame.
        sample_weight : array-like or None, default None
            Weights of the documents.
        features : matrix of shape (documents, features), optional
            Their features, for a model that was fitted with features of your own.

        Returns
        -------
        float
            Share of documents whose labels are predicted correctly.
        """
        from sklearn.metrics import accuracy_score

        truth = labels.true_labels(self, X, y)
        return float(accuracy_score(truth, self.predict(X, features=features), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # scikit-learn's check demands 0.83 on blobs in two columns that also differ in size; a topic model uses only
        # the proportions of words, and with the proportions of two words no classifier gets beyond 0.80.
        tags.classifier_tags.poor_score = True
        return tags

    def _make_mixing(self) -> OwnDocument:
        return supervised_mixing(self.alpha, self.n_topics)

    def _make_responses(self) -> tuple[LabelResponse]:
        chosen = vars(self).get("label_choice_")
        in_use = {"c": chosen.c, "class_weight": chosen.class_weight} if chosen is not None else {}
        # Features of MedLDA are combined with topics after the chains, not drawn with the weights.
        return (response_of(self, LabelResponse, DEFAULTS | in_use, without=("features", "feature_nu")),)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_features(self.features, words=TEXT)

    @property
    def _calibrates(self) -> bool:
        return chooses(self)

    def _choose_settings(self, words: Words, given: dict[str, Any], seed: int) -> None:
        self.label_choice_: LabelChoice | None = None
        if chooses(self):
            (response,) = self._make_responses()
            learned = learned_tasks(self, given["labels"])
            self.label_choice_ = LabelChoice(response.c, response.class_weight, tasks=learned)  # for short chains
            self.label_choice_ = choose_settings(self, response, words, given["labels"], seed)

    def _resume_attributes(self, fit: Fit) -> dict[str, Any]:
        return super()._resume_attributes(fit) | {"label_choice_": self.label_choice_}

    def _fitted_attributes(self, fit: Fit) -> dict[str, Any]:
        return super()._fitted_attributes(fit) | {"label_choice_": vars(self).get("label_choice_")}

    def _task_layout(self) -> TaskLayout:
        chosen = vars(self).get("label_choice_")
        return TaskLayout(self.n_topics, self.one_vs_all, None if chosen is None else chosen.learned_tasks)

    def _n_groups(self, given: dict[str, Any]) -> int:
        return given["labels"].seen.shape[1] if self.one_vs_all else 1

    def _response_options(self, group: int) -> dict[str, Any]:
        return {"tasks": self._task_layout().of_group(group)}
