"""Paragraphs that the docstrings of several methods share.

A line `<name>` of a docstring stands for a paragraph, `<Parameters: name, name>` for a section that begins with them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

_Method = TypeVar("_Method", bound=Callable[..., Any])

_PARAGRAPHS = {
    "documents": """\
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            Documents: texts (a list, array or Series), a Corpus, a data frame with a column of texts, or counts
            (sparse, dense or a data frame). Texts are read with `text_options_`.""",
    "training": """\
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            Training documents: texts (a list, array or Series), a Corpus, a data frame with a column of texts, or
            counts (sparse, dense or a data frame).""",
    "new": """\
        new : list of str, Corpus, data frame or matrix of shape (new documents, words)
            New documents, as in `transform`.""",
    "document": """\
        document : str, Corpus or array-like
            A text, a Corpus of one document, or a row of counts.""",
    "links": """\
        links : matrix, optional
            Their links, for a model with `LinkedDocuments` mixing: as in `LinkedLDA.transform`.""",
    "label_features": """\
        features : matrix of shape (documents, features), optional
            Their features, for a model that was fitted with features of your own: as in `MedLDA`.""",
    "value_features": """\
        features : matrix of shape (documents, features), optional
            Their features, for a model that was fitted with features; not standardised.""",
    "ignored_y": """\
        y : None
            Ignored.""",
    "checkpoint": """\
        checkpoint : path, optional
            Name of the model, such as "papers.plait", or of the folder, "papers.plait.checkpoint". The unfinished fit
            is written to that folder. After a crash, `plait.load(checkpoint).resume(X)` continues it. A folder that
            cannot be written is an error before the first sweep; later, the fit warns and continues. SIGTERM writes
            a checkpoint before the process ends.
        checkpoint_every : int, default 50
            Sweeps between two checkpoints.""",
    "edited": """\
        X : Corpus, or matrix of shape (documents, words)
            The documents that the model was fitted to, because a model does not keep their tokens; of a stream, the
            documents of its last slice.
        y, links, values
            Labels, links and values of the documents, as they were given to `fit`.
        n_sweeps : int, default 50
            Maximum number of burn-in sweeps of the edited model.""",
    "frame_of_kind": """\
        Parameters
        ----------
        kind : {"polars", "pandas"}, default "polars"
            Library of the data frame.

        Returns
        -------
        polars.DataFrame or pandas.DataFrame""",
    "known_proportions": """\
        doc_topic : ndarray of shape (documents, topics)
            Topic proportions.
        documents : KnownDocuments
            The documents.""",
    "edited_model": """\
        Returns
        -------
        TopicEstimator
            The edited model; `edits_` has one more record.

        Examples
        --------
        >>> from plait import LDA, Corpus
        >>> corpus = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
        >>> model = LDA(n_topics=3, random_state=0, verbose=False).fit(corpus)""",
    "figure": """\
        Returns
        -------
        Figure
            It shows itself in a notebook.""",
    "held_out": """\
        X : list of str, Corpus, data frame or matrix
            Documents, preferably held-out ones.
        y : sequence, optional
            Their labels; None for those of the Corpus.""",
    "n_found": """\
        top : int, default 10
            Number of documents.""",
    "top": """\
        top : int, default 10
            Number of topics and of words to list.""",
    "suggestions": """\
        top : int, default 10
            Number of suggestions per document.
        direction : {"either", "to", "from"}, default "either"
            As in `score_links`.""",
    "pair_matrices": """\
        pair_matrices : mapping of str to matrix of shape (new documents, training documents), optional
            Numbers of the pairs for each `PairMatrix` among the pair features, by its key.""",
    "topic": """\
        topic : int
            Number of the topic.""",
    "as_frame": """\
        as_frame : bool, default False
            Return a data frame: of pandas after `set_output(transform="pandas")`, else of Polars.""",
    "perplexity_documents": """\
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            Documents as in `transform`, preferably held-out documents.""",
}


def shared_docs(method: _Method) -> _Method:
    """Expand the marked lines of a method's docstring.

    Parameters
    ----------
    method : callable
        The method, which is returned.
    """
    if method.__doc__ is not None:  # python -OO
        method.__doc__ = re.sub(r"^( *)<(Parameters: )?([\w, ]+)>$", _expand, method.__doc__, flags=re.MULTILINE)
    return method


def _expand(match: re.Match[str]) -> str:
    indent, heading, names = match.groups()
    paragraphs = [textwrap.dedent(_PARAGRAPHS[name]) for name in names.split(", ")]
    lines = ["Parameters", "-" * len("Parameters"), *paragraphs] if heading else paragraphs
    return textwrap.indent("\n".join(lines), indent)
