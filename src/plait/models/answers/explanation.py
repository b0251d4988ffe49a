"""Explanations of predicted values: the topics and words of a document that raise or lower a value.

A value is η · z̄, and z̄ is the sum over the words of the document. With r_wk the probability that word w came from
topic k, the contribution of w to the value is n_w / N Σ_k r_wk η_k; summed over words for a topic, it is the
contribution of the topic. Both add up to the same. Features beside topics add what they contribute by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from plait._utils.tables import html_table
from plait._utils.text import printable
from plait._utils.validation import check_whole
from plait.inputs.features import FeatureScaling
from plait.models.answers.tasks import TaskLayout, read_new_features, split_weights
from plait.models.answers.topics import TopicDescriptions
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.models.labelling.choice import LabelChoice
from plait.models.labelling.features import TEXT

_WORDS_PER_TOPIC = 5
TEXT_CLASSIFIER = "text classifier"


@dataclass(frozen=True)
class TopicPush:
    """Contribution of a topic to a value."""

    topic: int
    share: float  # of the document
    weight: float  # of the topic for the label
    push: float  # share × weight
    words: list[str]  # top words of the topic
    name: str = ""  # of the topic, if it has one


@dataclass(frozen=True)
class WordPush:
    """Contribution of a word of the document to a value."""

    word: str
    count: float
    push: float


@dataclass(frozen=True)
class FeaturePush:
    """Contribution of a feature beside topics to a value."""

    feature: str  # a word with features="text", else the name or number of the column; "(intercept)"
    value: float  # of the document: TF-IDF, or the standardised column
    push: float


@dataclass(frozen=True)
class Explanation:
    """Contributions of topics, words and features to a value, largest absolute contribution first.

    `score`, the predicted value, is `by_topics` + `by_features` + `offset`. The contributions of all words through
    topics add up to approximately `by_topics`: both are averaged over all chains. Topics are those of the model's
    first chain, so with several chains their contributions do not add up to the score.
    """

    label: Any
    score: float
    topics: list[TopicPush]
    words: list[WordPush]
    features: list[FeaturePush] = field(default_factory=list)
    by_features: float = 0.0
    classifier: str = "features"  # what the features belong to: "features", or "text classifier"
    offset: float = 0.0  # of the predicted value of a document: the mean of the training values

    @property
    def by_topics(self) -> float:
        """Part of the score that comes from topics."""
        return self.score - self.by_features - self.offset

    def negated(self, label: Any) -> Explanation:
        """Return the explanation of the other one of two classes: every contribution with the other sign."""
        return replace(self.scaled(-1.0, 0.0), label=label)

    def scaled(self, scale: float, center: float) -> Explanation:
        """Return the explanation in another unit; only the score is shifted by `center`."""
        return replace(
            self,
            score=center + scale * self.score,
            topics=[replace(push, weight=scale * push.weight, push=scale * push.push) for push in self.topics],
            words=[replace(push, push=scale * push.push) for push in self.words],
            features=[replace(push, push=scale * push.push) for push in self.features],
            by_features=scale * self.by_features,
            offset=center + scale * self.offset,
        )

    def _repr_html_(self) -> str:
        rows = [
            [f"{one.push:+.3f}", f"topic {one.topic} of the first chain", " ".join(one.words)] for one in self.topics
        ]
        rows += [[f"{one.push:+.3f}", "word, through topics", f"{one.word} ({one.count:g} ×)"] for one in self.words]
        rows += [[f"{one.push:+.3f}", f"by the {self.classifier}", one.feature] for one in self.features]
        return html_table(["contribution", "of", "words"], rows, {"contribution"}, caption=self._sum())

    def __str__(self) -> str:
        lines = [self._sum()]
        if self.topics:
            lines.append("topics of the first chain (each chain has its own):")
        lines += [
            f"  {push.push:+.3f}  topic {push.topic}{f' ({push.name})' if push.name else ''}: {' '.join(push.words)}"
            for push in self.topics
        ]
        if self.words:
            lines.append(f"words, through topics of all chains (all words together about {self.by_topics:+.3f}):")
        lines += [f"  {push.push:+.3f}  {push.word} ({push.count:g} ×)" for push in self.words]
        if self.features:
            listed = "words" if self.classifier == TEXT_CLASSIFIER else "features"
            lines.append(f"{listed}, by the {self.classifier} (all together {self.by_features:+.3f}):")
            lines += [f"  {push.push:+.3f}  {push.feature}" for push in self.features]
        return "\n".join(map(printable, lines))

    def _sum(self) -> str:
        """Return the score and the parts that add up to it."""
        parts = [(self.by_topics, "by topics")] * bool(self.words)
        parts += [(self.by_features, f"by the {self.classifier}")] * bool(self.features)
        parts += [(self.offset, "mean of the training documents")] * (self.offset != 0)
        head = f"{'predicted value' if self.label is None else self.label}: {self.score:+.3f}"
        return head + (f" = {' '.join(f'{part:+.3f} {name}' for part, name in parts)}" if len(parts) > 1 else "")


@dataclass(frozen=True)
class Explainer:
    """Explains the values of one response of a fitted model."""

    chains: FittedChains  # of the model
    place: int  # of the response among those of the model
    layout: TaskLayout  # which group of chains learns which tasks
    topics: TopicDescriptions
    choice: LabelChoice | None = None  # features that are combined with topics after the chains, and both weights
    scaling: FeatureScaling | None = None  # of features whose weights chains drew

    def explain(self, document: Documents, task: int, label: Any, score: float, top: int) -> Explanation:
        """Return the contributions to the value of a task for one document; `label` and `score` are the task's."""
        check_whole("top", top, least=1)
        counts = document.counts
        if self.layout.tasks is not None and task not in self.layout.tasks:  # scored by features alone
            return self._with_features(Explanation(label, score, [], []), document, task, score, top)
        learning = [chain for chain, group in enumerate(self.chains.groups) if self.layout.learns(group, task)]
        n_first = len(self.chains.samples[learning[0]])
        of_words, first_topics = np.zeros(counts.nnz), np.zeros((3, self.layout.n_topics))
        n_samples = 0
        n_features = 0 if self.scaling is None else self.scaling.n_columns
        of_features = np.zeros(n_features)
        for group, sample, mean_topics in self.chains.mean_topics(document):
            if not self.layout.learns(group, task):
                continue
            both = split_weights(sample.weights[self.place], self.layout.n_topics)
            weights = both[0][self.layout.row(task)]
            of_features += both[1][self.layout.row(task)]
            origin = sample.topic_word(counts.indices) * (mean_topics[0] + 1e-12)[:, np.newaxis]
            origin /= origin.sum(axis=0)
            of_topics = origin @ counts.data / counts.data.sum()
            of_words += (weights @ origin) * counts.data / counts.data.sum()
            n_samples += 1
            if n_samples <= n_first:
                first_topics += np.stack([of_topics, weights, of_topics * weights])
        words = [
            WordPush(
                str(self.topics.vocabulary[counts.indices[entry]]),
                float(counts.data[entry]),
                float(of_words[entry] / n_samples),
            )
            for entry in np.argsort(-np.abs(of_words), kind="stable")[:top]
        ]
        explained = Explanation(label, score, self._topics(first_topics / n_first, task, top), words)
        if self.scaling is not None:
            return self._with_regressors(explained, document, of_features / n_samples, top)
        if self.choice is None or self.choice.features is None:
            return explained
        return self._with_features(explained.scaled(self.choice.topic_weight, 0.0), document, task, score, top)

    def _with_regressors(
        self, explained: Explanation, document: Documents, weights: np.ndarray, top: int
    ) -> Explanation:
        """Return an explanation with the contributions v f of features whose weights chains drew."""
        assert self.scaling is not None
        features = read_new_features(document, self.scaling)
        assert features is not None
        pushes = features.data * weights[features.indices]
        listed = [
            FeaturePush(
                self.scaling.name(int(features.indices[entry])), float(features.data[entry]), float(pushes[entry])
            )
            for entry in np.argsort(-np.abs(pushes), kind="stable")[:top]
        ]
        return replace(explained, features=listed, by_features=float(pushes.sum()))

    def _with_features(
        self, explained: Explanation, document: Documents, task: int, score: float, top: int
    ) -> Explanation:
        """Return an explanation with the contributions of features beside topics."""
        assert self.choice is not None
        assert self.choice.features is not None
        features = self.choice.features
        columns = features.columns(document.counts, document.features)
        machine = self.choice.feature_weight * features.machines[task].astype(np.float64)
        pushes = columns.data * machine[columns.columns]
        names = self.topics.vocabulary if features.kind == TEXT else np.arange(machine.size - 1)
        listed = [
            FeaturePush(str(names[columns.columns[entry]]), float(columns.data[entry]), float(pushes[entry]))
            for entry in np.argsort(-np.abs(pushes), kind="stable")[:top]
        ]
        listed.append(FeaturePush("(intercept)", 1.0, float(machine[-1])))
        explained = replace(explained, score=score, features=listed, by_features=float(pushes.sum() + machine[-1]))
        return replace(explained, classifier=TEXT_CLASSIFIER) if features.kind == TEXT else explained

    def _topics(self, contributions: np.ndarray, task: int, top: int) -> list[TopicPush]:
        """Return the topics with the largest contributions, from shares, weights and contributions of all topics."""
        shares, weights, pushes = contributions
        first = self.layout.first_topic(task)
        described = self.topics.describe(_WORDS_PER_TOPIC)
        return [
            TopicPush(
                int(first + k),
                float(shares[k]),
                float(weights[k]),
                float(pushes[k]),
                described[first + k].words,
                described[first + k].name,
            )
            for k in np.argsort(-np.abs(pushes), kind="stable")[:top]
        ]
