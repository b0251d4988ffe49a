"""Prior mean of response weights: validation, and the initial weights."""

from __future__ import annotations

import numpy as np

from plait.errors import PlaitError


def check_mean(mean: np.ndarray | None, n_rows: int | None = None) -> np.ndarray | None:
    """Return a copy of the prior mean of the weights; reject a wrong shape or values that are not finite.

    Parameters
    ----------
    mean : ndarray of shape (rows, topics) or None
        Prior mean; None for 0.
    n_rows : int or None, default None
        Required number of rows; None for a square matrix.

    Returns
    -------
    ndarray of shape (rows, topics) or None
        The copy.
    """
    if mean is None:
        return None
    table = np.array(mean, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != (table.shape[-1] if n_rows is None else n_rows):
        wanted = "topics × topics" if n_rows is None else f"{n_rows} × topics"
        raise PlaitError(f"the prior mean of the weights has the shape {table.shape}; give {wanted}")
    if not np.isfinite(table).all():
        raise PlaitError("the prior mean of the weights contains NaN or infinite numbers; give finite ones")
    return table


def initial_weights(mean: np.ndarray | None, shape: tuple[int, int]) -> np.ndarray:
    """Return the initial weights: 0, or a copy of their prior mean.

    Parameters
    ----------
    mean : ndarray or None
        Prior mean; None for 0.
    shape : tuple of int
        Shape of the weights, rows × topics.

    Returns
    -------
    ndarray
        Weights.
    """
    if mean is None:
        return np.zeros(shape)
    if mean.shape != shape:
        raise PlaitError(
            f"the prior mean of the weights has {mean.shape[1]} topics, but the chain has {shape[1]}; use weights of a "
            "model with the same number of topics"
        )
    return mean.copy()
