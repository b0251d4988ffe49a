"""Estimate of the memory that a fit needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.corpus.prepared.counts import StoredCounts
from plait.engine.cut import cut_documents, default_shards
from plait.engine.documents import MatrixCounts, StoredRankedCounts
from plait.executors.threads import count_jobs
from plait.inputs.link_matrix import as_matrix
from plait.mixing import Mixing
from plait.samplers import Sampler, as_sampler
from plait.samplers.base import Candidates, padded_width

_PROCESS_BYTES = 260 << 20  # Python with NumPy, SciPy, Numba and compiled sweeps; measured
_BYTES_PER_CHANGE = 10  # of a count in a sweep: position and value, and what the allocator keeps of earlier sweeps


def estimate_memory(
    corpus: Any,
    n_topics: int,
    sampler: str | Sampler = "plain",
    *,
    n_samples: int = 5,
    n_chains: int = 1,
    n_labels: int = 0,
    n_pairs: int = 0,
    mixing: Mixing | None = None,
    links: Any = None,
    n_jobs: int | None = None,
) -> int:
    """Return the approximate peak memory of the process while a model is fitted, in bytes.

    Threads share all data except for one table of the topic–word counts each, where a corpus has several shards.

    Parameters
    ----------
    corpus : Corpus or sparse matrix of shape (documents, words)
        Training documents. The counts of a prepared corpus are held by the shards only.
    n_topics : int
        Number of topics.
    sampler : str or Sampler, default "plain"
        Sampler of the model.
    n_samples : int, default 5
        Number of samples kept per chain.
    n_chains : int, default 1
        Number of chains.
    n_labels : int, default 0
        Tasks of a model with labels: one per label, one for two classes.
    n_pairs : int, default 0
        Pairs of documents of a model of links: links, and pairs without a link.
    mixing : Mixing or None, default None
        `LinkedDocuments()` for `LinkedLDA`; None for own-document mixing.
    links : sparse matrix of shape (documents, documents), edge list or None, default None
        Links for `mixing`; None for those of the Corpus.
    n_jobs : int or None, default None
        Number of threads, as for the models.

    Returns
    -------
    int
        Number of bytes.

    Examples
    --------
    >>> from plait import Corpus
    >>> corpus = Corpus.from_texts(["red green", "green blue blue"])
    >>> estimate_memory(corpus, n_topics=10) > 2**20
    True
    """
    counts = getattr(corpus, "word_counts", corpus)
    stored = isinstance(counts, StoredCounts)
    ranked = StoredRankedCounts(counts) if stored else MatrixCounts(counts)
    n_documents, n_words = counts.shape
    width = padded_width(n_topics)
    tokens = float(counts.sum())
    alone = mixing is None and not n_labels and not n_pairs
    kind = as_sampler(sampler).for_corpus(tokens, n_topics, lists=alone)
    shards = default_shards(tokens)
    lengths = ranked.lengths
    runs = cut_documents(lengths, shards)
    rows = [ranked.present(first, last).size for first, last in runs]
    held = n_documents * 16 + (0 if stored else counts.nnz * 12)  # the corpus itself
    working = counts.nnz * 8 + n_documents * 16  # word numbers of the shards
    candidates = None if mixing is None else mixing.candidates(_link_matrix(corpus, links), lengths)
    if kind.state_form == "shares":
        # With linked documents, an entry has one row of shares per candidate source.
        spread = (counts.entries if stored else np.diff(counts.indptr)) * (
            1 if candidates is None else np.diff(candidates.starts)
        )
        state = int(spread.sum()) * width * np.dtype(kind.share_type).itemsize + n_documents * width * 4
    else:
        state = tokens * (1 if n_topics <= 256 else 2)
    picking = counts.nnz * 16 if hasattr(kind, "sparsity") else 0
    tables = _table_rows(rows, n_words, count_jobs(n_jobs), kind.state_form == "shares") * width * 4
    if kind.synchronous:
        tables = _frozen_bytes(tokens, n_words, width, kind.lists_topics(n_topics) and candidates is None)
    # With shares, almost no count is 0.
    kept = n_words * n_topics if kind.state_form == "shares" else min(tokens, n_words * n_topics)
    samples = n_samples * kept * 12
    # Of further chains only samples are kept; in a sample a word has few topics (3 on 20 Newsgroups).
    few = kept if kind.state_form == "shares" else min(kept, 6 * n_words)
    samples += (n_chains - 1) * n_samples * few * 8
    # Sign, pull, precision and label per document and task, 21 bytes, and what the allocator keeps between short-lived
    # arrays (measured); sums over pairs of topics.
    labels = n_documents * n_labels * 32 + n_labels * n_topics**2 * 16
    pairs = _pair_bytes(n_pairs, n_documents, n_topics, width) if n_pairs else 0
    # Samples of a model of links include the topics of the documents; a document has at most half of them.
    samples += n_chains * n_samples * 6 * min(tokens, n_documents * n_topics) * (n_pairs > 0)
    influence = 0
    if candidates is not None:
        influence = _influence_bytes(candidates, runs, n_documents, n_topics, kind.state_form == "tokens", tokens)
        samples += n_chains * n_samples * 12 * min(tokens, n_documents * n_topics)
    # Topics of the documents: sums over samples, and the parts that they are made of; proportions of all topics with
    # linked documents.
    topics = 12 * min((1.0 + 0.1 * (n_samples - 1)) * tokens, n_documents * n_topics)
    if candidates is not None or kind.state_form == "shares":
        topics = 2 * n_documents * n_topics * 8
    results = topics + 2 * n_words * n_topics * 8
    # The first sweeps change most counts, and there is no sample yet.
    changes = 0.0
    if len(runs) > 1 and kind.state_form == "tokens" and not kind.synchronous:
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        changes = _BYTES_PER_CHANGE * _changed_counts(totals, len(runs), n_topics)
    return int(
        _PROCESS_BYTES
        + held + working + state + picking + tables + labels + pairs + influence
        + max(samples + results, changes)
    )  # fmt: skip


def _changed_counts(word_tokens: np.ndarray, n_shards: int, n_topics: int) -> float:
    """Return about how many counts of all shards the first sweep changes.

    Almost every token leaves its topic for another one. The 2 n changes of a word with n tokens in a shard are spread
    over its topics as if at random, and several changes of one count are one.
    """
    moves = 2 * word_tokens / n_shards
    return float(n_shards * n_topics * -np.expm1(-moves / n_topics).sum())


def _table_rows(rows: list[int], n_words: int, n_threads: int, shares: bool) -> int:
    """Return the number of rows of all tables of topic–word counts.

    One shard has one table, with the counts summed up once more when it is recounted. Several shards share one, keep
    the rows of their own words, and are swept in one table per thread. With shares, the changes of all rows of all
    shards are held until they are added.
    """
    if len(rows) < 2:
        return 2 * n_words
    return 2 * n_words + min(n_threads, len(rows)) * max(rows) + (sum(rows) if shares else 0)


def _frozen_bytes(tokens: float, n_words: int, width: int, listed: bool) -> int:
    """Return the memory for the counts of a synchronous sampler: one table, and the moves of all tokens.

    Lists have 6 bytes per topic of a word, padded by half a block on average; a recount sorts them. Rows of long lists,
    which a sweep makes, are not added: they come when the memory of the recount is free again.
    """
    pairs = min(tokens, n_words * width)
    return int(8 * tokens + (60 * pairs + 96 * n_words if listed else 4 * n_words * width + 16 * pairs))


def _pair_bytes(n_pairs: int, n_documents: int, n_topics: int, width: int) -> int:
    """Return the memory for pairs of documents.

    Per pair: its ends, cost, value, pull and precision, and for both ends the position of the other. Directions of both
    kinds. Sums over pairs of pairs of topics, and their covariance.
    """
    sums = (n_topics * (n_topics + 1) // 2) ** 2 * 8
    return n_pairs * 180 + n_documents * width * 24 + min(4 * sums, sums + (256 << 20)) + n_topics**4 * 8


def _influence_bytes(
    candidates: Candidates,
    runs: list[tuple[int, int]],
    n_documents: int,
    n_topics: int,
    tokens_drawn: bool,
    tokens: float,
) -> int:
    """Return the memory for linked documents.

    Per token: its source. Per candidate: its position, γ, tokens and shares, and the links with their influence at the
    end. Per document: the topics drawn from it, in total and per shard, their periodic recount and their average.
    """
    width = padded_width(n_topics)
    starts, documents, _ = candidates
    drawn = tokens if tokens_drawn else 0
    rows = sum(np.unique(documents[starts[first] : starts[last]]).size for first, last in runs)
    tables = (n_documents + rows) * width * 4 + n_documents * width * 8
    return int(drawn + documents.size * 120 + tables + 3 * n_documents * n_topics * 8)


def _link_matrix(corpus: Any, links: Any) -> sparse.csr_array | None:
    given = getattr(corpus, "links", None) if links is None else links
    return None if given is None else sparse.csr_array(as_matrix(given))
