"""Fitted attributes: what the chains of a fit have learned, under the names of `TopicModel`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.engine.doc_topics import DocTopicSums, weigh_topics
from plait.engine.run import Run
from plait.engine.sample import mean_alpha, mean_topic_word
from plait.models.answers.influence import INFLUENCE_ATTRIBUTES, influence_attributes
from plait.models.answers.labels import LABEL_ATTRIBUTES, label_attributes
from plait.models.answers.links import LINK_ATTRIBUTES, link_attributes
from plait.models.answers.tasks import TaskLayout
from plait.models.answers.values import VALUE_ATTRIBUTES, value_attributes
from plait.models.fitting import Fit
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.models.naming import names_from_prior, warn_of_problems
from plait.responses import Response
from plait.responses.regressors import scale_regressors

# Attributes that a fit sets only if the model has the response or mixing for them, or if it is unfinished
# (`_began_with`), and those that `plait fit` sets: `topic_choice_`, if a comparison chose the number of topics, and
# `reading_options_`.
_OF_COMMAND = {"topic_choice_", "reading_options_"}
_OF_PARTS = {*LABEL_ATTRIBUTES, *VALUE_ATTRIBUTES, *LINK_ATTRIBUTES, *INFLUENCE_ATTRIBUTES}
FITTED = {*_OF_PARTS, *_OF_COMMAND, "_began_with"}


def fitted_attributes(
    fit: Fit, runs: list[Run], chains: FittedChains, responses: Sequence[Response], layout: TaskLayout
) -> dict[str, Any]:
    """Return the fitted attributes of a model.

    Parameters
    ----------
    fit : Fit
        The fit, finished or not.
    runs : list of Run
        Its runs, each with at least one sample.
    chains : FittedChains
        Its chains.
    responses : sequence of Response
        Specifications of the model's responses.
    layout : TaskLayout
        Which group of chains learns which tasks.

    Returns
    -------
    dict of str to object
        Attributes by name.
    """
    attributes = topic_attributes(fit, runs, chains) | fit.learned
    if fit.links is not None:
        attributes |= influence_attributes(fit, runs)
    for place, response in enumerate(responses):
        attributes |= _response_attributes(fit, chains, response, place, layout)
    return attributes


def topic_attributes(fit: Fit, runs: list[Run], chains: FittedChains) -> dict[str, Any]:
    """Return the attributes that all models have; `LDA` documents the public ones."""
    firsts = [runs[number] for number in chains.first_chains]
    lengths = np.asarray(fit.words.counts.sum(axis=1), dtype=np.float64).ravel()
    doc_topic = _doc_topics(fit, firsts, lengths)
    history = [record for run in fit.runs for record in run.history.records]
    n_sweeps = fit.settings.schedule.n_sweeps
    return {
        "seed_": fit.seed,
        "_corpus_fingerprint": fit.fingerprint,
        "_chain_samples": chains.samples,
        "_chain_groups": chains.groups,
        "topic_word_": np.concatenate([mean_topic_word(run.samples) for run in firsts]),
        "doc_topic_": doc_topic,
        "topic_share_": weigh_topics(doc_topic, lengths),
        "word_counts_": np.asarray(fit.words.counts.sum(axis=0)).ravel(),
        "vocabulary_": fit.words.vocabulary,
        "doc_ids_": fit.words.ids,
        "text_options_": fit.words.text_options,
        "documents_": fit.words.known_documents(),
        "topic_names_": _judge_names(fit, chains),
        "edits_": list(fit.edits),
        "alpha_": firsts[0].samples[-1].alpha.copy(),
        "beta_": firsts[0].samples[-1].beta,
        "history_": history,
        "n_sweeps_": len(history),
        "settled_": all(run.settled_at is not None and run.settled_at < n_sweeps for run in fit.runs),
        "interrupted_": not fit.finished,
        "_unfinished": fit.unfinished(),
    }


def _doc_topics(fit: Fit, firsts: list[Run], lengths: np.ndarray) -> DocTopicSums | np.ndarray:
    """Return the topics of the training documents: sums over samples where these are enough, else proportions."""
    sums = [run.doc_topic_sum for run in firsts]
    if fit.links is None and all(isinstance(one, sparse.csr_array) for one in sums):
        alphas = [mean_alpha(run.samples) for run in firsts]
        return DocTopicSums(sums, alphas, [len(run.samples) for run in firsts])
    candidates = fit.settings.mixing.candidates(fit.links, lengths)
    return np.concatenate([run.doc_topic_mean(candidates) for run in firsts], axis=1) / len(firsts)


def _judge_names(fit: Fit, chains: FittedChains) -> list[str]:
    """Return the names of the topics: those that the fit keeps, or those of the prior; warn of withdrawn names."""
    if fit.names is not None:
        return list(fit.names)
    groups = [chains.samples[number] for number in chains.first_chains]
    found = names_from_prior(fit.settings.prior, fit.words.vocabulary, groups, fit.words.counts.shape[1])
    if fit.finished:
        warn_of_problems(found.problems)
    return found.names


def _response_attributes(
    fit: Fit, chains: FittedChains, response: Any, place: int, layout: TaskLayout
) -> dict[str, Any]:
    """Return the attributes of one response; a response of another kind has none."""
    given = fit.given[response.kind]
    features = scaling = None
    if getattr(response, "features", None) is not None:
        features, scaling = scale_regressors(response.features, fit.words.counts.shape[0])
    if response.kind == "labels":
        mixing, links = fit.settings.mixing, fit.links
        training = Documents(fit.words.counts, None if links is None else mixing.orient(links), features)
        return label_attributes(given, training, chains, place, layout, response.calibrate > 0, scaling)
    if response.kind == "values":
        return value_attributes(given, chains, place, layout, scaling)
    return link_attributes(given, response, chains, place) if response.kind == "links" else {}
