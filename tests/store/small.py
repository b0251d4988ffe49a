"""Small models to save, and bit-exact comparison of values."""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy.sparse as sparse

from plait.engine.history import History
from plait.models import LDA

QUICK = {
    "n_topics": 3,
    "n_sweeps": 6,
    "n_samples": 3,
    "sample_every": 2,
    "fold_in_sweeps": 4,
    "random_state": 0,
    "verbose": False,
}
TEXTS = ["river stream bank", "stream river delta", "money loan bank", "loan money debt money"] * 6


def counts(n_documents=30, n_words=8, seed=0):
    return np.random.default_rng(seed).poisson(1.5, size=(n_documents, n_words)) + np.eye(
        n_documents, n_words, dtype=int
    )


def fitted(X=None, **changes):
    return LDA(**(QUICK | changes)).fit(counts() if X is None else X)


def same(one, two):
    """Return whether two values have the same types and bits."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        if (one.dtype, one.shape) != (two.dtype, two.shape):
            return False
        return one.tolist() == two.tolist() if one.dtype == object else one.tobytes() == two.tobytes()
    if isinstance(one, sparse.csr_array):
        return one.shape == two.shape and all(
            same(getattr(one, a), getattr(two, a)) for a in ("data", "indices", "indptr")
        )
    if isinstance(one, History):  # its start time depends on the process
        return same(one.records, two.records)
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if dataclasses.is_dataclass(one):
        names = [field.name for field in dataclasses.fields(one)]  # not what is cached beside them
        return same(*({name: getattr(value, name) for name in names} for value in (one, two)))
    if isinstance(one, (list, tuple)):
        return len(one) == len(two) and all(map(same, one, two))
    return repr(one) == repr(two)
