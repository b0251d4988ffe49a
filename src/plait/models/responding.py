"""What models with responses share: several chains, and new documents folded into every sample of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.executors import Threads
from plait.inputs.words import Words
from plait.models.base import ChainPlan, TopicEstimator
from plait.responses import Response
from plait.responses.base import ChainResponse
from plait.samplers import as_sampler


class RespondingEstimator(TopicEstimator, ABC):
    """A topic model whose topics also explain something besides words; `MedLDA` documents the parameters."""

    cached: bool | None
    n_chains: int

    @property
    @abstractmethod
    def _explained(self) -> Sequence[Response]:
        """What topics must explain besides words; a sample's weights stand in the same order."""

    def _explains(self, kind: str) -> bool:
        return any(specification.kind == kind for specification in self._explained)

    def _place(self, kind: str) -> int:
        """Return at which place of a sample's weights those for a kind stand."""
        return [specification.kind for specification in self._explained].index(kind)

    def _specification(self, kind: str) -> Any:
        """Return what topics must explain of a kind."""
        return self._explained[self._place(kind)]

    @property
    def _exact(self) -> bool:
        """Whether responses follow every word: samplers that spread words over topics cannot."""
        return not (self._real if self.cached is None else self.cached)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("n_chains", self.n_chains, least=1)
        if self.cached not in (None, True, False):
            raise PlaitError(f"cached must be None, True or False, not {self.cached!r}")
        if self._exact and self._real:
            raise PlaitError(
                f"sampler='{as_sampler(self.sampler).name}' spreads words over topics, so what labels or links say "
                "cannot follow every word: leave cached out, or use sampler='plain' or 'aggregated'",
                parameter="sampler",
            )

        for specification in self._explained:
            specification.check()

    def _inputs(self, y: Any) -> Mapping[str, Any]:
        """Return what `fit` was given beside the documents, by its kind."""
        return {self._explained[0].kind: y}

    def _read_targets(self, X: Any, y: Any, words: Words) -> dict[str, Any]:
        """Return what is to be explained, by its kind."""
        inputs = self._inputs(y)
        return {one.kind: one.read(X, inputs.get(one.kind), words, self.n_topics) for one in self._explained}

    def _target_arrays(self, given: Mapping[str, Any]) -> list[np.ndarray]:
        return [array for one in self._explained for array in one.arrays(given[one.kind])]

    def _responses(self, given: Mapping[str, Any], plan: ChainPlan) -> list[ChainResponse]:
        return [one.make(given[one.kind], exact=self._exact) for one in self._explained]

    def _plans(self, given: Any) -> list[ChainPlan]:
        return [ChainPlan(number, 0) for number in range(self.n_chains)]

    def _folded(
        self, counts: sparse.csr_array, links: sparse.csr_array | None = None
    ) -> Iterator[tuple[int, Sample, np.ndarray]]:
        """Yield for every sample the group of its chain, itself, and z̄ of every document.

        A document without known words has the topics that the prior expects. Tables are made for the documents'
        own words only and for one sample at a time: a model may have many samples.
        """
        vocabulary = np.unique(counts.indices)
        with Threads(self.n_jobs) as executor:
            for group, samples in zip(self._chain_groups, self._chain_samples, strict=True):
                for sample in samples:
                    fold_in = self._new_fold_in([sample], links, vocabulary)
                    (mean_topics,) = fold_in.mean_topics(counts, self.fold_in_sweeps, executor)
                    yield group, sample, mean_topics
