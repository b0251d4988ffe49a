"""MedLDA: topics that also predict labels by max margin; own-document mixing, a prior on words, labels as response.

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.errors import PlaitError
from plait.models.base import ChainPlan
from plait.models.calibration import fit_sigmoids
from plait.models.explained import GivenLabels, LabelResponse
from plait.models.explanation import Explanation, explain_document
from plait.models.inputs import new_words
from plait.models.supervised import SupervisedEstimator
from plait.models.targets import Targets
from plait.responses import Response
from plait.samplers import Sampler


def _gives_probabilities(model: MedLDA) -> bool:
    if model.loss == "logistic" or model.calibrate > 0:
        return True
    raise AttributeError(
        "the hinge loss gives no probabilities: set calibrate=0.1, say, to learn them from labels that are set "
        "aside, or use loss='logistic'"
    )


class MedLDA(ClassifierMixin, SupervisedEstimator):
    """Topics that explain the words of documents and predict their labels: one class of many, or several labels each.

    Every label has weights over topics, and all labels share the topics. A label's value for a document is the mean
    weight of the document's words; wrong values cost more the further they are from the right side of a margin.

    Parameters
    ----------
    n_topics
        How many topics to learn; about twice the number of classes is a good start.
    c
        What a value on the wrong side costs, beside the likelihood of the words. Larger values bind topics to labels.
    ell
        The margin ℓ that a right value must keep (hinge loss).
    nu
        Standard deviation of the weights' Gaussian prior.
    class_weight
        Factors of c for the documents that have a label, so that rare labels are not given up: None, a number for all
        labels, a dict from labels, or "balanced": the mean size of a class by the size of this one, or with several
        labels a document √(documents without the label / documents with it).
    loss
        "hinge" (max margin) or "logistic".
    threshold
        The value above which a document is given a label, where it may have several. Averages over several chains lie
        nearer to each other than the values of one, so where labels are many and rare, a threshold below 0 finds more.
    one_vs_all
        Learn topics of their own for every label, as `n_topics` for each, instead of shared ones.
    cached
        Compute what labels say of a document once a sweep instead of with every word: faster, approximate. None does
        so only with samplers that cannot do otherwise ("limit" and "sparse").
    calibrate
        Share of the labelled documents whose labels are set aside to learn probabilities from (`predict_proba`).
    min_documents
        Least number of documents that each label must have.
    alpha
        How evenly a document spreads over topics: a number, or one number a topic; None for 4 / n_topics.
    n_chains
        How many chains are run from different starts, one after the other; predictions are averaged over the
        samples of all, topics are those of the first. Several chains predict better than a longer one.
    n_sweeps, n_samples, sample_every
        Sweeps of each chain before samples are kept; how many are kept of each; and how many sweeps lie between two.
    beta, sampler, tolerance, learn_alpha, learn_beta, fold_in_sweeps, n_shards, n_jobs, random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    classes_ : array
        The labels.
    multilabel_ : bool
        Whether a document may have several.
    weights_ : array (tasks, topics)
        Weight of each topic for each label, averaged over the first chain's samples. Two classes are one task:
        positive weights speak for ``classes_[1]``.
    n_unlabelled_ : int
        Training documents without labels; they shape the topics only.

    The attributes of `LDA` are there too (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 9
    >>> corpus = Corpus.from_texts(texts, labels=["nature", "nature", "finance", "finance"] * 9)
    >>> model = MedLDA(n_topics=4, random_state=0).fit(corpus)
    >>> model.predict(Corpus.from_texts(["stream", "credit"])).tolist()
    ['nature', 'finance']
    """

    def __init__(
        self,
        n_topics: int = 40,
        *,
        c: float = 16.0,
        ell: float = 1.0,
        nu: float = 1.0,
        class_weight: Any = None,
        loss: str = "hinge",
        threshold: float = 0.0,
        one_vs_all: bool = False,
        cached: bool | None = None,
        calibrate: float = 0.0,
        min_documents: int = 2,
        alpha: Any = None,
        beta: Any = 0.01,
        sampler: str | Sampler = "plain",
        n_chains: int = 4,
        n_sweeps: int = 30,
        n_samples: int = 5,
        sample_every: int = 5,
        tolerance: float = 0.0,
        learn_alpha: bool = False,
        learn_beta: bool = False,
        fold_in_sweeps: int = 12,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.c = c
        self.ell = ell
        self.nu = nu
        self.class_weight = class_weight
        self.loss = loss
        self.threshold = threshold
        self.one_vs_all = one_vs_all
        self.cached = cached
        self.calibrate = calibrate
        self.min_documents = min_documents
        self.alpha = alpha
        self.beta = beta
        self.sampler = sampler
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_samples = n_samples
        self.sample_every = sample_every
        self.tolerance = tolerance
        self.learn_alpha = learn_alpha
        self.learn_beta = learn_beta
        self.fold_in_sweeps = fold_in_sweeps
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def decision_function(self, X: Any) -> np.ndarray:
        """Return every label's value for every document, averaged over samples; above 0 speaks for the label.

        Two classes have one value, for ``classes_[1]``: the result is then one-dimensional.
        """
        values = self._task_values(X, "decision_function")
        return values[:, 0] if self._kind == "binary" else values

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of every document; with several labels each, which of `classes_` it has (0 or 1)."""
        values = self._task_values(X, "predict")
        if self._kind == "multilabel":
            return (values > self.threshold).astype(np.int64)
        chosen = (values[:, 0] > 0).astype(np.int64) if self._kind == "binary" else values.argmax(axis=1)
        return self.classes_[chosen]

    def predict_labels(self, X: Any) -> list[tuple[Any, ...]]:
        """Return the labels of every document as a tuple: one label, or any number of them."""
        values = self._task_values(X, "predict_labels")
        targets = Targets(self._kind, self.classes_, np.zeros((0, values.shape[1]), np.int8))
        return targets.names(values - self.threshold)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each label, documents × classes; rows add up to 1 unless there are several each.

        With `calibrate`, by sigmoid curves fitted to labels that were set aside; otherwise as the logistic loss says,
        which with c above 1 is too sure of itself.
        """
        values = self._task_values(X, "predict_proba")
        learnt = np.isfinite(values)  # a fit that was stopped early may not have come to every label
        values = np.where(learnt, values, 0.0)
        if self._sigmoids is not None:
            slopes, offsets = self._sigmoids
            values = slopes * values + offsets
        else:
            values = self.c * values
        chances = np.where(learnt, 1.0 / (1.0 + np.exp(-np.clip(values, -500, 500))), 0.0)
        if self._kind == "binary":
            return np.column_stack([1.0 - chances[:, 0], chances[:, 0]])
        if self._kind == "multiclass":
            chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return chances

    def explain(self, document: Any, label: Any = None, top: int = 10) -> Explanation:
        """Say which topics and words of a document speak for a label, and which against it.

        Parameters
        ----------
        document
            A text, a Corpus of one document, or a row of counts.
        label
            One of `classes_`; by default the one with the highest value.
        top
            How many topics and words to name.
        """
        counts = self._one_document(document)
        values = self._values(counts, self._n_tasks)[0]
        place = self._place_of(label, values)
        if self._kind == "binary":
            explanation = explain_document(self, counts, 0, self.classes_[1], float(values[0]), top)
            return explanation if place == 1 else explanation.turned(self.classes_[0])
        if values[place] == -np.inf:
            raise PlaitError(f"the fit was stopped before it came to {label!r}; resume it first")
        return explain_document(self, counts, place, self.classes_[place], float(values[place]), top)

    def _place_of(self, label: Any, values: np.ndarray) -> int:
        """Return the number of a label among `classes_`; of the one with the highest value where it is None."""
        if label is None:
            return int(values[0] > 0) if self._kind == "binary" else int(values.argmax())
        found = np.flatnonzero(self.classes_ == label)
        if found.size == 0:
            known = ", ".join(str(name) for name in self.classes_[:5]) + (" …" if len(self.classes_) > 5 else "")
            raise PlaitError(f"{label!r} is not a label of the model, which has {len(self.classes_)}: {known}")
        return int(found[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # scikit-learn's check wants 0.83 of blobs in two columns that differ in size, too; a topic model sees only the
        # shares of words, and by the shares of two words no classifier gets beyond 0.80.
        tags.classifier_tags.poor_score = True
        tags.target_tags.required = True
        return tags

    @property
    def _n_tasks(self) -> int:
        return 1 if self._kind == "binary" else len(self.classes_)

    def _task_values(self, X: Any, method: str) -> np.ndarray:
        check_is_fitted(self)
        words = new_words(self, X, self._real, method)
        return self._values(words.counts, self._n_tasks)

    @property
    def _explained(self) -> tuple[LabelResponse]:
        labels = LabelResponse(
            c=self.c,
            ell=self.ell,
            nu=self.nu,
            class_weight=self.class_weight,
            loss=self.loss,
            threshold=self.threshold,
            calibrate=self.calibrate,
            min_documents=self.min_documents,
        )
        return (labels,)

    def _plans(self, given: Mapping[str, GivenLabels]) -> list[ChainPlan]:
        n_groups = given["labels"].seen.shape[1] if self.one_vs_all else 1
        return [ChainPlan(number, number // self.n_chains) for number in range(n_groups * self.n_chains)]

    def _tasks_of(self, group: int) -> slice:
        return slice(group, group + 1) if self.one_vs_all else slice(None)

    def _responses(self, given: Mapping[str, GivenLabels], plan: ChainPlan) -> list[Response]:
        (labels,) = self._explained
        return [labels.make(given["labels"], exact=self._exact, tasks=self._tasks_of(plan.group))]

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        targets, seen = fit.given["labels"]
        self.classes_ = targets.classes
        self._kind = targets.kind
        self.multilabel_ = targets.kind == "multilabel"
        self.n_unlabelled_ = targets.n_unlabelled
        self.weights_ = self._mean_weights()
        self._sigmoids = None
        if self.calibrate > 0:
            hidden = np.flatnonzero((seen != targets.signs).any(axis=1))
            values = self._values(fit.words.counts[hidden], self._n_tasks)
            self._sigmoids = fit_sigmoids(values, targets.signs[hidden])

    def _mean_weights(self) -> np.ndarray:
        """Return the weights of every task for every topic that is shown; 0 for topics of other tasks."""
        firsts = self._first_chains()
        weights = np.zeros((self._n_tasks, len(firsts) * self.n_topics))
        for place, number in enumerate(firsts):
            means = np.mean([sample.weights[0] for sample in self._chain_samples[number]], axis=0)
            weights[self._tasks_of(place), place * self.n_topics : (place + 1) * self.n_topics] = means
        return weights

    def _first_topic(self, task: int) -> int:
        """Return the number of the first topic that a task uses."""
        return task * self.n_topics if self.one_vs_all else 0
