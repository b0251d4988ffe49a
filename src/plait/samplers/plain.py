"""Plain collapsed Gibbs sampling: the topic of each token is drawn given all others.

Griffiths and Steyvers (2004); eq. (1) of Bíró and Szabó (2009). With one shard it is the exact chain.

With an exact tilt of labels or values, a topic is proposed with a tilt that a run of tokens shares, and accepted or
rejected by the difference from the tilt of the token, which leaves its conditional unchanged (kernels/proposal.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.token_state import new_scratch, sweep_document
from plait.samplers.random import document_key


@dataclass(frozen=True)
class Plain(Sampler):
    """Draw the topic of every token, one after the other: the exact collapsed Gibbs sampler.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, sampler=Plain(), n_sweeps=5, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> model.doc_topic_.shape
    (10, 2)
    """

    name: ClassVar[str] = "plain"
    state_form: ClassVar[str] = "tokens"

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Resample every token of the shard once."""
        scratch = new_scratch(factors.alpha.size, factors.observations, counts.sources, proposes=True)
        return SweepInfo(*_sweep(documents, state, counts, factors, key, scratch))


@kernel
def _sweep(documents, topics, counts, factors, key, scratch):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        log_likelihood += sweep_document(documents, document, topics, counts, factors, random_key, 0, scratch)
    return log_likelihood, float(topics.size)
