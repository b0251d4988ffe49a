"""Why a model says what it says of a document: which topics and which words pushed a value up or down.

A value is η · z̄, and z̄ adds up what every word of the document is about. With r_wk the probability that word w came
from topic k, its share of the value is n_w / N Σ_k r_wk η_k; summed over words for a topic, it is the topic's share.
Both add up to the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole

if TYPE_CHECKING:
    from plait.models.answers.weighed import WeighedPredictions

_WORDS_A_TOPIC = 5


@dataclass(frozen=True)
class TopicPush:
    """What a topic adds to a value."""

    topic: int
    share: float  # of the document
    weight: float  # of the topic for the label
    push: float  # share × weight
    words: list[str]  # the topic's first words


@dataclass(frozen=True)
class WordPush:
    """What a word of the document adds to a value."""

    word: str
    count: float
    push: float


@dataclass(frozen=True)
class Explanation:
    """Topics and words that pushed a value, the strongest first, whichever way they push.

    `score` is the value that the model predicts with; the pushes of all words add up to about as much.
    Topics are those of the model's first chain, words are averaged over all chains.
    """

    label: Any
    score: float
    topics: list[TopicPush]
    words: list[WordPush]

    def turned(self, label: Any) -> Explanation:
        """Return the same for the other of two classes: every push the other way."""
        return replace(self.scaled(-1.0, 0.0), label=label)

    def scaled(self, scale: float, center: float) -> Explanation:
        """Return the same in another unit; only the score has a zero of its own."""
        return Explanation(
            self.label,
            center + scale * self.score,
            [replace(push, weight=scale * push.weight, push=scale * push.push) for push in self.topics],
            [replace(push, push=scale * push.push) for push in self.words],
        )

    def __str__(self) -> str:
        head = "predicted value" if self.label is None else f"{self.label}"
        lines = [f"{head}: {self.score:+.3f}"]
        lines += [f"  {push.push:+.3f}  topic {push.topic}: {' '.join(push.words)}" for push in self.topics]
        lines += [f"  {push.push:+.3f}  {push.word} ({push.count:g} ×)" for push in self.words]
        return "\n".join(lines)


def explain_document(
    model: WeighedPredictions, counts: sparse.csr_array, kind: str, task: int, label: Any, score: float, top: int
) -> Explanation:
    """Return what pushed the value of one task of a kind ("labels", "values") for one document (a row of counts)."""
    check_whole("top", top, least=1)
    chains = [number for number, group in enumerate(model._chain_groups) if _learns(model, group, task)]
    of_words, first_topics = np.zeros(counts.nnz), None
    n_samples = 0
    for group, sample, mean_topics in model._folded(counts):
        if not _learns(model, group, task):
            continue
        weights = sample.weights[model._place(kind)][task - (model._tasks_of(group).start or 0)]
        origin = sample.topic_word(counts.indices) * (mean_topics[0] + 1e-12)[:, np.newaxis]
        origin /= origin.sum(axis=0)
        of_topics = origin @ counts.data / counts.data.sum()
        of_words += (weights @ origin) * counts.data / counts.data.sum()
        n_samples += 1
        if n_samples <= len(model._chain_samples[chains[0]]):
            pushes = np.stack([of_topics, weights, of_topics * weights])
            first_topics = pushes if first_topics is None else first_topics + pushes
    assert first_topics is not None
    shares, weights, pushes = first_topics / len(model._chain_samples[chains[0]])
    first = model._first_topic(task)
    names = model.topics(top=_WORDS_A_TOPIC)
    strongest = np.argsort(-np.abs(pushes), kind="stable")[:top]
    topics = [
        TopicPush(int(first + k), float(shares[k]), float(weights[k]), float(pushes[k]), names[first + k].words)
        for k in strongest
    ]
    vocabulary = model._word_names()
    order = np.argsort(-np.abs(of_words), kind="stable")[:top]
    words = [
        WordPush(str(vocabulary[counts.indices[e]]), float(counts.data[e]), float(of_words[e] / n_samples))
        for e in order
    ]
    return Explanation(label, score, topics, words)


def _learns(model: WeighedPredictions, group: int, task: int) -> bool:
    tasks = model._tasks_of(group)
    return tasks.start is None or tasks.start <= task < tasks.stop
