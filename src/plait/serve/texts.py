"""Answers about texts that the model has not seen: topics, labels, reasons, links and similar documents.

Every text is computed by itself, so its answer does not depend on the others of a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.corpus.text.counting import number_words
from plait.models.methods.labels import label_predictions
from plait.serve.catalogue import Catalogue
from plait.serve.colouring import colour_words
from plait.serve.errors import RequestError

Links = Sequence[Sequence[str]] | None
_PAGE_TOPICS = 8  # that have a colour of their own on a page
_PAGE_LABELS = 5


class TextAnswers:
    """Answers about texts under a model.

    Parameters
    ----------
    catalogue : Catalogue
        The model, its topics and documents.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._model = catalogue.model

    def transform(self, texts: Sequence[str], links: Links = None) -> list[dict[str, Any]]:
        """Return the topic proportions of texts."""
        shares = self._shares(texts, links)
        known = self._n_known(texts)
        return [
            {"n_known_tokens": n_known, "topics": [float(share) for share in row]}
            for row, n_known in zip(shares, known, strict=True)
        ]

    def predict(self, texts: Sequence[str], links: Links = None) -> list[dict[str, Any]]:
        """Return predicted labels with scores, or predicted values; both for a model with both."""
        catalogue = self._catalogue
        if not (catalogue.predicts_labels or catalogue.predicts_values):
            raise self._cannot("predicts neither labels nor numbers", "fit MedLDA or SupervisedLDA")
        documents = self._model._documents(list(texts), "predict", self._link_rows(texts, links))
        known = np.asarray(documents.counts.sum(axis=1)).ravel()
        answers: list[dict[str, Any]] = [{"n_known_tokens": int(n_known)} for n_known in known]
        if catalogue.predicts_labels:
            self._add_labels(answers, documents)
        if catalogue.predicts_values:
            arguments = {} if documents.links is None else {"links": documents.links}
            for answer, value in zip(answers, self._model.predict_values(list(texts), **arguments), strict=True):
                answer["value"] = float(value)
        return answers

    def _add_labels(self, answers: list[dict[str, Any]], documents: Any) -> None:
        predictions = label_predictions(self._model)
        scores = predictions.scores(documents)
        names = [str(name) for name in self._model.classes_]
        chances = None
        if hasattr(self._model, "predict_proba"):
            chances = predictions.probabilities_of(scores, linked=documents.links is not None)
        for row, labels in enumerate(predictions.names_of(scores)):
            own = scores[row].tolist()
            own = [-own[0], own[0]] if predictions.kind == "binary" else own
            answers[row]["labels"] = [str(label) for label in labels]
            answers[row]["scores"] = {name: score for name, score in zip(names, own, strict=True) if np.isfinite(score)}
            answers[row]["probabilities"] = (
                None if chances is None else dict(zip(names, chances[row].tolist(), strict=True))
            )

    def explain(self, texts: Sequence[str], label: str | None = None, top: int = 10) -> list[dict[str, Any]]:
        """Return the topics and words that raise or lower the score of a label, or the predicted value."""
        catalogue = self._catalogue
        if catalogue.predicts_labels:
            wanted = None if label is None else self._class(label)
            return [self._explained(text, lambda text: self._model.explain(text, wanted, top)) for text in texts]
        if not catalogue.predicts_values:
            raise self._cannot("predicts neither labels nor numbers", "fit MedLDA or SupervisedLDA")
        if label is not None:
            raise RequestError(422, "the model predicts a number, not labels; leave label out")
        return [self._explained(text, lambda text: self._model.explain_value(text, top)) for text in texts]

    def _explained(self, text: str, explain: Any) -> dict[str, Any]:
        n_known = self._n_known([text])[0]
        answer: dict[str, Any] = {"n_known_tokens": n_known, "label": None, "score": None, "topics": [], "words": []}
        if not n_known:
            return answer
        found = explain(text)
        answer["label"] = None if found.label is None else str(found.label)
        answer["score"] = found.score
        answer["topics"] = [
            {
                **self._catalogue.brief_topic(one.topic),
                "share": one.share,
                "weight": one.weight,
                "contribution": one.push,
            }
            for one in found.topics
        ]
        answer["words"] = [{"word": one.word, "count": one.count, "contribution": one.push} for one in found.words]
        return answer

    def suggest(self, texts: Sequence[str], links: Links = None, top: int = 10) -> list[dict[str, Any]]:
        """Return the training documents that each text should be linked with, without those that it links to."""
        catalogue = self._catalogue
        if not catalogue.suggests_links:
            raise self._cannot("does not predict links", "fit RelationalTopicModel")
        given = self._link_numbers(texts, links)
        n_links = max((len(rows) for rows in given), default=0)
        found = self._model.suggest_links(list(texts), min(top + n_links, catalogue.n_documents))
        answers = []
        for n_known, suggestions, rows in zip(self._n_known(texts), found, given, strict=True):
            described = [catalogue.connections.suggestion(one) for one in suggestions]
            described = [one for one in described if one["row"] not in rows][:top]
            answers.append({"n_known_tokens": n_known, "suggestions": described})
        return answers

    def similar(self, texts: Sequence[str], links: Links = None, top: int = 10) -> list[dict[str, Any]]:
        """Return the training documents with the most similar topics."""
        known = self._n_known(texts)
        return [
            {"n_known_tokens": n_known, "documents": self._catalogue.similar(row, top) if n_known else []}
            for row, n_known in zip(self._shares(texts, links), known, strict=True)
        ]

    def analyse(self, text: str, links: Sequence[str]) -> dict[str, Any]:
        """Return everything about one text, for a page."""
        catalogue = self._catalogue
        given = [list(links)] if links else None
        followed = given if catalogue.follows_links else None
        (shares,) = self._shares([text], followed)
        n_known = self._n_known([text])[0]
        topics = catalogue.topic_shares(shares)[:_PAGE_TOPICS]
        answer: dict[str, Any] = {
            "n_known_tokens": n_known,
            "topics": topics,
            "pieces": colour_words(self._model, text, shares, self._columns),
            "colours": {one["topic"]: number for number, one in enumerate(topics)},
            "similar": catalogue.similar(shares, 10) if n_known else [],
            "prediction": None,
            "explanation": None,
            "suggestions": [],
        }
        if catalogue.predicts_labels or catalogue.predicts_values:
            (answer["prediction"],) = self.predict([text], followed)
            scores = answer["prediction"].get("scores", {})
            answer["best_labels"] = sorted(scores.items(), key=lambda one: -one[1])[:_PAGE_LABELS]
            (answer["explanation"],) = self.explain([text])
        if catalogue.suggests_links and n_known:
            (found,) = self.suggest([text], given)
            answer["suggestions"] = found["suggestions"]
        return answer

    @cached_property
    def _columns(self) -> dict[str, int]:
        return number_words(self._model.vocabulary_)

    def _shares(self, texts: Sequence[str], links: Links) -> np.ndarray:
        rows = self._link_rows(texts, links)
        arguments = {} if rows is None else {"links": rows}
        return np.asarray(self._model.transform(list(texts), **arguments))

    def _n_known(self, texts: Sequence[str]) -> list[int]:
        counts = self._model._documents(list(texts), "transform").counts
        return [int(one) for one in np.asarray(counts.sum(axis=1)).ravel()]

    def _class(self, label: str) -> Any:
        for name in self._model.classes_:
            if str(name) == label:
                return name
        raise RequestError(404, f"the model does not know the label {label[:100]!r}; /api/labels lists its labels")

    def _link_rows(self, texts: Sequence[str], links: Links) -> sparse.csr_array | None:
        """Return the links of texts as a matrix, texts × documents; None if none are given."""
        if links is None:
            return None
        if not self._catalogue.follows_links:
            raise self._cannot("does not use links to find topics", "leave links out")
        n_documents = self._model.influence_.shape[0]
        offset = self._catalogue.n_documents - n_documents
        rows = self._link_numbers(texts, links)
        ends = np.cumsum([0, *map(len, rows)])
        columns = np.array([row - offset for own in rows for row in sorted(own)], dtype=np.int64)
        if columns.size and columns.min() < 0:
            raise RequestError(422, "links must go to documents of the last time slice")
        return sparse.csr_array((np.ones(columns.size), columns, ends), shape=(len(texts), n_documents))

    def _link_numbers(self, texts: Sequence[str], links: Links) -> list[set[int]]:
        """Return the rows of the documents that each text links to."""
        if links is None:
            return [set() for _ in texts]
        if len(links) != len(texts):
            raise RequestError(
                422, f"links has {len(links)} lists, but there are {len(texts)} texts; give one list per text"
            )
        return [{self._catalogue.find_row(name) for name in own} for own in links]

    def _cannot(self, what: str, remedy: str) -> RequestError:
        return RequestError(409, f"this {type(self._model).__name__} {what}; {remedy}")
