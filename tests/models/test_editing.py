"""Merged, dropped and split topics of every model: counts, predictions, files, bits, and planted topics."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import plait
from plait import LDA, Corpus, LinkedDocuments, MedLDA, PlaitError, SeedPrior, TablePrior, TopicModel
from plait.models.editing.operations import drop, merge, split
from plait.models.editing.parameters import edited_names, edited_parameters
from plait.models.editing.sequence import apply_edits
from plait.priors import HistoryPrior, SymmetricPrior, WordCountsPrior
from tests.models import planted
from tests.models.planted import LABELS, LINKS, MODELS, QUICK, TOPIC_WORD, X, cosines
from tests.samplers.small import Inline

# The sweep of this model under an edited prior is compiled for these tests alone.
pytestmark = pytest.mark.slow_with("TopicModel")

SETTLE = {"n_sweeps": 20}


@cache
def fitted(name):
    return planted.fit(name)


@cache
def edited(name, operation):
    """Return a model before and after an operation, and what it was fitted to."""
    model, given = fitted(name)
    if operation == "merge":
        return model, model.merge_topics([[1, 3]], X, **given, **SETTLE), given
    if operation == "drop":
        return model, model.drop_topics([2], X, **given, **SETTLE), given
    return model, model.split_topic(2, X, into=2, **given, **SETTLE), given


OPERATIONS = {"merge": 4, "drop": 4, "split": 6}
every_edit = pytest.mark.parametrize("operation", OPERATIONS)
every_model = pytest.mark.parametrize("name", MODELS)


@every_model
@every_edit
def test_an_edited_model_has_another_number_of_topics_and_consistent_counts(name, operation):
    model, new, _ = edited(name, operation)
    n_topics = OPERATIONS[operation]
    assert new.n_topics == n_topics
    assert new.topic_word_.shape == (n_topics, X.shape[1])
    assert new.doc_topic_.shape == (X.shape[0], n_topics)
    assert len(new.topic_names_) == new.alpha_.size == n_topics
    tolerance = {"rtol": 1e-3} if new._real else {"rtol": 0}
    for samples in new._chain_samples:
        for sample in samples:
            np.testing.assert_allclose(sample.word_topic.sum(axis=1), X.sum(axis=0), **tolerance)
            for held in (sample.doc_topic, sample.drawn_topics):
                assert held is None or held.sum() == X.sum()
    assert model.n_topics == 5
    assert model.edits_ == []
    assert model.topic_word_.shape[0] == 5
    assert new.edits_[0]["operation"] == operation
    assert new.seed_ == model.seed_


@every_model
@pytest.mark.parametrize("operation", ["merge", "split"])
def test_untouched_topics_stay(name, operation):
    model, new, _ = edited(name, operation)
    old_rows = [0, 2, 4] if operation == "merge" else [0, 1, 3, 4]
    new_rows = [0, 2, 3] if operation == "merge" else [0, 1, 3, 4]
    alike = np.diag(cosines(model.topic_word_[old_rows], new.topic_word_[new_rows]))
    # Strong responses may change topics that an edit did not touch, because they must explain the labels again.
    assert np.sort(alike)[-2:].min() >= 0.9
    assert np.median(alike) >= 0.9


@every_model
@every_edit
def test_edited_models_predict(name, operation):
    _, new, given = edited(name, operation)
    assert new.transform(X).shape == (X.shape[0], OPERATIONS[operation])
    assert np.isfinite(new.perplexity(X))
    if "y" in given and given["y"].dtype.kind == "U":
        assert new.weights_.shape[-1] == new.n_topics if name == "MedLDA" else True
        assert np.mean(new.predict(X) == LABELS) > 0.5
        assert new.explain(X[0]).topics
    if name == "SupervisedLDA":
        assert np.corrcoef(new.predict(X), planted.VALUES)[0, 1] > 0.5
    if hasattr(new, "score_links"):
        assert new.score_links(X[:3]).shape == (3, X.shape[0])
        assert new.topic_links(top=1)[0].source < new.n_topics
    if hasattr(new, "influencers"):
        assert new.influence_.shape == (X.shape[0], X.shape[0])


@every_model
@every_edit
def test_edited_models_are_saved(name, operation, tmp_path):
    _, new, _ = edited(name, operation)
    again = plait.load(plait.save(new, tmp_path / "edited.plait"))
    assert again.edits_ == new.edits_
    assert again.get_params(deep=False).keys() == new.get_params(deep=False).keys()
    assert again.n_topics == new.n_topics
    assert np.array_equal(again.transform(X), new.transform(X))


@pytest.mark.parametrize("name", ["LDA, several shards", "LDA, limit sampler", "TopicModel", "OnlineLDA"])
@every_edit
def test_threads_executors_and_files_do_not_change_a_bit(name, operation, tmp_path):
    model, new, given = edited(name, operation)
    again = plait.load(plait.save(model, tmp_path / "model.plait")).set_params(n_jobs=3)
    arguments = {"merge": ([[1, 3]],), "drop": ([2],), "split": (2,)}[operation]
    method = {"merge": "merge_topics", "drop": "drop_topics", "split": "split_topic"}[operation]
    for other in (again, plait.load(tmp_path / "model.plait").set_params(executor=Inline())):
        found = getattr(other, method)(*arguments, X, **given, **SETTLE)
        assert found.topic_word_.tobytes() == new.topic_word_.tobytes()
        assert found.doc_topic_.tobytes() == new.doc_topic_.tobytes()
        for one, two in zip(found._chain_samples[0], new._chain_samples[0], strict=True):
            assert all(a.tobytes() == b.tobytes() for a, b in zip(one.weights, two.weights, strict=True))


def test_a_second_edit_has_other_random_numbers_and_both_are_recorded():
    model, _ = fitted("LDA")
    first = model.merge_topics([[0, 1]], X, **SETTLE)
    second = first.split_topic(0, X, into=3, n_sweeps=7)
    assert second.edits_ == [
        {"operation": "merge", "groups": [[0, 1]], "n_topics": 5, "n_sweeps": 20},
        {"operation": "split", "topic": 0, "into": 3, "n_topics": 4, "n_sweeps": 7},
    ]
    assert second.n_topics == 6
    other = model.name_topics({0: "zero"}).merge_topics([[0, 1]], X, **SETTLE)
    assert not np.array_equal(other.topic_word_, first.topic_word_)


def test_n_sweeps_is_the_number_of_burn_in_sweeps():
    model, _ = fitted("LDA")
    short = clone(model).set_params(tolerance=0.0).fit(X).merge_topics([[0, 1]], X, n_sweeps=3)
    assert short.n_sweeps_ == 3 + (model.n_samples - 1) * model.sample_every
    with pytest.raises(PlaitError, match="n_sweeps"):
        model.merge_topics([[0, 1]], X, n_sweeps=0)


def test_merging_the_halves_of_a_planted_topic_improves_it():
    model, _ = fitted("LDA")
    # Six topics for five planted ones: one is halved by splitting it.
    found = cosines(TOPIC_WORD, model.topic_word_)
    halved = model.split_topic(int(found[0].argmax()), X, n_sweeps=5)
    halves = np.argsort(-cosines(TOPIC_WORD[:1], halved.topic_word_)[0])[:2]
    assert cosines(TOPIC_WORD[:1], halved.topic_word_)[0, halves[1]] > 0.3
    whole = halved.merge_topics([halves.tolist()], X, **SETTLE)
    before = cosines(TOPIC_WORD[:1], halved.topic_word_).max()
    after = cosines(TOPIC_WORD[:1], whole.topic_word_).max()
    assert after > 0.99
    assert after > before or before > 0.99
    assert whole.perplexity(X) < halved.perplexity(X) * 1.02


def test_splitting_a_mixture_of_two_planted_topics_separates_them():
    model = LDA(4, **QUICK).fit(X)
    found = cosines(TOPIC_WORD, model.topic_word_)
    mixed = int(np.argmax((found > 0.4).sum(axis=0)))
    assert (found[:, mixed] > 0.4).sum() == 2
    apart = model.split_topic(mixed, X, **SETTLE)
    assert cosines(TOPIC_WORD, apart.topic_word_).max(axis=1).min() > 0.95
    assert apart.perplexity(X) < model.perplexity(X)


def test_the_others_stay_when_a_superfluous_topic_is_dropped():
    model, _ = fitted("LDA")
    more = model.split_topic(0, X, n_sweeps=5)
    new = more.drop_topics([5], X, **SETTLE)
    assert np.diag(cosines(more.topic_word_[:5], new.topic_word_)).min() >= 0.9
    assert np.diag(cosines(model.topic_word_, new.topic_word_)).min() >= 0.99


def test_a_dropped_planted_topic_is_gone():
    model, _ = fitted("LDA")
    topic = int(cosines(TOPIC_WORD[:1], model.topic_word_)[0].argmax())
    new = model.drop_topics([topic], X, **SETTLE)
    assert cosines(TOPIC_WORD[:1], new.topic_word_).max() < 0.95
    assert new.perplexity(X) > model.perplexity(X)


def test_all_topics_can_be_merged_into_one():
    model, _ = fitted("LDA")
    one = model.merge_topics([[0, 1, 2, 3, 4]], X, **SETTLE)
    assert one.n_topics == 1
    expected = (X.sum(axis=0) + one.beta_) / (X.sum() + one.beta_ * X.shape[1])
    np.testing.assert_allclose(one.topic_word_[0], expected)
    np.testing.assert_array_equal(one.doc_topic_, np.ones((X.shape[0], 1)))
    assert one.split_topic(0, X, into=5, **SETTLE).n_topics == 5


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[0, 5]], "there is no topic 5; the model has topics 0 to 4"),
        ([[0, -1]], "there is no topic -1"),
        ([[0, 1], [1, 2]], "topic 1 is given twice"),
        ([[0, 0]], "topic 0 is given twice"),
        ([[0]], "a group needs two topics or more"),
        ([], "list of lists"),
        ([0, 1], "list of lists"),
        ("01", "list of lists"),
        ([["a", "b"]], "given by its number"),
        ([[0, 1.0]], "given by its number"),
    ],
)
def test_wrong_groups_are_errors(groups, message):
    with pytest.raises(PlaitError, match=message):
        fitted("LDA")[0].merge_topics(groups, X)


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([7], "there is no topic 7"),
        ([1, 1], "topic 1 is given twice"),
        ([], "list of topics"),
        (1, "list of topics"),
        ([0, 1, 2, 3, 4], "are all topics of the model"),
    ],
)
def test_wrong_topics_to_drop_are_errors(topics, message):
    with pytest.raises(PlaitError, match=message):
        fitted("LDA")[0].drop_topics(topics, X)


def test_a_wrong_split_is_an_error():
    model, _ = fitted("LDA")
    with pytest.raises(PlaitError, match="there is no topic 5"):
        model.split_topic(5, X)
    with pytest.raises(PlaitError, match="into must be a whole number, 2 or more"):
        model.split_topic(0, X, into=1)


def test_other_documents_are_errors():
    model, _ = fitted("LDA")
    with pytest.raises(PlaitError, match="not the documents that the model was fitted to"):
        model.merge_topics([[0, 1]], X[::-1])
    labelled, _ = fitted("MedLDA")
    with pytest.raises(PlaitError, match="not the documents"):
        labelled.merge_topics([[0, 1]], X, LABELS[::-1])
    stream, _ = fitted("OnlineLDA")
    with pytest.raises(PlaitError, match="not the documents that the stream learned last"):
        stream.merge_topics([[0, 1]], X[::-1])
    with pytest.raises(PlaitError, match="links is given"):
        model.merge_topics([[0, 1]], X, links=LINKS)


def test_models_that_cannot_be_edited_say_why():
    separate = MedLDA(3, one_vs_all=True, n_chains=1, **QUICK).fit(X, LABELS)
    with pytest.raises(PlaitError, match="with one_vs_all every label has topics of its own"):
        separate.merge_topics([[0, 1]], X, LABELS)
    assert separate.name_topics({14: "last"}).topics()[14].name == "last"
    unfinished, _ = planted.fit("LDA")
    unfinished._unfinished = (None, [])
    with pytest.raises(PlaitError, match="interrupted; resume it"):
        unfinished.drop_topics([0], X)
    with pytest.raises(Exception, match="not fitted"):
        LDA(3).drop_topics([0], X)


def test_an_interrupted_edit_changes_nothing(monkeypatch):
    import os
    import signal

    from plait.engine.chain import Chain

    model, _ = fitted("LDA")
    sweep, calls = Chain.sweep, []

    def stop(chain):
        calls.append(1)
        if len(calls) == 15:  # in the sweeps that settle the model
            os.kill(os.getpid(), signal.SIGINT)
        return sweep(chain)

    monkeypatch.setattr(Chain, "sweep", stop)
    with pytest.raises(KeyboardInterrupt):
        model.merge_topics([[0, 1]], X, **SETTLE)
    assert model.n_topics == 5


def test_names_follow_their_topics():
    model = fitted("LDA")[0].name_topics({0: "a", 1: "b", 2: "c"})
    assert model.merge_topics([[0, 1], [2, 4]], X, **SETTLE).topic_names_ == ["a / b", "c", ""]
    assert model.drop_topics([0], X, **SETTLE).topic_names_ == ["b", "c", "", ""]
    assert model.split_topic(1, X, **SETTLE).topic_names_ == ["a", "b (1)", "c", "", "", "b (2)"]
    long = edited_names(["x" * 150, "y" * 150], [(0, 1)])
    assert long == [""]
    assert edited_names(["s (2)", "s"], [(0,), (1,), (1,)]) == ["s (2)", "s (1)", ""]


def test_numbering():
    assert merge([[4, 1], [0, 3]], 6).origins == ((0, 3), (1, 4), (2,), (5,))
    assert drop([0, 2], 4).origins == ((1,), (3,))
    assert split(1, 3, 3).origins == ((0,), (1,), (2,), (1,), (1,))
    assert split(1, 3, 3).state_edit.parts == {1: [1, 3, 4]}
    assert merge([[1, 2]], 4).state_edit.labels.tolist() == [0, 1, 1, 2]
    assert drop([1], 3).state_edit.labels.tolist() == [0, -1, 1]
    assert merge([[1, 2]], 4).changed.tolist() == [False, True, False]
    assert split(0, 2, 2).changed.tolist() == [True, False, True]


def test_alpha_follows_its_topics():
    alpha = [0.1, 0.2, 0.4]
    for model in (LDA(3, alpha=alpha), TopicModel(3, mixing=LinkedDocuments(alpha))):
        found = [edited_parameters(model, edit.origins) for edit in (merge([[0, 2]], 3), drop([0], 3), split(2, 2, 3))]
        arrays = [one["alpha"] if "alpha" in one else one["mixing"].alpha for one in found]
        np.testing.assert_allclose(arrays[0], [0.5, 0.2])
        np.testing.assert_allclose(arrays[1], [0.2, 0.4])
        np.testing.assert_allclose(arrays[2], [0.1, 0.2, 0.2, 0.2])
    fixed = LDA(3, alpha=0.1, beta=0.01)
    assert edited_parameters(fixed, merge([[0, 2]], 3).origins) == {"n_topics": 2, "alpha": 0.1, "beta": 0.01}
    assert edited_parameters(LDA(3), merge([[0, 2]], 3).origins) == {"n_topics": 2}
    assert edited_parameters(MedLDA(3), merge([[0, 2]], 3).origins)["n_topics"] == 2


def test_learned_alpha_is_continued():
    model, _ = planted.fit("LDA, learned priors", n_sweeps=30, tolerance=0.0)
    merged = model.merge_topics([[0, 1]], X, n_sweeps=5)  # fewer sweeps than between two fits of α
    np.testing.assert_allclose(merged.alpha_, [model.alpha_[:2].sum(), *model.alpha_[2:]])
    assert merged.beta_ == model.beta_


def test_one_learned_alpha_is_kept():
    model, _ = planted.fit("LDA", n_sweeps=30, tolerance=0.0, learn_alpha="symmetric")
    assert model.alpha_[0] != 0.1
    merged = model.merge_topics([[0, 1]], X, n_sweeps=5)
    np.testing.assert_array_equal(merged.alpha_, model.alpha_[:4])
    assert merged.beta_ == model.beta_


def test_alpha_that_is_learned_after_burn_in_is_fitted_to_the_edited_topics():
    model, _ = planted.fit("LDA", n_sweeps=30, tolerance=0.0)
    merged = model.merge_topics([[0, 1]], X, n_sweeps=5)
    assert merged.alpha_.size == 4
    assert np.ptp(merged.alpha_) > 0
    assert not np.array_equal(merged.alpha_[1:], model.alpha_[2:])


def test_an_alpha_per_topic_is_used():
    model = LDA(5, alpha=[0.5, 0.1, 0.1, 0.1, 0.1], **QUICK).fit(X)
    np.testing.assert_allclose(model.merge_topics([[0, 1]], X, **SETTLE).alpha_, [0.6, 0.1, 0.1, 0.1])


def test_beta_follows_its_topics():
    merged, gone, parts = merge([[0, 2]], 3).origins, drop([0], 3).origins, split(0, 2, 3).origins
    table = np.array([[0.1, 0.5], [0.2, 0.2], [0.3, 0.1]])
    for beta in (table, table.tolist()):
        np.testing.assert_array_equal(edited_parameters(LDA(3, beta=beta), merged)["beta"], [[0.3, 0.5], [0.2, 0.2]])
    prior = edited_parameters(TopicModel(3, prior=TablePrior(table)), gone)["prior"]
    assert isinstance(prior, TablePrior)
    np.testing.assert_array_equal(prior.table, table[1:])
    np.testing.assert_array_equal(TablePrior(table).with_topics(parts).table, table[[0, 1, 2, 0]])
    per_word = TablePrior([0.1, 0.2])
    assert per_word.with_topics(merged) is per_word
    history = HistoryPrior([np.array([[4.0], [2.0], [1.0]])], [1.0], base=table)
    assert history.with_topics(merged).past[0].tolist() == [[5.0], [2.0]]
    assert history.with_topics(parts).past[0].tolist() == [[2.0], [2.0], [1.0], [2.0]]
    np.testing.assert_array_equal(history.with_topics(gone).base.table, table[1:])


def test_seeds_and_word_counts_follow_their_topics():
    seeds = SeedPrior({"a": ["x", "y"], "b": ["y", "z"]}, strength=3.0, base=0.2)
    assert seeds.with_topics(merge([[0, 1]], 3).origins).seeds == {"a / b": ("x", "y", "z")}
    assert seeds.with_topics(merge([[1, 2]], 3).origins).seeds == seeds.seeds
    assert seeds.with_topics(drop([0], 3).origins) == SeedPrior({"b": ["y", "z"]}, 3.0, 0.2)
    assert seeds.with_topics(drop([0, 1], 3).origins) == SymmetricPrior(0.2)
    assert seeds.with_topics(split(0, 2, 3).origins).seeds == seeds.seeds
    counts = WordCountsPrior(["x", "y"], [[4, 0], [0, 2]], strength=0.5, base=0.1)
    assert counts.with_topics(merge([[0, 1]], 3).origins).counts.tolist() == [[4, 2]]
    assert counts.with_topics(split(0, 2, 3).origins).counts.tolist() == [[2, 0], [0, 2], [0, 0], [2, 0]]
    assert counts.with_topics(drop([0, 1], 3).origins) == SymmetricPrior(0.1)


def test_a_seeded_model_is_edited_and_saved(tmp_path):
    texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 9
    corpus = Corpus.from_texts(texts)
    prior = SeedPrior({"money": ["loan"], "water": ["river"]})
    model = LDA(4, beta=prior, **(QUICK | {"alpha": 0.1})).fit(corpus)
    assert model.topic_names_[:2] == ["money", "water"]
    merged = model.merge_topics([[0, 2], [1, 3]], corpus, **SETTLE)
    assert merged.topic_names_ == ["money", "water"]
    assert plait.load(plait.save(merged, tmp_path / "seeded.plait")).beta == prior


def test_refitting_starts_over():
    model, _ = planted.fit("LDA")
    merged = model.merge_topics([[0, 1]], X, **SETTLE)
    again = merged.fit(X)
    assert again.edits_ == []
    assert again.n_topics == 4


def test_several_edits_have_the_numbers_of_the_model_before():
    model = fitted("LDA")[0].name_topics({4: "four"})
    new = apply_edits(model, X, merge=[[0, 2]], drop=[1], split={3: 2}, names={2: "both", 3: "three"}, n_sweeps=3)
    # Topics 0 and 2 are topic 0 now, topic 3 is topic 1 and 3, topic 4 is topic 2.
    assert new.topic_names_ == ["both", "three", "four", ""]
    assert [one["operation"] for one in new.edits_] == ["name", "merge", "drop", "split", "name"]
    step = model.merge_topics([[0, 2]], X, n_sweeps=3).drop_topics([1], X, n_sweeps=3)
    assert np.array_equal(new.topic_word_, step.split_topic(1, X, n_sweeps=3).topic_word_)


def test_several_edits_that_contradict_each_other_are_errors():
    model, _ = fitted("LDA")
    with pytest.raises(PlaitError, match="give the documents"):
        apply_edits(model, drop=[1])
    with pytest.raises(PlaitError, match="there is nothing to do"):
        apply_edits(model, X)
    with pytest.raises(PlaitError, match="topic 1 is given for two of merge, drop and split"):
        apply_edits(model, X, drop=[1], split={1: 2})
    assert apply_edits(model, names={1: "one"}).topic_names_[1] == "one"


def test_the_documents_are_needed():
    model, _ = fitted("LDA")
    for edit in (lambda: model.merge_topics([[1, 2]]), lambda: model.drop_topics([1]), lambda: model.split_topic(1)):
        with pytest.raises(PlaitError, match="give X, the documents that it was fitted to"):
            edit()
