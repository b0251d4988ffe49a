"""How well a model predicts numbers, beside a ridge regression on TF-IDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.pipeline import make_pipeline

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.evaluation.linked import count_linked, links_of_rows
from plait.evaluation.problems import NotEvaluableError
from plait.evaluation.training import BaselineTraining, align, labelled_rows, prepare_training
from plait.inputs.corpus_targets import values_from_labels

if TYPE_CHECKING:
    import scipy.sparse as sparse

VALUE_BASELINE = "TF-IDF + ridge"


@dataclass(frozen=True)
class ValueScores:
    """Errors of predicted numbers.

    Parameters
    ----------
    mean_absolute_error : float
        Mean absolute error.
    r2 : float, optional
        Coefficient of determination, R²; None for a single document.

    Examples
    --------
    >>> ValueScores(mean_absolute_error=0.4, r2=0.7)
    ValueScores(mean_absolute_error=0.4, r2=0.7)
    """

    mean_absolute_error: float
    r2: float | None


@dataclass(frozen=True)
class ValueEvaluation:
    """Scores of predicted numbers, of the model and of the baseline.

    Parameters
    ----------
    n_documents : int
        Evaluated documents.
    n_without_value : int
        Documents without a number; they are not evaluated.
    model : ValueScores
        Scores of the numbers predicted from words.
    linked : ValueScores, optional
        Scores of the numbers predicted from words and links; None without links.
    n_linked : int
        Evaluated documents with links to training documents.
    baseline : ValueScores, optional
        Scores of the ridge regression on TF-IDF; None if it was not trained.
    training : BaselineTraining, optional
        Size of the baseline's training set.
    problem : PlaitError, optional
        Why the baseline could not be trained; None if it was, or if no training documents were given.

    Examples
    --------
    >>> found = ValueEvaluation(8, 2, model=ValueScores(0.4, 0.7), baseline=ValueScores(0.5, 0.6))
    >>> found.model.r2 > found.baseline.r2
    True
    """

    n_documents: int
    n_without_value: int
    model: ValueScores
    linked: ValueScores | None = None
    n_linked: int = 0
    baseline: ValueScores | None = None
    training: BaselineTraining | None = None
    problem: PlaitError | None = None


def evaluate_values(
    model: Any, corpus: Corpus, *, train: Corpus | None = None, links: sparse.csr_array | None = None
) -> ValueEvaluation:
    """Return scores of the numbers that a model predicts, beside a ridge regression on TF-IDF.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts numbers.
    corpus : Corpus
        Documents whose labels are numbers. Those without a label are not evaluated.
    train : Corpus, optional
        Training documents of the baseline. Without it there is no baseline.
    links : csr_array, optional
        Weights of the links: documents × training documents, for models that follow links.

    Returns
    -------
    ValueEvaluation
        The scores.

    Examples
    --------
    >>> from plait import Corpus, SupervisedLDA
    >>> texts, stars = ["river stream lake", "bank loan credit"] * 10, ["1", "5"] * 10
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], labels=stars)
    >>> model = SupervisedLDA(2, n_sweeps=20, n_chains=1, random_state=0, verbose=False)
    >>> model = model.fit(corpus, [1.0, 5.0] * 10)
    >>> found = evaluate_values(model, corpus)
    >>> found.n_documents, found.model.r2 > 0.9
    (20, True)
    """
    rows = labelled_rows(corpus)
    known, links = align(model, corpus.select(rows)), links_of_rows(links, rows)
    true = values_from_labels(known)
    baseline, training = None, None
    problem: PlaitError | None = None
    if train is not None:
        try:
            documents, training = prepare_training(model, train, corpus)
        except NotEvaluableError as error:
            problem = error
        else:
            baseline = _scores(true, _predict_ridge(documents, known))

    return ValueEvaluation(
        n_documents=len(known),
        n_without_value=len(corpus) - len(known),
        model=_scores(true, model.predict_values(known)),
        linked=None if links is None else _scores(true, model.predict_values(known, links=links)),
        n_linked=count_linked(links),
        baseline=baseline,
        training=training,
        problem=problem,
    )


def _scores(true: np.ndarray, predicted: np.ndarray) -> ValueScores:
    error = float(mean_absolute_error(true, predicted))
    return ValueScores(error, float(r2_score(true, predicted)) if len(true) > 1 else None)


def _predict_ridge(train: Corpus, test: Corpus) -> np.ndarray:
    regression = make_pipeline(TfidfTransformer(sublinear_tf=True), Ridge())
    predicted: np.ndarray = regression.fit(train.counts, values_from_labels(train)).predict(test.counts)
    return predicted
