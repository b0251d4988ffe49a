"""Rows of sums for all labels of a regression: which labels documents have, and kernels that add to the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.doubles import DOUBLES, add_scaled, padded_size


class LabelledDocuments(NamedTuple):
    """Labels for which each document has a pseudo-observation."""

    starts: np.ndarray  # int64: document d has observations starts[d] up to starts[d + 1]
    labels: np.ndarray  # int32: label of each observation
    n_labels: int


def count_pairs(n_regressors: int) -> int:
    """Return the number of pairs j ≤ k of regressors."""
    return n_regressors * (n_regressors + 1) // 2


def padded_labels(n_labels: int) -> int:
    """Return the width of a row of sums: rows of eight labels or more are padded to whole vectors."""
    return n_labels if n_labels < DOUBLES else padded_size(n_labels)


@inline_kernel
def list_topics(counts, lengths, document, present, shares):
    """List the topics that occur in a document and their proportions; return their number."""
    n_present = 0
    for topic in range(counts.shape[1]):
        if counts[document, topic] > 0:
            present[n_present] = topic
            shares[n_present] = counts[document, topic] / lengths[document]
            n_present += 1
    return n_present


@inline_kernel
def gather_labels(starts, labels, pull, precision, document, pulls, precisions):
    """Fill in pull and precision of every label of a document, 0 where it has no observation."""
    for label in range(pulls.size):
        pulls[label] = 0.0
        precisions[label] = 0.0
    for number in range(starts[document], starts[document + 1]):
        pulls[labels[number]] += pull[number]
        precisions[labels[number]] += precision[number]


@inline_kernel
def add_labels(totals, place, share, values, first, width):
    """Add the `width` values of all labels from `first` on, times a share, to a row of totals."""
    if width < DOUBLES:
        for label in range(width):
            totals[place + label] += share * values[first + label]
    else:
        add_scaled(totals, place, share, values, first, width)
