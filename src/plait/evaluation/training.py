"""The documents that a baseline is trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.evaluation.problems import NotEvaluableError

TRAINING_SPLIT = "train"


@dataclass(frozen=True)
class BaselineTraining:
    """The size of the training set of a baseline.

    Parameters
    ----------
    n_documents : int
        Documents that the baseline was trained on.
    n_fitted : int
        Of these, documents that the model was fitted to, too.
    n_evaluated : int
        Of these, documents that are evaluated: the baseline's scores are too good if there are any.

    Examples
    --------
    >>> BaselineTraining(n_documents=80, n_fitted=80, n_evaluated=0).n_documents
    80
    """

    n_documents: int
    n_fitted: int
    n_evaluated: int


def find_training_documents(model: Any, corpus: Corpus, evaluated: Corpus, split: str | None = None) -> Corpus:
    """Return the documents of a corpus that a baseline beside a model can be trained on.

    These are the documents of the split, else of the split "train"; in a corpus without splits, the training
    documents of the model that are not evaluated.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus
        All documents.
    evaluated : Corpus
        The documents that are evaluated.
    split : str, optional
        Name of the split to train on.

    Returns
    -------
    Corpus
        The training documents.

    Raises
    ------
    NotEvaluableError
        If the corpus has no training documents.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream", "bank loan"] * 5, splits=["train"] * 8 + ["test"] * 2)
    >>> train, test = corpus.part("train"), corpus.part("test")
    >>> model = LDA(2, n_sweeps=5, verbose=False).fit(train)
    >>> len(find_training_documents(model, corpus, test))
    8
    """
    if split is not None:
        return corpus.part(split)
    if corpus.splits is None:
        ids = set() if model.doc_ids_ is None else set(map(str, model.doc_ids_))
        ids -= set(map(str, evaluated.ids))
        rows = [row for row, name in enumerate(corpus.ids) if str(name) in ids]
        if not rows:
            raise NotEvaluableError("the corpus has no splits; give training documents", parameter="train")
        return corpus.select(rows)
    if TRAINING_SPLIT not in corpus.splits:
        known = ", ".join(f'"{name}"' for name in sorted(set(corpus.splits)) if name)
        raise NotEvaluableError(
            f'the corpus has no split "{TRAINING_SPLIT}" (it has {known}); name another split, or give other training '
            "documents",
            parameter="train_split",
        )
    return corpus.part(TRAINING_SPLIT)


def prepare_training(model: Any, train: Corpus, evaluated: Corpus) -> tuple[Corpus, BaselineTraining]:
    """Return the labelled training documents in the columns of the model's vocabulary, and their numbers.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    train : Corpus
        Training documents.
    evaluated : Corpus
        The documents that are evaluated.

    Returns
    -------
    Corpus
        The training documents that have a label.
    BaselineTraining
        Their numbers.
    """
    rows = labelled_rows(train)
    if not rows:
        raise NotEvaluableError("no training document has a label; name the field of the labels", parameter="label")
    labelled = align(model, train.select(rows))
    ids = set(labelled.ids)
    n_fitted = len(ids) if model.doc_ids_ is None else len(ids & set(model.doc_ids_))
    return labelled, BaselineTraining(len(ids), n_fitted, len(ids & set(evaluated.ids)))


def labelled_rows(corpus: Corpus) -> list[int]:
    """Return the rows of the documents that have a label.

    Parameters
    ----------
    corpus : Corpus
        Documents.

    Returns
    -------
    list of int
        Row numbers.
    """
    return [row for row, names in enumerate(corpus.labels or ()) if names]


def align(model: Any, corpus: Corpus) -> Corpus:
    """Return a corpus in the columns of a model's vocabulary.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus
        Documents.

    Returns
    -------
    Corpus
        The same documents.
    """
    if model.vocabulary_ is None:
        raise PlaitError(
            "the model was fitted to a matrix without a vocabulary, so it cannot be applied to a corpus; "
            "fit it to a corpus"
        )
    if np.array_equal(corpus.vocabulary, model.vocabulary_):
        return corpus
    return corpus.with_vocabulary(model.vocabulary_)
