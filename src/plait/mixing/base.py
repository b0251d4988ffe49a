"""The contract of a mixing: which documents' proportions a token may draw its topic from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError
from plait.samplers.base import Candidates


class Mixing(ABC):
    """Specification of the documents that tokens draw from; a frozen data class of parameters.

    A subclass is one file in this folder. Whether it uses links is data (`uses_links`), so that models and commands
    never test for its class.

    Examples
    --------
    >>> from plait import OwnDocument
    >>> mixing = OwnDocument(0.5)
    >>> isinstance(mixing, Mixing), mixing.uses_links, mixing.alphas(2).tolist()
    (True, False, [0.5, 0.5])
    """

    uses_links: ClassVar[bool] = False  # whether tokens may draw from other documents, along links

    alpha: Any  # prior of the proportions: one number, or one per topic

    def check(self) -> None:
        """Reject invalid parameters."""
        return

    @abstractmethod
    def alphas(self, n_topics: int) -> np.ndarray:
        """Return α_k of each topic.

        Parameters
        ----------
        n_topics : int
            Number of topics.
        """

    def candidates(self, links: sparse.csr_array | None, lengths: np.ndarray) -> Candidates | None:
        """Return the candidate source documents of every document; None if each document is its only source.

        Parameters
        ----------
        links : csr_array of shape (documents, documents) or None
            Weight of the link from row to column.
        lengths : ndarray of shape (documents,)
            Tokens per document.
        """
        return None

    def new_candidates(self, links: sparse.csr_array, lengths: np.ndarray) -> Candidates:
        """Return the candidate sources of new documents.

        Parameters
        ----------
        links : csr_array of shape (new documents, training documents)
            Weight of the link by which the column is a candidate source of the row.
        lengths : ndarray of shape (new documents,)
            Tokens per document.
        """
        raise PlaitError(f"{type(self).__name__} does not use links; leave links= out")

    def orient(self, links: sparse.csr_array) -> sparse.csr_array:
        """Return links such that row d lists the source documents of d.

        Parameters
        ----------
        links : csr_array of shape (documents, documents)
            Weight of the link from row to column.
        """
        return links
