"""The labels of a corpus as arrays for classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.problems import CorpusError
from plait.corpus.values import join_short, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


def _given_labels(corpus: Corpus) -> tuple[tuple[str, ...], ...]:
    if corpus.labels is None:
        raise CorpusError("the corpus has no labels; name their field with label= when reading it", field="labels")
    return corpus.labels


def label_vector(corpus: Corpus) -> np.ndarray:
    """Return the label of each document, None where it has none; see `Corpus.label_vector`."""
    vector = np.empty(len(corpus), dtype=object)
    for row, names in enumerate(_given_labels(corpus)):
        if len(names) > 1:
            raise CorpusError(
                f"document {shown(corpus.ids[row])} has {len(names)} labels ({join_short(names)}); "
                "use label_indicator() for documents with several labels",
                field="labels",
            )
        vector[row] = names[0] if names else None
    return vector


def label_indicator(corpus: Corpus) -> csr_array:
    """Return which document (row) has which label (column); see `Corpus.label_indicator`."""
    from sklearn.preprocessing import MultiLabelBinarizer

    binarizer = MultiLabelBinarizer(classes=corpus.label_names, sparse_output=True)
    matrix = csr_array(binarizer.fit_transform(_given_labels(corpus)), dtype=bool)
    matrix.sort_indices()
    return matrix
