"""Positions in two dimensions: principal coordinates of distances, and a force-directed layout of a network.

Principal coordinates (Torgerson, 1952) keep distances as well as two dimensions can. The network layout is that of
Fruchterman and Reingold (1991) from a fixed start, so that the same network has the same picture.
"""

from __future__ import annotations

import numpy as np

_SWEEPS = 200


def principal_coordinates(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points in the plane whose distances are close to given ones.

    Parameters
    ----------
    distances : ndarray of shape (points, points)
        Symmetric distances.

    Returns
    -------
    positions : ndarray of shape (points, 2)
        Centred positions. The sign of each coordinate is that which makes its largest absolute value positive.
    explained : ndarray of shape (2,)
        Share of the positive variance that each coordinate explains.

    Examples
    --------
    >>> positions, explained = principal_coordinates(np.array([[0.0, 3, 4], [3, 0, 5], [4, 5, 0]]))
    >>> round(float(np.hypot(*(positions[1] - positions[2]))), 6), round(float(explained.sum()), 6)
    (5.0, 1.0)
    """
    n_points = len(distances)
    if n_points < 2:
        return np.zeros((n_points, 2)), np.zeros(2)
    squared = distances**2
    centred = -0.5 * (squared - squared.mean(axis=0) - squared.mean(axis=1)[:, np.newaxis] + squared.mean())
    values, vectors = np.linalg.eigh(centred)
    order = np.argsort(-values)[:2]
    roots = np.sqrt(np.clip(values[order], 0.0, None))
    positions = vectors[:, order] * roots
    peaks = np.abs(positions).argmax(axis=0)
    positions = positions * np.where(positions[peaks, range(positions.shape[1])] < 0, -1.0, 1.0)
    total = np.clip(values, 0.0, None).sum()
    explained = np.clip(values[order], 0.0, None) / total if total > 0 else np.zeros(len(order))
    if positions.shape[1] < 2:
        positions, explained = np.pad(positions, ((0, 0), (0, 1))), np.pad(explained, (0, 1))
    return positions, explained


def spread_points(positions: np.ndarray, radii: np.ndarray, strength: float = 0.5, n_sweeps: int = 80) -> np.ndarray:
    """Return positions with overlapping circles pushed apart.

    Parameters
    ----------
    positions : ndarray of shape (points, 2)
        Centres.
    radii : ndarray of shape (points,)
        Radii in the same unit.
    strength : float, default 0.5
        Share of an overlap that remains allowed is 1 − strength.
    n_sweeps : int, default 80
        Number of steps.

    Returns
    -------
    ndarray of shape (points, 2)
        New centres.
    """
    moved = np.array(positions, dtype=np.float64)
    needed = strength * (radii[:, np.newaxis] + radii)
    angles = 2.4 * np.arange(len(moved))  # directions for points in the same place
    apart = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for _ in range(n_sweeps):
        offsets = moved[:, np.newaxis] - moved
        lengths = np.sqrt((offsets**2).sum(axis=2))
        overlap = np.clip(needed - lengths, 0.0, None)
        np.fill_diagonal(overlap, 0.0)
        if not overlap.any():
            break
        directions = offsets / np.where(lengths > 1e-9, lengths, 1.0)[:, :, np.newaxis]
        directions = np.where((lengths > 1e-9)[:, :, np.newaxis], directions, apart[:, np.newaxis] - apart)
        moved += 0.35 * (overlap[:, :, np.newaxis] * directions).sum(axis=1)
    return moved


def place_network(n_nodes: int, first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return positions of the nodes of a network: linked nodes are close, others apart.

    Parameters
    ----------
    n_nodes : int
        Number of nodes, some hundreds at most: the time grows with its square.
    first, second : ndarray of shape (edges,)
        Ends of the edges.
    weights : ndarray of shape (edges,)
        Strengths of the edges, above 0.

    Returns
    -------
    ndarray of shape (nodes, 2)
        Positions between −1 and 1, at least as wide as high.
    """
    if n_nodes == 1:
        return np.zeros((1, 2))
    # A sunflower as the start: even, and the same every time.
    number = np.arange(n_nodes)
    radius, angle = np.sqrt((number + 0.5) / n_nodes), np.pi * (3 - np.sqrt(5)) * number
    positions = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    ideal = 1.0 / np.sqrt(n_nodes)
    pull = weights / weights.max() if weights.size else weights
    for sweep in range(_SWEEPS):
        offsets = positions[:, np.newaxis] - positions
        squared = (offsets**2).sum(axis=2) + 1e-9
        moves = (offsets * (ideal**2 / squared)[:, :, np.newaxis]).sum(axis=1)
        along = positions[first] - positions[second]
        forces = along * ((0.3 + 0.7 * pull) * np.sqrt((along**2).sum(axis=1)) / ideal)[:, np.newaxis]
        np.add.at(moves, first, -forces)
        np.add.at(moves, second, forces)
        moves -= 0.6 * positions  # gravity keeps components together
        lengths = np.sqrt((moves**2).sum(axis=1))
        heat = 0.1 * (1 - sweep / _SWEEPS) + 0.002
        positions += moves * (np.minimum(lengths, heat) / np.maximum(lengths, 1e-9))[:, np.newaxis]
    positions -= (positions.max(axis=0) + positions.min(axis=0)) / 2
    if positions[:, 1].max() > positions[:, 0].max():
        positions = positions[:, ::-1]
    return positions / max(np.abs(positions).max(), 1e-9)
