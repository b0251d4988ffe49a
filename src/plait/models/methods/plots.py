"""Methods that draw: each returns a figure of `plait.plots`, which shows itself in a notebook.

A figure is drawn by Plotly where the notebook knows it, else as SVG. `figure.to_plotly()` returns it for changes,
`figure.save("map.svg")` writes it (.svg, .html or .png).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sklearn.utils.metaestimators import available_if

from plait import plots
from plait.models.methods.availability import explains, follows_links, gives_probabilities
from plait.models.shared_docs import shared_docs

if TYPE_CHECKING:
    from plait.plots import ColouredText, Figure


def _is_stream(model: Any) -> bool:
    """Return True for a model with time slices; raise an AttributeError for others."""
    if hasattr(model, "words_over_time"):
        return True
    raise AttributeError("only a model of a stream has this: use OnlineLDA, or plot_streams(by='year')")


def _has_links(model: Any) -> bool:
    """Return True for a model that knows links between its documents; raise an AttributeError for others."""
    return True if model._explains("links") else follows_links(model)


@shared_docs
def plot_topics(self: Any) -> Figure:
    """Return a map of the topics: similar topics are close, larger circles have more tokens.

    <figure>
    """
    return plots.topic_map(self)


@shared_docs
def plot_words(self: Any, topic: int, relevance_weight: float = 0.6, top: int = 20) -> Figure:
    """Return the words of a topic, ordered between frequent and distinctive.

    Parameters
    ----------
    topic : int
        Number of the topic.
    relevance_weight : float, default 0.6
        λ: 1 orders words by their frequency in the topic, 0 by how specific they are to it.
    top : int, default 20
        Number of words.

    <figure>
    """
    return plots.topic_words(self, topic, relevance_weight=relevance_weight, top=top)


@shared_docs
def plot_tree(self: Any, method: str = "complete") -> Figure:
    """Return the hierarchy of the topics as a dendrogram.

    Parameters
    ----------
    method : {"average", "complete", "single", "weighted"}, default "complete"
        As in `topic_hierarchy`.

    <figure>
    """
    return plots.topic_tree(self, method=method)


@shared_docs
def plot_similarity(self: Any, top: int = 40) -> Figure:
    """Return a heat map of how similar the words of the topics are.

    Parameters
    ----------
    top : int, default 40
        Number of topics, the largest ones.

    <figure>
    """
    return plots.topic_similarities(self, top=top)


@shared_docs
def plot_documents(self: Any, top: int = 1500) -> Figure:
    """Return a map of the training documents, coloured by topic.

    Parameters
    ----------
    top : int, default 1500
        Number of documents.

    <figure>
    """
    return plots.document_map(self, top=top)


@shared_docs
def plot_document(self: Any, document: Any, top: int = 10) -> Figure:
    """Return the topic proportions of one document.

    Parameters
    ----------
    document : str, int or Corpus
        Id or row number of a training document; or a new document: a text, or a Corpus of one document.
    top : int, default 10
        Number of topics.

    <figure>
    """
    return plots.document_topics(self, document, top=top)


def colour_words(self: Any, text: str) -> ColouredText:
    """Return a text with its words coloured by topic.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    ColouredText
        It shows itself in a notebook.
    """
    return plots.coloured_text(self, text)


@shared_docs
def plot_fit(self: Any) -> Figure:
    """Return the training perplexity by sweep.

    <figure>
    """
    return plots.perplexity_curve(self)


@shared_docs
def plot_coherence(self: Any, X: Any, measure: str = "npmi", top: int = 10) -> Figure:
    """Return the coherence of the topics in reference documents.

    Parameters
    ----------
    X : list of str, Corpus, data frame or matrix
        Reference documents.
    measure : {"npmi", "c_v"}, default "npmi"
        As in `coherence`.
    top : int, default 10
        Number of words per topic.

    <figure>
    """
    return plots.topic_coherence(self, X, measure=measure, top=top)


@shared_docs
def plot_topic_network(self: Any) -> Figure:
    """Return a network of the topics along links, influence or similar words.

    <figure>
    """
    return plots.topic_network(self)


@available_if(_has_links)
@shared_docs
def plot_document_network(self: Any, top: int = 150) -> Figure:
    """Return a network of documents along the strongest influences or links.

    Parameters
    ----------
    top : int, default 150
        Number of documents.

    <figure>
    """
    return plots.document_network(self, top=top)


@shared_docs
def plot_streams(self: Any, by: Any = None, top: int = 9) -> Figure:
    """Return the largest topics over time as streams, with the words of each time.

    Parameters
    ----------
    by : {"day", "week", "month", "year"}, int or sequence of times, optional
        How to cut time, for a model without time slices of its own.
    top : int, default 9
        Number of topics.

    <figure>
    """
    return plots.topic_streams(self, by, top=top)


@available_if(_is_stream)
@shared_docs
def plot_words_over_time(self: Any, topic: int, top: int = 7) -> Figure:
    """Return the probabilities of the words of a topic over time.

    Parameters
    ----------
    topic : int
        Number of the topic.
    top : int, default 7
        Number of words.

    <figure>
    """
    return plots.words_over_time(self, topic, top=top)


@available_if(_is_stream)
@shared_docs
def plot_changes(self: Any) -> Figure:
    """Return when topics emerge and fade.

    <figure>
    """
    return plots.change_calendar(self)


@available_if(explains("labels"))
@shared_docs
def plot_labels(self: Any) -> Figure:
    """Return a heat map of the weights of the topics for each label.

    <figure>
    """
    return plots.label_weights(self)


@available_if(explains("labels"))
@shared_docs
def plot_confusion(self: Any, X: Any, y: Sequence[Any] | None = None) -> Figure:
    """Return a heat map of true and predicted labels.

    <Parameters: held_out>

    <figure>
    """
    return plots.label_confusion(self, X, y)


@available_if(explains("labels"))
@shared_docs
def plot_label_scores(self: Any, X: Any, y: Sequence[Any] | None = None) -> Figure:
    """Return how well each label is predicted.

    <Parameters: held_out>

    <figure>
    """
    return plots.label_scores(self, X, y)


@available_if(gives_probabilities)
@shared_docs
def plot_calibration(self: Any, X: Any, y: Sequence[Any] | None = None) -> Figure:
    """Return how often predictions of each probability are right.

    <Parameters: held_out>

    <figure>
    """
    return plots.label_calibration(self, X, y)


@available_if(explains("links"))
@shared_docs
def plot_links(self: Any) -> Figure:
    """Return a heat map of the link weights between topics.

    <figure>
    """
    return plots.link_weights(self)


@available_if(explains("links"))
@shared_docs
def plot_link_precision(self: Any, new: Any, links: Any) -> Figure:
    """Return how many of the first k suggested links of new documents are right.

    Parameters
    ----------
    new : list of str, Corpus, data frame or matrix
        New documents.
    links : matrix of shape (new documents, training documents)
        Above 0 for their links.

    <figure>
    """
    return plots.link_precision(self, new, links)
