"""What MedLDA says of documents besides labels: probabilities, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.metrics import log_loss

from plait import MedLDA, PlaitError, TextOptions
from tests.models.small import NAMES, QUICK, THOROUGH, WORDS, as_corpus, counts_for, fitted, of_classes, of_labels


def test_the_hinge_loss_says_how_to_get_probabilities():
    counts, y = of_classes(40, 2)
    model = fitted(counts, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(counts)
    assert "set calibrate=0.1" in str(caught.value.__cause__)
    assert "loss='logistic'" in str(caught.value.__cause__)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("changes", [{"calibrate": 0.2}, {"calibrate": 0.2, "loss": "logistic"}, {"loss": "logistic"}])
def test_probabilities_are_better_than_chance(n_classes, changes):
    counts, y = of_classes(180, n_classes, own=0.3)
    new, truth = of_classes(150, n_classes, seed=1, own=0.3)
    model = fitted(counts, y, **({"c": 1.0} if "calibrate" not in changes else {}), **changes)
    chances = model.predict_proba(new)
    assert chances.shape == (150, n_classes)
    assert ((chances > 0) & (chances < 1)).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert log_loss(truth, chances) < 0.8 * np.log(n_classes)
    if n_classes == 2:
        assert (np.diff(chances[np.argsort(model.decision_function(new)), 1]) >= 0).all()


def test_calibration_beats_values_taken_as_they_are():
    counts, y = of_classes(240, 2, own=0.15)
    new, truth = of_classes(300, 2, seed=1, own=0.15)
    calibrated = fitted(counts, y, calibrate=0.3, loss="logistic").predict_proba(new)
    as_they_are = fitted(counts, y, loss="logistic").predict_proba(new)
    assert log_loss(truth, calibrated) < log_loss(truth, as_they_are)
    assert log_loss(truth, calibrated) < np.log(2)


def test_labels_that_calibration_sets_aside_are_not_learned_from():
    counts, y = of_classes(100, 2)
    seen = []

    class Watched(MedLDA):
        def _chain_responses(self, given, plan):
            seen.append(given)
            return super()._chain_responses(given, plan)

    model = Watched(**QUICK, calibrate=0.25).fit(counts, y)
    assert (seen[0]["labels"].seen == 0).sum() == 25
    assert (seen[0]["labels"].targets.signs != 0).all()
    assert model.n_unlabelled_ == 0


def test_each_of_several_labels_has_a_probability_of_its_own():
    counts, indicator = of_labels(150)
    new, truth = of_labels(80, seed=1)
    chances = fitted(counts, indicator, calibrate=0.3).predict_proba(new)
    assert chances.shape == (80, 3)
    assert not np.allclose(chances.sum(axis=1), 1)
    for label in range(3):
        assert log_loss(truth[:, label], chances[:, label]) < 0.6 * np.log(2)


@pytest.fixture(scope="module")
def explained():
    counts, y = of_classes(90, 3)
    return fitted(with_texts(as_corpus(counts)), NAMES[y], **THOROUGH)


def with_texts(corpus):
    """A corpus of counts whose words could have been read from texts."""
    return replace(corpus, text_options=TextOptions(language=None).resolve([]))


def test_planted_words_push_their_label(explained):
    text = "river stream water people goal"
    found = explained.explain(text)
    assert found.label == "nature"
    assert found.score == explained.decision_function(as_corpus(counts_for(text)))[0].max()
    pushes = {push.word: push.push for push in found.words}
    assert set(pushes) == set(text.split())
    assert min(pushes["river"], pushes["stream"], pushes["water"]) > max(0, pushes["goal"])
    sport = {push.word: push.push for push in explained.explain(text, "sport").words}
    assert sport["goal"] > 0 > sport["river"]
    assert [abs(push.push) for push in found.words] == sorted((abs(p) for p in pushes.values()), reverse=True)
    assert [push.count for push in explained.explain("river river goal").words] in ([2, 1], [1, 2])
    assert "river" in str(found)
    assert str(found).startswith("nature: +")


def test_pushes_add_up_to_about_the_score(explained):
    new, _ = of_classes(20, 3, seed=5)
    differences = []
    for row in new:
        for label in NAMES:
            found = explained.explain(row, label, top=100)
            differences.append(sum(push.push for push in found.words) - found.score)
            assert sum(push.count for push in found.words) == row.sum()
            assert sum(push.share for push in found.topics) == pytest.approx(1)
    assert np.abs(differences).mean() < 0.1
    assert np.abs(differences).max() < 0.3


def test_with_one_chain_topics_and_words_add_up_to_the_same():
    counts, y = of_classes(60, 2)
    model = fitted(counts, y, n_chains=1, n_samples=1)
    for row in counts[:10]:
        found = model.explain(row, top=100)
        assert sum(push.push for push in found.topics) == pytest.approx(sum(push.push for push in found.words))
        for push in found.topics:
            assert push.push == pytest.approx(push.share * push.weight)
            assert push.weight == pytest.approx(model.weights_[0, push.topic] * (1 if found.label == 1 else -1))
            assert push.words == model.topics(top=5)[push.topic].words


def test_the_other_of_two_classes_has_the_opposite_signs():
    counts, y = of_classes(60, 2)
    model = fitted(with_texts(as_corpus(counts)), NAMES[y])
    for text in ("river river water", "money debt"):
        one, other = model.explain(text, "nature"), model.explain(text, "finance")
        assert one.score == -other.score == model.decision_function(as_corpus(counts_for(text)))[0]
        assert [push.push for push in one.words] == [-push.push for push in other.words]
        assert [push.push for push in one.topics] == [-push.push for push in other.topics]
        assert [push.weight for push in one.topics] == [-push.weight for push in other.topics]
        assert [push.share for push in one.topics] == [push.share for push in other.topics]
        assert model.explain(text) == (one if "river" in text else other)
        assert model.explain(text).label == model.predict(as_corpus(counts_for(text)))[0]


def test_a_document_is_explained_in_every_form(explained):
    text = "river stream water people goal"
    row = counts_for(text)
    expected = explained.explain(text)
    for form in (as_corpus(row), row, row[0], row[0].tolist(), sparse.csr_array(row), sparse.csr_array(row)[0]):
        assert explained.explain(form) == expected
    assert len(explained.explain(text, top=2).words) == len(explained.explain(text, top=2).topics) == 2


def test_what_cannot_be_explained(explained):
    counts, y = of_classes(30, 3)
    with pytest.raises(PlaitError, match=r"'art' is not a label of the model, which has 3: finance, nature, sport$"):
        explained.explain("river", "art")
    with pytest.raises(PlaitError, match="takes one document, not 30; select one"):
        explained.explain(as_corpus(counts))
    with pytest.raises(PlaitError, match="takes one document, not 2"):
        explained.explain(counts[:2])
    for nothing in ("", "   ", np.zeros(len(WORDS), dtype=int)):
        with pytest.raises(PlaitError, match="no word that the model knows"):
            explained.explain(nothing)
    with pytest.warns(UserWarning, match="1 of 1 tokens") as said, pytest.raises(PlaitError, match="no word that"):
        explained.explain("zebra")
    assert len(said) == 1
    with pytest.raises(PlaitError, match="top must be a whole number"):
        explained.explain("river", top=0)
    with pytest.raises(PlaitError, match="fitted to a matrix without words, so it cannot read text"):
        fitted(counts, y).explain("river")
