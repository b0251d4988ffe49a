"""What all topic models share: fit, resume, transform, describe, score. A model adds its parameters and its parts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from plait._utils.validation import check_whole
from plait.engine.chain import Chain
from plait.engine.fold_in import FoldIn
from plait.engine.history import Record
from plait.engine.interrupt import StopRequest
from plait.engine.progress import FitProgress
from plait.engine.run import Run, Schedule, run
from plait.engine.sample import Sample, mean_topic_word
from plait.errors import PlaitError
from plait.executors import Threads, open_executor
from plait.inputs.words import Words, fingerprint, new_words, training_words
from plait.metrics import Perplexity, coherence, completion_perplexity, fold_in_perplexity
from plait.mixing import Mixing, OwnDocument
from plait.models.answers.topics import Topic, describe_topics, typical_documents, with_names
from plait.priors import AnyPrior, align_prior, as_prior, topic_names
from plait.responses.base import ChainResponse
from plait.samplers import as_sampler
from plait.samplers.random import stream_key

# Tables for folding in, made from a model's samples when they are first needed. They are no part of the model's
# state: scikit-learn wants `transform` to change nothing, and a saved model does not need them.
_FOLD_INS: WeakKeyDictionary[Any, tuple[list[list[Sample]], dict[int, FoldIn]]] = WeakKeyDictionary()


class ChainPlan(NamedTuple):
    """One chain to run. Chains of a group learn the same topics from different starts; the first one's are shown."""

    number: int
    group: int


@dataclass
class Fit:
    """A fit at work: what it is given, and how far its chains have come."""

    words: Words
    given: Any  # what `_read_targets` returned
    runs: list[Run] = field(default_factory=list)
    kept: list[Run] = field(default_factory=list)  # the same, each with a sample at least, once it is taken over


class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A topic model as a scikit-learn estimator; `LDA` documents the parameters and attributes."""

    # Parameters, stored by the subclasses' constructors.
    n_topics: int
    alpha: Any
    beta: Any
    sampler: Any
    n_sweeps: int
    n_samples: int
    sample_every: int
    tolerance: float
    learn_alpha: bool
    learn_beta: bool
    fold_in_sweeps: int
    n_shards: int | None
    n_jobs: int | None
    random_state: Any
    verbose: bool

    def fit(self, X: Any, y: Any = None, *, checkpoint: str | Path | None = None, checkpoint_every: int = 50) -> Self:
        """Learn topics from documents.

        Parameters
        ----------
        X
            A Corpus, or counts documents × words (sparse, dense or a data frame).
        y
            Not used; scikit-learn's pipelines pass it.
        checkpoint, checkpoint_every
            A file that the unfinished model is saved to every so many sweeps. After a crash load it
            and `resume`.
        """
        self._check_parameters()
        words = self._training_words(X)
        given = self._read_targets(X, y, words)
        self.seed_ = _seed(self.random_state)
        self._corpus_fingerprint = fingerprint(words.counts, *self._target_arrays(given))
        return self._go_on(Fit(words, given), None, checkpoint, checkpoint_every)

    def resume(
        self, X: Any, y: Any = None, *, checkpoint: str | Path | None = None, checkpoint_every: int = 50
    ) -> Self:
        """Go on with a fit that was stopped, on the same documents, to the bits of one that never was."""
        check_is_fitted(self)
        if self._unfinished is None:
            raise PlaitError("this fit is finished, so there is nothing to resume; fit again with other settings")
        words = self._training_words(X)
        given = self._read_targets(X, y, words)
        if fingerprint(words.counts, *self._target_arrays(given)) != self._corpus_fingerprint:
            raise PlaitError("these are not the documents that the fit began with; give the same corpus to resume")
        state, runs = self._unfinished
        return self._go_on(Fit(words, given, list(runs)), state, checkpoint, checkpoint_every)

    def transform(self, X: Any) -> np.ndarray:
        """Return the share of each topic in each document (documents × topics).

        Documents are folded in one by one: the model stays as it is, and a document's topics do not
        depend on the documents beside it.
        """
        check_is_fitted(self)
        words = new_words(self, X, self._real, "transform")
        return self._doc_topic(words.counts, [self._fold_in(chain) for chain in self._first_chains()])

    def perplexity(self, X: Any, method: str = "completion") -> float:
        """Return the perplexity of documents' words; lower is better.

        Parameters
        ----------
        X
            Documents, best ones that the model was not fitted to.
        method
            "completion" predicts one half of each document's words from the other. "fold_in" is eq. (4) of Bíró and
            Szabó (2009): it predicts the words that the topics were inferred from, so it is lower.
        """
        return self._predict_words(X, method).perplexity

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log probability of a word, by document completion; higher is better."""
        return self._predict_words(X, "completion").log_likelihood

    def topics(self, top: int = 10, by: str = "probability", relevance_weight: float = 0.6) -> list[Topic]:
        """Return the first words of each topic, and its name where the prior has one for it.

        Parameters
        ----------
        top
            How many words.
        by
            "probability", or "relevance" for the words that are telling of a topic.
        relevance_weight
            With "relevance": 1 ranks by probability, 0 by how much more frequent a word is than elsewhere.
        """
        check_is_fitted(self)
        check_whole("top", top, least=1)
        found = describe_topics(self.topic_word_, self.topic_share_, self._word_names(), top, by, relevance_weight)
        return with_names(found, topic_names(self._make_prior()), self.n_topics)

    def typical_documents(self, top: int = 5) -> list[list[tuple[str, float]]]:
        """Return, for each topic, the training documents with the largest share of it."""
        check_is_fitted(self)
        check_whole("top", top, least=1)
        ids = self.doc_ids_
        if ids is None:
            ids = np.array([str(number) for number in range(self.doc_topic_.shape[0])], dtype=object)
        return typical_documents(self.doc_topic_, ids, top)

    def coherence(self, X: Any, measure: Literal["npmi", "c_v"] = "npmi", top: int = 10) -> np.ndarray:
        """Return how well the first words of each topic go together in documents: NPMI or C_v.

        Parameters
        ----------
        X
            Documents to look the words up in: the training documents, or better a larger collection.
        """
        check_is_fitted(self)
        words = new_words(self, X, self._real, "coherence")
        names = [topic.words for topic in self.topics(top)]
        return coherence(names, words.counts, self._word_names().tolist(), measure=measure)

    @property
    def _alpha(self) -> Any:
        """α as mixing takes it."""
        return self.alpha

    @property
    def _real(self) -> bool:
        """Whether counts may be real numbers."""
        return as_sampler(self.sampler).state_form == "shares"

    @property
    def _n_features_out(self) -> int:
        """How many columns `transform` gives, for scikit-learn."""
        return int(self.topic_word_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _check_parameters(self) -> None:
        """Refuse what cannot work before any work is done."""
        check_whole("n_topics", self.n_topics, least=1)
        if self.n_topics > 65_535:
            raise PlaitError(f"n_topics must be at most 65,535, not {self.n_topics}", parameter="n_topics")
        check_whole("n_sweeps", self.n_sweeps, least=1)
        check_whole("n_samples", self.n_samples, least=1)
        check_whole("sample_every", self.sample_every, least=1)
        check_whole("fold_in_sweeps", self.fold_in_sweeps, least=1)
        if self.n_shards is not None:
            check_whole("n_shards", self.n_shards, least=1)
        if not 0 <= self.tolerance < 1:
            raise PlaitError(f"tolerance must lie between 0 and 1, not {self.tolerance!r}", parameter="tolerance")
        as_sampler(self.sampler)

    def _training_words(self, X: Any) -> Words:
        """Return what a fit is given, checked."""
        return training_words(self, X, self._real)

    def _explains(self, kind: str) -> bool:
        """Whether topics must explain something of a kind besides words, such as "labels"."""
        return False

    def _read_targets(self, X: Any, y: Any, words: Words) -> Any:
        """Return what the topics must explain besides words (models with responses)."""
        return None

    def _target_arrays(self, given: Any) -> list[np.ndarray]:
        """Return the same as arrays, to know it again."""
        return []

    def _plans(self, given: Any) -> list[ChainPlan]:
        """Return the chains to run, one after the other."""
        return [ChainPlan(0, 0)]

    def _responses(self, given: Any, plan: ChainPlan) -> list[ChainResponse]:
        """Return the responses of one chain."""
        return []

    def _make_mixing(self) -> Mixing:
        """Return whose proportions words draw their topics from."""
        return OwnDocument(self._alpha)

    def _source_links(self, given: Any) -> sparse.csr_array | None:
        """Return the links along which words may draw from other documents (None where they do not)."""
        return None

    def _drawn_along(self, given: Any) -> sparse.csr_array | None:
        """Return these links as `_new_links` does for new documents: a row has whom its document may draw from."""
        return None

    def _make_prior(self) -> AnyPrior:
        """Return what topics expect of words before they see any."""
        return as_prior(self.beta)

    def _chain_seed(self, plan: ChainPlan) -> int:
        """Return the seed of a chain: the first has the model's own."""
        return self.seed_ if plan.number == 0 else int(stream_key(self.seed_, "chain", plan.number))

    def _make_chain(self, fit: Fit, plan: ChainPlan) -> Chain:
        chain = Chain(
            fit.words.counts,
            self.n_topics,
            mixing=self._make_mixing(),
            prior=align_prior(self._make_prior(), fit.words.vocabulary, self.n_topics),
            sampler=as_sampler(self.sampler),
            seed=self._chain_seed(plan),
            n_shards=self.n_shards,
            responses=self._responses(fit.given, plan),
            links=self._source_links(fit.given),
        )
        if self.learn_beta and not isinstance(chain.beta, float):
            raise PlaitError("learn_beta fits one number; give beta (or the prior) as a number, not as a table")
        return chain

    def _go_on(
        self, fit: Fit, state: dict[str, np.ndarray] | None, checkpoint: str | Path | None, checkpoint_every: int
    ) -> Self:
        """Run the chains to their end, or until stopped, and take over what they learnt.

        `state` is that of the chain at hand, whose run is the last of `fit.runs`; None to begin a new one.
        """
        check_whole("checkpoint_every", checkpoint_every, least=1)
        schedule = Schedule(
            self.n_sweeps, self.n_samples, self.sample_every, self.tolerance, self.learn_alpha, self.learn_beta
        )
        plans = self._plans(fit.given)
        one_chain = self.n_sweeps + (self.n_samples - 1) * self.sample_every
        chain: Chain | None = None
        finished = True
        with (
            StopRequest() as stop,
            open_executor(None, self.n_jobs) as executor,
            FitProgress(self.verbose, len(plans) * one_chain, type(self).__name__) as bar,
        ):

            def after_sweep(record: Record) -> None:
                saved = sum(one_chain - run.n_sweeps for run in fit.runs[:-1])
                settled = fit.runs[-1].settled_at
                saved += 0 if settled is None else self.n_sweeps - settled
                done = sum(run.n_sweeps for run in fit.runs)
                bar.show(record, done, len(plans) * one_chain - saved)
                # The default number of sweeps between two may be just that of a chain: its end counts, too.
                unfinished = len(fit.runs[-1].samples) < self.n_samples or len(fit.runs) < len(plans)
                if checkpoint is not None and unfinished and done % checkpoint_every == 0:
                    from plait.store import save

                    self._take_over(fit, chain, plans, finished=False)
                    save(self, checkpoint)

            for plan in plans[len(fit.runs) - (state is not None) :]:
                if stop.requested and fit.runs:
                    finished, chain = False, None
                    break
                chain = self._make_chain(fit, plan)
                if state is None:
                    chain.start(executor)
                    fit.runs.append(Run())
                else:
                    chain.restore(state, executor)
                    state = None
                finished = run(chain, schedule, fit.runs[-1], stop, after_sweep)
                if not finished:
                    break
            self._take_over(fit, chain, plans, finished=finished)
        return self

    def _take_over(self, fit: Fit, chain: Chain | None, plans: list[ChainPlan], *, finished: bool) -> None:
        """Set the fitted attributes from the runs so far and from the chain at hand, if one is."""
        kept = list(fit.runs)
        if not kept[-1].samples and chain is not None:  # stopped before the first sample: the present state must do
            kept[-1] = Run(history=kept[-1].history)
            kept[-1].keep_sample(chain)
        fit.kept = kept
        self._chain_samples = [list(run.samples) for run in kept]
        self._chain_groups = [plan.group for plan in plans[: len(kept)]]
        firsts = [kept[number] for number in self._first_chains()]
        lengths = np.asarray(fit.words.counts.sum(axis=1), dtype=np.float64).ravel()
        candidates = self._make_mixing().candidates(self._source_links(fit.given), lengths)
        self.topic_word_ = np.concatenate([mean_topic_word(run.samples) for run in firsts])
        self.doc_topic_ = np.concatenate([run.doc_topic_mean(candidates) for run in firsts], axis=1) / len(firsts)
        self.topic_share_ = lengths @ self.doc_topic_ / lengths.sum()
        self.word_counts_ = np.asarray(fit.words.counts.sum(axis=0)).ravel()
        self.vocabulary_ = fit.words.vocabulary
        self.doc_ids_ = fit.words.ids
        self.alpha_ = firsts[0].samples[-1].alpha.copy()
        self.beta_ = firsts[0].samples[-1].beta
        self.history_ = [record for run in fit.runs for record in run.history.records]
        self.n_sweeps_ = len(self.history_)
        self.settled_ = all(run.settled_at is not None and run.settled_at < self.n_sweeps for run in fit.runs)
        self.interrupted_ = not finished
        self._unfinished = None if finished else (None if chain is None else chain.state(), list(fit.runs))

    def _first_chains(self) -> list[int]:
        """Return the first chain of every group: those that topics are shown of."""
        return [self._chain_groups.index(group) for group in sorted(set(self._chain_groups))]

    def _fold_in(self, chain: int = 0) -> FoldIn:
        """Return the tables by which new documents are folded into a chain's samples."""
        samples, tables = _FOLD_INS.get(self, (None, {}))
        if samples is not self._chain_samples:
            tables = {}
            _FOLD_INS[self] = (self._chain_samples, tables)
        if chain not in tables:
            tables[chain] = self._new_fold_in(self._chain_samples[chain], None)
        return tables[chain]

    def _new_fold_in(
        self, samples: list[Sample], links: sparse.csr_array | None, vocabulary: np.ndarray | None = None
    ) -> FoldIn:
        """Return the tables by which new documents, whose links may be known, are folded into samples."""
        assert links is None  # `_new_links` has seen to it
        return FoldIn(samples, self._real, self.seed_, vocabulary)

    def _new_links(self, links: Any, n_new: int) -> sparse.csr_array | None:
        """Check links of new documents to training documents."""
        if links is not None:
            raise PlaitError(
                "links of the new documents say nothing here: words of this model draw from their own document only; "
                "leave links out, or use a model that follows links (LinkedLDA, or mixing=LinkedDocuments())"
            )
        return None

    def _doc_topic(self, counts: sparse.csr_array, fold_ins: list[FoldIn]) -> np.ndarray:
        """Return the topics of new documents, averaged over samples, those of several groups side by side."""
        with Threads(self.n_jobs) as executor:
            means = [
                np.mean(fold_in.proportions(counts, self.fold_in_sweeps, executor), axis=0) for fold_in in fold_ins
            ]
        return np.concatenate(means, axis=1) / len(fold_ins)

    def _predict_words(self, X: Any, method: str, links: Any = None) -> Perplexity:
        check_is_fitted(self)
        measures = {"completion": completion_perplexity, "fold_in": fold_in_perplexity}
        if method not in measures:
            raise PlaitError(f"method must be 'completion' or 'fold_in', not {method!r}")
        words = new_words(self, X, self._real, "perplexity")
        known = self._new_links(links, words.counts.shape[0])
        fold_in = self._fold_in() if known is None else self._new_fold_in(self._chain_samples[0], known)
        with Threads(self.n_jobs) as executor:
            return measures[method](fold_in, words.counts, self.fold_in_sweeps, executor)

    def _word_names(self) -> np.ndarray:
        if self.vocabulary_ is not None:
            return self.vocabulary_
        return np.array([f"x{column}" for column in range(self.n_features_in_)], dtype=object)


def _seed(random_state: Any) -> int:
    """Return a seed: the number given, a draw from a generator given, or one by chance."""
    if random_state is None:
        return secrets.randbits(62)
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise PlaitError(f"random_state must be 0 or more, not {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**62))
    return int(check_random_state(random_state).randint(2**31 - 1))
