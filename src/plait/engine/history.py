"""History of a run: the log-likelihood of every sweep, and the convergence test that ends burn-in."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from plait.samplers.base import SweepInfo


class Record(NamedTuple):
    """One sweep: mean log p(token | all others) per token, its perplexity, and the seconds since the run started."""

    sweep: int
    log_likelihood: float
    perplexity: float
    occurrences: float  # tokens resampled in the sweep
    seconds: float


@dataclass
class History:
    """Records of a run, one per sweep.

    The likelihood is that of each token given all others, before its topic is drawn; it is a by-product of the sweep.
    It is computed on the training documents; use `perplexity` for held-out documents.
    """

    records: list[Record] = field(default_factory=list)
    _start: float = field(default_factory=time.perf_counter)

    def add(self, sweep: int, info: SweepInfo) -> Record:
        """Add and return the record of a sweep.

        Parameters
        ----------
        sweep : int
            Number of the sweep, from 1.
        info : SweepInfo
            Diagnostics of the sweep.
        """
        assert info.log_likelihood is not None
        mean = info.log_likelihood / max(info.n_tokens, 1.0)
        seconds = time.perf_counter() - self._start
        record = Record(sweep, mean, float(np.exp(-mean)), info.n_tokens, seconds)
        self.records.append(record)
        return record

    def converged(self, window: int, tolerance: float) -> bool:
        """Return whether the mean perplexity fell by less than `tolerance` from one window of sweeps to the next.

        Bíró and Szabó (2009), section 4.2, stop when the likelihood has stabilised.

        Parameters
        ----------
        window : int
            Sweeps per window.
        tolerance : float
            Fraction by which the perplexity must fall; with 0 the result is always False.
        """
        if tolerance <= 0 or len(self.records) < 2 * window:
            return False
        values = np.array([record.perplexity for record in self.records[-2 * window :]])
        before, now = values[:window].mean(), values[window:].mean()
        return bool(before - now < tolerance * before)
