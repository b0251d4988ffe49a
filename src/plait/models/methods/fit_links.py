"""`fit` and `resume` of models that are fitted to links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plait.models.fitting import Checkpoints
from plait.models.inputs import Inputs
from plait.models.shared_docs import shared_docs


@shared_docs
def fit(
    self: Any, X: Any, y: Any = None, *, links: Any = None, pair_matrices: Any = None,
    checkpoint: str | Path | None = None, checkpoint_every: int = 50,
) -> Any:  # fmt: skip
    """Learn topics from documents and links.

    <Parameters: training, ignored_y>
    links : matrix of shape (documents, documents), optional
        Entry (i, j) is above 0 where document i links to document j: the weight of the link. None: the links of the
        Corpus.
    pair_matrices : mapping of str to matrix of shape (documents, documents), optional
        Numbers of the pairs for each `PairMatrix` among the pair features, by its key.
    <checkpoint>

    Returns
    -------
    self
        The fitted model.
    """
    return self._fit(X, Inputs(links=links, pair_matrices=pair_matrices), Checkpoints(checkpoint, checkpoint_every))


def resume(
    self: Any, X: Any, y: Any = None, *, links: Any = None, pair_matrices: Any = None,
    checkpoint: str | Path | None = None, checkpoint_every: int = 50,
) -> Any:  # fmt: skip
    """Resume an interrupted fit. The result is bit-identical to an uninterrupted one.

    The parameters are those of `fit`; the documents and links must be the same.

    Returns
    -------
    self
        The fitted model.
    """
    return self._resume(X, Inputs(links=links, pair_matrices=pair_matrices), Checkpoints(checkpoint, checkpoint_every))
