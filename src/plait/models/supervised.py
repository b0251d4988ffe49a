"""What models of one target share: the prior on topic proportions that suits predictions."""

from __future__ import annotations

from typing import Any

from plait.mixing import OwnDocument

_ALPHA_SUM = 4.0  # Σα where alpha is None; chosen on the training documents of 20 Newsgroups


def supervised_mixing(alpha: Any, n_topics: int) -> OwnDocument:
    """Return the mixing of a model that predicts labels or values.

    Parameters
    ----------
    alpha : float, array-like or None
        Parameter of the model; None for 4 / n_topics.
    n_topics : int
        Number of topics.

    Returns
    -------
    OwnDocument
        Mixing with this α.

    Examples
    --------
    >>> supervised_mixing(None, 40)
    OwnDocument(alpha=0.1)
    """
    return OwnDocument(_ALPHA_SUM / n_topics if alpha is None else alpha)
