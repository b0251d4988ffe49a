"""Packages to compare: each trains LDA on the same counts with the same priors and returns φ and α.

Gibbs samplers make one sweep that is not timed (tables are built, code is loaded), then the timed ones. Variational
learners make one timed pass, because one of their passes takes as long as many sweeps.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from functools import partial
from importlib import metadata
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

ALPHA = 0.1  # per topic
BETA = 0.01


class Trained(NamedTuple):
    """The learned topics of a package, and its timed seconds."""

    seconds: float
    timed_sweeps: int
    topic_word: np.ndarray  # φ, topics × words
    fold_in_rate: float | None = None  # tokens per second over new documents


class Contestant(NamedTuple):
    """A package that trains LDA: its training function, and whether it runs only once."""

    name: str
    package: str
    train: Callable[[sparse.csr_array, sparse.csr_array, int, int, int], Trained]
    once: bool = False
    variational: bool = False

    def is_installed(self) -> bool:
        """Return whether the package is installed."""
        return importlib.util.find_spec({"scikit-learn": "sklearn"}.get(self.package, self.package)) is not None

    def version(self) -> str:
        """Return the version of the package."""
        if self.package == "plait":  # may run from its sources, without being installed
            from plait import __version__

            return __version__
        return metadata.version(self.package)


def _plait(
    train: sparse.csr_array,
    test: sparse.csr_array,
    n_topics: int,
    n_sweeps: int,
    seed: int,
    *,
    n_jobs: int,
    sampler: str = "plain",
) -> Trained:
    from plait import LDA

    model = LDA(
        n_topics, alpha=ALPHA, beta=BETA, n_sweeps=n_sweeps, n_samples=1, tolerance=0, n_jobs=n_jobs,
        sampler=sampler, random_state=seed,
    ).fit(train)  # fmt: skip
    seconds = model.history_[-1].seconds - model.history_[0].seconds
    model.transform(test[:10])  # loads the compiled code and builds the tables
    began = time.perf_counter()
    model.transform(test)
    # A document is visited once for its initial topics, then fold_in_sweeps times.
    visits = test.sum() * (model.fold_in_sweeps + 1)
    rate = float(visits / (time.perf_counter() - began))
    return Trained(seconds, n_sweeps - 1, model.topic_word_, rate)


def _tomotopy(train: sparse.csr_array, test: sparse.csr_array, n_topics: int, n_sweeps: int, seed: int) -> Trained:
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=seed)
    model.burn_in = 0
    model.optim_interval = 0
    for words in documents_of_words(train):
        model.add_doc(words)
    model.train(1, workers=1)
    began = time.perf_counter()
    model.train(n_sweeps - 1, workers=1)
    seconds = time.perf_counter() - began
    learned = np.array([model.get_topic_word_dist(topic) for topic in range(n_topics)])
    columns = [int(word) for word in model.used_vocabs]
    return Trained(seconds, n_sweeps - 1, in_columns(learned, columns, train.shape[1]))


def _topica(
    train: sparse.csr_array, test: sparse.csr_array, n_topics: int, n_sweeps: int, seed: int, *, sampler: str
) -> Trained:
    import topica

    documents = list(documents_of_words(train))

    def fit(sweeps: int) -> tuple[float, topica.LDA]:
        model = topica.LDA(
            n_topics, alpha_sum=ALPHA * n_topics, beta=BETA, optimize_interval=0, burn_in=0, seed=seed, sampler=sampler
        )
        began = time.perf_counter()
        # Its one sample is taken `sample_interval` sweeps after the others.
        model.fit(documents, iters=sweeps - 1, num_samples=1, sample_interval=1, keep_theta_draws=False, progress=False)
        return time.perf_counter() - began, model

    # A fit cannot be continued, so the time of the shortest possible one is subtracted.
    start, _ = fit(2)
    seconds, model = fit(n_sweeps)
    columns = [int(word) for word in model.vocabulary]
    return Trained(seconds - start, n_sweeps - 2, in_columns(np.asarray(model.topic_word), columns, train.shape[1]))


def _gensim(train: sparse.csr_array, test: sparse.csr_array, n_topics: int, n_sweeps: int, seed: int) -> Trained:
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    names = {column: str(column) for column in range(train.shape[1])}
    documents = Sparse2Corpus(sparse.csr_matrix(train), documents_columns=False)
    began = time.perf_counter()
    model = LdaModel(
        documents,
        num_topics=n_topics,
        id2word=names,
        alpha=np.full(n_topics, ALPHA),
        eta=BETA,
        passes=1,
        eval_every=None,
        random_state=seed,
    )
    return Trained(time.perf_counter() - began, 1, np.asarray(model.get_topics(), dtype=np.float64))


def _scikit_learn(train: sparse.csr_array, test: sparse.csr_array, n_topics: int, n_sweeps: int, seed: int) -> Trained:
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=ALPHA,
        topic_word_prior=BETA,
        learning_method="online",
        max_iter=1,
        n_jobs=1,
        random_state=seed,
    )
    began = time.perf_counter()
    model.fit(train)
    seconds = time.perf_counter() - began
    return Trained(seconds, 1, model.components_ / model.components_.sum(axis=1, keepdims=True))


def documents_of_words(counts: sparse.csr_array):
    """Yield each document as a list of tokens; a token is the number of its column as text."""
    names = np.array([str(column) for column in range(counts.shape[1])], dtype=object)
    for first, last in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        yield np.repeat(names[counts.indices[first:last]], counts.data[first:last]).tolist()


def in_columns(topic_word: np.ndarray, columns: list[int], n_words: int) -> np.ndarray:
    """Return φ with its words in the order of the columns of the counts."""
    if sorted(columns) != list(range(n_words)):
        raise ValueError(f"the package learned {len(columns):,} words of {n_words:,}")
    ordered = np.empty((topic_word.shape[0], n_words))
    ordered[:, columns] = topic_word
    return ordered


CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant("plait", "plait", partial(_plait, n_jobs=1)),
        Contestant("plait, 2 threads", "plait", partial(_plait, n_jobs=2)),
        Contestant("plait, synchronous", "plait", partial(_plait, n_jobs=1, sampler="synchronous")),
        Contestant("plait, synchronous, 2 threads", "plait", partial(_plait, n_jobs=2, sampler="synchronous")),
        Contestant("tomotopy", "tomotopy", _tomotopy),
        Contestant("topica", "topica", partial(_topica, sampler="sparse"), once=True),
        Contestant("topica, warp", "topica", partial(_topica, sampler="warp"), once=True),
        Contestant("gensim", "gensim", _gensim, once=True, variational=True),
        Contestant("scikit-learn", "scikit-learn", _scikit_learn, once=True, variational=True),
    )
}
