"""Words that two documents share as pair features: rare words, and words that linked documents share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_above_zero
from plait.pair_features.base import PairFeature
from plait.pair_features.network import KnownNetwork, PairBlock, weigh_words

_LINKS = 20_000  # whose common words are in memory at once


@dataclass(frozen=True)
class RareWords(PairFeature):
    """Cosine similarity of word counts weighted by log(documents / documents with the word) to a power.

    Rare words count for more than in `TextCosine`, whose weight of a word is 1 + log(…).

    Parameters
    ----------
    power : float, default 1.5
        Power of the logarithm.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array([[1, 1, 0], [1, 0, 1]]), sparse.csr_array((2, 2)))
    >>> RareWords().values(network.new(sparse.csr_array([[1, 1, 0]]))).toarray().round(2).tolist()
    [[1.0, 0.0]]
    """

    power: float = 1.5

    name: ClassVar[str] = "rare_words"
    needs_words: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """Name, and the power if it is not the default."""
        return self.name if self.power == 1.5 else f"{self.name}({self.power:g})"

    def check(self) -> None:
        """Reject a power that is not above 0."""
        check_above_zero("power", self.power)

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the cosine similarities."""
        network = pairs.network
        weights = (network.inverse_frequencies - 1) ** self.power
        known = network.derive(self.label, lambda: sparse.csr_array(weigh_words(network.counts, weights).T))
        return _product(pairs, weigh_words(pairs.counts, weights), known)


@dataclass(frozen=True)
class LinkWords(PairFeature):
    """Similarity in the words that linked documents share more often than other documents do.

    A word that both ends of n links have, where e are expected for pairs at random, has the weight
    log((n + 1) / (e + 1)), at least 0. The value is the cosine of the documents' words with these weights; how often a
    word occurs in a document does not matter.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> counts = sparse.csr_array(np.kron(np.eye(2), np.ones((4, 1))).repeat(2, axis=1))
    >>> links = sparse.csr_array(np.kron(np.diag([1, 0]), np.ones((4, 4))))
    >>> LinkWords().values(KnownNetwork(counts, links).new(counts[[0, 4]])).toarray().round(2)[:, [1, 5]].tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """

    name: ClassVar[str] = "link_words"
    needs_words: ClassVar[bool] = True

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the cosine similarities."""
        network = pairs.network
        roots = network.derive("weights of link words", lambda: np.sqrt(link_word_weights(network)))
        known = network.derive(self.label, lambda: sparse.csr_array(weigh_words(occurrences(network.counts), roots).T))
        return _product(pairs, weigh_words(occurrences(pairs.counts), roots), known)


def link_word_weights(network: KnownNetwork) -> np.ndarray:
    """Return the weight of each word: how much more often linked documents share it than documents at random.

    Parameters
    ----------
    network : KnownNetwork
        Words and links.
    """
    words = occurrences(network.counts)
    sources, targets = sparse.triu(network.either).nonzero()
    shared = np.zeros(words.shape[1])
    for first in range(0, sources.size, _LINKS):
        ends = slice(first, first + _LINKS)
        shared += np.asarray(words[sources[ends]].multiply(words[targets[ends]]).sum(axis=0)).ravel()
    expected = sources.size * (np.asarray(words.sum(axis=0)).ravel() / max(words.shape[0], 1)) ** 2
    return np.maximum(np.log((shared + 1) / (expected + 1)), 0)


def occurrences(counts: sparse.csr_array) -> sparse.csr_array:
    """Return 1 for words that occur.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        Word counts.
    """
    return sparse.csr_array(((counts.data != 0).astype(np.float64), counts.indices, counts.indptr), shape=counts.shape)


def _product(pairs: PairBlock, own: sparse.csr_array, known: sparse.csr_array) -> sparse.csr_array:
    """Return the products of sources with known documents; 0 of a known document with itself."""
    found = sparse.csr_array(own @ known)
    found.sort_indices()
    if pairs.rows is not None:
        found.data[np.repeat(pairs.rows, np.diff(found.indptr)) == found.indices] = 0
    return found
