"""What the weights of a slice of documents leave to later slices: by name, and in units that last.

Where documents come in slices of time, the weights that one slice learnt are the mean of the next one's prior. A
specification turns them into what is carried on (`Response.carry`), and that into a mean for what is given next
(`Response.expected`): labels may come and go, and numbers are scaled anew in every slice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.corpus.values import shown
from plait.errors import PlaitError

_TYPES = {"O": "text", "U": "text", "b": "booleans"}


class Carried(NamedTuple):
    """Mean weights, with what tells later slices how to take them; a model file can hold it.

    Examples
    --------
    >>> Carried(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array(["a", "b"])).rows_of(np.array(["b", "c"]))
    (array([[3., 4.],
           [0., 0.]]), array([ True, False]))
    """

    weights: np.ndarray  # labels: a row for each; values: one row, in their own unit; links: topics × topics
    names: np.ndarray | None = None  # of the rows, where these are labels
    form: str | None = None  # of weights of links: "full", "symmetric" or "diagonal"

    def rows_of(self, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of names, 0 for names that are new, and which of them are known."""
        assert self.names is not None
        _check_types(self.names, names)
        place_of = {name: place for place, name in enumerate(self.names.tolist())}
        places = np.array([place_of.get(name, -1) for name in names.tolist()], dtype=np.int64)
        known = places >= 0
        return np.where(known[:, np.newaxis], self.weights[places], 0.0), known

    def followed_by(self, later: Carried) -> Carried:
        """Return the rows of a later slice, and after them those of this one whose names it has not."""
        assert self.names is not None
        assert later.names is not None
        _check_types(self.names, later.names)
        there = set(later.names.tolist())
        gone = np.array([name not in there for name in self.names.tolist()], dtype=bool)
        names = np.concatenate([later.names, self.names[gone]])
        return Carried(np.concatenate([later.weights, self.weights[gone]]), names)


def _check_types(before: np.ndarray, now: np.ndarray) -> None:
    """Refuse names of another type: 1 and "1" are different labels, and all would count as new."""
    types = [_TYPES.get(names.dtype.kind, "numbers") for names in (before, now)]
    if types[0] != types[1]:
        raise PlaitError(
            f"labels were {types[0]} in earlier slices (such as {shown(before.tolist()[0])}) and are {types[1]} now "
            f"(such as {shown(now.tolist()[0])}); give labels of one type in all slices (a matrix has numbers "
            "for labels unless it is a data frame)"
        )
