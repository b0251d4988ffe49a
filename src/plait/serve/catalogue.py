"""What a model knows as plain data for pages and API: topics, documents and labels."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from plait._utils.wording import counted
from plait.corpus.text.analyzers import TextAnalyzer
from plait.errors import PlaitError
from plait.inputs.texts import text_options_of
from plait.models.answers.search import best_documents, topic_similarities
from plait.models.answers.topics import first_places
from plait.serve.connections import Connections
from plait.serve.errors import RequestError

_LABEL_WORDS = 3  # that stand for the name of a topic
_MOST_WORDS = 50
_BRIEF_TOPICS = 3  # of a document in a list
_TYPICAL = 3  # documents of a topic in a list
_LEAST_SHARE = 0.01  # of a topic of a document that is shown


class Catalogue:
    """Topics, documents and labels of a fitted model.

    Parameters
    ----------
    model : TopicEstimator
        The model.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.known = model.documents_
        self.n_documents = len(model.documents_)
        self.n_topics = len(model.topic_share_)
        self.connections = Connections(model, self)
        self.drawn: dict[str, Any] = {}  # figures that are drawn once

    # The model --------------------------------------------------------------------------------------------------------

    @cached_property
    def predicts_labels(self) -> bool:
        """Whether the model predicts labels."""
        return hasattr(self.model, "predict_labels")

    @cached_property
    def predicts_values(self) -> bool:
        """Whether the model predicts numbers."""
        return hasattr(self.model, "predict_values")

    @cached_property
    def suggests_links(self) -> bool:
        """Whether the model suggests links."""
        return hasattr(self.model, "suggest_links")

    @cached_property
    def follows_links(self) -> bool:
        """Whether links of new documents change their topics."""
        return hasattr(self.model, "influencers")

    @cached_property
    def problem_with_texts(self) -> str:
        """Why the model cannot read texts; "" if it can."""
        try:
            TextAnalyzer(text_options_of(self.model))  # packages of some languages may be missing
        except PlaitError as error:
            return str(error)
        return ""

    def describe(self) -> dict[str, Any]:
        """Return what the model is and what it can do."""
        return {
            "model": type(self.model).__name__,
            "n_topics": self.n_topics,
            "n_documents": self.n_documents,
            "n_words": int(self.model.topic_word_.shape[1]),
            "reads_texts": not self.problem_with_texts,
            "predicts_labels": self.predicts_labels,
            "predicts_values": self.predicts_values,
            "suggests_links": self.suggests_links,
            "follows_links": self.follows_links,
        }

    # Topics -----------------------------------------------------------------------------------------------------------

    @cached_property
    def topics(self) -> list[dict[str, Any]]:
        """All topics in the order of their numbers: number, name, label, share, words, distinctive words."""
        n_words = min(_MOST_WORDS, self.model.topic_word_.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            distinctive = self.model.topics(n_words, by="relevance")
        return [
            {
                "topic": topic.index,
                "name": topic.name,
                "label": topic.name or " ".join(topic.words[:_LABEL_WORDS]),
                "share": topic.share,
                "words": [
                    {"word": word, "probability": weight}
                    for word, weight in zip(topic.words, topic.weights, strict=True)
                ],
                "distinctive": special.words,
            }
            for topic, special in zip(self.model.topics(n_words), distinctive, strict=True)
        ]

    @cached_property
    def by_share(self) -> list[dict[str, Any]]:
        """All topics, the largest first."""
        return sorted(self.topics, key=lambda topic: -topic["share"])

    @cached_property
    def typical(self) -> list[list[dict[str, Any]]]:
        """The documents with the largest share of each topic: row and title."""
        found = []
        for shares in self.model.doc_topic_.T:
            rows = [int(row) for row in first_places(shares, _TYPICAL)]
            found.append([{"row": row, "title": self.known.name(row)} for row in rows])
        return found

    def check_topic(self, topic: int) -> int:
        """Return the number of a topic; raise an error if there is none."""
        if not 0 <= topic < self.n_topics:
            raise RequestError(404, f"there is no topic {topic}; the model has the topics 0 to {self.n_topics - 1}")
        return topic

    def brief_topic(self, topic: int) -> dict[str, Any]:
        """Return the number and the label of a topic."""
        return {"topic": topic, "label": self.topics[topic]["label"]}

    def topic(self, topic: int, n_documents: int = 10) -> dict[str, Any]:
        """Return a topic with its typical documents, labels, and similar and linked topics."""
        shares = self.model.doc_topic_[:, self.check_topic(topic)]
        rows = [int(row) for row in first_places(shares, n_documents)] if n_documents else []
        return {
            **self.topics[topic],
            "documents": [{**self.brief_document(row), "share": float(shares[row])} for row in rows],
            "labels": self._labels_of_topic(topic),
            "similar": self.connections.similar_topics(topic),
            "links": self.connections.linked_topics(topic),
        }

    # Documents --------------------------------------------------------------------------------------------------------

    def check_row(self, row: int) -> int:
        """Return the row of a document; raise an error if there is none."""
        if not 0 <= row < self.n_documents:
            raise RequestError(
                404, f"there is no document in row {row}; there are {counted(self.n_documents, 'document')}"
            )
        return row

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Rows of the documents by id; empty if the model knows no ids."""
        return {} if self.known.ids is None else {str(name): row for row, name in enumerate(self.known.ids)}

    def find_row(self, name: str) -> int:
        """Return the row of the document with an id; raise an error if there is none."""
        if name not in self.row_of:
            why = "" if self.row_of else "; the model keeps no ids of documents"
            raise RequestError(404, f"no document has the id {name[:100]!r}{why}; /api/documents lists the documents")
        return self.row_of[name]

    def brief_document(self, row: int) -> dict[str, Any]:
        """Return row, id, title, labels, time and largest topics of a document."""
        shares = self.model.doc_topic_[row]
        time = self.known.time(row)
        return {
            "row": row,
            "id": self.known.id(row),
            "title": self.known.name(row),
            "labels": [] if self.known.labels is None else list(self.known.labels[row]),
            "time": None if time is None else str(time),
            "topics": [
                {**self.brief_topic(int(topic)), "share": float(shares[topic])}
                for topic in first_places(shares, _BRIEF_TOPICS)
                if shares[topic] >= _LEAST_SHARE
            ],
        }

    def document(self, row: int, top: int = 10) -> dict[str, Any]:
        """Return a document with its topics, nearest documents, links and influence."""
        brief = self.brief_document(self.check_row(row))
        metadata = {str(name): str(values[row]) for name, values in (self.known.metadata or {}).items()}
        return {
            **brief,
            "excerpt": self.known.excerpt(row),
            "metadata": {name: value for name, value in metadata.items() if value},
            "topics": self.topic_shares(self.model.doc_topic_[row]),
            "similar": self.similar(self.model.doc_topic_[row], top, without=row),
            **self.connections.of_document(row, top),
        }

    def topic_shares(self, shares: np.ndarray, least: float = _LEAST_SHARE) -> list[dict[str, Any]]:
        """Return topics with their shares, the largest first, without very small ones."""
        order = np.argsort(-shares, kind="stable")
        return [{**self.brief_topic(int(k)), "share": float(shares[k])} for k in order if shares[k] >= least]

    def similar(self, shares: np.ndarray, top: int, without: int | None = None) -> list[dict[str, Any]]:
        """Return the documents with the most similar topics, with scores."""
        scores = topic_similarities(self.model.doc_topic_, shares)
        found = best_documents(scores, self.known, top, without)
        return [{**self.brief_document(one.row), "score": one.score} for one in found]

    def select(self, *, label: str | None = None, topic: int | None = None) -> np.ndarray:
        """Return the rows of documents with a label; with a topic, those with the largest share of it first."""
        rows = np.arange(self.n_documents)
        if label is not None:
            rows = self.label(self.find_label(label))["rows"]
        if topic is not None:
            shares = self.model.doc_topic_[rows, self.check_topic(topic)]
            rows = rows[np.argsort(-shares, kind="stable")]
        return rows

    # Labels -----------------------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> list[dict[str, Any]]:
        """All labels: those that the model predicts, and those of its documents."""
        rows_of: dict[str, list[int]] = {}
        if self.predicts_labels:
            rows_of = {str(name): [] for name in self.model.classes_}
        for row, names in enumerate(self.known.labels or ()):
            for name in names:
                rows_of.setdefault(name, []).append(row)
        weights = self._label_weights()
        return [
            {"number": number, "label": name, "rows": np.array(rows, dtype=np.int64), "weights": weights.get(name)}
            for number, (name, rows) in enumerate(rows_of.items())
        ]

    def _label_weights(self) -> dict[str, np.ndarray]:
        """Return the weights of the topics for each label that the model predicts."""
        if not self.predicts_labels:
            return {}
        weights = getattr(self.model, "label_weights_", None)
        weights = self.model.weights_ if weights is None else weights
        rows = [-weights[0], weights[0]] if len(weights) == 1 and len(self.model.classes_) == 2 else list(weights)
        return {str(name): row for name, row in zip(self.model.classes_, rows, strict=True)}

    def find_label(self, name: str) -> int:
        """Return the number of a label; raise an error if there is none."""
        found = [label["number"] for label in self.labels if label["label"] == name]
        if not found:
            raise RequestError(404, f"there is no label {name[:100]!r}; /api/labels lists the labels")
        return int(found[0])

    def label(self, number: int) -> dict[str, Any]:
        """Return a label with its rows and weights."""
        if not 0 <= number < len(self.labels):
            raise RequestError(404, f"there is no label {number}; there are {len(self.labels)}, numbered from 0")
        return self.labels[number]

    def describe_label(self, number: int, n_topics: int = 10) -> dict[str, Any]:
        """Return a label: its number of documents, and its topics by mean share and by weight."""
        label = self.label(number)
        rows, weights = label["rows"], label["weights"]
        mean = self.model.doc_topic_[rows].mean(axis=0) if len(rows) else np.zeros(self.n_topics)
        return {
            "number": number,
            "label": label["label"],
            "n_documents": len(rows),
            "topics": [one for one in self.topic_shares(mean) if one["share"] > 0][:n_topics],
            "weights": None
            if weights is None
            else [
                {**self.brief_topic(int(k)), "weight": float(weights[k])}
                for k in np.argsort(-np.abs(weights), kind="stable")[:n_topics]
                if weights[k]
            ],
        }

    def _labels_of_topic(self, topic: int, top: int = 8) -> list[dict[str, Any]]:
        """Return the labels of a topic: by weight where the model has learned weights, else by mean share."""
        found = []
        for label in self.labels:
            if label["weights"] is not None:
                found.append((float(label["weights"][topic]), "weight", label))
            elif len(label["rows"]):
                found.append((float(self.model.doc_topic_[label["rows"], topic].mean()), "share", label))
        found.sort(key=lambda one: -one[0])
        return [
            {"number": label["number"], "label": label["label"], kind: value}
            for value, kind, label in found[:top]
            if abs(value) >= _LEAST_SHARE
        ]
