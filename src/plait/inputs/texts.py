"""Texts and data frames of texts that estimators are given: recognized, and read as a Corpus."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from plait.corpus import Corpus, CorpusError, TextOptions
from plait.corpus.readers.formats.columns import is_pandas_frame
from plait.corpus.text.options import NO_LIMITS
from plait.corpus.values import is_missing, shown
from plait.errors import PlaitError

_FORMS = "give a list of texts, a Corpus, a count matrix or a data frame with a column of texts"


def is_texts(X: Any) -> bool:
    """Return whether X is a sequence of texts: a list, a tuple, a one-dimensional array or a Series.

    Missing values count as empty texts, but not all of them may be missing.

    Parameters
    ----------
    X : object
        What an estimator is given.

    Returns
    -------
    bool
        True if the first value that is not missing is a text.

    Examples
    --------
    >>> is_texts(["red fox", None]), is_texts([[1, 0]]), is_texts(np.zeros(3))
    (True, False, False)
    """
    if isinstance(X, str):
        raise PlaitError(f"X is the text {shown(X)}; {_FORMS}; to read a file use plait.read_corpus")
    if isinstance(X, list | tuple) and not X:
        raise PlaitError(f"X is empty: there are no documents; {_FORMS}")
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype.kind not in "OUT":
            return False
    elif not isinstance(X, list | tuple) and not _is_series(X):
        return False
    return isinstance(next((value for value in X if not is_missing(value)), None), str)


def text_list(X: Any) -> list[str]:
    """Return a sequence of texts as a list; missing texts are empty.

    Parameters
    ----------
    X : list, tuple, array or Series of str
        The texts.

    Returns
    -------
    list of str
        The texts.

    Examples
    --------
    >>> text_list(("red fox", None))
    ['red fox', '']
    """
    return ["" if is_missing(text) else text for text in X]


def is_text_frame(X: Any) -> bool:
    """Return whether X is a data frame with a column that is not numbers. A frame of numbers is a count matrix.

    Parameters
    ----------
    X : object
        What an estimator is given.

    Returns
    -------
    bool
        True for such a frame of pandas, Polars or Arrow.
    """
    if is_pandas_frame(X):
        return any(getattr(dtype, "kind", "O") not in "biufc" for dtype in X.dtypes)
    if not _is_of(X, "polars", "pyarrow"):
        return False
    from plait.corpus.readers.formats.frame import polars_frame

    return any(not (dtype.is_numeric() or str(dtype) == "Boolean") for dtype in polars_frame(X).schema.values())


def as_documents(X: Any, like: Any = None) -> Any:
    """Return texts and data frames of texts as a Corpus, one row per text; anything else as it is.

    Empty and missing texts are kept as documents without words. The columns of a frame are guessed as
    `Corpus.from_frame` does.

    Parameters
    ----------
    X : texts, Corpus, matrix or data frame
        What an estimator is given.
    like : fitted model, optional
        The model whose text options the texts are read with.

    Returns
    -------
    Corpus or object
        The documents.

    Examples
    --------
    >>> as_documents(["red fox", "", "blue sea"])
    Corpus(3 documents, 4 words, 4 tokens)
    """
    if isinstance(X, Corpus):
        return X
    if is_texts(X):
        options = None if like is None else text_options_of(like)
        return Corpus.from_texts(text_list(X), keep_empty=True, text_options=options)
    if not is_text_frame(X):
        return X
    knows = like is None or getattr(like, "text_options_", None) is not None
    try:
        corpus = Corpus.from_frame(X, keep_empty=True, like=like if knows else None)
    except CorpusError as error:
        error.add_note("make a Corpus of the frame with Corpus.from_frame, which has these options, and give that")
        raise
    if not knows and corpus.text_options is not None:
        text_options_of(like)  # raises an error: the model does not know how text is read
    for choice in corpus.fields:
        if choice.names and choice.others:
            warnings.warn(f"{choice}; read the frame with Corpus.from_frame to name the column", stacklevel=4)
    return corpus


def text_options_of(model: Any) -> TextOptions:
    """Return how a fitted model reads text; raise an error for a model whose words did not come from text.

    Parameters
    ----------
    model : fitted topic model
        The model.

    Returns
    -------
    TextOptions
        The options, without limits of the vocabulary.
    """
    options: TextOptions | None = getattr(model, "text_options_", None)
    if options is not None:
        return replace(options, **NO_LIMITS)
    name = type(model).__name__
    if getattr(model, "vocabulary_", None) is None:
        raise PlaitError(
            f"the {name} was fitted to a matrix without words, so it cannot read text; give a matrix with the same "
            "columns, or fit it to texts or a Corpus"
        )
    raise PlaitError(
        f"the words that the {name} was fitted to came as tokens, counts or a matrix, so it does not know how text "
        "becomes words; read the texts yourself, with Corpus.from_texts(texts, ...), or fit it to texts"
    )


def check_same_reading(model: Any, corpus: Corpus) -> None:
    """Raise an error for a Corpus whose text became words in another way than that of the model.

    Parameters
    ----------
    model : fitted topic model
        The model.
    corpus : Corpus
        The documents.
    """
    known: TextOptions | None = getattr(model, "text_options_", None)
    if known is None or corpus.text_options is None:
        return
    given = corpus.text_options
    names = known.differences(given)
    different = [
        f"{name} ({_describe(getattr(given, name))} instead of {_describe(getattr(known, name))})" for name in names
    ]
    if different:
        guess = "; without language= or like=, the language is guessed from the texts" if "language" in names else ""
        raise PlaitError(
            f"the documents were read with other text options than those of the {type(model).__name__}: "
            f"{', '.join(different)}{guess}. A Corpus does not keep its texts: give the texts themselves, or read them "
            "again as read_corpus(path, like=model) or Corpus.from_texts(texts, like=model)",
            parameter="like",
        )


def _describe(value: Any) -> str:
    return f"a list of {len(value):,}" if isinstance(value, frozenset | tuple) else shown(value)


def _is_series(X: Any) -> bool:
    return type(X).__name__ in ("Series", "ChunkedArray", "StringArray") and _is_of(X, "pandas", "polars", "pyarrow")


def _is_of(X: Any, *packages: str) -> bool:
    return type(X).__module__.partition(".")[0] in packages
