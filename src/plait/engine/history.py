"""What a run records: how well each word is predicted by all others, sweep by sweep, and whether that has settled."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from plait.samplers.base import SweepInfo


class Record(NamedTuple):
    """One sweep: mean log p(word | all others) a word, its perplexity, and the seconds since the run began."""

    sweep: int
    log_likelihood: float
    perplexity: float
    occurrences: float
    seconds: float


@dataclass
class History:
    """The records of a run.

    The likelihood is that of each occurrence given all the others, just before its topic is drawn: it
    costs nothing beyond the sweep. It is computed on the training words; for words that a model has not
    seen use `perplexity`.
    """

    records: list[Record] = field(default_factory=list)
    _start: float = field(default_factory=time.perf_counter)

    def add(self, sweep: int, info: SweepInfo) -> Record:
        """Record a sweep."""
        assert info.log_likelihood is not None
        mean = info.log_likelihood / max(info.occurrences, 1.0)
        seconds = time.perf_counter() - self._start
        record = Record(sweep, mean, float(np.exp(-mean)), info.occurrences, seconds)
        self.records.append(record)
        return record

    def converged(self, window: int, tolerance: float) -> bool:
        """Say whether the perplexity fell by less than `tolerance` (as a share) from one window to the next.

        Bíró and Szabó (2009), section 4.2, stop when the likelihood has stabilised. A tolerance of 0 never stops.
        """
        if tolerance <= 0 or len(self.records) < 2 * window:
            return False
        values = np.array([record.perplexity for record in self.records[-2 * window :]])
        before, now = values[:window].mean(), values[window:].mean()
        return bool(before - now < tolerance * before)
