"""Metrics of predicted links: mean link rank, AUC, average precision, hits@k; and word rank.

The candidates of a document are ranked by score, 1 for the highest; ties share their mean rank. AUC and average
precision are pooled over all pairs of a fold; pairs of a document without links are non-links. They are computed block
by block, because scikit-learn's functions need the scores of all pairs at once. Chang and Blei (2009) and Chen, Zhu,
Xia and Zhang (2013) report link rank and word rank averaged over folds (`mean_link_scores`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError

_PAIRS_PER_BLOCK = 4_000_000  # 32 MB of scores, and the same again when sorted
HITS = (10, 50, 100)


@dataclass(frozen=True)
class LinkScores:
    """Metrics of predicted links.

    Attributes
    ----------
    n_documents : int
        Number of documents with scores: rows of the matrix, or distinct sources of the pairs.
    n_links : int
        Number of links to predict.
    n_without_links : int
        Number of documents without links. They have no rank; their pairs are non-links in `auc` and
        `average_precision`.
    link_rank : float
        Rank of the linked document among the candidates of its source, averaged over links; 1 is best.
    auc : float or None
        Probability that a link has a higher score than a non-link, ties counted half; None if every pair is linked.
    average_precision : float
        Share of links among all pairs with at least the score of a link, averaged over links.
    hits : dict of int to float
        For each k, the share of links with rank k or better.

    Examples
    --------
    >>> scores = score_link_ranks(np.array([[0.9, 0.1, 0.5]]), np.array([[1, 0, 0]]))
    >>> scores.n_links, scores.link_rank, scores.auc
    (1, 1.0, 1.0)
    """

    n_documents: int
    n_links: int
    n_without_links: int
    link_rank: float
    auc: float | None
    average_precision: float
    hits: dict[int, float]


def score_link_ranks(
    scores: Any | Callable[[slice], Any], links: Any, *, leave_out: Any = None, hits: Sequence[int] = HITS
) -> LinkScores:
    """Return the metrics of scores of all pairs of documents and candidates.

    For new documents, the candidates are the training documents. For held-out links among known documents, the
    candidates are all documents, and `leave_out` contains the training links and the diagonal.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_candidates), or callable
        Predicted scores; higher means more likely. A callable takes a slice of rows and returns their scores, to save
        memory. It is called twice per block of rows.
    links : array-like or sparse matrix of shape (n_documents, n_candidates)
        Nonzero entries are links.
    leave_out : array-like or sparse matrix of shape (n_documents, n_candidates), default None
        Nonzero entries are neither ranked nor counted.
    hits : sequence of int, default (10, 50, 100)
        Values of k for hits@k.

    Returns
    -------
    LinkScores
        All metrics.

    Examples
    --------
    >>> found = score_link_ranks([[0.9, 0.1, 0.5], [0.2, 0.2, 0.1]], [[1, 0, 1], [0, 1, 0]], hits=[1])
    >>> found.link_rank, round(found.auc, 3), round(found.hits[1], 3)
    (1.5, 0.944, 0.333)
    """
    true, absent, cutoffs = _pattern(links, "links"), None, _cutoffs(hits)
    if true.nnz == 0:
        raise PlaitError("none of the documents has a link to a candidate; give documents with links")
    if leave_out is not None:
        absent = _pattern(leave_out, "leave_out")
        if absent.shape != true.shape:
            raise PlaitError(f"leave_out is of shape {absent.shape}, links of {true.shape}; give one entry per pair")
        if true.multiply(absent).nnz:
            raise PlaitError("some links are in leave_out as well; remove them from links or from leave_out")
    ranks, values = [], []
    for rows, block in _blocks(scores, true.shape, "scores", "links"):
        ranks.append(_ranks_in_rows(block, true[rows], None if absent is None else absent[rows]))
        values.append(_values(block, true[rows]))
    found = np.sort(np.concatenate(values))
    below, equal, n_pairs = np.zeros(len(found)), np.zeros(len(found)), 0
    for rows, block in _blocks(scores, true.shape, "scores", "links"):
        flat = block.ravel() if absent is None else block[~absent[rows].toarray()]
        flat = np.sort(flat)
        low, high = np.searchsorted(flat, found), np.searchsorted(flat, found, side="right")
        below, equal, n_pairs = below + low, equal + (high - low), n_pairs + len(flat)
    # The counts include the links themselves: subtract them.
    low, high = np.searchsorted(found, found), np.searchsorted(found, found, side="right")
    return _summary(
        np.concatenate(ranks),
        _Pooled(found, below - low, equal - (high - low), n_pairs - len(found)),
        cutoffs,
        n_documents=true.shape[0],
        n_without_links=int((np.diff(true.indptr) == 0).sum()),
    )


def score_link_pairs(
    linked: Any, unlinked: Any, linked_sources: Any, unlinked_sources: Any, *, hits: Sequence[int] = HITS
) -> LinkScores:
    """Return the metrics of scores of linked pairs and of sampled pairs without a link.

    A link is ranked among the sampled non-links of its source, so `link_rank` and `hits` depend on the number of
    samples (`split_edges` draws the same number for each link).

    Parameters
    ----------
    linked : array-like of shape (n_linked,)
        Scores of linked pairs; higher means more likely.
    unlinked : array-like of shape (n_unlinked,)
        Scores of pairs without a link.
    linked_sources : array-like of int of shape (n_linked,)
        Source of each linked pair.
    unlinked_sources : array-like of int of shape (n_unlinked,)
        Source of each pair without a link.
    hits : sequence of int, default (10, 50, 100)
        Values of k for hits@k.

    Returns
    -------
    LinkScores
        All metrics.

    Examples
    --------
    >>> found = score_link_pairs([0.8, 0.3], [0.5, 0.1, 0.2], [4, 7], [4, 4, 7], hits=[1])
    >>> found.link_rank, round(found.auc, 3), found.hits[1]
    (1.0, 0.833, 1.0)
    """
    found, others = _score_vector(linked, "linked"), _score_vector(unlinked, "unlinked")
    if not len(found) or not len(others):
        raise PlaitError(f"there are {len(found)} linked and {len(others)} unlinked pairs; give some of both")
    sources, other_sources = np.asarray(linked_sources), np.asarray(unlinked_sources)
    for name, given, values in (("linked", sources, found), ("unlinked", other_sources, others)):
        if given.shape != values.shape:
            raise PlaitError(f"{name}_sources is of shape {given.shape}, {name} of {values.shape}; give one per pair")
    # Replace scores by their ranks, which keep order and ties, so that (source, score) is one sortable integer.
    levels, level_of = np.unique(np.concatenate([found, others]), return_inverse=True)
    names, number_of = np.unique(np.concatenate([sources, other_sources]), return_inverse=True)
    keys = number_of * len(levels) + level_of
    own, rest = keys[: len(found)], np.sort(keys[len(found) :])
    low, high = np.searchsorted(rest, own), np.searchsorted(rest, own, side="right")
    end = np.searchsorted(rest, (number_of[: len(found)] + 1) * len(levels))
    ranks = 1 + (end - high) + (high - low) / 2
    ordered, flat = np.sort(found), np.sort(others)
    low, high = np.searchsorted(flat, ordered), np.searchsorted(flat, ordered, side="right")
    return _summary(
        ranks,
        _Pooled(ordered, low, high - low, len(flat)),
        _cutoffs(hits),
        n_documents=len(names),
        n_without_links=len(names) - len(np.unique(sources)),
    )


def score_word_ranks(probabilities: Any | Callable[[slice], Any], counts: Any) -> float:
    """Return the rank of the words of documents by predicted probability, averaged over tokens.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_words), or callable
        Predicted probability of each word. A callable takes a slice of rows and returns their probabilities.
    counts : array-like or sparse matrix of shape (n_documents, n_words)
        Word counts of the documents.

    Returns
    -------
    float
        Mean word rank, 1 for the most likely word; ties share their mean rank.

    Examples
    --------
    >>> score_word_ranks([[0.7, 0.2, 0.1]], [[2, 0, 1]])
    1.6666666666666667
    """
    words = sparse.csr_array(counts, copy=True)
    words.eliminate_zeros()
    if not words.nnz:
        raise PlaitError("the documents have no words to rank; give documents with words")
    total = 0.0
    for rows, block in _blocks(probabilities, words.shape, "probabilities", "counts"):
        here = words[rows]
        total += float(_ranks_in_rows(block, here, None) @ here.data)
    return total / float(words.sum())


def mean_link_scores(folds: Sequence[LinkScores]) -> LinkScores:
    """Return the mean of the metrics over folds; numbers of documents and links are summed.

    Parameters
    ----------
    folds : sequence of LinkScores
        Metrics of each fold.

    Returns
    -------
    LinkScores
        Mean metrics.

    Examples
    --------
    >>> one = LinkScores(10, 20, 1, 5.0, 0.8, 0.2, {10: 0.5})
    >>> mean_link_scores([one, LinkScores(10, 40, 0, 7.0, 0.9, 0.4, {10: 0.7})]).link_rank
    6.0
    """
    if not folds:
        raise PlaitError("there are no folds; give the metrics of at least one fold")
    areas = [fold.auc for fold in folds if fold.auc is not None]
    return LinkScores(
        n_documents=sum(fold.n_documents for fold in folds),
        n_links=sum(fold.n_links for fold in folds),
        n_without_links=sum(fold.n_without_links for fold in folds),
        link_rank=float(np.mean([fold.link_rank for fold in folds])),
        auc=float(np.mean(areas)) if areas else None,
        average_precision=float(np.mean([fold.average_precision for fold in folds])),
        hits={k: float(np.mean([fold.hits[k] for fold in folds])) for k in folds[0].hits},
    )


def _blocks(
    given: Any | Callable[[slice], Any], shape: tuple[int, int], name: str, other: str
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield blocks of rows of an array, or of the result of a callable."""
    if not callable(given):
        array = np.asarray(given)
        if array.shape != shape:
            raise PlaitError(f"{name} are of shape {array.shape}, {other} of {shape}; give one entry per pair")
    height = max(1, _PAIRS_PER_BLOCK // max(1, shape[1]))
    for first in range(0, shape[0], height):
        rows = slice(first, min(first + height, shape[0]))
        block = np.asarray(given(rows) if callable(given) else array[rows], dtype=np.float64)
        if block.shape != (rows.stop - first, shape[1]):
            raise PlaitError(
                f"{name} of rows {first:,} to {rows.stop - 1:,} are of shape {block.shape}, "
                f"not {(rows.stop - first, shape[1])}"
            )
        if np.isnan(block).any():
            row = first + int(np.argwhere(np.isnan(block))[0, 0])
            raise PlaitError(f"{name} of row {row:,} contain NaN; give numbers, which can be ranked")
        yield rows, block


def _ranks_in_rows(block: np.ndarray, pattern: sparse.csr_array, leave_out: sparse.csr_array | None) -> np.ndarray:
    """Return the rank in its row of each stored entry of the pattern, row by row."""
    widths = np.full(block.shape[0], block.shape[1])
    if leave_out is not None:
        block = np.where(leave_out.toarray(), np.nan, block)  # NaN is sorted last
        widths -= np.diff(leave_out.indptr)
    ordered = np.sort(block, axis=1)
    ranks = np.empty(pattern.nnz)
    for row, (first, last) in enumerate(zip(pattern.indptr[:-1], pattern.indptr[1:], strict=True)):
        if first == last:
            continue
        valid, values = ordered[row, : widths[row]], block[row, pattern.indices[first:last]]
        low, high = np.searchsorted(valid, values), np.searchsorted(valid, values, side="right")
        ranks[first:last] = widths[row] - (low + high - 1) / 2
    return ranks


def _values(block: np.ndarray, pattern: sparse.csr_array) -> np.ndarray:
    """Return the values of a block at the stored entries of the pattern, row by row."""
    return block[np.repeat(np.arange(block.shape[0]), np.diff(pattern.indptr)), pattern.indices]


def _pattern(matrix: Any, name: str) -> sparse.csr_array:
    """Return the nonzero pattern of a matrix."""
    pattern = sparse.csr_array(matrix)
    if pattern.ndim != 2:
        raise PlaitError(f"{name} is of shape {pattern.shape}; give documents × candidates")
    pattern = sparse.csr_array(pattern != 0)
    pattern.sum_duplicates()
    return pattern


def _score_vector(scores: Any, name: str) -> np.ndarray:
    """Return scores as a vector; raise an error if they have another shape or contain NaN."""
    vector = np.asarray(scores, dtype=np.float64)
    if vector.ndim != 1 or np.isnan(vector).any():
        raise PlaitError(f"{name} must be one number per pair and not NaN; it is of shape {vector.shape}")
    return vector


def _cutoffs(hits: Sequence[int]) -> list[int]:
    """Return the checked values of k."""
    return [check_whole("k of hits", k, least=1) for k in hits]


class _Pooled(NamedTuple):
    """Sorted scores of links, and the number of non-links with a lower and with an equal score."""

    scores: np.ndarray
    below: np.ndarray
    equal: np.ndarray
    n_non_links: int

    def auc(self) -> float | None:
        """Return the area under the ROC curve."""
        n_comparisons = len(self.scores) * self.n_non_links
        return float((self.below + self.equal / 2).sum() / n_comparisons) if n_comparisons else None

    def average_precision(self) -> float:
        """Return the average precision."""
        n_found = len(self.scores) - np.searchsorted(self.scores, self.scores)
        return float(np.mean(n_found / (n_found + self.n_non_links - self.below)))


def _summary(
    ranks: np.ndarray, pooled: _Pooled, cutoffs: list[int], *, n_documents: int, n_without_links: int
) -> LinkScores:
    """Return the metrics from the ranks and the pooled scores."""
    return LinkScores(
        n_documents=n_documents,
        n_links=len(ranks),
        n_without_links=n_without_links,
        link_rank=float(ranks.mean()),
        auc=pooled.auc(),
        average_precision=pooled.average_precision(),
        hits={k: float((ranks <= k).mean()) for k in cutoffs},
    )
