"""Suggested links: the documents with the highest scores, and the pairs of topics that explain each score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plait._utils.text import cut, printable
from plait.corpus.known_documents import KnownDocuments
from plait.engine.sample import Sample
from plait.models.answers.known_documents import mean_topics
from plait.models.answers.pairs import PairPart
from plait.responses.base import Map
from plait.responses.linear.strongest import strongest_topics

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
    map: Map,
    parts: Sequence[Sequence[tuple[PairPart, ...]]] | None = None,
) -> list[list[Suggestion]]:
    """Return the best links of every document as suggestions, with reasons and titles; `map` runs the tasks."""
    suggestions = []
    reasons = iter(_reasons([one.columns for one in best], first, map))
    for row, (columns, scores, values) in enumerate(best):
        suggestions.append(
            [
                Suggestion(
                    known.id(column),
                    float(scores[place]),
                    next(reasons),
                    float(values[place]),
                    known.title(column),
                    known.excerpt(column),
                    () if parts is None else parts[row][place],
                )
                for place, column in enumerate(columns)
            ]
        )
    return suggestions


def _reasons(columns: Sequence[np.ndarray], first: FirstChain, map: Map) -> Iterator[tuple[Reason, ...]]:
    """Yield the pairs of topics with the largest contributions to the value of every suggested link."""
    together = np.concatenate([np.empty(0, np.int64), *columns])
    partners, rows = np.unique(together, return_inverse=True)
    others = np.array([mean_topics(sample, partners).toarray() for sample in first.known])
    starts = np.concatenate([[0], np.cumsum([own.size for own in columns])]).astype(np.int64)
    found = strongest_topics(first.new, first.weights, others, starts, rows, _REASONS, map)
    n_topics = first.weights.shape[1]
    for pairs, pushes in zip(found.pairs.tolist(), found.pushes.tolist(), strict=True):
        yield tuple(
            Reason(pair // n_topics, pair % n_topics, push)
            for pair, push in zip(pairs, pushes, strict=True)
            if pair >= 0
        )
