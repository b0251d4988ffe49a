"""Summaries equal the results of the model."""

from __future__ import annotations

import numpy as np
import pytest

from plait import LDA, Corpus, LinkedLDA, OnlineLDA, PlaitError, SeedPrior, SupervisedLDA, SymmetricPrior
from plait.report import summarise
from tests.models.small import NAMES, WORDS, fitted, of_classes, of_labels, press_ctrl_c_in_sweep
from tests.report.braided import N_DOCUMENTS, QUICK, braided, everything

ONE_CHAIN = {name: value for name, value in QUICK.items() if name != "n_chains"}


@pytest.fixture(scope="module")
def model():
    return everything(braided())


@pytest.fixture(scope="module")
def summary(model):
    return summarise(model, words=6, documents=2)


def test_the_largest_topics_come_first(model, summary):
    shares = [topic.share for topic in summary.topics.topics]
    assert shares == sorted(model.topic_share_.tolist(), reverse=True)
    distinctive = model.topics(6, by="relevance")
    for topic in summary.topics.topics:
        assert list(topic.words) == model.topics(6)[topic.index].words
        assert list(topic.distinctive) == distinctive[topic.index].words
        typical = model.typical_documents(2)[topic.index]
        assert [(one.id, one.share) for one in topic.documents] == typical


def test_the_head_describes_the_model(model, summary):
    head = summary.head
    assert (head.model, head.n_topics, head.n_documents, head.n_words) == ("TopicModel", 4, N_DOCUMENTS, len(WORDS))
    assert (head.n_tokens, head.sampler, head.n_sweeps, head.seed) == (15 * N_DOCUMENTS, "plain", model.n_sweeps_, "0")
    settings = {one.name: one.value for one in head.settings}
    assert settings["mixing"] == "LinkedDocuments()"
    assert settings["responses"] == "[LabelResponse(), ValueResponse(), LinkResponse()]"
    assert settings["n_sweeps"] == "12"
    assert {"random_state", "verbose", "alpha"}.isdisjoint(settings)
    (chain,) = head.chains
    assert list(chain.perplexity) == [record.perplexity for record in model.history_]
    assert head.last_perplexity == chain.perplexity[-1]


def test_settings_are_short_and_the_same_in_every_process():
    prior = SeedPrior({"money": ["loan", "debt"], "water": ["river"]})
    settings = {"alpha": np.full(4, 0.5), "beta": prior, "random_state": np.random.default_rng(0)}
    changed = summarise(LDA(4, **(ONE_CHAIN | settings)).fit(braided())).head.settings
    shown = {one.name: one.value for one in changed}
    assert shown["alpha"] == "ndarray 4"
    assert shown["beta"].startswith("SeedPrior(")
    assert "0x" not in str(changed)
    table = LDA(4, **(ONE_CHAIN | {"beta": SymmetricPrior(0.5)})).fit(braided())
    assert ("beta", "SymmetricPrior(value=0.5)") in [(one.name, one.value) for one in summarise(table).head.settings]


def test_topics_have_the_names_of_the_prior():
    prior = SeedPrior({"money": ["loan", "debt"], "water": ["river"]})
    topics = summarise(LDA(4, **(ONE_CHAIN | {"beta": prior})).fit(braided())).topics.topics
    assert {topic.index: topic.name for topic in topics} == {0: "money", 1: "water", 2: "", 3: ""}


def test_records_are_split_by_chain_and_thinned():
    head = summarise(fitted(*of_classes(30, 3), n_chains=10, n_sweeps=250, n_samples=1)).head
    assert (head.n_chains, len(head.chains)) == (10, 8)
    assert all(chain.sweeps[0] == 1 and chain.sweeps[-1] == 250 for chain in head.chains)
    assert all(len(chain.sweeps) == len(chain.perplexity) <= 201 for chain in head.chains)
    short = summarise(fitted(*of_classes(30, 3), n_chains=3, n_sweeps=1, n_samples=1)).head
    assert [chain.sweeps for chain in short.chains] == [(1,), (1,), (1,)]


@pytest.mark.parametrize(("tolerance", "state"), [(0.0, "finished"), (0.5, "converged"), (1e-9, "not converged")])
def test_the_state_of_the_fit(tolerance, state):
    model = LDA(2, **(ONE_CHAIN | {"n_sweeps": 22, "tolerance": tolerance})).fit(braided())
    assert summarise(model).head.state == state


def test_labels_have_the_topics_for_and_against_them(model, summary):
    assert [label.label for label in summary.labels.labels] == sorted(NAMES)
    for label, weights in zip(summary.labels.labels, model.label_weights_, strict=True):
        weights_shown = {one.topic.index: one.weight for one in label.topics_for}
        weights_shown |= {one.topic.index: -one.weight for one in label.topics_against}
        assert weights_shown == {topic: weight for topic, weight in enumerate(weights) if weight}
        assert label.topics_for[0].weight == weights.max()


def test_two_labels_have_opposite_weights():
    X, y = of_classes(40, 2)
    model = fitted(X, [None if row % 8 == 0 else NAMES[kind] for row, kind in enumerate(y)])
    labels = summarise(model).labels
    first, second = labels.labels
    assert [first.label, second.label] == model.classes_.tolist()
    assert (first.topics_for, first.topics_against) == (second.topics_against, second.topics_for)
    assert second.topics_for[0].weight == model.weights_.max()
    assert (labels.multilabel, labels.n_unlabelled) == (False, 5)


def test_several_labels_per_document():
    assert summarise(fitted(*of_labels(30))).labels.multilabel


def test_labels_that_an_interrupted_fit_did_not_reach(monkeypatch):
    press_ctrl_c_in_sweep(20, monkeypatch)  # 14 sweeps per chain
    labels = summarise(fitted(*of_classes(30, 3), one_vs_all=True, n_chains=1)).labels.labels
    assert [bool(label.topics_for or label.topics_against) for label in labels] == [True, True, False]


def test_many_topics_are_cut_and_counted():
    X = np.random.default_rng(0).poisson(1.0, size=(40, 12)) + 1
    topics = summarise(LDA(550, **(ONE_CHAIN | {"n_sweeps": 2, "n_samples": 1})).fit(X)).topics
    assert (len(topics.topics), topics.n_left_out) == (500, 50)


def test_many_labels_are_cut_and_counted():
    X = np.random.default_rng(0).poisson(1.0, size=(440, 12)) + 1
    labels = summarise(fitted(X, np.arange(440) % 220, n_topics=20, n_sweeps=2, n_samples=1)).labels
    assert (len(labels.labels), labels.n_left_out) == (200, 20)
    assert all(len(label.topics_for) <= 4 >= len(label.topics_against) for label in labels.labels)
    assert sum(len(label.topics_against) == 4 for label in labels.labels) > 100


def test_a_label_without_positive_weights_has_the_topic_with_the_largest_weight():
    X = np.random.default_rng(0).poisson(1.0, size=(440, 12)) + 1
    model = fitted(X, np.arange(440) % 220, n_topics=20, n_sweeps=2, n_samples=1)
    labels = summarise(model).labels.labels
    rare = [(label, weights) for label, weights in zip(labels, model.weights_, strict=False) if weights.max() < 0]
    assert rare
    for label, weights in rare:
        (best,) = label.topics_for
        assert (best.topic.index, best.weight) == (weights.argmax(), weights.max())


def test_topics_are_sorted_by_predicted_number(model, summary):
    weights_shown = [(one.topic.index, one.weight) for one in summary.values.topics]
    assert weights_shown == sorted(enumerate(model.value_weights_), key=lambda one: -one[1])
    assert (summary.values.n_without_value, summary.values.n_left_out) == (6, 0)


def test_the_highest_and_lowest_of_many_topics_are_shown():
    X, y = of_classes(30, 3)
    model = SupervisedLDA(25, **QUICK).fit(X, y * 1.5)
    values = summarise(model).values
    weights = np.sort(model.weights_)[::-1].tolist()
    assert [one.weight for one in values.topics] == weights[:10] + weights[-10:]
    assert values.n_left_out == 5


def test_link_weights_and_suggested_links(model, summary):
    links = summary.links
    weights = model.link_weights_
    assert [one.weight for one in links.within_topics] == sorted((w for w in np.diag(weights) if w > 0), reverse=True)
    apart = [weights[k, j] for k in range(4) for j in range(4) if k != j and weights[k, j] > 0]
    assert [pair.weight for pair in links.between_topics] == sorted(apart, reverse=True)[:12]
    assert all(weights[pair.source.index, pair.target.index] == pair.weight for pair in links.between_topics)
    linked = (model.links_ + model.links_.T).toarray() > 0
    row_of = {name: row for row, name in enumerate(model.doc_ids_)}
    degrees = (model.links_.toarray() > 0).sum(axis=0) + (model.links_.toarray() > 0).sum(axis=1)
    assert [one.n_links for one in links.missing] == sorted(degrees.tolist(), reverse=True)[:10]
    for one in links.missing:
        assert degrees[row_of[one.document]] == one.n_links
        assert len(one.suggestions) == 3
        assert not any(linked[row_of[one.document], row_of[other.document]] for other in one.suggestions)


def test_influence_equals_the_borrowed_tokens(model, summary):
    influence = summary.influence
    shares, lengths = model.influence_.toarray(), np.full(N_DOCUMENTS, 15.0)
    assert influence.borrowed_share == pytest.approx(1 - np.diag(shares).mean())
    words = shares * lengths[:, np.newaxis]
    np.fill_diagonal(words, 0)
    assert [one.words for one in influence.documents] == pytest.approx(sorted(words.sum(axis=0))[::-1][:12])
    assert influence.n_left_out == (words.sum(axis=0) > 0).sum() - 12
    for one in influence.documents:
        column = words[:, model.doc_ids_.tolist().index(one.document)]
        assert [link.words for link in one.influenced] == pytest.approx(sorted(column[column > 0])[::-1][:4])
        assert {link.source for link in one.influenced} == {one.document}
    assert [link.words for link in influence.links] == pytest.approx(np.sort(words.ravel())[::-1][:12])


def test_influence_of_documents_without_ids():
    counts, links = braided().counts, braided().links
    influence = summarise(LinkedLDA(3, **QUICK).fit(counts, links=links)).influence
    assert all(link.source == one.document for one in influence.documents for link in one.influenced)
    assert influence.documents[0].document.isdecimal()


def stream(*slices, **changes):
    model = OnlineLDA(2, **(ONE_CHAIN | {"window": 2, "n_sweeps": 20} | changes))
    for label, texts in slices:
        corpus = Corpus.from_texts(texts or OLD, ids=[f"{label} {row}" for row in range(len(texts or OLD))])
        model.partial_fit(corpus if texts else corpus.select([]), label=label)
    return model


OLD = ["river stream water"] * 20 + ["money loan debt"] * 20


def test_topics_over_time():
    model = stream(("May", OLD), ("June", []), ("July", OLD), ("August", ["comet star moon"] * 20 + OLD[:20]))
    found = summarise(model).stream
    assert [one.label for one in found.slices] == ["May", "June", "July", "August"]
    assert [(one.n_documents, one.n_tokens, one.n_new_words) for one in found.slices][1:] == [
        (0, 0.0, 0),
        (40, 120.0, 0),
        (40, 120.0, 3),
    ]
    for trend in found.trends:
        shares = [float(one.topic_share[trend.topic.index]) for one in model.slices_]
        assert trend.shares == (shares[0], None, shares[2], shares[3])
        assert trend.now == shares[3]
        peak = ["May", "June", "July", "August"].index(trend.peak_slice)
        assert trend.peak == np.nanmax(shares) == shares[peak]
        # Words stand beside the share of their own slice.
        words = [[str(word) for word in one.words[trend.topic.index][:7]] for one in model.slices_]
        assert trend.peak_words == tuple(words[peak])
        assert trend.words_now == (tuple(words[3]) if shares[3] > 0 else ())
    assert any(trend.peak_words != trend.words_now for trend in found.trends)
    assert (found.n_slices, found.time_range, found.now) == (4, "May to August", "August")
    assert [one.topic.index for one in found.emerging] == [one.topic for one in model.emerging()]
    assert set(found.emerging[0].words) == {"comet", "star", "moon"}
    summary = summarise(model)
    assert (summary.head.n_documents, summary.head.n_slices) == (120, 4)
    assert summary.topics.of_last_slice
    assert summary.topics.topics[0].documents[0].id.startswith("August")


def test_a_stream_after_an_empty_last_slice():
    model = stream(("May", OLD), ("June", []))
    found = summarise(model).stream
    assert found.emerging == found.fading == ()
    assert all(trend.now == trend.shares[0] and trend.shares[1] is None for trend in found.trends)


def test_slices_that_are_fitted_separately_have_no_trends():
    found = summarise(stream(("May", OLD), ("June", OLD), window=0)).stream
    assert (found.connected, found.trends, len(found.slices)) == (False, (), 2)


def test_long_streams_are_thinned():
    model = stream(*[(f"day {day}", OLD[18:22]) for day in range(130)], n_sweeps=1, n_samples=1)
    found = summarise(model).stream
    assert (len(found.slices), found.n_slices_left_out, found.slices[-1].label) == (24, 106, "day 129")
    assert all(len(trend.shares) == 120 for trend in found.trends)


def test_objects_that_are_not_models_are_rejected():
    with pytest.raises(PlaitError, match=r"a report needs a fitted model of plait, such as LDA, not a SymmetricPrior"):
        summarise(SymmetricPrior())
    with pytest.raises(PlaitError, match="words must be a whole number, 1 or more, not 0"):
        summarise(LDA(), words=0)
