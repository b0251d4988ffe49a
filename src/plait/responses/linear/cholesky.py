"""Cholesky factors and draws from Gaussians given their precision, with a fixed order of additions.

The order of additions in LAPACK depends on the machine and on the number of threads; here it does not.
"""

from __future__ import annotations

import numpy as np

from plait.samplers.kernels.compiled import kernel


@kernel
def factor_upper(matrix):
    """Replace the upper triangle of a positive definite matrix P by U with UᵀU = P, in place.

    Four rows at a time are eliminated from those below them, so that large matrices are read less often.
    """
    size = matrix.shape[0]
    for first in range(0, size, 4):
        last = min(first + 4, size)
        for row in range(first, last):
            for above in range(first, row):
                factor = matrix[above, row]
                for column in range(row, size):
                    matrix[row, column] -= factor * matrix[above, column]
            # Only rounding can make it zero or negative, if one precision is about 10¹⁴ times the others.
            root = np.sqrt(max(matrix[row, row], 1e-300))
            for column in range(row, size):
                matrix[row, column] /= root
        if last - first < 4:
            break
        for row in range(last, size):
            factor_0, factor_1 = matrix[first, row], matrix[first + 1, row]
            factor_2, factor_3 = matrix[first + 2, row], matrix[first + 3, row]
            for column in range(row, size):
                matrix[row, column] -= (
                    factor_0 * matrix[first, column]
                    + factor_1 * matrix[first + 1, column]
                    + factor_2 * matrix[first + 2, column]
                    + factor_3 * matrix[first + 3, column]
                )


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
