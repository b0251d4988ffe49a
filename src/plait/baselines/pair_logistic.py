"""Logistic regression on products of the vectors of two documents: p(link) = σ(xᵢᵀ W xⱼ + b), W full or diagonal.

W is symmetric, because links are undirected. scikit-learn's LogisticRegression would need all products, K² per pair.
Here the values are row sums of (XᵢW) ∘ Xⱼ, and the gradient is Xᵢᵀ diag(r) Xⱼ, symmetrised.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.baselines.network import link_ends
from plait.errors import PlaitError


class PairWeights(NamedTuple):
    """Fitted weights.

    Attributes
    ----------
    weights : ndarray of shape (n_dimensions, n_dimensions)
        W.
    intercept : float
        b.
    """

    weights: np.ndarray
    intercept: float

    def probabilities(self, new: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Return the probability of a link between each row of `new` and each row of `known`.

        Parameters
        ----------
        new : ndarray of shape (n_new, n_dimensions)
            Vectors of new documents.
        known : ndarray of shape (n_known, n_dimensions)
            Vectors of training documents.

        Returns
        -------
        ndarray of shape (n_new, n_known)
            Probabilities.
        """
        from scipy.special import expit

        return expit(new @ self.weights @ known.T + self.intercept)


def fit_pair_weights(
    vectors: np.ndarray, network: sparse.csr_array, *, full: bool, c: float, negatives_per_link: int, seed: int
) -> PairWeights:
    """Fit the weights to all links and to sampled pairs without a link.

    Parameters
    ----------
    vectors : ndarray of shape (n_documents, n_dimensions)
        Vectors of the documents.
    network : sparse array of shape (n_documents, n_documents)
        Undirected links.
    full : bool
        Whether W is a full matrix, or a diagonal one.
    c : float
        Inverse strength of the ridge penalty on W.
    negatives_per_link : int
        Number of pairs without a link drawn per link.
    seed : int
        Seed of these draws.

    Returns
    -------
    PairWeights
        Fitted weights.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    if not c > 0:
        raise PlaitError(f"c must be a positive number, not {c!r}")
    first, second = link_ends(network)
    n_links, width = len(first), vectors.shape[1]
    n_negatives = check_whole("negatives_per_link", negatives_per_link, least=1) * n_links
    unlinked = draw_unlinked_pairs(network, n_negatives, seed)
    left = vectors[np.concatenate([first, unlinked[:, 0]])]
    right = vectors[np.concatenate([second, unlinked[:, 1]])]
    linked = np.repeat([1.0, 0.0], [n_links, n_negatives])
    products = None if full else left * right

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        weights, intercept = parameters[:-1], parameters[-1]
        if products is None:
            values = np.einsum("pk,pk->p", left @ weights.reshape(width, width), right) + intercept
        else:
            values = products @ weights + intercept
        residual = expit(values) - linked
        if products is None:
            slope = left.T @ (residual[:, np.newaxis] * right)
            slope = ((slope + slope.T) / 2).ravel()
        else:
            slope = residual @ products
        total = np.logaddexp(0, values).sum() - values @ linked + weights @ weights / (2 * c)
        return float(total), np.append(slope + weights / c, residual.sum())

    start = np.zeros((width * width if full else width) + 1)
    solved = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    weights = solved[:-1].reshape(width, width) if full else np.diag(solved[:-1])
    return PairWeights(weights, float(solved[-1]))


def draw_unlinked_pairs(network: sparse.csr_array, n_pairs: int, seed: int) -> np.ndarray:
    """Draw pairs of different documents without a link, with replacement.

    Parameters
    ----------
    network : sparse array of shape (n_documents, n_documents)
        Undirected links.
    n_pairs : int
        Number of pairs.
    seed : int
        Seed of the draws.

    Returns
    -------
    ndarray of int of shape (n_pairs, 2)
        Pairs.

    Examples
    --------
    >>> links = sparse.csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    >>> {tuple(sorted(pair)) for pair in draw_unlinked_pairs(links, 5, seed=0).tolist()}
    {(1, 2)}
    """
    n_documents = network.shape[0]
    if network.nnz >= n_documents * (n_documents - 1):
        raise PlaitError("every document is linked with every other; give links that leave some pairs unlinked")
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n_documents), np.diff(network.indptr))
    known = np.sort(rows * n_documents + network.indices)
    drawn = np.empty((0, 2), dtype=np.int64)
    while len(drawn) < n_pairs:
        pairs = rng.integers(n_documents, size=(n_pairs, 2))
        keys = pairs[:, 0] * n_documents + pairs[:, 1]
        nearest = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        unlinked = (pairs[:, 0] != pairs[:, 1]) & (known[nearest] != keys)
        drawn = np.concatenate([drawn, pairs[unlinked]])
    return drawn[:n_pairs]
