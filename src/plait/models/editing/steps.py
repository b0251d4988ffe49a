"""Steps of an edit that depend on the model: methods of all models, some of which a stream overrides."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.models.editing.operations import TopicEdit
from plait.models.editing.parameters import edited_parameters
from plait.models.fitting import Fit
from plait.models.inputs import Inputs


def keep_names(self: Any, fit: Fit) -> None:
    """Let a fit that continues this model keep the names and edits; names of the prior are judged again."""
    if self.edits_:
        fit.names, fit.edits = list(self.topic_names_), list(self.edits_)


def fit_again(self: Any, X: Any, inputs: Inputs, before: Fit | None = None) -> Fit:
    """Return a new fit to the documents that the model was fitted to; `before` has their words, if it is given."""
    words = self._training_words(X) if before is None else before.words
    fit: Fit = self._new_fit(X, inputs, words, seed=self.seed_)
    if fit.fingerprint != self._corpus_fingerprint:
        raise other_documents("the model was fitted to")
    return fit


def with_topics(self: Any, edit: TopicEdit, counts: np.ndarray | None) -> Any:
    """Return a copy with the parameters of edited topics, which are not learned yet.

    Parameters
    ----------
    self : TopicEstimator
        The model.
    edit : TopicEdit
        What becomes of its topics.
    counts : ndarray of shape (new topics, words) or None
        Topic–word counts of the edited topics, by which a stream divides its past; None for equal parts.
    """
    edited = copy.copy(self)
    for name, value in edited_parameters(self, edit.origins).items():
        setattr(edited, name, value)
    edited._check_parameters()
    return edited


def finish_edit(self: Any, before: Any, edit: TopicEdit) -> None:
    """Set what a model with edited topics keeps of the model before the edit: nothing, except in a stream."""


def other_documents(which: str) -> PlaitError:
    """Return the error for documents other than those of the fit.

    Parameters
    ----------
    which : str
        The documents that are needed.
    """
    return PlaitError(
        f"these are not the documents that {which}; give the same documents, in the same order and read in the same "
        "way, with the same labels, values and links"
    )
