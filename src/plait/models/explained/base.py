"""The contract of a specification: what topics must explain besides words, before any document is seen.

A specification is a frozen data class of parameters, so that it can be compared, copied and kept in a model file. It
reads its part of what `fit` is given, and makes of it the response that a chain works with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from plait.inputs.words import Words
from plait.models.explained.carried import Carried
from plait.responses import Response


class Explained(ABC):
    """Something that topics must explain besides words."""

    kind: ClassVar[str]  # "labels", "values", "links": what it is about; a model has one specification of a kind

    @abstractmethod
    def check(self) -> None:
        """Refuse parameters that cannot work."""

    @abstractmethod
    def read(self, X: Any, given: Any, words: Words, n_topics: int) -> Any:
        """Return what is to be explained, checked and tidied.

        Parameters
        ----------
        X
            What `fit` was given: a Corpus may hold it.
        given
            What `fit` was given of this kind beside X, or None.
        words
            The documents' words as the model takes them.
        n_topics
            How many topics are to explain it.
        """

    @abstractmethod
    def arrays(self, given: Any) -> list[np.ndarray]:
        """Return what `read` returned as arrays of numbers, to know it again when a fit is resumed."""

    @abstractmethod
    def make(self, given: Any, *, exact: bool, mean: np.ndarray | None = None) -> Response:
        """Return a chain's response to what `read` returned.

        Parameters
        ----------
        given
            What `read` returned.
        exact
            Whether topics' pull follows every drawn topic; else it is computed once a document.
        mean
            Mean of the weights' prior, as `expected` returns it; None for 0.
        """

    def carry(self, given: Any, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return what a slice of documents leaves to later ones: its weights as they are, unless a kind knows better.

        Parameters
        ----------
        given
            What `read` returned for the slice.
        weights
            What the slice learnt: the expected weights of its response (`Sample.weights`), or their mean over samples
            of one chain.
        before
            What was carried into the slice, if anything.
        """
        return Carried(weights)

    def expected(self, carried: Carried, given: Any) -> np.ndarray:
        """Return the mean of the weights' prior for what `read` returned, from what was carried on to it."""
        return carried.weights
