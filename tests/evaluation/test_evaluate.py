"""Evaluation in Python: scores of topics, labels, numbers and links, beside baselines."""

from __future__ import annotations

import numpy as np
import pytest

from plait import (
    LDA,
    Corpus,
    LabelResponse,
    LinkedLDA,
    MedLDA,
    PlaitError,
    RelationalTopicModel,
    SupervisedLDA,
    TopicModel,
    plots,
)
from plait.evaluation import (
    NotEvaluableError,
    confused_pairs,
    evaluate_labels,
    evaluate_links,
    evaluate_topics,
    evaluate_values,
    find_training_documents,
    label_thresholds,
    predict_with_scores,
)
from plait.metrics import topic_diversity
from plait.models.answers.new_links import NewLinks, links_to_training_documents
from tests.cli.small import THEMES

QUICK = {"n_sweeps": 25, "n_samples": 2, "random_state": 0, "verbose": False}
NAMES = list(THEMES)


def make_corpus(number: int = 60, *, several: bool = False) -> Corpus:
    """Documents of one theme, which is their label, with links to the next one of it; every tenth has no label."""
    themes = [NAMES[row % 3] for row in range(number)]
    texts = [
        " ".join(THEMES[theme][(row // 3 + step) % 8] for step in (0, 0, 1, 2, 4, 7))
        for row, theme in enumerate(themes)
    ]
    labels = [([theme, "all"] if several and row % 2 else [theme]) for row, theme in enumerate(themes)]
    return Corpus.from_texts(
        texts,
        ids=[f"d{row}" for row in range(number)],
        labels=[None if row % 10 == 9 else names for row, names in enumerate(labels)],
        links=[(f"d{row}", f"d{row + 3}") for row in range(number - 3)],
    )


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus()


@pytest.fixture(scope="module")
def halves(corpus) -> tuple[Corpus, Corpus]:
    """Training documents and held-out documents."""
    return corpus.select(range(45)), corpus.select(range(45, 60))


@pytest.fixture(scope="module")
def medlda(halves) -> MedLDA:
    return MedLDA(4, n_chains=1, **QUICK).fit(halves[0])


def test_topics(halves):
    train, test = halves
    model = LDA(3, **QUICK).fit(train)
    found = evaluate_topics(model, test, top=5)
    assert found.perplexity_completion == model.perplexity(test)
    assert found.perplexity_fold_in == model.perplexity(test, method="fold_in")
    assert found.coherence_npmi == pytest.approx(model.coherence(test, top=5).mean())
    assert found.coherence_c_v == pytest.approx(model.coherence(test, measure="c_v", top=5).mean())
    assert found.topic_diversity == topic_diversity([topic.words for topic in model.topics(5)])
    assert found.perplexity_completion < found.perplexity_unigram
    assert (found.top, found.perplexity_completion_links, found.perplexity_fold_in_links) == (5, None, None)


def test_a_corpus_with_another_vocabulary_is_aligned(halves, medlda):
    train, test = halves
    other = test.with_vocabulary([*reversed(test.vocabulary), "unknown"])
    found, expected = (evaluate_labels(medlda, one, train=train) for one in (other, test))
    assert found.model.per_label == expected.model.per_label
    assert found.baseline.per_label == expected.baseline.per_label
    assert evaluate_topics(medlda, other).coherence_npmi == evaluate_topics(medlda, test).coherence_npmi


def test_labels_beside_a_baseline(halves, medlda):
    train, test = halves
    found = evaluate_labels(medlda, test, train=train)
    labelled = test.select([row for row, names in enumerate(test.labels) if names])
    right = [names == one for names, one in zip(medlda.predict_labels(labelled), labelled.labels, strict=True)]
    assert found.model.accuracy == pytest.approx(np.mean(right))
    assert (found.n_unlabelled, found.model.n_documents, found.multilabel) == (2, 13, False)
    assert found.baseline.accuracy > 0.9
    assert (found.training.n_documents, found.training.n_fitted, found.training.n_evaluated) == (41, 41, 0)
    assert (found.problem, found.linked, found.n_linked) == (None, None, 0)
    assert found.best is found.model
    assert evaluate_labels(medlda, test).baseline is None


def test_a_baseline_that_cannot_be_trained_has_a_reason(halves, medlda):
    train, test = halves
    one_class = train.select([row for row, names in enumerate(train.labels) if names == ("money",)])
    found = evaluate_labels(medlda, test, train=one_class)
    assert (found.baseline, found.training) == (None, None)
    assert "1 class" in str(found.problem)
    unlabelled = train.select([row for row, names in enumerate(train.labels) if not names])
    found = evaluate_labels(medlda, test, train=unlabelled)
    assert found.problem.parameter == "label"


def test_labels_of_another_field_are_an_error(medlda):
    others = Corpus.from_texts(["river lake", "boat rain", "loan bank"], labels=["blue", "red", "blue"])
    with pytest.raises(PlaitError, match=r"none of the labels of these documents \(blue, red\)") as found:
        evaluate_labels(medlda, others)
    assert found.value.parameter == "label"
    with pytest.raises(PlaitError, match="give labels of the same field"):
        plots.label_confusion(medlda, others)


def test_confused_pairs_are_counted(halves, medlda):
    wrong = Corpus.from_texts(["river lake", "boat rain", "loan bank"], labels=["money", "money", "music"])
    pairs = confused_pairs(evaluate_labels(medlda, wrong).model)
    assert pairs == [("money", "water", 2), ("music", "money", 1)]


def test_training_documents(corpus, halves, medlda):
    train, test = halves
    assert find_training_documents(medlda, corpus, test).ids.tolist() == train.ids.tolist()
    with pytest.raises(NotEvaluableError, match="no splits") as caught:
        find_training_documents(medlda, test, test)
    assert caught.value.parameter == "train"
    rows = ["learn"] * 45 + ["try"] * 15
    texts = [" ".join(["river"] * 2)] * 60
    split = Corpus.from_texts(texts, ids=corpus.ids.tolist(), splits=rows)
    assert len(find_training_documents(medlda, split, test, "learn")) == 45
    with pytest.raises(NotEvaluableError, match=r'no split "train" \(it has "learn", "try"\)') as caught:
        find_training_documents(medlda, split, test)
    assert caught.value.parameter == "train_split"


def test_values(corpus):
    stars = {name: float(1 + 2 * number) for number, name in enumerate(NAMES)}
    given = [None if not names else str(stars[names[0]]) for names in corpus.labels]
    texts = [" ".join(THEMES[NAMES[row % 3]][(row // 3 + step) % 8] for step in range(4)) for row in range(60)]
    numbered = Corpus.from_texts(texts, ids=corpus.ids.tolist(), labels=given)
    train, test = numbered.select(range(45)), numbered.select(range(45, 60))
    values = [np.nan if value is None else float(value) for value in given]
    model = SupervisedLDA(4, n_chains=1, **QUICK).fit(train, values[:45])
    found = evaluate_values(model, test, train=train)
    known = test.select([row for row, names in enumerate(test.labels) if names])
    true = np.array([float(names[0]) for names in known.labels])
    assert found.model.mean_absolute_error == pytest.approx(np.abs(model.predict_values(known) - true).mean())
    assert (found.n_documents, found.n_without_value, found.training.n_documents) == (13, 2, 41)
    assert found.baseline.r2 > 0.8
    one = evaluate_values(model, known.select([0]))
    assert one.model.r2 is None
    with pytest.raises(PlaitError, match="not a number") as caught:
        evaluate_values(model, corpus)
    assert caught.value.parameter == "label"


def test_links_beside_baselines(corpus, halves):
    train, test = halves
    model = RelationalTopicModel(3, n_chains=1, **QUICK).fit(train)
    trained = []
    found = evaluate_links(model, corpus, on_trained=lambda name, seconds: trained.append((name, seconds >= 0)))
    assert trained == [(name, True) for name in found.baselines]
    assert len(trained) == 11
    assert (found.n_training_documents, found.model.n_documents, found.model.n_links) == (45, 15, 3)
    assert found.name == "RelationalTopicModel, 3 topics"
    assert evaluate_links(model, corpus, baselines=False).baselines == {}
    for documents, why in ((test, "fitted to none"), (train, "fitted to all"), (corpus.select([0, 50]), "no new")):
        with pytest.raises(NotEvaluableError, match=why):
            evaluate_links(model, documents)
    without = Corpus.from_texts(["river"], ids=["x"])
    with pytest.raises(NotEvaluableError, match="no links") as caught:
        evaluate_links(model, without)
    assert caught.value.parameter == "links"


def test_topics_with_links(corpus, halves):
    train, test = halves
    model = LinkedLDA(3, n_chains=1, n_sweeps=2, n_samples=1, verbose=False).fit(train)
    assert links_to_training_documents(model, corpus, test) is None  # training documents link to new ones only
    model = LinkedLDA(3, n_chains=1, direction="in", **QUICK).fit(train)
    links = links_to_training_documents(model, corpus, test)
    assert (links.shape, links.nnz) == ((15, 45), 3)
    assert links.toarray()[0].nonzero()[0].tolist() == [42]
    found = evaluate_topics(model, test, links=links)
    assert found.perplexity_fold_in_links == model.perplexity(test, method="fold_in", links=links)
    assert found.perplexity_completion_links != found.perplexity_completion


@pytest.mark.parametrize(
    ("direction", "expected"), [("out", [[0, 2.0]]), ("in", [[1, 1.0]]), ("both", [[0, 2], [1, 1]])]
)
def test_links_of_new_documents_follow_the_direction(tmp_path, halves, direction, expected):
    train, _ = halves
    model = LinkedLDA(3, n_chains=1, n_sweeps=2, n_samples=1, direction=direction, verbose=False).fit(train)
    path = tmp_path / "links.csv"
    path.write_text("source,target,weight\nnew,d0,2\nd1,new,1\nd1,d2,1\nnew,new,1\n")
    links = NewLinks(path, model, on_error="skip")
    found = links.for_documents(["new", "other"])
    assert found.shape == (2, 45)
    assert [[column, found[0, column]] for column in found[[0]].indices] == expected
    assert found[[1]].nnz == 0
    assert links.usage()[:2] == (len(expected), 1)
    assert links.usage().n_unused == 3 - len(expected)
    assert links.skipped["self link"] == 1
    assert not links.among_new


def test_links_among_new_documents(tmp_path, halves):
    model = LinkedLDA(3, n_chains=1, n_sweeps=2, n_samples=1, verbose=False).fit(halves[0])
    (tmp_path / "links.csv").write_text("source,target\na,b\na,d1\nb,nobody\n")
    links = NewLinks(tmp_path / "links.csv", model)
    assert links.among_new
    found = links.for_documents(["b", "a"]).toarray()
    assert found.shape == (2, 47)
    assert [tuple(place) for place in np.argwhere(found)] == [(1, 1), (1, 45)]
    assert links.usage() == (2, 1, 1)


def test_predictions_come_with_scores(halves, medlda):
    _, test = halves
    found = predict_with_scores(medlda, test)
    assert found.classes == medlda.classes_.tolist()
    assert found.scores == pytest.approx(medlda.decision_function(test))
    assert found.labels == medlda.predict_labels(test)


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 0.5])
def test_thresholds_of_several_labels(threshold):
    corpus = make_corpus(several=True)
    named = MedLDA(4, n_chains=1, threshold=threshold, **QUICK).fit(corpus)
    combined = TopicModel(4, responses=[LabelResponse(threshold=threshold)], n_chains=1, **QUICK).fit(corpus)
    for model in (named, combined):
        assert (label_thresholds(model) == threshold).all()
        found = predict_with_scores(model, corpus)
        assert found.labels == model.predict_labels(corpus)
        assert [len(names) for names in found.labels] == (found.scores > threshold).sum(axis=1).tolist()


def test_two_classes_have_opposite_scores():
    corpus = Corpus.from_texts(["river lake boat", "loan bank money"] * 8, labels=["water", "money"] * 8)
    model = MedLDA(2, n_chains=1, **QUICK).fit(corpus)
    found = predict_with_scores(model, corpus)
    assert found.scores.sum(axis=1) == pytest.approx(0)
    assert [names[0] for names in found.labels] == model.predict(corpus).tolist()
