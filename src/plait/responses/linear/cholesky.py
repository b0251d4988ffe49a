"""Cholesky factors and draws from Gaussians given their precision, with a fixed order of additions.

The order of additions in LAPACK depends on the machine and on the number of threads; here it does not. Rows are
eliminated in groups of four: a row below loses the sum of four products at a time, group after group. Panels of several
groups are finished first; then all rows below lose what the groups of the panel subtract, without a second read of the
matrix per group. Neither panels nor threads change the order of the additions to any number.
"""

from __future__ import annotations

import numpy as np

from plait.responses.base import Map
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.doubles import (
    DOUBLES,
    add_doubles,
    load_doubles,
    multiply_doubles,
    splat_double,
    store_doubles,
    subtract_doubles,
)

_PANEL = 32  # rows that are finished before they are eliminated from the rows below; a multiple of 8
_TILE = 256  # columns that are updated together, so that they and the panel stay in the cache
_TASK = 32  # rows per task
_MIN_PARALLEL = 512  # rows below a panel from which they are worth several tasks


def factor(matrix: np.ndarray, map: Map) -> None:
    """Replace the upper triangle of a positive definite matrix P by U with UᵀU = P, in place.

    The result is that of `factor_upper`, to the bit. What is below the diagonal is not read, but overwritten.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n, n)
        P, contiguous.
    map : callable
        Runs the tasks, as `Executor.map`.
    """
    size, done = len(matrix), 0
    flat = matrix.reshape(-1)
    while size - done - _PANEL >= _MIN_PARALLEL:
        _factor_panel(matrix, done, done + _PANEL)

        def eliminate(first: int, panel: int = done) -> None:
            _eliminate(flat, size, panel, first, min(first + _TASK, size))

        done += _PANEL
        map(eliminate, range(done, size, _TASK))
    _factor_rest(matrix, flat, done)


def factor_upper(matrix: np.ndarray) -> None:
    """Do the same as `factor`, for a small matrix or without other threads."""
    _factor_rest(matrix, matrix.reshape(-1), 0)


@kernel
def _factor_rest(matrix, flat, first):
    size = matrix.shape[0]
    while first < size:
        below = min(first + _PANEL, size)
        _finish_panel(matrix, first, below)
        if below < size:
            _eliminate_panel(flat, size, first, below, size)
        first = below


@kernel
def _factor_panel(matrix, first, last):
    _finish_panel(matrix, first, last)


@kernel
def _eliminate(flat, size, panel, first, last):
    _eliminate_panel(flat, size, panel, first, last)


@inline_kernel
def _finish_panel(matrix, panel, below):
    """Finish the rows of a panel, from which all rows above it were eliminated."""
    size = matrix.shape[0]
    for first in range(panel, below, 4):
        last = min(first + 4, below)
        for row in range(first, last):
            for above in range(first, row):
                factor = matrix[above, row]
                for column in range(row, size):
                    matrix[row, column] -= factor * matrix[above, column]
            # Only rounding can make it zero or negative, if one precision is about 10¹⁴ times the others.
            root = np.sqrt(max(matrix[row, row], 1e-300))
            for column in range(row, size):
                matrix[row, column] /= root
        for row in range(last, below):
            factor_0, factor_1 = matrix[first, row], matrix[first + 1, row]
            factor_2, factor_3 = matrix[first + 2, row], matrix[first + 3, row]
            for column in range(row, size):
                matrix[row, column] -= (
                    factor_0 * matrix[first, column]
                    + factor_1 * matrix[first + 1, column]
                    + factor_2 * matrix[first + 2, column]
                    + factor_3 * matrix[first + 3, column]
                )


@inline_kernel
def _eliminate_panel(flat, size, panel, first, last):
    """Eliminate the rows of a whole panel from the rows `first` up to `last`, which are below it."""
    whole = size - size % DOUBLES
    for tile in range(first - first % DOUBLES, whole, _TILE):
        end = min(tile + _TILE, whole)
        # Two rows at a time, eight rows of the panel at a time: the factors stay in registers.
        for row in range(first, min(last, end), 2):
            begin = max(tile, row - row % DOUBLES)
            for above in range(panel, panel + _PANEL, 8):
                if row + 1 < last:
                    _eliminate_eight_twice(flat, size, above, row, begin, end)
                else:
                    _eliminate_eight(flat, size, above, row, begin, end)
    for row in range(first, last):
        for column in range(max(row, whole), size):
            for above in range(panel, panel + _PANEL, 4):
                start = above * size
                flat[row * size + column] -= (
                    flat[start + row] * flat[start + column]
                    + flat[start + size + row] * flat[start + size + column]
                    + flat[start + 2 * size + row] * flat[start + 2 * size + column]
                    + flat[start + 3 * size + row] * flat[start + 3 * size + column]
                )


@inline_kernel
def _four_factors(flat, size, above, row):
    """Return the factors by which four rows are subtracted from a row."""
    start = above * size + row
    return (
        splat_double(flat[start]),
        splat_double(flat[start + size]),
        splat_double(flat[start + 2 * size]),
        splat_double(flat[start + 3 * size]),
    )


@inline_kernel
def _less_four(value, factors, flat, size, place):
    """Subtract the sum of four rows, times their factors, from eight numbers of a row."""
    total = add_doubles(
        multiply_doubles(factors[0], load_doubles(flat, place)),
        multiply_doubles(factors[1], load_doubles(flat, place + size)),
    )
    total = add_doubles(total, multiply_doubles(factors[2], load_doubles(flat, place + 2 * size)))
    total = add_doubles(total, multiply_doubles(factors[3], load_doubles(flat, place + 3 * size)))
    return subtract_doubles(value, total)


@inline_kernel
def _eliminate_eight(flat, size, above, row, begin, end):
    """Eliminate eight rows from the columns `begin` up to `end` of one row."""
    early, late = _four_factors(flat, size, above, row), _four_factors(flat, size, above + 4, row)
    for column in range(begin, end, DOUBLES):
        place = above * size + column
        value = _less_four(load_doubles(flat, row * size + column), early, flat, size, place)
        store_doubles(flat, row * size + column, _less_four(value, late, flat, size, place + 4 * size))


@inline_kernel
def _eliminate_eight_twice(flat, size, above, row, begin, end):
    """Eliminate eight rows from the columns `begin` up to `end` of a row and the next one."""
    early, late = _four_factors(flat, size, above, row), _four_factors(flat, size, above + 4, row)
    next_early, next_late = _four_factors(flat, size, above, row + 1), _four_factors(flat, size, above + 4, row + 1)
    for column in range(begin, end, DOUBLES):
        place, here = above * size + column, row * size + column
        value = _less_four(load_doubles(flat, here), early, flat, size, place)
        other = _less_four(load_doubles(flat, here + size), next_early, flat, size, place)
        value = _less_four(value, late, flat, size, place + 4 * size)
        other = _less_four(other, next_late, flat, size, place + 4 * size)
        store_doubles(flat, here, value)
        store_doubles(flat, here + size, other)


@kernel
def solve(upper, moments, noise, result):
    """Fill `result` with P⁻¹ moments + U⁻¹ noise, for P = UᵀU."""
    size = moments.size
    for row in range(size):
        moments[row] /= upper[row, row]
        for column in range(row + 1, size):
            moments[column] -= upper[row, column] * moments[row]
    for row in range(size - 1, -1, -1):
        total = moments[row] + noise[row]
        for column in range(row + 1, size):
            total -= upper[row, column] * result[column]
        result[row] = total / upper[row, row]
