"""Conversion of the fitted attributes in files written by earlier versions."""

from __future__ import annotations

from typing import Any

from plait.corpus.known_documents import KnownDocuments
from plait.models.naming import names_from_prior

# Parameters with another name now, by model.
_RENAMED = {
    "OnlineLDA": {"weights": "history_weights", "history": "history_form"},
    "RelationalTopicModel": {"weights": "form"},
}
# Parameters that models did not have, with the values that they stood for.
_ADDED = {"MedLDA": {"features": None}, "RelationalTopicModel": {"pair_features": None}}
# Fields with another name now, by the name of the class in files.
_RENAMED_FIELDS = {"models.LinkResponse": {"weights": "form"}}


def rename_parameters(kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a model file under their present names.

    Parameters
    ----------
    kind : str
        Class of the model.
    settings : dict of str to object
        Parameters as the file has them.

    Returns
    -------
    dict of str to object
        Parameters of the class.
    """
    renamed = _RENAMED.get(kind, {})
    added = _ADDED.get(kind, {})
    return added | {renamed.get(name, name): value for name, value in settings.items()}


def convert_older(fitted: dict[str, Any]) -> dict[str, Any]:
    """Return the fitted attributes of a model file with their current names and structure.

    Parameters
    ----------
    fitted : dict of str to Any
        Fitted attributes as stored in the file.

    Returns
    -------
    dict of str to Any
        Attributes for the current models.
    """
    if "_samples" in fitted:  # written when models had a single chain
        fitted = dict(fitted)
        fitted["_chain_samples"] = [fitted.pop("_samples")]
        fitted["_chain_groups"] = [0]
        if fitted["_unfinished"] is not None:
            state, run = fitted["_unfinished"]
            fitted["_unfinished"] = (state, [run])
    if "text_options_" not in fitted:  # written before models knew how texts were read
        fitted = {**fitted, "text_options_": None}
    topics = fitted.get("doc_topic_", fitted.get("_doc_topics"))
    if "documents_" not in fitted and topics is not None:  # written before models kept titles
        fitted = {**fitted, "documents_": _documents(topics, fitted.get("doc_ids_"))}
        if fitted.get("_gathered") is not None:
            fitted["_gathered"] = [(shares, _documents(shares, ids)) for shares, ids in fitted["_gathered"]]
    if "doc_topic_" in fitted:  # written when models kept proportions rather than sums over samples
        fitted = {**fitted, "_doc_topics": fitted["doc_topic_"]}
        del fitted["doc_topic_"]
    if "_sigmoids" in fitted and "_linked_sigmoids" not in fitted:  # written before links had calibration curves
        fitted = {**fitted, "_linked_sigmoids": fitted["_sigmoids"]}
    return fitted


def _documents(doc_topic: Any, ids: Any) -> KnownDocuments:
    """Return what a model knows of its documents that kept their ids only."""
    return KnownDocuments(doc_topic.shape[0], ids)


def add_missing(model: Any) -> None:
    """Set the fitted attributes that files of earlier versions do not have.

    Parameters
    ----------
    model : TopicEstimator
        A model with the attributes of a file.
    """
    fitted = vars(model)
    if "topic_word_" not in fitted:
        return
    if "edits_" not in fitted:
        model.edits_ = []
    if "topic_names_" not in fitted:
        groups = model._chain_groups
        firsts = [model._chain_samples[groups.index(group)] for group in sorted(set(groups))]
        n_words = model.topic_word_.shape[1]
        model.topic_names_ = names_from_prior(model._make_prior(), model.vocabulary_, firsts, n_words).names


def rename_fields(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object in a model file under their present names.

    Parameters
    ----------
    name : str
        Name of the class in files.
    fields : dict of str to object
        Fields as the file has them.

    Returns
    -------
    dict of str to object
        Fields of the class.
    """
    renamed = _RENAMED_FIELDS.get(name, {})
    return {renamed.get(field, field): value for field, value in fields.items()}
