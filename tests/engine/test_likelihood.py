"""The log-likelihood that a shard computes where its sampler does not, against the definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.engine.likelihood import log_likelihood
from plait.mixing import LinkedDocuments, OwnDocument
from plait.priors import SymmetricPrior, TablePrior
from plait.samplers import Limit, Plain, Sampler
from plait.samplers.base import Counts, SweepInfo
from tests.samplers.small import Inline, shards_of

N_DOCUMENTS, N_WORDS, N_TOPICS = 17, 23, 5
ALPHA = np.array([0.2, 0.5, 0.1, 0.9, 0.3])
RNG = np.random.default_rng(2)
COUNTS = sparse.csr_array(RNG.poisson(0.9, size=(N_DOCUMENTS, N_WORDS)).astype(np.int32))
LINKS = sparse.csr_array((RNG.random((N_DOCUMENTS, N_DOCUMENTS)) < 0.2).astype(float))
TABLE = RNG.uniform(0.05, 1.5, size=(N_TOPICS, N_WORDS))
MIXINGS = {"own": OwnDocument(ALPHA), "linked": LinkedDocuments(ALPHA, p=3.0)}
PRIORS = {"number": SymmetricPrior(0.3), "table": TablePrior(TABLE)}


@dataclass(frozen=True)
class SilentPlain(Plain):
    """Plain sampling that does not say how likely tokens were."""

    def sweep(self, documents, state, counts, factors, key, prepared):
        """Sweep, and drop the likelihood."""
        info = super().sweep(documents, state, counts, factors, key, prepared)
        return SweepInfo(None, info.n_tokens)


@dataclass(frozen=True)
class SilentLimit(Limit):
    """The same where words are spread over topics."""

    def sweep(self, documents, state, counts, factors, key, prepared):
        """Sweep, and drop the likelihood."""
        info = super().sweep(documents, state, counts, factors, key, prepared)
        return SweepInfo(None, info.n_tokens)


@dataclass(frozen=True)
class Idle(Sampler):
    """Leaves all topics where they are and knows no likelihood."""

    name: ClassVar[str] = "idle"
    state_form: ClassVar[str] = "tokens"

    def sweep(self, documents, state, counts, factors, key, prepared):
        """Change nothing."""
        return SweepInfo(None, float(state.size))


def make_chain(sampler, mixing, prior, n_shards=1):
    chain = Chain(
        COUNTS, N_TOPICS, mixing=MIXINGS[mixing], prior=PRIORS[prior], sampler=sampler, seed=1, n_shards=n_shards,
        links=LINKS if mixing == "linked" else None,
    )  # fmt: skip
    chain.start(Inline())
    return chain


def naive_log_likelihood(chain, documents=range(N_DOCUMENTS)):
    """Σ n_dw log Σ_k ϑ_dk φ_kw of some documents, one token after the other, from the counts of the whole chain."""
    words = chain.word_topic().T + np.broadcast_to(chain.beta, (N_TOPICS, N_WORDS))
    phi = words / words.sum(axis=1, keepdims=True)
    drawn = chain.drawn_topics().toarray() + chain.alpha
    theta = drawn / drawn.sum(axis=1, keepdims=True)
    chi = np.eye(N_DOCUMENTS)
    if chain.candidates is not None:
        starts, sources, _ = chain.candidates
        chi = np.zeros((N_DOCUMENTS, N_DOCUMENTS))
        for d in range(N_DOCUMENTS):
            own = slice(starts[d], starts[d + 1])
            chi[d, sources[own]] = chain.influence()[own]
    mixed = chi @ theta
    return sum(
        COUNTS[d, w] * np.log(sum(mixed[d, k] * phi[k, w] for k in range(N_TOPICS)))
        for d in documents
        for w in range(N_WORDS)
        if COUNTS[d, w]
    )


@pytest.mark.parametrize("sampler", [SilentPlain(), SilentLimit()], ids=["tokens", "shares"])
@pytest.mark.parametrize("mixing", MIXINGS)
@pytest.mark.parametrize("prior", PRIORS)
def test_a_shard_computes_the_likelihood_that_a_sampler_does_not(sampler, mixing, prior):
    chain = make_chain(sampler, mixing, prior)
    for _ in range(3):
        info = chain.sweep()
        assert info.log_likelihood == pytest.approx(naive_log_likelihood(chain), rel=1e-5)
        assert info.n_tokens == COUNTS.sum()


@pytest.mark.parametrize("mixing", MIXINGS)
@pytest.mark.parametrize("prior", PRIORS)
def test_every_shard_computes_the_likelihood_of_its_documents(mixing, prior):
    chain = make_chain(Idle(), mixing, prior, n_shards=3)
    assert len(shards_of(chain)) == 3
    results = []
    each = chain._executor.each
    chain._executor.each = lambda method, message=None: results.append(each(method, message)) or results[-1]
    info = chain.sweep()
    parts = [result.info.log_likelihood for result in results[0]]
    for (first, last), part in zip(chain.plan.runs, parts, strict=True):
        assert part == pytest.approx(naive_log_likelihood(chain, range(first, last)), rel=1e-6)
    assert info.log_likelihood == sum(parts)
    assert info.n_tokens == COUNTS.sum()


def test_a_likelihood_that_a_sampler_computes_is_kept():
    silent, plain = (make_chain(sampler, "own", "number") for sampler in (SilentPlain(), Plain()))
    seen = [[chain.sweep().log_likelihood for _ in range(3)] for chain in (silent, plain)]
    assert silent.state()["topics"].tobytes() == plain.state()["topics"].tobytes()
    assert (np.array(seen[0]) != np.array(seen[1])).all()
    # Both average log p(token); a sampler takes it before each draw, from counts without the token.
    np.testing.assert_allclose(np.array(seen[0]) / seen[1], 1.0, atol=0.3)


def test_an_empty_document_adds_nothing():
    chain = make_chain(Idle(), "own", "number")
    (shard,) = shards_of(chain)
    documents = shard.documents._replace(
        starts=np.append(shard.documents.starts, shard.documents.starts[-1]),
        offsets=np.append(shard.documents.offsets, shard.documents.offsets[-1]),
    )
    counts, factors = Counts(shard._word_rows.open(chain._tables.words), chain._tables.totals), shard._factors
    doc_topic = shard.state.doc_topic()
    longer = log_likelihood(documents, np.vstack([doc_topic, np.zeros(N_TOPICS)]), counts, factors)
    assert longer == log_likelihood(shard.documents, doc_topic, counts, factors)
    assert longer.log_likelihood == pytest.approx(naive_log_likelihood(chain), rel=1e-6)
