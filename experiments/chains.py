"""Topic proportions of documents in the current state of a chain."""

from __future__ import annotations

import numpy as np

from plait.engine.chain import Chain
from plait.engine.run import Run


def _kept(chain: Chain) -> Run:
    run = Run()
    run.keep_sample(chain)
    return run


def doc_topic(chain: Chain) -> np.ndarray:
    """Return the proportions that a document's next token would be drawn from, documents × topics."""
    return _kept(chain).doc_topic_mean(chain.candidates)


def source_topic(chain: Chain) -> np.ndarray:
    """Return ϑ, the proportions of what is drawn from each document: eq. (3) of Bíró and Szabó (2009)."""
    return _kept(chain).source_topic_mean()


def own_topic(chain: Chain) -> np.ndarray:
    """Return the proportions of topics among each document's own tokens."""
    smoothed = chain.doc_topic().toarray() + chain.alpha
    return smoothed / smoothed.sum(axis=1, keepdims=True)
