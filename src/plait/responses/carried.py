"""Weights that a time slice passes on to later slices.

In a stream of time slices, the weights learned from one slice are the prior mean of the next slice's weights.
`Response.carry` converts learned weights to `Carried`, and `Response.expected` converts `Carried` to a prior mean for
the targets of the next slice. Labels may appear and disappear, and values are scaled separately in every slice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait._utils.arrays import check_array
from plait.corpus.values import shown
from plait.errors import PlaitError

_TYPES = {"O": "text", "U": "text", "b": "booleans"}


class Carried(NamedTuple):
    """Mean weights with the labels and the form that they belong to; can be stored in a model file.

    Examples
    --------
    >>> Carried(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array(["a", "b"])).rows_of(np.array(["b", "c"]))
    (array([[3., 4.],
           [0., 0.]]), array([ True, False]))
    """

    weights: np.ndarray  # labels: one row each; values: one row, in the unit of the values; links: topics × topics
    names: np.ndarray | None = None  # labels of the rows, for labels
    form: str | None = None  # for links: "full" (also of low rank), "symmetric" or "diagonal"

    def rows_of(self, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of labels, 0 for new labels, and which of the labels are known.

        Parameters
        ----------
        names : ndarray
            Labels.

        Returns
        -------
        tuple of ndarray
            Rows, labels × topics, and one boolean per label.
        """
        assert self.names is not None
        _check_types(self.names, names)
        place_of = {name: place for place, name in enumerate(self.names.tolist())}
        places = np.array([place_of.get(name, -1) for name in names.tolist()], dtype=np.int64)
        known = places >= 0
        return np.where(known[:, np.newaxis], self.weights[places], 0.0), known

    def followed_by(self, later: Carried) -> Carried:
        """Return the rows of a later slice, followed by the rows of this one whose labels it does not have.

        Parameters
        ----------
        later : Carried
            Weights of the later slice.
        """
        assert self.names is not None
        assert later.names is not None
        _check_types(self.names, later.names)
        there = set(later.names.tolist())
        gone = np.array([name not in there for name in self.names.tolist()], dtype=bool)
        names = np.concatenate([later.names, self.names[gone]])
        return Carried(np.concatenate([later.weights, self.weights[gone]]), names)

    def check_sizes(self, n_topics: int) -> None:
        """Raise an error unless there is a finite weight per label and topic: the weights may come from a file.

        Parameters
        ----------
        n_topics : int
            Number of topics of the stream.
        """
        check_array("the carried weights", self.weights, (None, n_topics))
        if self.names is not None and self.names.shape != self.weights.shape[:1]:
            raise PlaitError(f"there are {len(self.weights)} carried weights for {self.names.size} labels")


def _check_types(before: np.ndarray, now: np.ndarray) -> None:
    """Reject labels of another type: 1 and "1" are different labels, so all of them would be new."""
    types = [_TYPES.get(names.dtype.kind, "numbers") for names in (before, now)]
    if types[0] != types[1]:
        raise PlaitError(
            f"labels were {types[0]} in earlier slices (such as {shown(before.tolist()[0])}) and are {types[1]} now "
            f"(such as {shown(now.tolist()[0])}); give labels of one type in all slices (a matrix has numbers "
            "for labels unless it is a data frame)"
        )
