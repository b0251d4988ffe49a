"""The chain: sweep, learn the priors' sizes if asked to, record, keep samples, until it has settled.

`Chain` is the Markov chain itself, one `sweep` after the other; `run` is the loop around it. Everything that
the next sweep depends on is in `Chain.state()` and `Run`, as plain arrays, so that a run which was
stopped goes on to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sparse

from plait.engine.history import History, Record
from plait.engine.hyperparameters import fit_alpha, fit_beta
from plait.engine.interrupt import StopRequest
from plait.engine.shard import ShardedCounts, default_shards
from plait.errors import PlaitError
from plait.executors import Threads
from plait.mixing import Mixing
from plait.priors import Prior
from plait.responses import DocTopics, Response, join_observations
from plait.samplers import Sampler
from plait.samplers.base import Factors, Observations, SweepInfo
from plait.samplers.kernels.aligned import aligned_copy, aligned_zeros
from plait.samplers.kernels.tilt import keep_beginning
from plait.samplers.random import stream_key

_LEARN_EVERY = 10  # sweeps between two fits of α and β


@dataclass(frozen=True)
class Sample:
    """One state of the chain, as far as predictions need it."""

    word_topic: sparse.csr_array  # words × topics: how often
    alpha: np.ndarray
    beta: float | np.ndarray  # one number, or topics × words
    weights: Sequence[np.ndarray] = ()  # expected weights of each response
    doc_topic: sparse.csr_array | None = None  # documents × topics: how often, where predictions need them
    drawn_topics: sparse.csr_array | None = None  # the same of what is drawn from documents, where it is by others, too

    def topic_word(self, words: np.ndarray | None = None) -> np.ndarray:
        """Return φ, topics × words, or some of its columns: eq. (2) of Bíró and Szabó (2009)."""
        if words is None:
            smoothed = self.word_topic.T.toarray().astype(np.float64)
            smoothed += self.beta
            smoothed /= smoothed.sum(axis=1, keepdims=True)
            return smoothed
        per_word = self.beta if isinstance(self.beta, float) else self.beta[:, words]
        mass = self.word_topic.shape[0] * self.beta if isinstance(self.beta, float) else self.beta.sum(axis=1)
        totals = np.asarray(self.word_topic.sum(axis=0), dtype=np.float64).ravel() + mass
        return (self.word_topic[words].T.toarray() + per_word) / totals[:, np.newaxis]


class Chain:
    """A Markov chain over the topics of all words of a corpus.

    Parameters
    ----------
    counts
        Documents × words, non-negative; whole numbers unless the sampler takes real ones.
    links
        Documents × documents: the weights of links, for mixing that follows them.
    """

    def __init__(
        self,
        counts: sparse.csr_array,
        n_topics: int,
        *,
        mixing: Mixing,
        prior: Prior,
        sampler: Sampler,
        seed: int,
        n_shards: int | None = None,
        responses: Sequence[Response] = (),
        links: sparse.csr_array | None = None,
    ) -> None:
        frequency = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        # Frequent words first: their rows lie together, which caches like.
        self._word_order = np.argsort(-frequency, kind="stable")
        rank = np.empty(counts.shape[1], dtype=np.int32)
        rank[self._word_order] = np.arange(counts.shape[1], dtype=np.int32)
        ranked = sparse.csr_array((counts.data, rank[counts.indices], counts.indptr), shape=counts.shape, copy=True)
        ranked.sort_indices()
        self.n_topics = n_topics
        self.seed = seed
        self.sampler = sampler
        self.lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        self.n_tokens = float(self.lengths.sum())
        self.n_words = counts.shape[1]
        wanted = n_shards or default_shards(self.n_tokens, self.n_words, n_topics)
        self.candidates = mixing.candidates(links, self.lengths)
        self.sharded = ShardedCounts(ranked, n_topics, sampler, wanted, self.candidates)
        self.alpha = mixing.alphas(n_topics)
        self.beta = prior.pseudo_counts(n_topics, self.n_words)
        self.responses = list(responses)
        self.n_sweeps = 0
        self._factors: Factors | None = None

    def start(self, executor: Threads) -> None:
        """Give every word a topic by chance."""
        key = stream_key(self.seed, "start")
        factors = self._make_factors()
        executor.map(lambda shard: self.sharded.start(shard, factors, key), self.sharded.shards)
        self.sharded.recount()
        for number, response in enumerate(self.responses):
            response.begin(self.n_topics, stream_key(self.seed, f"begin of response {number}"))

    def sweep(self, executor: Threads) -> SweepInfo:
        """Draw the responses' weights, the topics of all words, and the responses' auxiliary variables anew."""
        topics = self._draw_responses("weights", executor)
        info = self._draw_topics(topics, executor)
        self.n_sweeps += 1
        self._draw_responses("auxiliaries", executor)
        return info

    def _draw_responses(self, what: str, executor: Threads) -> DocTopics | None:
        """Draw weights or auxiliary variables of all responses, given the topics; return these."""
        if not self.responses:
            return None
        topics = self._doc_topics()
        for number, response in enumerate(self.responses):
            key = stream_key(self.seed, f"{what} of response {number}", self.n_sweeps)
            draw = response.draw_weights if what == "weights" else response.draw_auxiliaries
            draw(topics, key, executor)
        return topics

    def _doc_topics(self) -> DocTopics:
        return DocTopics(self.sharded.doc_topic(), self.lengths)

    def _draw_topics(self, topics: DocTopics | None, executor: Threads) -> SweepInfo:
        """Draw topics anew, all shards at once, and add up what changed."""
        key = stream_key(self.seed, "sweep", self.n_sweeps)
        factors = (self._factors or self._make_factors())._replace(observations=self._observations(topics))
        seen = executor.map(lambda shard: self.sharded.sweep_shard(shard, factors, key), self.sharded.shards)
        executor.map(self.sharded.merge, self.sharded.merge_ranges())
        self.sharded.merge_totals()
        # Real-valued counts are added up anew now and then, so that rounding cannot grow.
        if self.sharded.real and (self.n_sweeps + 1) % self.sampler.settling_window == 0:
            self.sharded.recount()
        info = SweepInfo(sum(part.log_likelihood for part in seen), sum(part.occurrences for part in seen))
        if not np.isfinite(info.log_likelihood):
            pulled = bool(self.responses)
            raise PlaitError(
                f"sweep {self.n_sweeps + 1}: the weights of the topics left the range of numbers; "
                "alpha and beta are too small or too large together" + ", or c too large or sigma too small" * pulled
            )
        return info

    def _observations(self, topics: DocTopics | None) -> Observations | None:
        """Return what all responses say of the documents."""
        if topics is None:
            return None
        width = self.sharded.width
        joined = join_observations([response.observations(topics, width) for response in self.responses], width)
        return keep_beginning(joined) if joined is not None and len(self.sharded.shards) > 1 else joined

    def learn(self, alpha: bool, beta: bool) -> None:
        """Fit α, β (where it is one number) or both to the topics as they are."""
        if alpha:
            drawn = self.sharded.drawn_topics()
            self.alpha = fit_alpha(drawn, drawn.sum(axis=1), self.alpha)
        if beta:
            self.beta = fit_beta(self.sharded.word_topic()[:, : self.n_topics], float(self.beta))
        self._factors = None

    def _make_factors(self) -> Factors:
        width, n_topics = self.sharded.width, self.n_topics
        alpha = aligned_zeros(width)
        alpha[:n_topics] = self.alpha
        prior_sums = aligned_zeros(width)
        prior_sums[:] = 1.0
        if isinstance(self.beta, float):
            prior_sums[:n_topics] = self.beta * self.n_words
            self.sharded.set_prior(None)
        else:
            prior_sums[:n_topics] = self.beta.sum(axis=1)
            table = np.zeros((self.n_words, width), dtype=np.float32)
            table[:, :n_topics] = self.beta.T[self._word_order]
            self.sharded.set_prior(table)
        value = np.float32(self.beta if isinstance(self.beta, float) else 0.0)
        self._factors = Factors(n_topics, alpha, value, None, prior_sums, None)
        return self._factors

    def word_topic(self) -> np.ndarray:
        """Return how often each word holds each topic, words × topics, words in the corpus's order."""
        table = self.sharded.word_topic()[:, : self.n_topics]
        ordered = np.empty_like(table)
        ordered[self._word_order] = table
        return ordered

    def sample(self) -> Sample:
        """Return the present state, as far as predictions need it."""
        weights: list[np.ndarray] = []
        doc_topic = None
        if self.responses:
            topics, executor = self._doc_topics(), Threads()
            weights = [response.mean_weights(topics, executor) for response in self.responses]
            if any(response.keeps_topics for response in self.responses):
                doc_topic = sparse.csr_array(topics.counts)
        drawn = None if self.candidates is None else sparse.csr_array(self.sharded.drawn_topics())
        return Sample(sparse.csr_array(self.word_topic()), self.alpha.copy(), self.beta, weights, doc_topic, drawn)

    def source_topic(self) -> np.ndarray:
        """Return ϑ, what is drawn from each document, documents × topics: eq. (3) of Bíró and Szabó (2009)."""
        smoothed = self.sharded.drawn_topics() + self.alpha
        return smoothed / smoothed.sum(axis=1, keepdims=True)

    def influence(self) -> np.ndarray:
        """Return χ, the share of each candidate in its document's words: eq. (8) of Bíró and Szabó (2009)."""
        assert self.candidates is not None
        shares = self.sharded.taken() + self.candidates.gamma
        return shares / np.repeat(np.add.reduceat(shares, self.candidates.starts[:-1]), np.diff(self.candidates.starts))

    def doc_topic(self) -> np.ndarray:
        """Return the topics that a document's next word would be drawn from, documents × topics.

        Where words may draw from linked documents, that is Σ_c χ_dc ϑ_c: the topics of all candidates, each counting
        as much as the document draws from it.
        """
        if self.candidates is None:
            smoothed = self.sharded.doc_topic() + self.alpha
            return smoothed / smoothed.sum(axis=1, keepdims=True)
        n_documents = self.lengths.size
        chi = sparse.csr_array(
            (self.influence(), self.candidates.documents, self.candidates.starts), shape=(n_documents, n_documents)
        )
        return chi @ self.source_topic()

    def state(self) -> dict[str, np.ndarray]:
        """Return everything that the next sweep depends on, as arrays."""
        arrays = {"n_sweeps": np.array(self.n_sweeps), "alpha": self.alpha, "beta": np.asarray(self.beta)}
        if self.sharded.real:
            arrays["shares"] = np.concatenate([shard.state.shares for shard in self.sharded.shards])
            arrays["doc_shares"] = np.concatenate([shard.state.doc_topic for shard in self.sharded.shards])
            arrays["word_shares"] = self.sharded.word_topic()
            arrays["totals"] = self.sharded.totals.copy()
        else:
            arrays["topics"] = np.concatenate([shard.state for shard in self.sharded.shards])
        if self.candidates is not None:
            arrays |= self.sharded.source_state()
        for number, response in enumerate(self.responses):
            arrays |= {f"response {number} {name}": array for name, array in response.state().items()}
        return arrays

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go back to a state that `state` gave."""
        self.n_sweeps = int(arrays["n_sweeps"])
        self.alpha = np.array(arrays["alpha"])
        self.beta = float(arrays["beta"]) if arrays["beta"].ndim == 0 else np.array(arrays["beta"])
        self._factors = None
        for number, response in enumerate(self.responses):
            start = f"response {number} "
            response.restore({name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)})
        whole = arrays["shares" if self.sharded.real else "topics"]
        sizes = [self.sharded.state_size(shard) for shard in self.sharded.shards]
        if whole.size != sum(sizes):
            raise PlaitError("the kept state belongs to another corpus: give the one that the model was fitted to")
        if self.sharded.real and whole.dtype not in (np.float32, np.uint16):
            raise PlaitError(f"the kept state is damaged: shares of words are {whole.dtype}, not uint16 or float32")
        parts = np.split(whole, np.cumsum(sizes)[:-1])
        for shard, part in zip(self.sharded.shards, parts, strict=True):
            self.sharded.take_state(shard, aligned_copy(part))
        if self.candidates is not None:
            self.sharded.take_source_state(arrays)
        if self.sharded.real and whole.dtype == self.sampler.share_type:
            self.sharded.take_word_topic(arrays["word_shares"], arrays["totals"])
            bounds = np.cumsum([shard.n_documents * self.sharded.width for shard in self.sharded.shards])[:-1]
            for shard, rows in zip(self.sharded.shards, np.split(arrays["doc_shares"], bounds), strict=True):
                shard.state.doc_topic[:] = rows
        else:  # counts follow from topics, and from shares that an earlier version kept in another type
            self.sharded.recount()


def mean_topic_word(samples: Sequence[Sample]) -> np.ndarray:
    """Return φ averaged over samples, topics × words, without holding all of them at once."""
    total = samples[0].topic_word()
    for sample in samples[1:]:
        total += sample.topic_word()
    total /= len(samples)
    return total


@dataclass(frozen=True)
class Schedule:
    """When to stop: at most `n_sweeps` to settle, then `n_samples`, one every `sample_every` sweeps."""

    n_sweeps: int
    n_samples: int
    sample_every: int
    tolerance: float
    learn_alpha: bool = False
    learn_beta: bool = False


@dataclass
class Run:
    """How far a run has come."""

    history: History = field(default_factory=History)
    settled_at: int | None = None  # the sweep after which samples are kept
    samples: list[Sample] = field(default_factory=list)
    doc_topic_sum: np.ndarray | None = None
    source_topic_sum: np.ndarray | None = None  # of what is drawn from documents, where it is by others, too
    influence_sum: np.ndarray | None = None

    def keep_sample(self, chain: Chain) -> None:
        """Keep the present state for predictions."""
        self.samples.append(chain.sample())
        self.doc_topic_sum = _added(self.doc_topic_sum, chain.doc_topic())
        if chain.candidates is not None:
            self.source_topic_sum = _added(self.source_topic_sum, chain.source_topic())
            self.influence_sum = _added(self.influence_sum, chain.influence())

    def doc_topic_mean(self) -> np.ndarray:
        """Return the topics behind documents' words averaged over the samples."""
        assert self.doc_topic_sum is not None
        return self.doc_topic_sum / len(self.samples)

    def source_topic_mean(self) -> np.ndarray:
        """Return ϑ, what is drawn from documents, averaged over the samples."""
        assert self.source_topic_sum is not None
        return self.source_topic_sum / len(self.samples)

    def influence_mean(self) -> np.ndarray:
        """Return χ of every candidate averaged over the samples."""
        assert self.influence_sum is not None
        return self.influence_sum / len(self.samples)

    @property
    def n_sweeps(self) -> int:
        """How many sweeps were made."""
        return len(self.history.records)


def _added(total: np.ndarray | None, values: np.ndarray) -> np.ndarray:
    return values if total is None else total + values


def run(
    chain: Chain,
    schedule: Schedule,
    progress: Run,
    executor: Threads,
    stop: StopRequest,
    after_sweep: Callable[[Record], None] | None = None,
) -> bool:
    """Run a chain to the end of its schedule; return False if it was stopped before.

    Ctrl-C lets the sweep finish. `progress` is then at a point from which calling again goes on.
    """
    while len(progress.samples) < schedule.n_samples:
        if stop.requested:
            return False
        info = chain.sweep(executor)
        record = progress.history.add(chain.n_sweeps, info)
        learning = progress.settled_at is None and chain.n_sweeps % _LEARN_EVERY == 0
        if learning and (schedule.learn_alpha or schedule.learn_beta):
            chain.learn(schedule.learn_alpha, schedule.learn_beta)
        _advance(chain, schedule, progress)
        if after_sweep is not None:
            after_sweep(record)
    return True


def _advance(chain: Chain, schedule: Schedule, progress: Run) -> None:
    """Notice that the chain has settled, and keep a sample when one is due."""
    if progress.settled_at is None:
        window = chain.sampler.settling_window
        if chain.n_sweeps < schedule.n_sweeps and not progress.history.settled(window, schedule.tolerance):
            return
        progress.settled_at = chain.n_sweeps
    if (chain.n_sweeps - progress.settled_at) % schedule.sample_every == 0:
        progress.keep_sample(chain)
