"""Figures of labels: weights of topics, confusion and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait._utils.text import cut
from plait._utils.validation import check_known_labels, check_whole
from plait.errors import PlaitError
from plait.plots.figure import MUTED, Axis, Bars, Cells, Figure, Line
from plait.plots.reading import check_model, describe_clipping, numbered_names, topic_names

_MOST_LABELS = 60
_MOST_TOPICS = 80
_BINS = 10
_NAME = 40  # characters of a label


def label_weights(model: Any, *, labels: int = _MOST_LABELS, topics: int = _MOST_TOPICS) -> Figure:
    """Return a heat map of the weights of the topics for each label.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts labels.
    labels : int, default 60
        Number of labels, those with the largest weights.
    topics : int, default 80
        Number of topics, those with the largest weights.

    Returns
    -------
    Figure
        Labels × topics. Topics are in the order of the label that they speak for most.

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> corpus = Corpus.from_texts(["river stream water", "money loan credit"] * 10, labels=["nature", "finance"] * 10)
    >>> model = MedLDA(2, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> figure = label_weights(model)
    >>> [name for _, name in figure.y.ticks], [max(row) > 0 > min(row) for row in figure.marks[0].values]
    (['finance', 'nature'], [True, True])
    """
    check_model(model, "predict_labels", "a figure of labels")
    check_whole("labels", labels, least=1)
    check_whole("topics", topics, least=1)
    weights, classes = label_weight_rows(model)
    rows = sorted(np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:labels].tolist())
    chosen = np.argsort(-np.abs(weights[rows]).max(axis=0), kind="stable")[:topics]
    columns = sorted(
        chosen.tolist(), key=lambda topic: (int(weights[rows, topic].argmax()), -weights[rows, topic].max())
    )
    names, numbered = topic_names(model), numbered_names(model)
    values = tuple(tuple(float(weights[row, column]) for column in columns) for row in rows)
    hovers = tuple(
        tuple(
            f"{cut(classes[row], _NAME)}\ntopic {column}: {names[column]}\nweight {weights[row, column]:+.2f}"
            for column in columns
        )
        for row in rows
    )
    left_out = [f"{len(classes) - len(rows)} labels"] * (len(classes) > len(rows))
    left_out += [f"{weights.shape[1] - len(columns)} topics"] * (weights.shape[1] > len(columns))
    more = f" {' and '.join(left_out)} with smaller weights are left out." if left_out else ""
    limit = float(np.quantile(np.abs(weights), 0.995)) or float(np.abs(weights).max()) or 1.0
    clipped = describe_clipping(weights[np.ix_(rows, columns)], limit)
    return Figure(
        "Weights of the topics for each label",
        Axis(
            "topic",
            low=-0.5,
            high=len(columns) - 0.5,
            ticks=_numbered(numbered[topic] for topic in columns),
            grid=False,
        ),
        Axis("label", low=len(rows) - 0.5, high=-0.5, ticks=_numbered(classes[row] for row in rows), grid=False),
        (Cells(values, hovers, "diverging", limit, "weight"),),
        note=f"Orange topics speak for a label, blue ones against it.{clipped}{more}",
        row_height=18,
    )


def label_weight_rows(model: Any) -> tuple[np.ndarray, list[str]]:
    """Return the weights, labels × topics, and the names of the labels.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts labels.

    Returns
    -------
    weights : ndarray of shape (labels, topics)
        Weights; two labels that share one row of weights have opposite signs.
    classes : list of str
        Labels.
    """
    weights = np.asarray(model.label_weights_ if hasattr(model, "label_weights_") else model.weights_)
    classes = [str(name) for name in model.classes_.tolist()]
    if len(weights) < len(classes):
        weights = np.stack([-weights[0], weights[0]])
    return weights, classes


def label_confusion(model: Any, X: Any, y: Sequence[Any] | None = None) -> Figure:
    """Return a heat map of true and predicted labels.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts one label per document.
    X : Corpus, list of str, data frame or matrix
        Documents, preferably held-out ones.
    y : sequence, optional
        Their labels; None for those of the Corpus.

    Returns
    -------
    Figure
        True × predicted labels: the share of the documents of a true label.

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> corpus = Corpus.from_texts(["river stream water", "money loan credit"] * 10, labels=["nature", "finance"] * 10)
    >>> model = MedLDA(2, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> label_confusion(model, ["a stream", "a river", "a loan"], ["nature", "finance", "finance"]).title
    'True and predicted labels: 66.7% of 3 documents are right'
    """
    check_model(model, "predict_labels", "a figure of labels")
    if model.multilabel_:
        raise PlaitError("documents with several labels have no confusion matrix; use label_scores")
    true = true_labels(X, y, model)
    predicted = [str(label) for label in np.asarray(model.predict(X)).tolist()]
    names = sorted({one for labels in true for one in labels} | set(predicted))
    place = {name: at for at, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)))
    for labels, guess in zip(true, predicted, strict=True):
        if labels:
            counts[place[labels[0]], place[guess]] += 1
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(totals, 1)
    right = float(np.trace(counts) / max(counts.sum(), 1))
    hovers = tuple(
        tuple(
            f"{cut(row, _NAME)} predicted as {cut(column, _NAME)}\n"
            f"{counts[at, to]:,.0f} of {totals[at, 0]:,.0f} documents"
            for to, column in enumerate(names)
        )
        for at, row in enumerate(names)
    )
    values = tuple(tuple(float(share) for share in row) for row in shares)
    return Figure(
        f"True and predicted labels: {right:.1%} of {counts.sum():,.0f} documents are right",
        Axis("predicted label", low=-0.5, high=len(names) - 0.5, ticks=_numbered(names), grid=False),
        Axis("true label", low=len(names) - 0.5, high=-0.5, ticks=_numbered(names), grid=False),
        (Cells(values, hovers, "sequential", 1.0, "share of the true label"),),
        note="A row has the documents of a true label; the diagonal has those that are predicted correctly.",
        row_height=18,
    )


def label_scores(model: Any, X: Any, y: Sequence[Any] | None = None) -> Figure:
    """Return precision and recall of each label.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts labels, one or several per document.
    X : Corpus, list of str, data frame or matrix
        Documents, preferably held-out ones.
    y : sequence, optional
        Their labels; None for those of the Corpus.

    Returns
    -------
    Figure
        The most frequent labels, with F1 as bars.

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> corpus = Corpus.from_texts(["river stream water", "money loan credit"] * 10, labels=["nature", "finance"] * 10)
    >>> model = MedLDA(2, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> bars = label_scores(model, ["a stream", "a river", "a loan"], ["nature", "finance", "finance"]).marks[0]
    >>> [round(value, 3) for value in bars.values]
    [0.667, 0.667]
    """
    check_model(model, "predict_labels", "a figure of labels")
    true = [set(labels) for labels in true_labels(X, y, model)]
    guessed = [{str(one) for one in labels} for labels in model.predict_labels(X)]
    names = {one for labels in true for one in labels}
    rows = []
    for name in names:
        n_true, n_guessed = (sum(name in labels for labels in sets) for sets in (true, guessed))
        n_right = sum(name in labels and name in guesses for labels, guesses in zip(true, guessed, strict=True))
        rows.append((n_true, name, n_right / n_guessed if n_guessed else 0.0, n_right / n_true))
    rows = sorted(rows, key=lambda row: (-row[0], row[1]))[:_MOST_LABELS]
    f1 = [
        2 * precision * recall / (precision + recall) if precision + recall else 0.0 for _, _, precision, recall in rows
    ]
    at = tuple(float(row) for row in range(len(rows)))
    hovers = tuple(
        f"{cut(name, _NAME)}\nprecision {precision:.1%}, recall {recall:.1%}, F1 {value:.1%}\n{n_true:,} documents"
        for (n_true, name, precision, recall), value in zip(rows, f1, strict=True)
    )
    return Figure(
        "Predicted labels",
        Axis("F1: harmonic mean of precision and recall", low=0.0, high=1.0, percent=True),
        Axis("label", low=len(rows) - 0.5, high=-0.5, ticks=_numbered(name for _, name, _, _ in rows), grid=False),
        (Bars(at, tuple(f1), (0,) * len(rows), hovers),),
        note="The most frequent labels come first.",
        row_height=19,
    )


def label_calibration(model: Any, X: Any, y: Sequence[Any] | None = None) -> Figure:
    """Return a reliability diagram: how often predictions of each confidence are right.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model with `predict_proba`: a `MedLDA` whose labels were calibrated, or with `loss="logistic"`.
    X : Corpus, list of str, data frame or matrix
        Documents, preferably held-out ones.
    y : sequence, optional
        Their labels; None for those of the Corpus.

    Returns
    -------
    Figure
        Share of right predictions by predicted probability, in ten bins.

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> corpus = Corpus.from_texts(["river stream water", "money loan credit"] * 10, labels=["nature", "finance"] * 10)
    >>> model = MedLDA(2, calibrate=0.5, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> diagonal, measured = label_calibration(model, corpus).marks
    >>> measured.hover[0].splitlines()
    ['predicted 79%, right 100%', '10 predictions']
    """
    check_model(model, "predict_proba", "a figure of calibration")
    true = [set(labels) for labels in true_labels(X, y, model)]
    probabilities = np.asarray(model.predict_proba(X))
    classes = [str(name) for name in model.classes_.tolist()]
    if model.multilabel_:
        confidence = probabilities.ravel()
        right = np.array([name in labels for labels in true for name in classes], dtype=np.float64)
    else:
        best = probabilities.argmax(axis=1)
        confidence = probabilities[np.arange(len(best)), best]
        right = np.array([classes[guess] in labels for guess, labels in zip(best, true, strict=True)], dtype=np.float64)
    bins = np.clip((confidence * _BINS).astype(int), 0, _BINS - 1)
    known = [number for number in range(_BINS) if (bins == number).any()]
    means = [float(confidence[bins == number].mean()) for number in known]
    shares = [float(right[bins == number].mean()) for number in known]
    sizes = [int((bins == number).sum()) for number in known]
    errors = [float(np.sqrt(share * (1 - share) / size)) for share, size in zip(shares, sizes, strict=True)]
    gap = float(np.dot(sizes, np.abs(np.array(shares) - means)) / sum(sizes))
    hovers = tuple(
        f"predicted {mean:.0%}, right {share:.0%}\n{size:,} predictions"
        for mean, share, size in zip(means, shares, sizes, strict=True)
    )
    return Figure(
        f"Calibration of the predicted labels (mean gap {gap:.1%})",
        Axis("predicted probability", low=0.0, high=1.0, percent=True),
        Axis("share of right predictions", low=0.0, high=1.05, percent=True),
        (
            Line((0.0, 1.0), (0.0, 1.0), MUTED, dashed=True),
            Line(tuple(means), tuple(shares), 0, hover=hovers, markers=True, errors=tuple(errors)),
        ),
        note="On the dashed line, predictions are right as often as their probability says. Bars are standard errors.",
        aspect=0.55,
    )


def true_labels(X: Any, y: Sequence[Any] | None, model: Any) -> list[tuple[str, ...]]:
    """Return the labels of documents, those that are given or those of a Corpus.

    Parameters
    ----------
    X : object
        The documents.
    y : sequence or None
        Labels: one or several per document.
    model : TopicEstimator
        A fitted model, which must know some of the labels.

    Returns
    -------
    list of tuple of str
        Labels of each document.
    """
    given = getattr(X, "labels", None) if y is None else y
    if given is None:
        raise PlaitError("the labels of the documents are not known; give y=, or a Corpus with labels")
    found = [
        (str(one),) if isinstance(one, str) or not hasattr(one, "__iter__") else tuple(map(str, one)) for one in given
    ]
    check_known_labels(found, model.classes_)
    return found


def _numbered(texts: Any) -> tuple[tuple[float, str], ...]:
    return tuple((float(at), text) for at, text in enumerate(texts))
