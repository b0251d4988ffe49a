"""Suggested links: the documents with the highest scores, and the pairs of topics that explain each score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plait._utils.text import cut, printable
from plait.corpus.known_documents import KnownDocuments
from plait.engine.sample import Sample
from plait.models.answers.known_documents import mean_topics
from plait.models.answers.pairs import PairPart

_REASONS = 3


class Reason(NamedTuple):
    """A pair of topics that raises the score of a link: `topic` of the document, `other` of the suggested document."""

    topic: int
    other: int
    push: float  # contribution of the pair to the value of the link


@dataclass(frozen=True)
class Suggestion:
    """A suggested link of a document.

    Reasons are the pairs of topics with the largest contributions to the value of the link under the first chain, whose
    topics the model shows; the score is averaged over all chains.

    `value` tells scores near 1 apart: it is the mean of the linear predictor, for the logistic loss the log-odds.

    With pair features, `parts` are the contributions of the topics and of every feature to the value, largest first.
    """

    id: str
    score: float
    reasons: tuple[Reason, ...]
    value: float = 0.0
    title: str = ""
    excerpt: str = ""
    parts: tuple[PairPart, ...] = ()

    @property
    def part(self) -> str:
        """What speaks most for the link: "topics", or a pair feature; "" for a model without pair features."""
        return self.parts[0].name if self.parts else ""

    @property
    def topics(self) -> str:
        """The pairs of topics of the reasons, such as "3-4 1-1"."""
        return " ".join(f"{reason.topic}-{reason.other}" for reason in self.reasons)

    def __str__(self) -> str:
        why = ", ".join(f"topics {reason.topic} and {reason.other} {reason.push:+.2f}" for reason in self.reasons)
        if self.parts:
            why = "; ".join([", ".join(f"{name} {push:+.2f}" for name, push in self.parts[:_REASONS]), why])
        title = f"  {cut(self.title, 80)}" if self.title else ""
        return f"{printable(str(self.id))}{title}  {self.score:.3f} ({self.value:+.2f})  ({why})"


class FirstChain(NamedTuple):
    """What reasons are computed from, for every sample of the first chain."""

    new: np.ndarray  # samples × documents × topics: z̄ of the documents that links are suggested for
    known: Sequence[Sample]  # with the topics of the training documents
    weights: np.ndarray  # samples × topics × topics: link weights


class BestLinks(NamedTuple):
    """The suggested documents of one document, best first."""

    columns: np.ndarray
    scores: np.ndarray
    values: np.ndarray


def best_columns(scores: np.ndarray, top: int, values: np.ndarray | None = None) -> list[np.ndarray]:
    """Return the columns with the highest scores of every row, highest first; scores of −∞ are left out.

    Equal scores, such as probabilities that round to 1, are ordered by `values`, then by column.

    Examples
    --------
    >>> best_columns(np.array([[0.1, 0.9, -np.inf, 0.5]]), top=3)[0].tolist()
    [1, 3, 0]
    """
    chosen = []
    for number, row in enumerate(scores):
        # All columns with the lowest chosen score are candidates, because ties are broken below.
        least = -np.partition(-row, top - 1)[top - 1] if top < row.size else -np.inf
        candidates = np.flatnonzero((row >= least) & (row > -np.inf))
        second = np.zeros(candidates.size) if values is None else -values[number, candidates]
        chosen.append(candidates[np.lexsort((second, -row[candidates]))][:top])
    return chosen


def make_suggestions(
    best: Sequence[BestLinks],
    known: KnownDocuments,
    first: FirstChain,
    parts: Sequence[Sequence[tuple[PairPart, ...]]] | None = None,
) -> list[list[Suggestion]]:
    """Return the best links of every document as suggestions, with reasons and titles."""
    suggestions = []
    partners = np.unique(np.concatenate([one.columns for one in best])) if best else np.empty(0, np.int64)
    topics_of = np.array([mean_topics(sample, partners).toarray() for sample in first.known])
    for row, (columns, scores, values) in enumerate(best):
        others = topics_of[:, np.searchsorted(partners, columns)]
        reasons = _reasons(first.new[:, row], first.weights, others)
        suggestions.append(
            [
                Suggestion(
                    known.id(column),
                    float(scores[place]),
                    why,
                    float(values[place]),
                    known.title(column),
                    known.excerpt(column),
                    () if parts is None else parts[row][place],
                )
                for place, (column, why) in enumerate(zip(columns, reasons, strict=True))
            ]
        )
    return suggestions


def _reasons(own: np.ndarray, weights: np.ndarray, others: np.ndarray) -> list[tuple[Reason, ...]]:
    """Return the pairs of topics with the largest contributions to the values of one document with others.

    z̄ of the document is samples × topics, that of the others samples × documents × topics.
    """
    n_samples, n_topics = own.shape
    # Topics that do not occur contribute nothing, and few of many topics occur.
    topics, other_topics = np.flatnonzero(own.any(axis=0)), np.flatnonzero(others.any(axis=(0, 1)))
    numbers = (topics[:, np.newaxis] * n_topics + other_topics).ravel()
    if not numbers.size:
        return [()] * others.shape[1]
    there = weights[:, topics[:, np.newaxis], other_topics]
    pushes = np.einsum("skl,scl->ckl", own[:, topics, np.newaxis] * there, others[:, :, other_topics]) / n_samples
    pushes = pushes.reshape(others.shape[1], numbers.size)
    n_kept = min(_REASONS, numbers.size)
    strongest = np.argpartition(-pushes, n_kept - 1, axis=1)[:, :n_kept]
    values = np.take_along_axis(pushes, strongest, axis=1)
    order = np.lexsort((strongest, -values))
    strongest, values = numbers[np.take_along_axis(strongest, order, axis=1)], np.take_along_axis(values, order, axis=1)
    return [
        tuple(
            Reason(int(pair) // n_topics, int(pair) % n_topics, float(value))
            for pair, value in zip(pairs, pair_values, strict=True)
            if value > 0
        )
        for pairs, pair_values in zip(strongest, values, strict=True)
    ]
