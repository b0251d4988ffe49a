"""Synchronous collapsed Gibbs sampling: all documents read the topic–word counts of the start of the sweep.

A sweep resamples a token of word w and topic j in document d from

    p(k)  ∝  (n_dk⁻ + α_k)  ×  (N_kw − [k = j] + β_kw) / (N_k − [k = j] + Σ_v β_kv)  ×  exp τ_d(k)

N are the counts of the start of the sweep, which count the token once, in j, because a sweep visits it once. n_dk are
the counts of the document, which follow every move; ⁻ leaves the token out. So nothing that a document reads is changed
by another document, and the result is the same for any number of shards, threads, processes and machines. What is
approximate: tokens of other documents, and other tokens of this document, are seen in N_kw and N_k as they were before
the sweep; the topics of linked documents, and the counts drawn from source documents by other documents, too. Frozen
counts are those of AD-LDA (Newman, Asuncion, Smyth and Welling, 2009) with one processor per document.

There are two forms. *Dense*, up to `MOST_DENSE` topics, and for any number with a table of β or linked documents: all
topics are weighed. *Sparse*, beyond: kernels/listed.py weighs the topics of the word, or those of the document, and
defines its arithmetic.

Arithmetic of the dense form
----------------------------
The definition for other implementations, such as GPUs, which must give the same topics, bit for bit. Numbers are
float32, every operation rounds to nearest, and a product and a sum are never fused. f(n) is an integer as float32.
Topic k is lane k mod 16 of block k div 16; B blocks hold all topics, and padding has α = 0 and Σβ = 1. Steps 3 to 7 are
the work of sixteen lanes, such as half a warp, per document.

1.  Per sweep: scale_k = 1 / (f(N_k) + Σβ_k) and less_k = 1 / (f(N_k − 1) + Σβ_k).
2.  Per document d, with e = scramble(key + d · STEP) in random.py: n_k = f(tokens in topic k), and
    mixture_k = ((n_k + α_k) · t_k) · scale_k. t_k is the tilt, 1 without responses: a cached one is computed once
    (`fill_tilt`), an exact one, and with it the mixture, at the start of every run of tokens (kernels/proposal.py).
3.  Per token, in the order of the document's words and, within a word, of its tokens; i counts them from 0. With j its
    topic, own = (((n_j − 1) + α_j) · t_j) · less_j.
4.  Block b = 0 … B − 1, lane l, topic k = 16 b + l: weight = mixture_k · (f(N_kw) + β_kw), and for k = j
    weight = own · ((f(N_jw) − 1) + β_jw). Running sums down the blocks: r[b][l] = r[b − 1][l] + weight, r[−1] = 0.
5.  c = r[B − 1], then for step = 1, 2, 4, 8, in all lanes at once: c[l] = c[l] + (c[l − step] if l ≥ step, else 0).
6.  target = u · c[15], where u = float32(scramble(e + i · STEP) >> 40) · 2⁻²⁴.
    lane = min(number of l with c[l] ≤ target, 15); rest = target − (c[lane − 1] if lane > 0, else 0);
    block = number of b in 0 … B − 2 with r[b][lane] ≤ rest; k = min(16 · block + lane, K − 1).
    With an exact tilt, a topic k ≠ j is a proposal: k = j if `accepts` in kernels/proposal.py rejects it.
7.  If k ≠ j: n_j −= 1, n_k += 1, mixture_j and mixture_k as in step 2, with an exact tilt `move_projections`, and the
    move (w, j, k) is recorded. After the sweep the moves are added to N, which are integers, in any order.

With linked documents (`fill_linked_mixture`) the rows of the document's candidates are copied at its start, and follow
its own tokens only; own = mixture_j · (less_j / scale_j). The log-likelihood is a float64 diagnostic outside this
definition: it uses the logarithm of the platform, and sums over shards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo, TopicLists
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.frozen import freeze, frozen_scratch, sweep_frozen_document
from plait.samplers.kernels.interleaved import make_slots, sweep_interleaved
from plait.samplers.kernels.listed import open_lists, sweep_listed_document
from plait.samplers.random import document_key

MOST_DENSE = 256  # topics; lists are used beyond
_MOST_LISTED = 65_520  # topics whose padded number fits into sixteen bits


@dataclass(frozen=True)
class Synchronous(Sampler):
    """Draw the topic of every token given topic–word counts of the start of the sweep; documents are independent.

    The result does not depend on the number of shards, and nothing is copied per shard or thread. Beyond 256 topics a
    token costs the number of topics of its word or of its document, whichever is less. Approximate: the counts of words
    are those before the sweep.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, sampler=Synchronous(), n_sweeps=5, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> model.doc_topic_.shape
    (10, 2)
    """

    name: ClassVar[str] = "synchronous"
    state_form: ClassVar[str] = "tokens"
    synchronous: ClassVar[bool] = True

    def lists_topics(self, n_topics: int) -> bool:
        """Return whether there are more topics than the dense form takes, and not more than a list can name."""
        return MOST_DENSE < n_topics <= _MOST_LISTED

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Resample every token of the shard once and record the changes of the counts."""
        if factors.observations is not None:  # directions are frozen, too
            factors = factors._replace(observations=factors.observations._replace(moving=None))
        if isinstance(counts.word_topic, TopicLists):
            return SweepInfo(
                *_sweep_lists(documents, state, counts, factors, open_lists(documents, counts, factors), key)
            )
        counts, frozen = freeze(counts, factors)
        if counts.sources is None and (factors.observations is None or not factors.observations.exact):
            log_likelihoods = np.empty(documents.starts.size - 1)
            slots = make_slots(documents, counts, factors)
            return SweepInfo(
                *_sweep_interleaved(documents, state, counts, factors, frozen, key, slots, log_likelihoods)
            )
        scratch, proposal = frozen_scratch(counts, factors)
        return SweepInfo(*_sweep_dense(documents, state, counts, factors, frozen, key, scratch, proposal))


@kernel
def _sweep_dense(documents, topics, counts, factors, frozen, key, scratch, proposal):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        log_likelihood += sweep_frozen_document(
            documents, document, topics, counts, factors, frozen, random_key, scratch, proposal
        )
    return log_likelihood, float(topics.size)


@kernel
def _sweep_interleaved(documents, topics, counts, factors, frozen, key, slots, log_likelihoods):
    sweep_interleaved(documents, topics, counts, factors, frozen, key, slots, log_likelihoods)
    log_likelihood = 0.0
    for document in range(log_likelihoods.size):
        log_likelihood += log_likelihoods[document]
    return log_likelihood, float(topics.size)


@kernel
def _sweep_lists(documents, topics, counts, factors, listed, key):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        log_likelihood += sweep_listed_document(documents, document, topics, counts, factors, listed, random_key)
    return log_likelihood, float(topics.size)
