"""What models with responses share: several chains, and new documents folded into every sample of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.chain import Sample
from plait.errors import PlaitError
from plait.executors import Threads
from plait.fold_in import FoldIn
from plait.models.base import ChainPlan, TopicEstimator
from plait.samplers import as_sampler
from plait.validation import check_whole


def check_above_zero(what: str, value: Any) -> None:
    """Refuse what is no finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
        raise PlaitError(f"{what} must be a number above 0, not {value!r}")


class RespondingEstimator(TopicEstimator):
    """A topic model whose topics also explain something besides words; `MedLDA` documents the parameters."""

    nu: float
    cached: bool | None
    n_chains: int

    @property
    def _exact(self) -> bool:
        """Whether responses follow every word: samplers that spread words over topics cannot."""
        return not (self._real if self.cached is None else self.cached)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("n_chains", self.n_chains, least=1)
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu)
        if self.cached not in (None, True, False):
            raise PlaitError(f"cached must be None, True or False, not {self.cached!r}")
        if self._exact and self._real:
            raise PlaitError(
                f"sampler='{as_sampler(self.sampler).name}' spreads words over topics, so what labels or links say "
                "cannot follow every word: leave cached out, or use sampler='plain' or 'aggregated'"
            )

    def _plans(self, given: Any) -> list[ChainPlan]:
        return [ChainPlan(number, 0) for number in range(self.n_chains)]

    def _folded(self, counts: sparse.csr_array) -> Iterator[tuple[int, Sample, np.ndarray]]:
        """Yield for every sample the group of its chain, itself, and z̄ of every document.

        A document without known words has the topics that the prior expects. Tables are made for the documents'
        own words only and for one sample at a time: a model may have many samples.
        """
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        vocabulary = np.unique(counts.indices)
        with Threads(self.n_jobs) as executor:
            for group, samples in zip(self._chain_groups, self._chain_samples, strict=True):
                for sample in samples:
                    fold_in = FoldIn([sample], self._real, self.seed_, vocabulary)
                    (shares,) = fold_in.proportions(counts, self.fold_in_sweeps, executor)
                    counted = shares * (lengths + sample.alpha.sum()) - sample.alpha
                    yield group, sample, np.where(lengths > 0, counted / np.where(lengths > 0, lengths, 1.0), shares)
