"""How well links are predicted: mean link rank, AUC, average precision and hits@k; and word rank.

A new document's scores of all known documents are ranked, 1 for the highest; scores that tie share their mean rank.
The area under the ROC curve and the average precision are pooled over all pairs of a fold: a pair of a document that
has no links counts as a non-link like any other. Chang and Blei (2009) and Chen, Zhu, Xia and Zhang (2013) report link
rank and word rank; theirs are means over folds (`mean_link_scores`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError

_PAIRS_A_BLOCK = 4_000_000  # 32 MB of scores, and as much again when sorted
HITS = (10, 50, 100)


@dataclass(frozen=True)
class LinkScores:
    """How well links are predicted.

    Parameters
    ----------
    n_documents
        How many documents were given scores: the rows, or the different sources of pairs.
    n_links
        How many links were to be found.
    n_without_links
        How many of the documents have no link to be found. They are in no rank; their pairs are non-links in `auc`
        and `average_precision`.
    link_rank
        The mean over links of the rank of the linked document among those that its source was scored with; 1 is best.
    auc
        The chance that a link has a higher score than a non-link, ties counted half; None where every pair is linked.
    average_precision
        The mean over links of the share of links among all pairs with a score at least as high.
    hits
        For each k, the share of links whose rank is k or better.
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
    """Compare scores of all pairs with the links that are there.

    For new documents the columns are the documents of training. For links held out among known documents the columns
    are all documents, and `leave_out` holds the links of training and the diagonal.

    Parameters
    ----------
    scores : array of shape (documents, candidates), or callable
        Higher means likelier. A callable gets a slice of rows and returns their scores, so that not all of them need
        be held at once; it is called twice for each block of rows.
    links : array or sparse matrix of shape (documents, candidates)
        What is not zero is a link.
    leave_out : array or sparse matrix of shape (documents, candidates), optional
        What is not zero is neither ranked nor counted.
    hits : sequence of int
        The k of hits@k.

    Returns
    -------
    LinkScores
        All figures.

    Examples
    --------
    >>> found = score_link_ranks([[0.9, 0.1, 0.5], [0.2, 0.2, 0.1]], [[1, 0, 1], [0, 1, 0]], hits=[1])
    >>> found.link_rank, round(found.auc, 3), round(found.hits[1], 3)
    (1.5, 0.944, 0.333)
    """
    true, absent, cutoffs = _pattern(links, "links"), None, _cutoffs(hits)
    if true.nnz == 0:
        raise PlaitError("none of the documents has a link to a candidate, so there is nothing to find")
    if leave_out is not None:
        absent = _pattern(leave_out, "leave_out")
        if absent.shape != true.shape:
            raise PlaitError(f"leave_out is of shape {absent.shape}, links of {true.shape}; give one entry a pair")
        if true.multiply(absent).nnz:
            raise PlaitError("some links are in leave_out as well; a pair is either to be found or left out")
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
    # All pairs were counted; links are taken off again.
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
    """Compare scores of linked pairs with scores of sampled pairs that are not linked.

    A link is ranked among the sampled non-links of its own source, so `link_rank` and `hits` depend on how
    many were sampled (`split_edges` draws as many for each link).

    Parameters
    ----------
    linked, unlinked : arrays
        Scores of both kinds of pairs; higher means likelier.
    linked_sources, unlinked_sources : arrays of int
        The document that each pair starts from.
    hits : sequence of int
        The k of hits@k.

    Returns
    -------
    LinkScores
        All figures.

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
            raise PlaitError(f"{name}_sources is of shape {given.shape}, {name} of {values.shape}; give one a pair")
    # Scores become whole numbers that keep order and ties, so that (source, score) is one sortable number.
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
    """Return the mean rank of documents' words among all words, 1 for the likeliest; ties share their mean rank.

    Parameters
    ----------
    probabilities : array of shape (documents, words), or callable
        The predicted probability of each word. A callable gets a slice of rows and returns theirs.
    counts : array or sparse matrix of shape (documents, words)
        How often each word stands in each document: the mean is over occurrences.

    Returns
    -------
    float
        The word rank.

    Examples
    --------
    >>> score_word_ranks([[0.7, 0.2, 0.1]], [[2, 0, 1]])
    1.6666666666666667
    """
    words = sparse.csr_array(counts, copy=True)
    words.eliminate_zeros()
    if not words.nnz:
        raise PlaitError("the documents have no words, so there is nothing to rank")
    total = 0.0
    for rows, block in _blocks(probabilities, words.shape, "probabilities", "counts"):
        here = words[rows]
        total += float(_ranks_in_rows(block, here, None) @ here.data)
    return total / float(words.sum())


def mean_link_scores(folds: Sequence[LinkScores]) -> LinkScores:
    """Return the mean of the figures of several folds; numbers of documents and links are sums.

    Examples
    --------
    >>> one = LinkScores(10, 20, 1, 5.0, 0.8, 0.2, {10: 0.5})
    >>> mean_link_scores([one, LinkScores(10, 40, 0, 7.0, 0.9, 0.4, {10: 0.7})]).link_rank
    6.0
    """
    if not folds:
        raise PlaitError("there are no folds to take the mean of")
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
    """Go through the rows of an array, or of what a callable returns, a block at a time."""
    if not callable(given):
        array = np.asarray(given)
        if array.shape != shape:
            raise PlaitError(f"{name} are of shape {array.shape}, {other} of {shape}; give one entry a pair")
    height = max(1, _PAIRS_A_BLOCK // max(1, shape[1]))
    for first in range(0, shape[0], height):
        rows = slice(first, min(first + height, shape[0]))
        block = np.asarray(given(rows) if callable(given) else array[rows], dtype=np.float64)
        if block.shape != (rows.stop - first, shape[1]):
            raise PlaitError(
                f"{name} of the rows {first:,} to {rows.stop - 1:,} are of shape {block.shape}, "
                f"not {(rows.stop - first, shape[1])}"
            )
        if np.isnan(block).any():
            row = first + int(np.argwhere(np.isnan(block))[0, 0])
            raise PlaitError(f"{name} of row {row:,} are not all numbers (NaN), so they have no order")
        yield rows, block


def _ranks_in_rows(block: np.ndarray, pattern: sparse.csr_array, leave_out: sparse.csr_array | None) -> np.ndarray:
    """Return the rank in its row of each entry that is stored in the pattern, row by row."""
    widths = np.full(block.shape[0], block.shape[1])
    if leave_out is not None:
        block = np.where(leave_out.toarray(), np.nan, block)  # NaN is sorted behind everything
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
    """Return the entries of a block that are stored in the pattern, row by row."""
    return block[np.repeat(np.arange(block.shape[0]), np.diff(pattern.indptr)), pattern.indices]


def _pattern(matrix: Any, name: str) -> sparse.csr_array:
    """Return where a matrix is not zero."""
    pattern = sparse.csr_array(matrix)
    if pattern.ndim != 2:
        raise PlaitError(f"{name} is of shape {pattern.shape}; give documents × candidates")
    pattern = sparse.csr_array(pattern != 0)
    pattern.sum_duplicates()
    return pattern


def _score_vector(scores: Any, name: str) -> np.ndarray:
    vector = np.asarray(scores, dtype=np.float64)
    if vector.ndim != 1 or np.isnan(vector).any():
        raise PlaitError(f"{name} must be one number a pair, none of them NaN; it is of shape {vector.shape}")
    return vector


def _cutoffs(hits: Sequence[int]) -> list[int]:
    return [check_whole("k of hits", k, least=1) for k in hits]


class _Pooled(NamedTuple):
    """Scores of links in rising order, and how many of all non-links score below and like each."""

    scores: np.ndarray
    below: np.ndarray
    equal: np.ndarray
    n_non_links: int

    def auc(self) -> float | None:
        n_comparisons = len(self.scores) * self.n_non_links
        return float((self.below + self.equal / 2).sum() / n_comparisons) if n_comparisons else None

    def average_precision(self) -> float:
        n_found = len(self.scores) - np.searchsorted(self.scores, self.scores)
        return float(np.mean(n_found / (n_found + self.n_non_links - self.below)))


def _summary(
    ranks: np.ndarray, pooled: _Pooled, cutoffs: list[int], *, n_documents: int, n_without_links: int
) -> LinkScores:
    return LinkScores(
        n_documents=n_documents,
        n_links=len(ranks),
        n_without_links=n_without_links,
        link_rank=float(ranks.mean()),
        auc=pooled.auc(),
        average_precision=pooled.average_precision(),
        hits={k: float((ranks <= k).mean()) for k in cutoffs},
    )
