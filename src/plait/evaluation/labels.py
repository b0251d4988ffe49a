"""How well a model predicts labels, beside a linear SVM on TF-IDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plait._utils.validation import check_known_labels
from plait.baselines import TfidfSVM
from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.evaluation.base import PredictionEvaluation
from plait.evaluation.linked import count_linked, links_of_rows
from plait.evaluation.training import align, labelled_rows, prepare_training
from plait.inputs.targets import read_targets
from plait.metrics.classification import LabelScores, score_labels

if TYPE_CHECKING:
    import scipy.sparse as sparse

LABEL_BASELINE = "TF-IDF + LinearSVC"


@dataclass(frozen=True, kw_only=True)
class LabelEvaluation(PredictionEvaluation[LabelScores]):
    """Scores of predicted labels, of the model and of a linear SVM on TF-IDF; the rest is in `PredictionEvaluation`.

    Parameters
    ----------
    multilabel : bool
        Whether a document may have several labels.
    n_unlabelled : int
        Documents without a label; they are not evaluated.

    Examples
    --------
    >>> from plait.metrics import score_labels
    >>> scores = score_labels([["a"], ["b"]], [["a"], ["b"]], ["a", "b"], multilabel=False)
    >>> LabelEvaluation(multilabel=False, n_unlabelled=0, model=scores).best.accuracy
    1.0
    """

    multilabel: bool
    n_unlabelled: int


def evaluate_labels(
    model: Any, corpus: Corpus, *, train: Corpus | None = None, links: sparse.csr_array | None = None
) -> LabelEvaluation:
    """Return scores of the labels that a model predicts, beside a linear SVM on TF-IDF.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts labels.
    corpus : Corpus
        Documents, preferably held-out ones. Those without a label are not evaluated.
    train : Corpus, optional
        Training documents of the baseline. Without it there is no baseline.
    links : csr_array, optional
        Weights of the links: documents × training documents, for models that follow links.

    Returns
    -------
    LabelEvaluation
        The scores.

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> texts, labels = ["river stream lake", "bank loan credit"] * 10, ["water", "money"] * 10
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], labels=labels)
    >>> train, test = corpus.select(range(14)), corpus.select(range(14, 20))
    >>> model = MedLDA(2, n_sweeps=20, n_chains=1, random_state=0, verbose=False).fit(train)
    >>> found = evaluate_labels(model, test, train=train)
    >>> found.model.accuracy, found.baseline.accuracy, found.training.n_documents
    (1.0, 1.0, 14)
    """
    rows = labelled_rows(corpus)
    labelled, links = align(model, corpus.select(rows)), links_of_rows(links, rows)
    classes = [str(label) for label in model.classes_]
    check_known_labels(labelled.labels or (), classes)
    documents, baseline, training = None, None, None
    problem: PlaitError | None = None
    if train is not None:
        try:
            documents, training = prepare_training(model, train, corpus)
        except PlaitError as error:
            problem = error
    # Documents with several labels are never entirely right for a model of one label per document.
    multilabel = model.multilabel_ or labelled.is_multilabel or (documents is not None and documents.is_multilabel)
    if documents is not None:
        try:
            baseline = _score_baseline(documents, labelled, multilabel)
        except PlaitError as error:  # such as labels with only one class
            training, problem = None, error

    def score(along: sparse.csr_array | None) -> LabelScores:
        predicted = [tuple(map(str, names)) for names in model.predict_labels(labelled, links=along)]
        return score_labels(labelled.labels or (), predicted, classes, multilabel=multilabel)

    return LabelEvaluation(
        multilabel=multilabel,
        n_unlabelled=len(corpus) - len(labelled),
        model=score(None),
        linked=None if links is None else score(links),
        n_linked=count_linked(links),
        baseline=baseline,
        training=training,
        problem=problem,
    )


def confused_pairs(scores: LabelScores) -> list[tuple[Any, Any, int]]:
    """Return pairs of labels that are confused, most frequent first.

    Parameters
    ----------
    scores : LabelScores
        Scores with a confusion matrix.

    Returns
    -------
    list of tuple
        True label, predicted label and number of documents; empty without a confusion matrix.

    Examples
    --------
    >>> from plait.metrics import score_labels
    >>> true, predicted = [["a"], ["a"], ["b"]], [["a"], ["b"], ["b"]]
    >>> confused_pairs(score_labels(true, predicted, ["a", "b"], multilabel=False))
    [('a', 'b', 1)]
    """
    if scores.confusion is None:
        return []
    labels = scores.confusion.labels
    wrong = scores.confusion.matrix.copy()
    np.fill_diagonal(wrong, 0)
    places = np.argwhere(wrong)
    counts = wrong[places[:, 0], places[:, 1]]
    order = np.argsort(-counts, kind="stable")
    return [(labels[true], labels[predicted], int(wrong[true, predicted])) for true, predicted in places[order]]


def _score_baseline(train: Corpus, test: Corpus, multilabel: bool) -> LabelScores:
    """Train a linear SVM on TF-IDF and score it on the same documents as the model."""
    targets = read_targets(None, len(train), train, min_documents=1)
    svm = TfidfSVM().fit(train.counts, targets.classes, targets.signs, multilabel=targets.kind == "multilabel")
    return score_labels(test.labels or (), svm.predict(test.counts), targets.classes, multilabel=multilabel)
