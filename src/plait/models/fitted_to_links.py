"""Models that are fitted to links besides words take them by `links=`, or with the Corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from plait.models.base import TopicEstimator


class FittedToLinks(TopicEstimator):
    """A model whose `_read_targets` is given links in the place of y."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Learn topics from documents and links.

        Parameters
        ----------
        X
            A Corpus, or counts documents × words (sparse, dense or a data frame).
        y
            Not used; scikit-learn's pipelines pass it.
        links
            A matrix documents × documents, sparse or dense, whose entry (i, j) is above 0 where document i links to
            document j; it is the weight of the link, such as how often. None: the links of the Corpus.
        checkpoint, checkpoint_every
            A file that the unfinished model is saved to every so many sweeps. After a crash load it and `resume`.
        """
        return super().fit(X, links, checkpoint=checkpoint, checkpoint_every=checkpoint_every)

    def resume(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Go on with a fit that was stopped, on the same documents and links, to the bits of one that never was."""
        return super().resume(X, links, checkpoint=checkpoint, checkpoint_every=checkpoint_every)
