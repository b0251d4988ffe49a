"""The loop around a chain: sweep, learn α and β if asked to, record, and keep samples after burn-in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import check_array, check_counts
from plait.engine.chain import Chain
from plait.engine.doc_topics import smooth_counts
from plait.engine.history import History, Record
from plait.engine.hyperparameters import LATE, LearnAlpha
from plait.engine.interrupt import StopRequest
from plait.engine.sample import Sample, mean_alpha
from plait.errors import PlaitError
from plait.samplers.base import Candidates

_LEARN_EVERY = 10  # sweeps between two fits of α and β
# Topics form later against frozen counts. Priors that are fitted before are too even over words and keep topics so.
_LEARN_FROM = 50  # first sweep of a synchronous chain with a fit, or a quarter of its burn-in if that is sooner


@dataclass(frozen=True)
class Schedule:
    """When a run ends: after at most `n_sweeps` of burn-in, and `n_samples`, one every `sample_every` sweeps."""

    n_sweeps: int
    n_samples: int
    sample_every: int
    tolerance: float | None
    learn_alpha: LearnAlpha = False
    learn_beta: bool = False

    @property
    def learns(self) -> bool:
        """Whether α or β is fitted to the topics."""
        return bool(self.learn_alpha) or self.learn_beta


@dataclass
class Run:
    """The progress of a run: its history and the samples so far.

    Document–topic counts are summed over the samples as a sparse matrix. With linked mixing the influence of every
    sample is kept instead, because the topics of a document are then a product of the two.
    """

    history: History = field(default_factory=History)
    settled_at: int | None = None  # the sweep after which samples are kept
    samples: list[Sample] = field(default_factory=list)
    # Sum over samples of the document–topic counts. In files of earlier versions: of dense proportions.
    doc_topic_sum: sparse.csr_array | np.ndarray | None = None
    source_topic_sum: np.ndarray | None = None  # in files of earlier versions, with linked mixing
    influence_sum: np.ndarray | None = None  # in files of earlier versions, with linked mixing
    influences: list[np.ndarray] = field(default_factory=list)  # χ of every candidate of every sample

    def copy(self) -> Run:
        """Return a copy to which sweeps and samples can be added; samples and sums are shared."""
        history = replace(self.history, records=list(self.history.records))
        return replace(self, history=history, samples=list(self.samples), influences=list(self.influences))

    def keep_sample(self, chain: Chain) -> None:
        """Keep the present state of a chain for predictions."""
        sample = chain.sample()
        self.samples.append(sample)
        if chain.candidates is not None:
            self.influences.append(chain.influence())
            return
        counts = chain.doc_topic() if sample.doc_topic is None else sample.doc_topic
        if isinstance(self.doc_topic_sum, np.ndarray):  # resumed from a file of an earlier version
            self.doc_topic_sum = self.doc_topic_sum + smooth_counts(counts, sample.alpha, 1)
        else:
            self.doc_topic_sum = counts if self.doc_topic_sum is None else self.doc_topic_sum + counts

    def doc_topic_mean(self, candidates: Candidates | None = None) -> np.ndarray:
        """Return the topics that a document's next token would be drawn from, averaged over the samples.

        Where tokens may draw from linked documents, these are Σ_c χ_dc ϑ_c: the topics of all candidate sources, each
        weighted by how much the document draws from it.
        """
        n_samples = len(self.samples)
        if candidates is None:
            assert self.doc_topic_sum is not None
            if isinstance(self.doc_topic_sum, np.ndarray):
                return self.doc_topic_sum / n_samples
            return smooth_counts(self.doc_topic_sum, mean_alpha(self.samples), n_samples)
        total = np.zeros(self._drawn(0).shape) if self.doc_topic_sum is None else np.array(self.doc_topic_sum)
        shape = (total.shape[0], total.shape[0])
        for place, chi in enumerate(self.influences):
            number = n_samples - len(self.influences) + place
            total += sparse.csr_array((chi, candidates.documents, candidates.starts), shape=shape) @ self._source(
                number
            )
        return total / n_samples

    def source_topic_mean(self) -> np.ndarray:
        """Return ϑ, the topics drawn from each document, averaged over samples: eq. (3) of Bíró and Szabó (2009)."""
        n_samples, n_new = len(self.samples), len(self.influences)
        total = np.zeros(self._drawn(0).shape) if self.source_topic_sum is None else np.array(self.source_topic_sum)
        for number in range(n_samples - n_new, n_samples):
            total += self._source(number)
        return total / n_samples

    def influence_mean(self) -> np.ndarray:
        """Return χ of every candidate source, averaged over the samples."""
        total = np.zeros(1) if self.influence_sum is None else self.influence_sum
        for chi in self.influences:
            total = total + chi
        return total / len(self.samples)

    def check_sizes(self, n_words: int, n_topics: int, n_documents: int) -> None:
        """Raise an error unless the arrays have these sizes and finite numbers: the run may come from a file.

        Parameters
        ----------
        n_words, n_topics, n_documents : int
            Sizes of the model.
        """
        if self.settled_at is not None and not 0 <= self.settled_at <= self.n_sweeps:
            raise PlaitError(f"a run of {self.n_sweeps} sweeps ended its burn-in after {self.settled_at}")
        for sample in self.samples:
            sample.check_sizes(n_words, n_topics, n_documents)
        for name in ("doc_topic_sum", "source_topic_sum"):
            if getattr(self, name) is not None:
                check_counts(f"{name} of a run", getattr(self, name), (n_documents, n_topics))
        sums = [] if self.influence_sum is None else [self.influence_sum]
        for one in [*sums, *self.influences]:
            check_array("influence of a run", one, (sums[0].size if sums else self.influences[0].size,), least=0)

    def _drawn(self, number: int) -> sparse.csr_array:
        drawn = self.samples[number].drawn_topics
        assert drawn is not None
        return drawn

    def _source(self, number: int) -> np.ndarray:
        smoothed = self._drawn(number).toarray() + self.samples[number].alpha
        return smoothed / smoothed.sum(axis=1, keepdims=True)

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps so far."""
        return len(self.history.records)


def run(
    chain: Chain,
    schedule: Schedule,
    progress: Run,
    stop: StopRequest,
    after_sweep: Callable[[Record], None] | None = None,
) -> bool:
    """Run a chain to the end of its schedule; return False if it was interrupted.

    Ctrl-C lets the sweep finish. Calling again with the same `progress` then continues the run.
    """
    while len(progress.samples) < schedule.n_samples:
        if stop.requested:
            return False
        info = chain.sweep()
        record = progress.history.add(chain.n_sweeps, info)
        learning = progress.settled_at is None and chain.n_sweeps >= _first_fit(chain, schedule)
        if learning and schedule.learns and chain.n_sweeps % _LEARN_EVERY == 0:
            chain.learn(schedule.learn_alpha, schedule.learn_beta)
        _advance(chain, schedule, progress)
        if after_sweep is not None:
            after_sweep(record)
    return True


def _first_fit(chain: Chain, schedule: Schedule) -> int:
    """Return the sweep from which α and β are learned; burn-in does not end before it."""
    return min(_LEARN_FROM, schedule.n_sweeps // 4) if schedule.learns and chain.sampler.synchronous else 0


def _advance(chain: Chain, schedule: Schedule, progress: Run) -> None:
    """Note the end of burn-in, and keep a sample when one is due."""
    if progress.settled_at is None:
        settled = progress.history.converged(chain.sampler.likelihood_window, schedule.tolerance)
        settled = settled and chain.n_sweeps >= _first_fit(chain, schedule)
        if chain.n_sweeps < schedule.n_sweeps and not settled:
            return
        progress.settled_at = chain.n_sweeps
    if (chain.n_sweeps - progress.settled_at) % schedule.sample_every == 0:
        if schedule.learn_alpha == LATE:
            chain.learn_late()
        progress.keep_sample(chain)
