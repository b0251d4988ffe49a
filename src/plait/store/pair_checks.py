"""What a model with pair features must be in a file: weights of its features, and counts and matrices of its size."""

from __future__ import annotations

from typing import Any

from plait._utils.arrays import check_array, check_csr
from plait.errors import PlaitError
from plait.pair_features import PairWeights, fitted_features, read_features
from plait.pair_features.base import labels_of


def check_pairs(model: Any, n_documents: int, n_words: int) -> None:
    """Raise an error unless the attributes of pair features agree with the parameters and sizes of a model.

    Parameters
    ----------
    model : TopicEstimator
        A model that explains links, with the attributes of a file.
    n_documents, n_words : int
        Numbers of training documents and of words.
    """
    given = model._response("links").pair_features
    features = read_features(given)
    known = vars(model)
    if (not features or given == "auto") and "pair_weights_" not in known:  # "auto" can have no features
        return
    for name in ("pair_weights_", "known_pair_weights_"):
        weights = known.get(name)
        if not isinstance(weights, PairWeights) or not _fits(weights.labels, given if features else None):
            raise PlaitError(f"{name} does not have the weights of the pair features")
        n_features = len(weights.labels)
        check_array(f"{name}.scales", weights.scales, (n_features,), least=1e-300)
        check_array(f"{name}.weights", weights.weights, (2, 2, n_features))
        check_array(f"{name}.topic_weights", weights.topic_weights, (2, 2))
        check_array(f"{name}.topic_means", weights.topic_means, (2,))
    check_csr("the word counts of pair features", known.get("_pair_counts"), (n_documents, n_words), counts=True)
    matrices = known.get("_pair_matrices")
    if not isinstance(matrices, dict):
        raise PlaitError("it has no matrices of pair features")
    for name, matrix in matrices.items():
        check_csr(f"the matrix {name!r} of pair features", matrix, (n_documents, n_documents), counts=True)


def _fits(labels: Any, given: Any) -> bool:
    """Return whether labels are texts, and those of the features that a parameter names; None names any."""
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        return False
    return given is None or labels == labels_of(fitted_features(given, labels))
