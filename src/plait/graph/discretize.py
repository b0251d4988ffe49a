"""Supervised discretization of features with the criterion of Fayyad and Irani (1993).

The values of a feature are split where the entropy of the classes on both sides is lowest, and each side is split
again, as long as a split saves more bits than its description takes. An uninformative feature is not split.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from plait.samplers.kernels.compiled import inline_kernel, kernel

# Cuts whose bits differ by less are ties, and the lower one is used, so that the result does not depend on rounding.
_TIE = 1e-9


class MDLDiscretizer(TransformerMixin, BaseEstimator):
    """Supervised discretization with the minimum description length criterion.

    Attributes
    ----------
    cuts_ : list of ndarray
        Cut points of each feature, sorted: midpoints between two training values. Values up to the first cut are in
        bin 0. A feature without cuts has one bin.
    n_bins_ : ndarray of shape (n_features,)
        Number of bins of each feature.

    Examples
    --------
    >>> heights = np.array([[1.0], [2.0], [3.0], [4.0], [10.0], [11.0], [12.0], [13.0]])
    >>> bins = MDLDiscretizer().fit(heights, list("aaaabbbb"))
    >>> bins.cuts_[0].tolist(), bins.transform([[0.0], [7.0], [7.1]]).ravel().tolist()
    ([7.0], [0, 0, 1])
    """

    def fit(self, X: Any, y: Any) -> MDLDiscretizer:
        """Find the cut points of each feature.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        MDLDiscretizer
            This object.
        """
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float64)
        check_classification_targets(y)
        encoder = LabelEncoder().fit(y)
        codes, n_classes = encoder.transform(y).astype(np.int64), len(encoder.classes_)
        n_samples = len(codes)
        # n log2 n of every possible count n
        numbers = np.arange(1, n_samples + 1, dtype=np.float64)
        bits = np.concatenate([[0.0], numbers * np.log2(numbers)])
        counts = np.empty((3, n_classes), dtype=np.int64)
        stack, found = np.empty((n_samples + 1, 2), dtype=np.int64), np.empty(n_samples, dtype=np.int64)
        self.cuts_ = []
        for column in range(X.shape[1]):
            values = _column(X, column)
            order = np.argsort(values, kind="stable")
            values = values[order]
            n_cuts = _find_cuts(values, codes[order], bits, counts, stack, found)
            positions = np.sort(found[:n_cuts])
            self.cuts_.append(_midpoints(values[positions - 1], values[positions]))
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cuts_], dtype=np.int64)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the bin of each value.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of int of shape (n_samples, n_features)
            Bins, numbered from 0.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csc", dtype=np.float64, reset=False)
        bins = np.zeros(X.shape, dtype=np.int64)
        for column, cuts in enumerate(self.cuts_):
            if len(cuts):
                bins[:, column] = np.searchsorted(cuts, _column(X, column), side="left")
        return bins

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []  # bins are integers
        return tags


def _column(X: Any, column: int) -> np.ndarray:
    """Return one feature as a dense array."""
    if not sparse.issparse(X):
        return X[:, column]
    values = np.zeros(X.shape[0])
    inside = slice(X.indptr[column], X.indptr[column + 1])
    values[X.indices[inside]] = X.data[inside]
    return values


def _midpoints(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return midpoints; the lower number where rounding would give the upper one."""
    middle = lower / 2 + upper / 2  # lower + upper could overflow
    return np.where(middle < upper, middle, lower)


@inline_kernel
def _class_bits(counts, n_samples, bits):
    """Return n times the entropy of the classes, and the number of classes present."""
    total, n_present = bits[n_samples], 0
    for number in range(len(counts)):
        total -= bits[counts[number]]
        n_present += counts[number] > 0
    return total, n_present


@kernel
def _find_cuts(values, codes, bits, counts, stack, found):
    """Write the positions of cuts in sorted values into `found`, and return their number; `stack` is scratch memory."""
    n_cuts, n_open = 0, 1
    stack[0, 0], stack[0, 1] = 0, len(values)
    whole, left, right = counts[0], counts[1], counts[2]
    while n_open:
        n_open -= 1
        start, stop = stack[n_open, 0], stack[n_open, 1]
        n_samples = stop - start
        whole[:] = 0
        for position in range(start, stop):
            whole[codes[position]] += 1
        whole_bits, n_whole = _class_bits(whole, n_samples, bits)
        for number in range(len(whole)):
            left[number], right[number] = 0, whole[number]
        best, best_bits = -1, np.inf
        gain_needed = 0.0
        for position in range(start + 1, stop):
            code = codes[position - 1]
            left[code] += 1
            right[code] -= 1
            if values[position - 1] == values[position]:
                continue
            left_bits, n_left = _class_bits(left, position - start, bits)
            right_bits, n_right = _class_bits(right, stop - position, bits)
            if left_bits + right_bits < best_bits - _TIE:
                best, best_bits = position, left_bits + right_bits
                # n times the required gain in bits per sample, log2(n − 1) + Δ
                gain_needed = (
                    np.log2(n_samples - 1.0)
                    + n_whole * np.log2(3.0)
                    + np.log2(1.0 - 2.0 * 3.0**-n_whole)  # with the line above, log2(3^k − 2) without overflow
                    - n_whole * whole_bits / n_samples
                    + n_left * left_bits / (position - start)
                    + n_right * right_bits / (stop - position)
                )
        if best >= 0 and whole_bits - best_bits > gain_needed + _TIE:
            found[n_cuts] = best
            n_cuts += 1
            stack[n_open, 0], stack[n_open, 1] = start, best
            stack[n_open + 1, 0], stack[n_open + 1, 1] = best, stop
            n_open += 2
    return n_cuts
