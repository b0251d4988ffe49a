"""Query likelihood as a pair feature: how probable the words of the source are in the language of a known document.

Documents are ranked by the likelihood of a query under a smoothed unigram model of each (Ponte and Croft, 1998) with a
Dirichlet prior (Zhai and Lafferty, 2001). The query is the source, and a known document speaks with the words of its
neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.pair_features.base import PairFeature
from plait.pair_features.network import KnownNetwork, PairBlock
from plait.pair_features.votes import keep_largest
from plait.pair_features.words import occurrences

_PRIOR = 30.0  # μ, weight of the words of all documents, in words
_NEIGHBOURS = 10.0  # weight of the average of the neighbours; the document's own words weigh 1
_MOST_WORDS = 300  # per known document: those whose probability rises most
_ROWS = 1_000  # documents whose words are in memory at once


class _Language(NamedTuple):
    """Unigram models of the known documents."""

    rises: sparse.csr_array  # words × documents: log of P(word | document) / P(word), less `falls`
    falls: np.ndarray  # log of P(word | document) / P(word) of words that the document does not have


@dataclass(frozen=True)
class QueryLikelihood(PairFeature):
    """Probability of the source's words in a document and its neighbours, relative to that in all documents.

    A known document has n(w) = own + 10 × average of its neighbours, where own is 1 for each of its words, and
    P(w | document) = (n(w) + 30 P(w)) / (Σ n + 30), where P(w) is the share of word w in all documents. The value is
    the geometric mean of P(w | document) / P(w) over the words of the source, and 0 for a source without words. How
    often a word occurs in a document does not matter. Of a known document and its neighbours, the 300 words with the
    highest ratio are used.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    >>> QueryLikelihood().values(network.new(sparse.csr_array([[3, 0, 0]]))).round(2).tolist()
    [[0.8, 1.46, 0.97]]
    """

    name: ClassVar[str] = "query_likelihood"
    needs_words: ClassVar[bool] = True

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the ratios of probabilities."""
        language: _Language = pairs.network.derive(self.label, lambda: _learn_language(pairs.network))
        words = occurrences(pairs.counts)
        lengths = np.asarray(words.sum(axis=1)).ravel()
        words.data /= np.repeat(np.maximum(lengths, 1), np.diff(words.indptr))
        found = np.exp((words @ language.rises).toarray() + language.falls)
        found[lengths == 0] = 0
        if pairs.rows is not None:
            found[np.arange(pairs.rows.size), pairs.rows] = 0
        return found


def _learn_language(network: KnownNetwork) -> _Language:
    words = occurrences(network.counts)
    numbers = np.asarray(words.sum(axis=0)).ravel()
    prior = _PRIOR * np.maximum(numbers, 1) / max(numbers.sum(), 1)  # 1 for words that no document has
    mean = sparse.csr_array(sparse.diags_array(_NEIGHBOURS / np.maximum(network.degrees, 1)) @ network.either)
    parts, lengths = [], [np.empty(0)]
    for first in range(0, network.n_documents, _ROWS):
        rows = slice(first, first + _ROWS)
        found = sparse.csr_array(words[rows] + mean[rows] @ words)
        found.sort_indices()
        lengths.append(np.asarray(found.sum(axis=1)).ravel())
        found.data = np.log1p(found.data / prior[found.indices])
        if found.nnz and np.diff(found.indptr).max() > _MOST_WORDS:
            found = keep_largest(found, _MOST_WORDS)
        parts.append(_compact(found))
    stacked = sparse.vstack(parts, format="csr")
    parts.clear()  # the table is in memory only twice
    return _Language(sparse.csr_array(stacked.T), np.log(_PRIOR / (_PRIOR + np.concatenate(lengths))))


def _compact(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix with eight bytes per entry."""
    arrays = (matrix.data.astype(np.float32), matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
    return sparse.csr_array(arrays, shape=matrix.shape)
