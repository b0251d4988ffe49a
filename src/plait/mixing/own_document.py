"""Own-document mixing: a word draws its topic from its own document's proportions, as in LDA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_positive
from plait.errors import PlaitError


@dataclass(frozen=True, eq=False)
class OwnDocument:
    """Proportions of a document: Dirichlet(α), one number for all topics or one for each.

    Parameters
    ----------
    alpha
        A number, or an array with one number a topic.

    Examples
    --------
    >>> OwnDocument(0.5).alphas(n_topics=3)
    array([0.5, 0.5, 0.5])
    """

    alpha: Any = 0.1

    def candidates(self, links: sparse.csr_array | None, lengths: np.ndarray) -> None:
        """Return None: words draw from their own document only, whatever it links to."""
        return

    def alphas(self, n_topics: int) -> np.ndarray:
        """Return α_k of each topic."""
        alphas = check_positive("alpha", self.alpha)
        if alphas.shape not in ((), (n_topics,)):
            raise PlaitError(
                f"alpha has the shape {alphas.shape}; give one number, or one for each of {n_topics} topics"
            )
        return np.array(np.broadcast_to(alphas, (n_topics,)))
