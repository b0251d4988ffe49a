"""MedLDA: topics that also predict labels by max margin; own-document mixing, a prior on words, labels as response.

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import ClassifierMixin

from plait.models.answers.labels import LabelPredictions
from plait.models.base import ChainPlan
from plait.models.supervised import SupervisedEstimator
from plait.responses import GivenLabels, LabelResponse
from plait.responses.base import ChainResponse
from plait.samplers import Sampler


class MedLDA(ClassifierMixin, LabelPredictions, SupervisedEstimator):
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # scikit-learn's check wants 0.83 of blobs in two columns that differ in size, too; a topic model sees only the
        # shares of words, and by the shares of two words no classifier gets beyond 0.80.
        tags.classifier_tags.poor_score = True
        return tags

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

    def _responses(self, given: Mapping[str, GivenLabels], plan: ChainPlan) -> list[ChainResponse]:
        (labels,) = self._explained
        return [labels.make(given["labels"], exact=self._exact, tasks=self._tasks_of(plan.group))]

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        self.weights_ = self._mean_label_weights()

    def _first_topic(self, task: int) -> int:
        """Return the number of the first topic that a task uses."""
        return task * self.n_topics if self.one_vs_all else 0
