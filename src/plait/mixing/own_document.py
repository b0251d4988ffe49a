"""Own-document mixing: a token draws its topic from its own document's proportions, as in LDA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.validation import check_positive
from plait.errors import PlaitError
from plait.mixing.base import Mixing


@dataclass(frozen=True, eq=False)
class OwnDocument(Mixing):
    """Tokens draw from the topic proportions of their own document, which have a Dirichlet(α) prior.

    Parameters
    ----------
    alpha : float or array-like of shape (topics,), default 0.1
        Dirichlet prior of the proportions: one number, or one per topic.

    Examples
    --------
    >>> OwnDocument(0.5).alphas(n_topics=3)
    array([0.5, 0.5, 0.5])
    """

    alpha: Any = 0.1

    def alphas(self, n_topics: int) -> np.ndarray:
        """Return α_k of each topic."""
        alphas = check_positive("alpha", self.alpha)
        if alphas.shape not in ((), (n_topics,)):
            raise PlaitError(
                f"alpha has the shape {alphas.shape}; give one number, or one for each of {n_topics} topics"
            )
        return np.array(np.broadcast_to(alphas, (n_topics,)))
