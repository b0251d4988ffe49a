"""The chain: draws weights, has the shards resample topics and auxiliary variables, and reduces what they return.

`Chain` is the Markov chain itself, one `sweep` after the other; engine/run.py is the loop around it. Everything that
the next sweep depends on is in `Chain.state()`, as plain arrays, so that an interrupted run resumes to the same bits.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_positive
from plait.corpus.prepared.counts import StoredCounts
from plait.engine.assignments import STATES
from plait.engine.checkpoint import check_state, check_stored
from plait.engine.cut import ShardPlan, default_shards
from plait.engine.doc_topics import stack_rows
from plait.engine.documents import ranked_counts
from plait.engine.hyperparameters import LATE, LATE_FLOOR, LATE_STEPS, STEPS, SYMMETRIC, LearnAlpha, fit_alpha, fit_beta
from plait.engine.messages import Broadcast, LinkedTopics, Priors, ResponseRequest, RunningCounts, make_priors
from plait.engine.narrowing import send_broadcast, send_counts, send_priors
from plait.engine.sample import Sample
from plait.engine.state_files import StateFile, StoredState, arrays_of_response, join_state
from plait.engine.tables import CountTables
from plait.engine.weights import WeightDraws
from plait.errors import PlaitError
from plait.executors import Executor
from plait.mixing import Mixing
from plait.priors import Prior
from plait.responses.base import ChainResponse
from plait.samplers import Sampler
from plait.samplers.base import SweepInfo
from plait.samplers.random import stream_key


class Chain:
    """A Markov chain over the topics of all tokens of a corpus.

    Parameters
    ----------
    counts : csr_array or StoredCounts (documents, words)
        Non-negative; whole numbers unless the sampler takes real ones.
    n_topics : int
        Number of topics.
    mixing : Mixing
        Whose proportions tokens draw their topics from.
    prior : Prior
        Pseudo-counts of words per topic.
    sampler : Sampler
        Draws the topics.
    seed : int
        Of all random numbers.
    n_shards : int or None
        Number of shards; None: decided by the number of tokens.
    responses : sequence of ChainResponse
        What topics must explain besides words.
    links : csr_array (documents, documents) or None
        Weights of links, for mixing that uses them.
    plan : ShardPlan or None
        `plan` of a chain with the same arguments; None: the corpus is cut now.
    """

    def __init__(
        self,
        counts: sparse.csr_array | StoredCounts,
        n_topics: int,
        *,
        mixing: Mixing,
        prior: Prior,
        sampler: Sampler,
        seed: int,
        n_shards: int | None = None,
        responses: Sequence[ChainResponse] = (),
        links: sparse.csr_array | None = None,
        plan: ShardPlan | None = None,
    ) -> None:
        ranked = ranked_counts(counts) if plan is None else plan.counts
        self._word_order = ranked.order
        self.n_topics = n_topics
        self.seed = seed
        self.lengths = ranked.lengths
        self.n_words = counts.shape[1]
        self.candidates = mixing.candidates(links, self.lengths) if plan is None else plan.candidates
        self.alpha = mixing.alphas(n_topics)
        self.beta = prior.pseudo_counts(n_topics, self.n_words)
        check_positive("beta", self.beta)  # of priors that are computed, too
        n_tokens = float(self.lengths.sum())
        lists = self.candidates is None and isinstance(self.beta, float)
        self.sampler = sampler.for_corpus(n_tokens, n_topics, lists=lists and not responses)
        wanted = n_shards or default_shards(n_tokens)
        self.plan = plan or ShardPlan(ranked, n_topics, self.sampler, wanted, self.candidates)
        self.width = self.plan.width
        self.responses = list(responses)
        self.n_sweeps = 0
        self._state_type = STATES[self.sampler.state_form]
        self._tables = CountTables(self.plan, listed=lists and self.sampler.lists_topics(n_topics))
        self._linked_lengths = np.zeros(0)
        self._linked_topics: LinkedTopics | None = None
        self._executor: Executor

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.plan.runs)

    def start(self, executor: Executor, assignments: dict[str, np.ndarray] | None = None) -> None:
        """Place the shards with initial topics: given ones, named as in `state`, or draws from the priors."""
        for number, response in enumerate(self.responses):
            response.begin(self.n_topics, stream_key(self.seed, f"begin of response {number}"))
        if assignments is None:
            self._place(executor)
            executor.each("start", stream_key(self.seed, "start"))
        else:
            self._place(executor, self._split_assignments(assignments))
        self._recount()

    def _place(self, executor: Executor, assignments: Sequence[dict[str, np.ndarray]] | None = None) -> None:
        """Make the shards, from assignments if there are some, and hand them to the executor."""
        cuts = [response.cut(self.plan.runs) for response in self.responses]
        shards = self.plan.make_shards(cuts)
        for shard, arrays in zip(shards, assignments or [], strict=assignments is not None):
            shard.load(arrays)
        self._note_exported([documents for _, documents in cuts if documents is not None])
        self._executor = executor
        executor.place(shards)
        for response in self.responses:
            response.release()
        send_priors(executor, self._priors(), self.plan)

    def _note_exported(self, exported: Sequence[Sequence[np.ndarray]]) -> None:
        """Remember the lengths of the documents whose topics shards send to each other."""
        if len(exported) > 1:
            raise PlaitError("a model can have only one response that depends on pairs of documents")
        runs = self.plan.runs
        self._linked_lengths = np.zeros(0)
        if exported:
            numbers = [run[0] + own for run, own in zip(runs, exported[0], strict=True)]
            self._linked_lengths = self.lengths[np.concatenate(numbers)]
        self._linked_topics = None

    def _priors(self) -> Priors:
        return make_priors(self.alpha, self.beta, self._word_order, self.width)

    def _recount(self) -> None:
        """Rebuild all counts from the shards' assignments."""
        self._tables.load(self._executor.each("recount"))

    def sweep(self) -> SweepInfo:
        """Draw the weights of responses, the topics of all tokens, and the responses' auxiliary variables."""
        self._draw_weights()
        info = self._draw_topics()
        self.n_sweeps += 1
        self._draw_auxiliaries()
        return info

    def _messages(self) -> list[object]:
        return [response.message() for response in self.responses]

    def _linked(self) -> LinkedTopics | None:
        """Return the topics of documents that responses of other shards depend on, as they are now."""
        if self._linked_topics is None and self._linked_lengths.size:
            self._join_linked(self._executor.each("linked_topics"))
        return self._linked_topics

    def _join_linked(self, parts: Sequence[sparse.csr_array | None]) -> None:
        if self._linked_lengths.size:
            self._linked_topics = LinkedTopics(sparse.csr_array(sparse.vstack(parts)), self._linked_lengths)

    def _weight_draws(self) -> WeightDraws:
        return WeightDraws(self.responses, self._executor, self.n_shards)

    def _draw_weights(self) -> None:
        due = [number for number, response in enumerate(self.responses) if response.due()]
        if not due:
            return
        key_of = {number: stream_key(self.seed, f"weights of response {number}", self.n_sweeps) for number in due}
        for turn in range(max(self.responses[number].n_rounds() for number in due)):
            own = [number for number in due if turn < self.responses[number].n_rounds()]
            keys = [key_of[number] for number in own]
            self._weight_draws().draw(ResponseRequest(own, self._messages(), self._linked(), keys))

    def _draw_topics(self) -> SweepInfo:
        """Resample all topics, one shard per task, and reduce the count deltas."""
        key = stream_key(self.seed, "sweep", self.n_sweeps)
        tables, messages = self._tables, self._messages()
        broadcast = Broadcast(key, tables.sent_words, tables.sent_sources, tables.totals, messages, self._linked())
        results = send_broadcast(self._executor, broadcast, self.plan)
        tables.add(results, self._executor.map)
        self._join_linked([one.linked_topics for one in results])
        # Recount real-valued counts periodically to bound rounding error.
        if self._state_type.drifts and (self.n_sweeps + 1) % self.sampler.likelihood_window == 0:
            self._recount()
            self._linked_topics = None
        # In the order of the shards; `sum` rounds differently in Python 3.12.
        total = functools.reduce(operator.add, (one.info.log_likelihood for one in results))
        if not np.isfinite(total):
            responses = ", or c is too large or sigma too small" if self.responses else ""
            raise PlaitError(
                f"sweep {self.n_sweeps + 1}: the log-likelihood is not finite (overflow or underflow); alpha and beta "
                f"are too small or too large together{responses}"
            )
        return SweepInfo(total, sum(one.info.n_tokens for one in results))

    def _draw_auxiliaries(self) -> None:
        if not self.responses:
            return
        keys = [
            stream_key(self.seed, f"auxiliaries of response {number}", self.n_sweeps)
            for number in range(len(self.responses))
        ]
        for number, response in enumerate(self.responses):
            if response.renew(keys[number]):
                halves, exported = response.cut(self.plan.runs)
                self._note_exported([] if exported is None else [exported])
                nothing: list[np.ndarray | None] = [None] * self.n_shards
                self._executor.each("set_response", (number, halves, nothing if exported is None else exported))
        request = ResponseRequest(range(len(self.responses)), self._messages(), self._linked(), keys)
        answers = self._executor.each("draw_auxiliaries", request)
        for number, response in enumerate(self.responses):
            response.receive([one[number] for one in answers])

    def learn(self, alpha: LearnAlpha, beta: bool) -> None:
        """Fit α, β (where it is one number) or both to the topics as they are."""
        if alpha:
            self._fit_alpha(symmetric=alpha in (SYMMETRIC, LATE))
        if beta:
            self.beta = fit_beta(self._ranked_word_topic()[:, : self.n_topics], float(self.beta))
        send_priors(self._executor, self._priors(), self.plan)

    def learn_late(self) -> None:
        """Fit one α per topic, each at least a tenth of the mean: a topic with few tokens may not lose them all."""
        self._fit_alpha(n_steps=LATE_STEPS)
        self.alpha = np.maximum(self.alpha, LATE_FLOOR * self.alpha.mean())
        send_priors(self._executor, self._priors(), self.plan)

    def _fit_alpha(self, symmetric: bool = False, n_steps: int = STEPS) -> None:
        drawn = self.drawn_topics()
        lengths = np.asarray(drawn.sum(axis=1)).ravel()
        self.alpha = fit_alpha(drawn, lengths, self.alpha, symmetric=symmetric, n_steps=n_steps)

    def _ranked_word_topic(self) -> np.ndarray | sparse.csr_array:
        """Return topic–word counts, words by falling frequency × width; a sparse matrix where they are lists."""
        if self._tables.lists_topics:
            return self._tables.words.to_csr()
        return self._tables.all_words(self._executor.each("private_words"), self.n_words)

    def word_topic(self) -> np.ndarray:
        """Return topic–word counts, words × topics, words in the order of the corpus."""
        table = self._ranked_word_topic()[:, : self.n_topics]
        ordered = np.empty(table.shape, table.dtype)
        ordered[self._word_order] = table.toarray() if isinstance(table, sparse.csr_array) else table
        return ordered

    def _sparse_word_topic(self) -> sparse.csr_array:
        if self._tables.lists_topics:
            return self._tables.words.to_csr()[np.argsort(self._word_order), : self.n_topics]
        return sparse.csr_array(self.word_topic())

    def doc_topic(self) -> sparse.csr_array:
        """Return document–topic counts: how often the tokens of each document hold each topic."""
        return stack_rows(self._executor.each("doc_topic"))

    def drawn_topics(self) -> sparse.csr_array:
        """Return how often each topic was drawn from each document, documents × topics.

        Where tokens draw from their own document only, these are the document–topic counts.
        """
        if self.candidates is None:
            return self.doc_topic()
        return sparse.csr_array(self._all_sources()[:, : self.n_topics]).astype(self._state_type.sum_type)

    def _all_sources(self) -> np.ndarray:
        """Return the counts per source document, documents × width."""
        return self._tables.all_sources(self._executor.each("private_sources"), self.lengths.size)

    def sample(self) -> Sample:
        """Return the present state, as far as predictions need it."""
        weights: list[np.ndarray] = []
        doc_topic = None
        if self.responses:
            request = ResponseRequest(range(len(self.responses)), self._messages(), self._linked())
            weights = self._weight_draws().means(request)
            if any(response.keeps_topics for response in self.responses):
                doc_topic = self.doc_topic()
        drawn = None if self.candidates is None else self.drawn_topics()
        return Sample(self._sparse_word_topic(), self.alpha.copy(), self.beta, weights, doc_topic, drawn)

    def influence(self) -> np.ndarray:
        """Return χ, the share of each candidate source in its document's tokens: eq. (8) of Bíró and Szabó (2009)."""
        assert self.candidates is not None
        shares = np.concatenate(self._executor.each("taken")) + self.candidates.gamma
        return shares / np.repeat(np.add.reduceat(shares, self.candidates.starts[:-1]), np.diff(self.candidates.starts))

    def state(self) -> dict[str, np.ndarray]:
        """Return everything that the next sweep depends on, as arrays."""
        return join_state(self.own_arrays(), self._executor.each("checkpoint_arrays"))

    def own_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the state that no shard has; names that begin with "shared" are for `join_state`."""
        arrays = {"n_sweeps": np.array(self.n_sweeps), "alpha": self.alpha, "beta": np.asarray(self.beta)}
        if self._state_type.drifts:
            arrays["totals"] = self._tables.totals.copy()
            tables = [("words", "word_shares", self.plan.words, self._tables.words, self.n_words)]
            if self.candidates is not None:
                sources = self.plan.sources
                tables.append(("sources", "source_shares", sources, self._tables.sources, self.lengths.size))
            for rows, name, plan, table, n_rows in tables:
                arrays[f"shared {rows}"], arrays[f"shared n_{rows}"] = plan.shared, np.array(n_rows)
                arrays[f"shared {name}"] = table.reshape(-1, self.width)
        for number, response in enumerate(self.responses):
            arrays |= {f"response {number} {name}": array for name, array in response.arrays().items()}
        return arrays

    def write_shards(self, folder: str) -> list[StateFile]:
        """Have every shard write its part of the state into a folder; return the files in the order of the shards."""
        return self._executor.each("write_checkpoint", folder)

    def restore(self, arrays: Mapping[str, np.ndarray], executor: Executor) -> None:
        """Continue from a state that `state` returned, or that is in files; raise an error if it is of another chain.

        Shards read their own files where they can; this process reads them if a worker does not see them.
        """
        if isinstance(arrays, StoredState) and self._read_in_shards(arrays, executor):
            return
        try:
            check_state(arrays, self.n_words, self.n_topics, self.lengths.size)
        except PlaitError as error:
            raise PlaitError(f"the checkpoint is damaged: {error}; fit again") from error
        try:
            self._load_state(arrays, executor)
        except KeyError as error:
            raise PlaitError(f"the checkpoint is damaged: it has no array {error}; fit again") from error

    def _read_in_shards(self, stored: StoredState, executor: Executor) -> bool:
        """Have every shard read its own file; return False if that is not possible, or a file is damaged."""
        if len(stored.files) != self.n_shards or not all(response.shards_load for response in self.responses):
            return False
        try:
            check_stored(stored, self.n_words, self.n_topics, self.lengths.size)
            self._load_own(stored.own)
            for number, response in enumerate(self.responses):
                response.load_own(arrays_of_response(number, stored.own, self.n_topics + response.n_features))
            if self._state_type.drifts:
                self._load_shared(stored.own)
        except (PlaitError, LookupError, ValueError):
            return False
        self._place(executor)
        read = executor.each("read_checkpoint", stored.files_only())
        readable = all(one.problem is None for one in read)
        if readable and any(one.recounts for one in read):
            self._recount()
        return readable

    def _load_shared(self, own: Mapping[str, np.ndarray]) -> None:
        """Take over running counts of the rows that shards share."""
        self._tables.totals[:] = own["totals"]
        self._tables.words[:] = own["shared word_shares"].ravel()
        if self.candidates is not None:
            self._tables.sources[:] = own["shared source_shares"].ravel()

    def _load_own(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take over the number of sweeps, α and β."""
        self.n_sweeps = int(arrays["n_sweeps"])
        self.alpha = np.array(arrays["alpha"])
        self.beta = float(arrays["beta"]) if arrays["beta"].ndim == 0 else np.array(arrays["beta"])

    def _load_state(self, arrays: Mapping[str, np.ndarray], executor: Executor) -> None:
        """Take over the arrays of a state."""
        self._load_own(arrays)
        for number, response in enumerate(self.responses):
            response.load(arrays_of_response(number, arrays, self.n_topics + response.n_features))
        self._place(executor, self._split_assignments(arrays))
        if not self._state_type.drifts or arrays["shares"].dtype != self.sampler.share_type:
            # Counts follow from topics, and from shares that an earlier version kept in another type.
            self._recount()
            return
        words = arrays["word_shares"]
        sources = arrays.get("source_shares", np.zeros(0, self._tables.sources.dtype)).reshape(-1, self.width)
        send_counts(executor, RunningCounts(words, sources), self.plan)
        self._tables.words[:] = words[self.plan.words.shared].ravel()
        self._tables.sources[:] = sources[self.plan.sources.shared].ravel()
        self._tables.totals[:] = arrays["totals"]

    def _split_assignments(self, arrays: Mapping[str, np.ndarray]) -> list[dict[str, np.ndarray]]:
        """Return the assignments of every shard; reject those of another corpus."""
        sizes = [shard.sizes() for shard in self.plan.make_shards([])]
        found: list[dict[str, np.ndarray]] = [{} for _ in sizes]
        for name in sizes[0]:
            ends = np.cumsum([size[name] for size in sizes])
            if name not in arrays or arrays[name].size != ends[-1]:
                raise PlaitError("the checkpoint belongs to another corpus: give the one that the model was fitted to")
            for own, part in zip(found, np.split(arrays[name], ends[:-1]), strict=True):
                own[name] = part
        return found
