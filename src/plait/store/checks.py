"""What a fitted model from a file must be: its values compared with each other.

The sizes of a model are its numbers of topics, words and training documents: `n_topics`, the columns of `topic_word_`
and the rows of `_doc_topics`, which are arrays in the file, so no size can be larger than the file itself. Everything
that compiled code reads is compared with these sizes. Attributes that only some models have are checked if the model
has the response or mixing that reads them, by the same tests that its methods use.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plait._utils.arrays import NUMBER, check_array, check_counts, check_csr, check_texts
from plait.corpus.known_documents import KnownDocuments
from plait.corpus.text.options import TextOptions
from plait.engine.checkpoint import check_state, check_stored
from plait.engine.doc_topics import DocTopicSums
from plait.engine.history import Record
from plait.engine.run import Run
from plait.engine.sample import Sample, check_priors
from plait.engine.state_files import StoredState, arrays_of_response
from plait.errors import PlaitError
from plait.inputs.features import FeatureScaling, as_matrix
from plait.models import OnlineLDA, TopicEstimator
from plait.models.editing.record import check_edits
from plait.models.labelling.choice import LabelChoice
from plait.models.naming import check_name
from plait.store.fields import check_fields, check_types
from plait.store.pair_checks import check_pairs
from plait.store.stream_checks import check_stream

_KINDS = ("binary", "multiclass", "multilabel")


class Sizes(NamedTuple):
    """Sizes of a model."""

    words: int
    topics: int  # of one chain
    documents: int  # of `doc_topic_`; in a stream, those of all slices
    groups: int  # of chains that learn topics of their own

    @property
    def shown_topics(self) -> int:
        """Number of topics that the model shows: those of all groups."""
        return self.topics * self.groups


def check_parameters(model: TopicEstimator) -> None:
    """Raise an error for parameters that `load` would reject: of a wrong type, or other topics than were fitted.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    """
    check_fields(type(model), model.get_params(deep=False))
    model._check_parameters()
    rows = np.shape(model.topic_word_)[0]
    if rows % model.n_topics or (rows != model.n_topics and not model._task_layout().one_vs_all):
        raise PlaitError(f"n_topics is {model.n_topics}, but the model has {rows} topics; set it back, or fit again")


def check_model(model: TopicEstimator) -> None:
    """Raise an error unless the parameters and fitted attributes of a model agree with each other.

    Parameters
    ----------
    model : TopicEstimator
        A model with the attributes of a file.
    """
    check_array("topic_word_", getattr(model, "topic_word_", None), (None, None), finite=False)
    check_parameters(model)
    topics = _value(model, "_doc_topics", DocTopicSums, np.ndarray)
    if isinstance(topics, DocTopicSums):
        topics.check_sizes(model.n_topics)
    else:
        check_array("doc_topic_", topics, (None, None), finite=False)
    groups = _value(model, "_chain_groups", list)
    sizes = Sizes(model.topic_word_.shape[1], model.n_topics, topics.shape[0], len(set(groups)))
    if min(sizes) < 1:
        raise PlaitError("it has no topics, words or documents")
    _check_topics(model, sizes)
    n_linked = _check_links(model, sizes) if model._explains("links") else None
    shapes = _response_shapes(model, sizes)
    if model._make_mixing().uses_links:
        _check_influence(model, sizes)
    chains = _value(model, "_chain_samples", list)
    if len(chains) != len(groups) or groups != sorted(groups) or set(groups) != set(range(sizes.groups)):
        raise PlaitError(f"it has {len(chains)} chains in the groups {groups[:10]}")
    n_documents = n_linked if isinstance(model, OnlineLDA) else sizes.documents
    for samples in chains:
        _check_samples(model, samples, sizes, n_documents, shapes)
    _check_unfinished(model, sizes)
    if isinstance(model, OnlineLDA):
        check_stream(model, sizes.words)


def check_unfinished(model: TopicEstimator, n_words: int, n_documents: int) -> None:
    """Raise an error unless the parameters, the state and the runs of a checkpoint agree with each other.

    What only the corpus decides is checked by `resume`.

    Parameters
    ----------
    model : TopicEstimator
        A model with the attributes of a checkpoint.
    n_words, n_documents : int
        Sizes of the corpus, as the checkpoint has them.
    """
    model._check_parameters()
    _check_number(model, "seed_")
    _value(model, "_corpus_fingerprint", str)
    _check_text_options(_value(model, "text_options_", TextOptions, type(None)))
    check_edits(_value(model, "edits_", list))
    if model.edits_:
        check_types({"topic_names_": _value(model, "topic_names_", list)}, {"topic_names_": list[str]})
    _check_start(model)
    check_types({"words": n_words, "documents": n_documents}, {"words": int, "documents": int})
    _check_unfinished(model, Sizes(n_words, model.n_topics, n_documents, 1))
    if isinstance(model, OnlineLDA):
        check_stream(model, n_words)


def _check_start(model: TopicEstimator) -> None:
    """Check the record of what an unfinished fit began with; files of earlier versions have none."""
    if "_began_with" in vars(model):
        texts = dict[str, str]
        check_types(_value(model, "_began_with", dict), {"corpus": texts, "parameters": texts})


def _value(model: TopicEstimator, name: str, *kinds: type) -> Any:
    """Return an attribute, under the name that the model has for it; raise an error if it has another type."""
    own = model._own_names.get(name, name)
    if own not in vars(model):
        raise PlaitError(f"it has no {own}")
    value = vars(model)[own]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise PlaitError(f"{own} is of the type {type(value).__name__}")
    return value


def _check_number(model: TopicEstimator, name: str, least: int = 0, most: float = np.inf) -> int:
    """Return an attribute that is a whole number."""
    number = int(_value(model, name, int, np.integer))
    if not least <= number <= most:
        raise PlaitError(f"{name} is out of range: {number}")
    return number


def _check_topics(model: TopicEstimator, sizes: Sizes) -> None:
    """Check the attributes that all models have."""
    topics, words, documents = sizes.shown_topics, sizes.words, sizes.documents
    check_array("topic_word_", model.topic_word_, (topics, words))
    if isinstance(model._doc_topics, np.ndarray):
        check_array("doc_topic_", model._doc_topics, (documents, topics))
    elif model._doc_topics.shape != (documents, topics):
        raise PlaitError(f"the topics of documents have the shape {model._doc_topics.shape}")
    check_array("topic_share_", _value(model, "topic_share_", np.ndarray), (topics,), finite=False)
    check_counts("word_counts_", _value(model, "word_counts_", np.ndarray), (words,))
    check_priors(_value(model, "alpha_", np.ndarray), _value(model, "beta_", float, np.ndarray), words, sizes.topics)
    for name, size in (("vocabulary_", words), ("doc_ids_", documents)):
        texts = _value(model, name, np.ndarray, type(None))
        if texts is not None:
            check_texts(name, texts, size)
    _value(model, "documents_", KnownDocuments).check_sizes(documents)
    if hasattr(model, "feature_names_in_"):
        check_texts("feature_names_in_", model.feature_names_in_, words)
    if "text_options_" in vars(model):
        _check_text_options(_value(model, "text_options_", TextOptions, type(None)))
    _check_number(model, "n_features_in_", words, words)
    _check_number(model, "seed_")
    _value(model, "_corpus_fingerprint", str)
    for name in ("interrupted_", "settled_"):
        _value(model, name, bool)
    check_types({"topic_names_": _value(model, "topic_names_", list)}, {"topic_names_": list[str]})
    if len(model.topic_names_) != topics:
        raise PlaitError(f"it has {topics} topics and {len(model.topic_names_)} names of topics")
    for topic, name in enumerate(model.topic_names_):
        if name:
            check_name(name, topic)
    check_edits(_value(model, "edits_", list))
    history = _value(model, "history_", list)
    if not all(type(record) is Record for record in history):
        raise PlaitError("history_ has entries that are not records of sweeps")
    _check_number(model, "n_sweeps_", len(history), len(history))


def _check_text_options(options: TextOptions | None) -> None:
    """Check how texts were read: a fitted model knows the language and the phrases."""
    if options is not None and not options.is_resolved:
        raise PlaitError("text_options_ does not say which language or phrases the texts have")


def _response_shapes(model: TopicEstimator, sizes: Sizes) -> list[tuple[int, int] | None]:
    """Check the attributes of labels and values; return the shape of the weights of every response in a sample."""
    shapes: list[tuple[int, int] | None] = []
    for response in model._make_responses():
        if response.kind == "labels":
            n_tasks, one_vs_all = _check_labels(model, sizes), model._task_layout().one_vs_all
            if sizes.groups > (n_tasks if one_vs_all else 1):
                raise PlaitError(f"it has {sizes.groups} groups of chains for {n_tasks} labels")
            n_features = _check_features(model, "label", (n_tasks,), response)
            shapes.append((model._task_layout().n_rows(n_tasks), sizes.topics + n_features))
        elif response.kind == "values":
            _check_values(model, sizes)
            shapes.append((1, sizes.topics + _check_features(model, "value", (), response)))
        else:
            shapes.append((sizes.topics, sizes.topics) if response.kind == "links" else None)
    return shapes


def _check_features(model: TopicEstimator, kind: str, tasks: tuple[int, ...], response: Any) -> int:
    """Check the attributes of features of a response; return their number."""
    if getattr(response, "features", None) is None:
        return 0
    scaling = _value(model, f"_{kind}_features", FeatureScaling)
    scaling.check_sizes()
    weights = _value(model, f"{kind}_feature_weights_", np.ndarray)
    check_array("the feature weights", weights, (*tasks, scaling.n_columns))
    return int(scaling.n_columns)


def _check_labels(model: TopicEstimator, sizes: Sizes) -> int:
    """Check the attributes of a model that explains labels; return the number of tasks."""
    classes, kind = _value(model, "classes_", np.ndarray), _value(model, "_kind", str)
    if classes.ndim != 1 or kind not in _KINDS or len(classes) < (1 if kind == "multilabel" else 2):
        raise PlaitError(f"its labels are {kind} with the shape {classes.shape}")
    if kind == "binary" and len(classes) != 2:
        raise PlaitError(f"its labels are binary, but there are {len(classes)}")
    n_tasks = 1 if kind == "binary" else len(classes)
    check_array("the label weights", _value(model, "label_weights_", np.ndarray), (n_tasks, sizes.shown_topics))
    _value(model, "multilabel_", bool)
    _check_number(model, "n_unlabelled_")
    for name in ("_sigmoids", "_linked_sigmoids"):
        curves = _value(model, name, tuple, type(None))
        if curves is not None and len(curves) != 2:
            raise PlaitError(f"{name} has {len(curves)} arrays, not slopes and offsets")
        for numbers in curves or ():
            check_array(name, numbers, (n_tasks,))
    chosen = vars(model).get("label_choice_")  # files of earlier versions have none
    if chosen is not None:
        _value(model, "label_choice_", LabelChoice).check_sizes(n_tasks, sizes.words)
    return n_tasks


def _check_values(model: TopicEstimator, sizes: Sizes) -> None:
    """Check the attributes of a model that explains values."""
    check_array("the value weights", _value(model, "value_weights_", np.ndarray), (sizes.topics,))
    _check_number(model, "n_without_value_")
    for name in ("_center", "_scale"):
        if not np.isfinite(_value(model, name, float)):
            raise PlaitError(f"{name} is not a finite number")


def _check_links(model: TopicEstimator, sizes: Sizes) -> int:
    """Check the attributes of a model that explains links; return the number of documents whose links are known."""
    links = _value(model, "links_", object)
    check_csr("links_", links, (None, None))
    n_linked = int(links.shape[0])
    # A stream keeps the links of its last slice.
    fits = n_linked <= sizes.documents if isinstance(model, OnlineLDA) else n_linked == sizes.documents
    if links.shape != (n_linked, n_linked) or not fits or n_linked < 1:
        raise PlaitError(f"links_ has the shape {links.shape}, but there are {sizes.documents:,} documents")
    check_array("the link weights", _value(model, "link_weights_", np.ndarray), (sizes.topics, sizes.topics))
    _value(model, "directed_", bool)
    for name in ("n_links_", "n_negatives_", "n_self_links_", "n_unlinked_"):
        _check_number(model, name, most=n_linked**2)
    check_pairs(model, n_linked, sizes.words)
    return n_linked


def _check_influence(model: TopicEstimator, sizes: Sizes) -> None:
    """Check the attributes of a model whose mixing uses links."""
    check_csr("influence_", _value(model, "influence_", object), (sizes.documents, sizes.documents))
    check_array("source_topic_", _value(model, "source_topic_", np.ndarray), (sizes.documents, sizes.topics))
    check_array("_doc_lengths", _value(model, "_doc_lengths", np.ndarray), (sizes.documents,), NUMBER, least=0)
    for name in ("n_self_links_", "n_cut_links_"):
        _check_number(model, name)


def _check_samples(
    model: TopicEstimator,
    samples: Any,
    sizes: Sizes,
    n_documents: int | None,
    wanted: list[tuple[int, int] | None],
) -> None:
    """Check the samples of one chain."""
    if not isinstance(samples, list) or not samples or not all(type(sample) is Sample for sample in samples):
        raise PlaitError("a chain has no samples, or others than samples")
    for sample in samples:
        sample.check_sizes(sizes.words, sizes.topics, n_documents)
        found = [weights.shape for weights in sample.weights]
        if len(found) != len(wanted) or any(shape not in (None, own) for shape, own in zip(wanted, found, strict=True)):
            raise PlaitError(f"a sample has weights of the shapes {found}, but the responses have {wanted}")
        if model._explains("links") and sample.doc_topic is None:
            raise PlaitError("a sample has no document–topic counts, which links need")
        if model._make_mixing().uses_links and sample.drawn_topics is None:
            raise PlaitError("a sample has no counts of source documents, which the mixing needs")


def _check_unfinished(model: TopicEstimator, sizes: Sizes) -> None:
    """Check the state and the runs of an interrupted fit."""
    unfinished = _value(model, "_unfinished", tuple, type(None))
    if unfinished is None:
        return
    _check_start(model)
    state, runs = unfinished
    if state is not None:  # shards check their own files when they read them
        check = check_stored if isinstance(state, StoredState) else check_state
        check(state, sizes.words, sizes.topics, sizes.documents)
        own = state.own if isinstance(state, StoredState) else state
        for number, response in enumerate(model._make_responses()):
            features = as_matrix(getattr(response, "features", None))
            arrays_of_response(number, own, sizes.topics + (0 if features is None else features.shape[1]))
    if not isinstance(runs, list) or not runs or not all(type(run) is Run for run in runs):
        raise PlaitError("an interrupted fit has no runs, or others than runs")
    for run in runs:
        run.check_sizes(sizes.words, sizes.topics, sizes.documents)
