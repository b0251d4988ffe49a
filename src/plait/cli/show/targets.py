"""What a model learns besides words, as a corpus has it: labels, or numbers that were read as labels."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.cli.options.used_responses import Target
from plait.errors import PlaitError

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sparse

    from plait.corpus import Corpus


def check_labels(corpus: Corpus, target: Target, path: Path) -> None:
    """Refuse a corpus without labels, or without numbers."""
    if corpus.labels is None or not any(corpus.labels):
        what = "a label" if target is Target.labels else "a number to learn"
        raise PlaitError(f"{path}: no document has {what}; name the field that holds them with --label")


def without_rare_labels(corpus: Corpus, least: int) -> tuple[Corpus, list[str]]:
    """Return the documents without the labels that fewer than `least` of them have, and these labels.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> corpus = Corpus.from_texts(["red", "blue", "pink"], labels=["warm", "cold", "warm"])
    >>> kept, rare = without_rare_labels(corpus, 2)
    >>> kept.labels, rare
    ((('warm',), (), ('warm',)), ['cold'])
    """
    counted = Counter(name for names in corpus.labels or () for name in names)
    rare = sorted(name for name, count in counted.items() if count < least)
    kept = tuple(tuple(name for name in names if counted[name] >= least) for names in corpus.labels or ())
    return (replace(corpus, labels=kept), rare) if rare else (corpus, [])


def values(corpus: Corpus) -> np.ndarray:
    """Return the number of each document, NaN where it has none; a value that is no number is an error.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> values(Corpus.from_texts(["red", "blue"], labels=["1.5", None])).tolist()
    [1.5, nan]
    """
    import numpy as np

    found = np.full(len(corpus), math.nan)
    for row, texts in enumerate(corpus.labels or ()):
        if len(texts) > 1:
            raise PlaitError(f'document "{corpus.ids[row]}" has {len(texts)} values ({", ".join(texts)}); give it one')
        if texts:
            found[row] = _number(texts[0], corpus.ids[row])
    return found


def _number(text: str, name: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise PlaitError(
            f'document "{name}" has the value "{text}", which is not a number; correct it, leave it empty, or '
            "name another field with --label"
        )
    return number


def label_line(corpus: Corpus, target: Target) -> str:
    """Say in one line what there is to learn."""
    given = corpus.labels or ()
    known = sum(bool(names) for names in given)
    if target is Target.values:
        line = f"{known:,} documents have a number to learn"
    else:
        several = "several a document" if corpus.is_multilabel else "one a document"
        line = f"{known:,} documents have labels: {len(corpus.label_names):,} different ones, {several}"
    if known < len(corpus):
        line += f"; {len(corpus) - known:,} have none and shape the topics only"
    return line


def with_labels(corpus: Corpus) -> Corpus:
    """Return the documents that have a label."""
    return corpus.select(labelled_rows(corpus))


def labelled_rows(corpus: Corpus) -> list[int]:
    """Return which documents have a label."""
    return [row for row, names in enumerate(corpus.labels or ()) if names]


def predicted_labels(model: Any, corpus: Corpus, links: sparse.csr_array | None = None) -> list[tuple[str, ...]]:
    """Return the labels that a model predicts for each document, as text.

    Labels are text in a corpus; those of a model that was fitted in Python may be numbers.

    Parameters
    ----------
    links
        Documents × documents of the model: along which links words may also be drawn, for models that can.
    """
    return [tuple(map(str, labels)) for labels in model.predict_labels(corpus, links=links)]
