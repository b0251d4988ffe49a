"""How well a model predicts numbers, beside a ridge regression on TF-IDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.evaluation.base import PredictionEvaluation
from plait.evaluation.linked import count_linked, links_of_rows
from plait.evaluation.problems import NotEvaluableError
from plait.evaluation.training import align, labelled_rows, prepare_training
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


@dataclass(frozen=True, kw_only=True)
class ValueEvaluation(PredictionEvaluation[ValueScores]):
    """Scores of predicted numbers, of the model and of a ridge regression on TF-IDF; see `PredictionEvaluation`.

    Parameters
    ----------
    n_documents : int
        Evaluated documents.
    n_without_value : int
        Documents without a number; they are not evaluated.

    Examples
    --------
    >>> model, baseline = ValueScores(0.4, 0.7), ValueScores(0.5, 0.6)
    >>> found = ValueEvaluation(n_documents=8, n_without_value=2, model=model, baseline=baseline)
    >>> found.model.r2 > found.baseline.r2
    True
    """

    n_documents: int
    n_without_value: int


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
    from sklearn.metrics import mean_absolute_error, r2_score

    error = float(mean_absolute_error(true, predicted))
    return ValueScores(error, float(r2_score(true, predicted)) if len(true) > 1 else None)


def _predict_ridge(train: Corpus, test: Corpus) -> np.ndarray:
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    regression = make_pipeline(TfidfTransformer(sublinear_tf=True), Ridge())
    predicted: np.ndarray = regression.fit(train.counts, values_from_labels(train)).predict(test.counts)
    return predicted
