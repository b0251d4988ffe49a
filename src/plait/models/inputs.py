"""What estimators are given: training documents with labels, values and links; new documents; one document."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.warn import warn_caller
from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.links import read_followed_links
from plait.inputs.texts import is_texts
from plait.inputs.words import Words, describe_empty, new_words, training_words
from plait.responses import RESPONSES, Response

_NO_KNOWN_WORD = "the document has no word that the model knows, so there is nothing to explain"
_ARGUMENTS = {"labels": "y", "values": "values", "links": "links"}  # of `fit`, by kind


class Inputs(NamedTuple):
    """What `fit` is given beside the documents, in the form that the user gave it; None for what is not given."""

    labels: Any = None
    values: Any = None
    links: Any = None
    pair_matrices: Any = None  # of pair features, by name


class Documents(NamedTuple):
    """New documents as a model takes them."""

    counts: sparse.csr_array  # documents × words of the model
    links: sparse.csr_array | None = None  # row d lists the source documents of d; None: no links are used
    features: Any = None  # documents × features of the user's own; None: none are given


def reject_unused(inputs: Inputs, responses: Sequence[Response], uses_links: bool) -> None:
    """Raise an error for an input that neither a response nor the mixing uses.

    Labels given to a model without responses are ignored, because scikit-learn's pipelines pass `y` to all steps.

    Parameters
    ----------
    inputs : Inputs
        What `fit` was given.
    responses : sequence of Response
        Responses of the model.
    uses_links : bool
        Whether the mixing uses links.
    """
    used = {one.kind for one in responses} | ({"links"} if uses_links else set())
    for kind, argument in _ARGUMENTS.items():
        if kind in used or getattr(inputs, kind) is None or (kind == "labels" and not responses):
            continue
        also = ", or give numbers by values=" if kind == "labels" and "values" in used else ""
        raise PlaitError(
            f"{argument} is given, but no response explains {kind}: add {RESPONSES[kind].__name__}() to responses, or "
            f"leave {argument} out{also}"
        )


def read_training_words(estimator: Any, X: Any, real: bool) -> Words:
    """Return the words of training documents.

    Parameters
    ----------
    estimator : TopicEstimator
        The estimator, whose scikit-learn attributes (`n_features_in_` …) are set.
    X : Corpus or matrix of shape (documents, words)
        Training documents.
    real : bool
        Whether counts may be real numbers.

    Returns
    -------
    Words
        Counts, vocabulary, and what `keep` allows of the documents.
    """
    options = {} if estimator.vocabulary is None else {"vocabulary": estimator.vocabulary}
    words = training_words(estimator, X, real, **options)
    if isinstance(estimator.n_topics, int) and estimator.n_topics > words.counts.shape[1]:
        warn_caller(
            f"{estimator.n_topics:,} topics are more than the {words.counts.shape[1]:,} words of the vocabulary, so "
            "many topics will have no words; choose fewer topics"
        )
    known = words.known_documents().reduce(estimator.keep)
    return words._replace(ids=known.ids, documents=known)


def read_new_links(links: Any, n_new: int, n_training: int | None) -> sparse.csr_array | None:
    """Return the links of new documents.

    Parameters
    ----------
    links : matrix of shape (new documents, training documents [+ new documents]), or None
        Links as the user gave them.
    n_new : int
        Number of new documents.
    n_training : int or None
        Number of training documents; None for a model whose mixing does not use links.

    Returns
    -------
    csr_array or None
        Row d lists the source documents of d.
    """
    if links is None:
        return None
    if n_training is None:
        raise PlaitError(
            "links= is only used with LinkedDocuments mixing; leave links out, or use a model that follows links "
            "(LinkedLDA, or mixing=LinkedDocuments())"
        )
    return read_followed_links(links, n_new, n_training)


def read_one_document(estimator: Any, document: Any, real: bool) -> Documents:
    """Return one document in the columns of a fitted model.

    Parameters
    ----------
    estimator : TopicEstimator
        The fitted model.
    document : str, Corpus or array-like
        A text (or a list of one), a Corpus of one document, or a row of counts.
    real : bool
        Whether counts may be real numbers.

    Returns
    -------
    Documents
        One row of counts.
    """
    if isinstance(document, str):
        document = [document]
    elif sparse.issparse(document) and document.ndim == 1:
        document = document.reshape(1, -1)
    elif not isinstance(document, Corpus) and not is_texts(document) and np.ndim(document) == 1:
        document = np.asarray(document).reshape(1, -1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(has|have) no word that the model knows")  # an error below
        words = new_words(estimator, document, real, "explain")
    if words.counts.shape[0] != 1:
        raise PlaitError(f"explain takes one document, not {words.counts.shape[0]:,}; select one first")
    if words.counts.nnz == 0:
        raise PlaitError(_NO_KNOWN_WORD)
    return Documents(words.counts)


def warn_of_empty(documents: Documents) -> Documents:
    """Return documents; warn if some have no word of the model's vocabulary, so that only the prior is left."""
    n_documents = documents.counts.shape[0]
    empty = int((np.diff(documents.counts.indptr) == 0).sum())
    if empty:
        warn_caller(f"{describe_empty(empty, n_documents)}; links are predicted from the prior alone")
    return documents
