"""History of a run: the log-likelihood of every sweep, and the convergence test that ends burn-in."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

import numpy as np

from plait.samplers.base import SweepInfo

_LEAST_GAIN = 0.01  # of the last window, as a part of the gain so far
_LEAST_FALL = 1e-4  # of the perplexity: less is noise, also where there is nothing to gain


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

    def converged(self, window: int, tolerance: float | None) -> bool:
        """Return whether the perplexity has stopped falling.

        Bíró and Szabó (2009), section 4.2, stop when the likelihood has stabilised.

        Parameters
        ----------
        window : int
            Sweeps over which the perplexity is averaged.
        tolerance : float or None
            The perplexity has stopped falling if it falls by less than this fraction from one window to the next; with
            0 the result is always False. None: if it falls, over windows twice as long, by less than 1 % of its fall
            since the first of them. The fall so far is a scale that suits every corpus: late in burn-in all
            perplexities fall by a similar part of it, but by very different fractions of themselves.
        """
        if tolerance is None:
            return self._gains_little(2 * window)
        if tolerance <= 0 or len(self.records) < 2 * window:
            return False
        before, now = self._mean(-2 * window, -window), self._mean(-window, None)
        return before - now < tolerance * before

    def _gains_little(self, window: int) -> bool:
        """Return whether the last window of sweeps gained little beside all sweeps since the first window."""
        if len(self.records) < 3 * window:
            return False
        first, before, now = self._mean(0, window), self._mean(-2 * window, -window), self._mean(-window, None)
        return before - now < max(_LEAST_GAIN * (first - now), _LEAST_FALL * now)

    def _mean(self, start: int, stop: int | None) -> float:
        return fmean(record.perplexity for record in self.records[start:stop])
