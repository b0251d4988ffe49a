"""Targets from the labels of a corpus: numbers that were read as text, and labels that are frequent enough."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError


def values_from_labels(corpus: Corpus) -> np.ndarray:
    """Return the number of each document, read from its label; NaN for a document without a label.

    Parameters
    ----------
    corpus : Corpus
        Documents whose labels are numbers.

    Returns
    -------
    array of float
        One number per document.

    Examples
    --------
    >>> values_from_labels(Corpus.from_texts(["red", "blue"], labels=["1.5", None])).tolist()
    [1.5, nan]
    """
    found = np.full(len(corpus), math.nan)
    for row, texts in enumerate(corpus.labels or ()):
        if len(texts) > 1:
            raise PlaitError(f'document "{corpus.ids[row]}" has {len(texts)} values ({", ".join(texts)}); give it one')
        if texts:
            found[row] = _number(texts[0], corpus.ids[row])
    return found


def drop_rare_labels(corpus: Corpus, min_documents: int) -> tuple[Corpus, list[str]]:
    """Return a corpus without its rare labels, and these labels.

    Parameters
    ----------
    corpus : Corpus
        Documents with labels.
    min_documents : int
        Minimum number of documents per label.

    Returns
    -------
    Corpus
        All documents, with the frequent labels.
    list of str
        The labels that were removed.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["red", "blue", "pink"], labels=["warm", "cold", "warm"])
    >>> kept, rare = drop_rare_labels(corpus, 2)
    >>> kept.labels, rare
    ((('warm',), (), ('warm',)), ['cold'])
    """
    n_documents = Counter(name for names in corpus.labels or () for name in names)
    rare = sorted(name for name, count in n_documents.items() if count < min_documents)
    kept = tuple(tuple(name for name in names if n_documents[name] >= min_documents) for names in corpus.labels or ())
    return (replace(corpus, labels=kept), rare) if rare else (corpus, [])


def _number(text: str, name: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise PlaitError(
            f'document "{name}" has the value "{text}", which is not a number; correct it, leave it empty, or '
            "read the values from another field",
            parameter="label",
        )
    return number
