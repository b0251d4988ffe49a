"""Topics of documents folded in by their links: the averages of every topic assignment, listed one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import gammaln, log_ndtr
from scipy.stats import chisquare

from plait.engine import pair_fold_in
from plait.engine.pair_fold_in import (
    EITHER,
    FROM,
    TO,
    KnownLinks,
    KnownPairs,
    NewDocuments,
    PairFoldIn,
    pair_documents,
)
from plait.engine.sample import Sample
from plait.executors import open_executor
from plait.responses import Hinge, Logistic, Probit
from plait.responses.losses import Loss, Pseudo

N_WORDS = 3
UNKNOWN = N_WORDS
ALPHA = np.array([0.4, 0.9])
DOC_TOPIC = np.array([[3, 1], [0, 5], [2, 2], [0, 0], [6, 1]])  # the fourth document has no words
WEIGHTS = np.array([[4.0, -3.0], [1.0, -2.5]])
SAMPLE = Sample(
    sparse.csr_array(np.array([[5, 0], [2, 4], [1, 6]])), ALPHA, 0.3, [WEIGHTS], sparse.csr_array(DOC_TOPIC)
)
LENGTHS = DOC_TOPIC.sum(axis=1).astype(float)
N_KEYS = 400
N_SWEEPS = 30

CASES = {
    "two unknown words, a link": ([UNKNOWN], [2], [0], [1], [1]),
    "two unknown words, a pair without a link": ([UNKNOWN], [2], [0], [-1], [1]),
    "three unknown words, links and others": ([UNKNOWN], [3], [0, 1, 2, 4], [1, -1, 1, -1], [1, 1, 1, 1]),
    "known words and links": ([0, 2], [1, 2], [1, 4, 0], [-1, 1, 1], [1, 1, 1]),
    "known and unknown words": ([1, UNKNOWN], [1, 2], [4, 0], [1, 1], [1, 1]),
    "costs": ([UNKNOWN], [3], [0, 1, 4], [1, 1, -1], [4, 2, 1]),
    "a link with a document without words": ([UNKNOWN], [2], [3, 0], [1, 1], [1, 1]),
    "no pairs": ([0, UNKNOWN], [1, 1], [], [], []),
    "an outgoing link": ([UNKNOWN], [2], [0], [1], [1], [TO]),
    "an incoming link": ([UNKNOWN], [2], [0], [1], [1], [FROM]),
    "links in both directions and others": (
        [UNKNOWN, 2], [2, 1], [0, 0, 1, 1, 4], [1, 1, -1, 1, -1], [3, 3, 1, 3, 1], [TO, FROM, TO, FROM, FROM],
    ),
}  # fmt: skip


class One(NamedTuple):
    """A new document: its words, how often each occurs, and its pairs with training documents."""

    words: list[int]
    counts: list[int]
    known: list[int]
    signs: list[int]
    costs: list[int]
    sides: list[int] | None = None  # EITHER where none are given


def batch(documents, keys=None):
    """Documents for the fold-in; their keys are their numbers where none are given."""
    starts = np.concatenate([[0], np.cumsum([len(each.words) for each in documents])])
    documents = [each._replace(sides=each.sides or [EITHER] * len(each.known)) for each in documents]
    joined = {name: np.concatenate([[], *(getattr(each, name) for each in documents)]) for name in One._fields}
    data = joined["counts"].astype(np.int32), joined["words"].astype(np.int32), starts
    pair_starts = np.concatenate([[0], np.cumsum([len(each.known) for each in documents])]).astype(np.int64)
    return NewDocuments(
        sparse.csr_array(data, shape=(len(documents), N_WORDS + 1)),
        KnownPairs(
            pair_starts, joined["known"].astype(np.int64), joined["signs"], joined["costs"], joined["sides"].astype(int)
        ),
        np.array(range(len(documents)) if keys is None else keys, np.uint64),
    )


def fold(documents, n_sweeps=N_SWEEPS, loss=None, keys=None, n_jobs=1, sample=SAMPLE, lengths=LENGTHS):
    with open_executor(None, n_jobs) as executor:
        fold_in = PairFoldIn(sample, lengths, Logistic() if loss is None else loss)
        return fold_in.proportions(batch(documents, keys), n_sweeps, executor)


def logistic(value, cost):
    return -cost * np.log1p(np.exp(-value))


def probit(value, cost):
    return cost * log_ndtr(value)


def hinge(value, cost, ell=1.5):
    return -2 * cost * max(0.0, ell - value)


def enumerated(new, log_likelihood):
    """ϑ averaged over all assignments of topics to words, the auxiliary variables integrated out."""
    topic_word = SAMPLE.word_topic.toarray().T + 0.3
    topic_word /= topic_word.sum(axis=1, keepdims=True)
    tokens = np.repeat(new.words, new.counts)
    total, mass = np.zeros(2), 0.0
    for topics in product(range(2), repeat=len(tokens)):
        counted = np.bincount(topics, minlength=2)
        log_weight = gammaln(counted + ALPHA).sum()
        log_weight += sum(np.log(topic_word[k, w]) for k, w in zip(topics, tokens, strict=True) if w != UNKNOWN)
        sides = new.sides or [EITHER] * len(new.known)
        for known, sign, cost, side in zip(new.known, new.signs, new.costs, sides, strict=True):
            own, its_topics = counted / len(tokens), DOC_TOPIC[known] / max(DOC_TOPIC[known].sum(), 1)
            to, back = own @ WEIGHTS @ its_topics, its_topics @ WEIGHTS @ own  # the value of source and target
            value = {TO: to, FROM: back, EITHER: (to + back) / 2}[side]
            log_weight += log_likelihood(sign * value, cost)
        total += np.exp(log_weight) * (counted + ALPHA) / (len(tokens) + ALPHA.sum())
        mass += np.exp(log_weight)
    return total / mass


@pytest.mark.parametrize("loss", ["logistic", "hinge", "probit"])
@pytest.mark.parametrize("case", CASES)
def test_average_proportions_are_those_of_every_assignment(case, loss):
    losses = {"logistic": (Logistic(), logistic), "hinge": (Hinge(1.5), hinge), "probit": (Probit(), probit)}
    kind, log_likelihood = losses[loss]
    drawn = fold([One(*CASES[case])] * N_KEYS, loss=kind)
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    exact = enumerated(One(*CASES[case]), log_likelihood)
    standard_error = drawn[:, 0].std(ddof=1) / np.sqrt(N_KEYS)
    assert abs(drawn[:, 0].mean() - exact[0]) < 4.5 * standard_error


def test_the_cases_tell_links_from_none():
    """That the average of a test above is not the same whatever the links say."""
    for case in ("three unknown words, links and others", "known words and links", "costs"):
        new = One(*CASES[case])
        flipped = new._replace(signs=[-sign for sign in new.signs])
        assert abs(enumerated(new, logistic)[0] - enumerated(flipped, logistic)[0]) > 0.08


def test_the_cases_tell_directions():
    outgoing, incoming = (enumerated(One(*CASES[f"an {way} link"]), logistic)[0] for way in ("outgoing", "incoming"))
    assert abs(outgoing - incoming) > 0.08
    new = One(*CASES["links in both directions and others"])
    reversed_sides = new._replace(sides=[{TO: FROM, FROM: TO}[side] for side in new.sides])
    assert abs(enumerated(new, logistic)[0] - enumerated(reversed_sides, logistic)[0]) > 0.08


def test_a_document_without_words_has_the_topics_of_the_prior():
    documents = [One([], [], [0], [1], [1]), One([], [], [], [], [])]
    np.testing.assert_allclose(fold(documents, 5), [ALPHA / ALPHA.sum()] * 2)


def test_an_empty_batch_has_no_topics():
    assert fold([]).shape == (0, 2)
    counts, linked = sparse.csr_array((0, N_WORDS + 1), dtype=np.int32), sparse.csr_array((0, 5))
    assert pair_documents(counts, [KnownLinks(EITHER, linked, 3)], (1.0, 1.0), 0).pairs.known.size == 0


def test_the_same_key_gives_the_same_topics_and_another_key_others():
    case = One(*CASES["known and unknown words"])
    first, second, again = fold([case] * 3, 20, keys=[1, 2, 1])
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != second.tobytes()


@pytest.mark.parametrize("loss", [Logistic(), Hinge(1.5)])
def test_topics_do_not_depend_on_threads_or_other_documents(loss, monkeypatch):
    documents = [One(*case) for case in CASES.values()] * 4
    keys = np.arange(len(documents)) + 100
    together = fold(documents, 20, loss, keys)
    order = np.random.default_rng(0).permutation(len(documents))
    moved = fold([documents[number] for number in order], 20, loss, keys[order])
    assert moved.tobytes() == together[order].tobytes()
    alone = [fold([documents[number]], 20, loss, keys[[number]])[0] for number in range(12)]
    assert np.array(alone).tobytes() == together[:12].tobytes()
    monkeypatch.setattr(pair_fold_in, "_CHUNK", 3)
    monkeypatch.setattr(pair_fold_in, "_BLOCK", 2)
    for n_jobs in (1, 2, 5):
        assert fold(documents, 20, loss, keys, n_jobs).tobytes() == together.tobytes()


@dataclass(frozen=True)
class NumpyHinge(Loss):
    """A hinge loss that a user wrote, with NumPy's names."""

    name: ClassVar[str] = "numpy hinge"

    def begin(self, targets, costs):
        return Pseudo(costs * targets, np.ones_like(costs))

    def observe(self, targets, values, costs, random):
        mean = 1.0 / (costs * np.abs(1.6 - targets * values))
        square = random.standard_normal(values.shape) ** 2
        root = mean + mean * (mean * square - np.sqrt(4 * mean * square + (mean * square) ** 2)) / 2
        inverse = np.where(random.random(values.shape) <= mean / (mean + root), root, mean**2 / root)
        return Pseudo(costs * targets * (1 + costs * 1.6 * inverse), costs**2 * inverse)


def test_a_loss_written_for_numpys_generator_works_unchanged():
    case = One(*CASES["three unknown words, links and others"])
    drawn = fold([case] * N_KEYS, loss=NumpyHinge())
    standard_error = drawn[:, 0].std(ddof=1) / np.sqrt(N_KEYS)
    exact = enumerated(case, partial(hinge, ell=1.6))
    assert abs(drawn[:, 0].mean() - exact[0]) < 4.5 * standard_error


@pytest.mark.parametrize("n_topics", [1, 17])
def test_any_number_of_topics(n_topics):
    """Tables are as wide as blocks of topics: those that fill it up are never drawn."""
    rng = np.random.default_rng(0)
    doc_topic = rng.poisson(1.0, size=(6, n_topics)) + 1
    sample = Sample(
        sparse.csr_array(rng.poisson(2.0, size=(N_WORDS, n_topics))),
        np.full(n_topics, 0.3),
        0.1,
        [rng.normal(size=(n_topics, n_topics))],
        sparse.csr_array(doc_topic),
    )
    document = One([0, UNKNOWN], [2, 30], [1, 4], [1, -1], [1, 1])
    (shares,) = fold([document], 20, sample=sample, lengths=doc_topic.sum(axis=1).astype(float))
    assert shares.shape == (n_topics,)
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1)


def paired(n_new, n_known, n_unlinked, seed=0):
    """New documents with random links, different words, and pairs without a link."""
    linked = sparse.csr_array(np.random.default_rng(1).random((n_new, n_known)) < 0.3, dtype=float)
    words = np.arange(n_new)[:, np.newaxis] % 50 + np.array([[1, 0, n_new]])
    links = [KnownLinks(EITHER, linked, n_unlinked)]
    return linked, pair_documents(sparse.csr_array(words.astype(np.int32)), links, (4.0, 0.5), seed)


@pytest.mark.parametrize("n_unlinked", [0, 1, 4, 8, 100])
def test_pairs_without_a_link_are_distinct_and_no_partners(n_unlinked):
    linked, documents = paired(200, 12, n_unlinked)
    for row in range(200):
        own = slice(*documents.pairs.starts[row : row + 2])
        partners = linked.indices[linked.indptr[row] : linked.indptr[row + 1]]
        known, signs = documents.pairs.known[own], documents.pairs.signs[own]
        np.testing.assert_array_equal(known[signs > 0], partners)
        drawn = known[signs < 0]
        assert drawn.size == min(n_unlinked, 12 - partners.size)
        assert set(drawn) <= set(range(12)) - set(partners)
        assert np.unique(drawn).size == drawn.size
        np.testing.assert_array_equal(documents.pairs.costs[own], np.where(signs > 0, 4.0, 0.5))


def test_pairs_without_a_link_are_drawn_evenly():
    """Every pair of the five documents that are no partners is as likely as any other."""
    n_new = 20_000
    linked = sparse.csr_array(np.tile([0.0, 1, 0, 0, 1, 0, 0], (n_new, 1)))
    words = sparse.csr_array(np.arange(1, n_new + 1, dtype=np.int32)[:, np.newaxis])
    documents = pair_documents(words, [KnownLinks(EITHER, linked, 2)], (1.0, 1.0), 0)
    drawn = documents.pairs.known[documents.pairs.signs < 0].reshape(n_new, 2)
    _, counted = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    assert counted.size == 10
    assert chisquare(counted).pvalue > 0.001


def test_pairs_and_keys_depend_on_the_document_alone():
    linked, documents = paired(40, 12, 4)
    rows = np.random.default_rng(2).permutation(40)[:15]
    some = pair_documents(documents.counts[rows], [KnownLinks(EITHER, linked[rows], 4)], (4.0, 0.5), 0)
    np.testing.assert_array_equal(some.keys, documents.keys[rows])
    for place, row in enumerate(rows):
        expected = documents.pairs.known[slice(*documents.pairs.starts[row : row + 2])]
        np.testing.assert_array_equal(some.pairs.known[slice(*some.pairs.starts[place : place + 2])], expected)
    _, others = paired(40, 12, 4, seed=1)
    assert np.unique([documents.keys, others.keys]).size == 80
    without_links = pair_documents(
        documents.counts, [KnownLinks(EITHER, sparse.csr_array(linked.shape), 4)], (4.0, 0.5), 0
    )
    assert np.unique([documents.keys, without_links.keys]).size == 80


def test_each_direction_has_its_own_links_and_pairs_without_one():
    rng = np.random.default_rng(1)
    links = {side: sparse.csr_array(rng.random((30, 12)) < 0.3, dtype=float) for side in (TO, FROM)}
    words = sparse.csr_array(np.arange(1, 31, dtype=np.int32)[:, np.newaxis])
    given = [KnownLinks(side, linked, 3) for side, linked in links.items()]
    pairs = pair_documents(words, given, (4.0, 0.5), 0).pairs
    for row in range(30):
        own = slice(*pairs.starts[row : row + 2])
        for side, linked in links.items():
            here = pairs.sides[own] == side
            known, signs = pairs.known[own][here], pairs.signs[own][here]
            np.testing.assert_array_equal(known[signs > 0], np.flatnonzero(linked[[row]].toarray()))
            assert np.count_nonzero(signs < 0) == 3
            assert not set(known[signs < 0]) & set(known[signs > 0])
    outgoing = pair_documents(words, given[:1], (4.0, 0.5), 0)
    assert set(outgoing.pairs.sides) == {TO}
