"""The method `name_topics` of all models, and what a function that names topics is given."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.models.naming import check_topic_number, rename


@dataclass(frozen=True)
class TopicDescription:
    """What is known of a topic, for a function that names it.

    Attributes
    ----------
    index : int
        Number of the topic.
    share : float
        Its share of all training tokens.
    words : list of str
        Its top words.
    weights : list of float
        Probabilities of these words.
    name : str
        Its present name; "" for none.
    document_ids : list of str
        Typical documents: those with the largest proportion of the topic.
    titles : list of str
        Their titles; the ids, where the model keeps no titles.
    excerpts : list of str
        The first characters of their texts; empty, where the model keeps no excerpts.
    """

    index: int
    share: float
    words: list[str]
    weights: list[float]
    name: str
    document_ids: list[str]
    titles: list[str]
    excerpts: list[str]


def name_topics(
    self: Any,
    names: Mapping[int, str | None] | Callable[[TopicDescription], str | None],
    *,
    top_words: int = 10,
    top_documents: int = 5,
) -> Any:
    """Return a copy of the model with other names of topics; this model does not change.

    Names are saved with the model and shown wherever topics are shown.

    Parameters
    ----------
    names : mapping of int to str, or callable
        Names by number of the topic, None to remove a name; other topics keep theirs. Or a function that is called
        with the `TopicDescription` of every topic, and returns its name, or None for no name.
    top_words : int, default 10
        Number of words that the function is given.
    top_documents : int, default 5
        Number of typical documents that the function is given.

    Returns
    -------
    TopicEstimator
        The same topics with other names; `edits_` has one more record.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
    >>> model = LDA(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> named = model.name_topics(lambda topic: "finance" if "loan" in topic.words[:2] else "nature")
    >>> sorted(named.topic_names_)
    ['finance', 'nature']
    >>> named.name_topics({0: "first"}).topics()[0].name
    'first'
    """
    check_is_fitted(self)
    if callable(names):
        described = describe(self, top_words, top_documents)
        changes: dict[int, str | None] = {one.index: names(one) for one in described}
    elif isinstance(names, Mapping):
        n_topics = len(self.topic_names_)
        changes = {check_topic_number(topic, n_topics): name for topic, name in names.items()}
    else:
        raise PlaitError(
            f"names must map numbers of topics to names, such as {{3: 'space'}}, or be a function, not {names!r}"
        )
    named = copy.copy(self)
    named.topic_names_ = rename(self.topic_names_, changes)
    given = {topic: named.topic_names_[topic] or None for topic in sorted(changes)}
    named.edits_ = [*self.edits_, {"operation": "name", "names": given}]
    return named


def describe(model: Any, top_words: int, top_documents: int) -> list[TopicDescription]:
    """Return what is known of every topic of a fitted model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    top_words, top_documents : int
        Number of words and of typical documents.

    Returns
    -------
    list of TopicDescription
        One per topic.
    """
    check_whole("top_documents", top_documents, least=1)
    known = getattr(model, "documents_", None)
    titles, excerpts = getattr(known, "titles", None), getattr(known, "excerpts", None)
    ids = [str(row) for row in range(len(model.doc_topic_))] if model.doc_ids_ is None else model.doc_ids_
    order = (-model.doc_topic_).argsort(axis=0, kind="stable")[:top_documents]
    described = []
    for topic in model.topics(top=top_words):
        rows = order[:, topic.index]
        names = [str(ids[row]) for row in rows]
        own_titles = names if titles is None else [str(titles[row] or ids[row]) for row in rows]
        described.append(
            TopicDescription(
                topic.index,
                topic.share,
                topic.words,
                topic.weights,
                topic.name,
                names,
                own_titles,
                [] if excerpts is None else [str(excerpts[row] or "") for row in rows],
            )
        )
    return described
