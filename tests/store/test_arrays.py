"""Checks of arrays from files, compared with their definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait._utils.arrays import NUMBER, check_array, check_counts, check_csr_parts
from plait.errors import PlaitError

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
BOUNDS = [(None, None), (0, None), (0, 5), (0, 0), (-3, 3), (None, 7), (1, 300), (-1e30, 1e30)]


def refused(check, *arguments, **options):
    try:
        check("x", *arguments, **options)
    except PlaitError:
        return True
    return False


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_ranges(kind, bounds):
    least, most = bounds
    dtype = np.dtype(kind)
    edges = [0, 1, 5, 6, 7, 8, 3, 4, 127]
    edges += [np.nan, np.inf, -np.inf, -1, 0.5] if dtype.kind == "f" else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for edge in edges:
        array = np.full((3, 40_000), 2, dtype)
        array[1, 777] = edge
        numbers = array.astype(float)
        valid = np.isfinite(numbers).all()
        valid &= (least is None or numbers.min() >= least) and (most is None or numbers.max() <= most)
        for one in (array, np.asfortranarray(array)):
            assert refused(check_array, one, (3, None), NUMBER, least=least, most=most) is not bool(valid), (
                edge,
                bounds,
            )


def test_an_empty_array_has_no_number_out_of_range():
    check_array("x", np.zeros((0, 3)), (None, 3), least=5)
    check_counts("x", sparse.csr_array((4, 3)), (4, 3))


@pytest.mark.parametrize(
    ("value", "shape"),
    [(None, (2,)), ([1.0, 2.0], (2,)), (np.zeros(2, "O"), (2,)), (np.zeros(3), (2,)), (np.zeros(2), (2, 1))],
)
def test_types_and_shapes(value, shape):
    assert refused(check_array, value, shape)
    assert not refused(check_array, np.zeros(shape), shape)


def test_counts_may_be_negative_by_rounding_only():
    assert not refused(check_counts, np.array([-1e-4, 1.0]), (2,))
    assert refused(check_counts, np.array([-0.1, 1.0]), (2,))
    assert not refused(check_counts, np.array([-0.1, 1000.0]), (2,))
    assert refused(check_counts, np.array([-1, 1000]), (2,))
    assert refused(check_counts, np.array([np.nan, 1.0]), (2,))


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [
        ([0, 3, 1], [0, 2, 3]),
        ([0, -1, 1], [0, 2, 3]),
        ([0, 2, 1], [1, 2, 3]),
        ([0, 2, 1], [0, 2, 2]),
        ([0, 2, 1], [0, 4, 3]),
        ([0, 2, 1], [0, 3]),
        ([0, 2], [0, 2, 3]),
        ([0.0, 2.0, 1.0], [0, 2, 3]),
    ],
)
def test_rows_and_columns_of_a_sparse_array(indices, indptr):
    assert not refused(check_csr_parts, np.ones(3), np.array([0, 2, 1]), np.array([0, 2, 3]), (2, 3))
    assert refused(check_csr_parts, np.ones(3), np.array(indices), np.array(indptr), (2, 3))
