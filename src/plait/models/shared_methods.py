"""Public methods of all topic models that are defined outside the estimator, by subject, in `methods/`."""

from __future__ import annotations

from sklearn.base import TransformerMixin

from plait.models.editing import steps
from plait.models.methods import documents, editing, naming, output, plots, similarity
from plait.models.specification import ModelSpecification


class _Transformer(TransformerMixin, ModelSpecification):
    """A scikit-learn transformer with the parameters of a topic model."""


class SharedMethods(_Transformer):
    """The methods of `methods/` that every topic model has; `TopicEstimator` adds fitting and transforming."""

    name_topics, merge_topics = naming.name_topics, editing.merge_topics
    drop_topics, split_topic = editing.drop_topics, editing.split_topic
    topics_per, topics_over = documents.topics_per, documents.topics_over
    find_documents, similar_documents = documents.find_documents, documents.similar_documents
    topic_similarity, topic_hierarchy = similarity.topic_similarity, similarity.topic_hierarchy
    plot_topics, plot_words, plot_tree = plots.plot_topics, plots.plot_words, plots.plot_tree
    plot_similarity, plot_documents, plot_document = plots.plot_similarity, plots.plot_documents, plots.plot_document
    colour_words, plot_fit, plot_coherence = plots.colour_words, plots.plot_fit, plots.plot_coherence
    plot_topic_network, plot_document_network = plots.plot_topic_network, plots.plot_document_network
    plot_streams, plot_changes = plots.plot_streams, plots.plot_changes
    plot_words_over_time, plot_labels = plots.plot_words_over_time, plots.plot_labels
    plot_confusion, plot_label_scores = plots.plot_confusion, plots.plot_label_scores
    plot_calibration, plot_links = plots.plot_calibration, plots.plot_links
    plot_link_precision = plots.plot_link_precision
    get_feature_names_out = output.get_feature_names_out
    _html_repr = _repr_html_inner = output.html_repr
    _repr_mimebundle_ = output.mime_bundle

    _keep_names, _fit_again = steps.keep_names, steps.fit_again
    _with_topics, _finish_edit = steps.with_topics, steps.finish_edit
