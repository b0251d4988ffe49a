"""OnlineLDA: the posterior with history, one slice or no window as LDA, words that come and go, stopping, bad input."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.stats import chisquare

import plait
from plait import LDA, Corpus, OnlineLDA, PlaitError
from plait.engine.fold_in import FoldIn
from plait.engine.sample import Sample
from plait.executors import Threads
from plait.metrics import completion_perplexity
from plait.models.fitting import Fit
from plait.samplers import SAMPLERS
from tests import naive
from tests.samplers.small import Inline

pytestmark = pytest.mark.slow_with("aggregated", "sparse")  # few tests share their sweeps, which are slow to compile

QUICK = {"n_topics": 3, "n_sweeps": 8, "n_samples": 2, "sample_every": 2, "fold_in_sweeps": 4, "random_state": 5}
QUICK |= {"verbose": False}


def toy_slices(n_slices=4, n_documents=20, n_words=10, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.poisson(0.9, size=(n_documents, n_words)) for _ in range(n_slices)]


def learned(slices, **changes):
    model = OnlineLDA(**(QUICK | changes))
    for one in slices:
        model.partial_fit(one)
    return model


def same_state(left, right):
    assert left.topic_word_.tobytes() == right.topic_word_.tobytes()
    assert left.doc_topic_.tobytes() == right.doc_topic_.tobytes()
    assert [one.label for one in left.slices_] == [one.label for one in right.slices_]
    for one, other in zip(left._past, right._past, strict=True):
        assert one.tobytes() == other.tobytes()


def dated(texts, days, **parts):
    return Corpus.from_texts(texts, times=[f"2024-01-{day:02d}" for day in days], **parts)


# --- right -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_one_slice_is_lda(sampler):
    (counts,) = toy_slices(1)
    online = OnlineLDA(**QUICK, sampler=sampler).fit(counts)
    alone = LDA(**QUICK, alpha=0.1, sampler=sampler).fit(counts)
    assert online.topic_word_.tobytes() == alone.topic_word_.tobytes()
    assert online.doc_topic_.tobytes() == alone.doc_topic_.tobytes()
    assert online.transform(counts).tobytes() == alone.transform(counts).tobytes()
    assert online.perplexity(counts) == alone.perplexity(counts)


def test_without_a_window_every_slice_is_learned_as_lda_alone():
    slices = toy_slices()
    online = learned(slices, window=0)
    alone = LDA(**(QUICK | {"alpha": 0.1, "random_state": online.slices_[-1].seed})).fit(slices[-1])
    assert online.topic_word_.tobytes() == alone.topic_word_.tobytes()
    assert online.perplexity(slices[0]) > 0
    assert len({one.seed for one in online.slices_}) == len(slices)


@pytest.mark.slow
def test_all_weight_on_one_past_slice_draws_from_the_posterior_with_its_counts(monkeypatch):
    """The chain of the third slice, run long, against enumeration with the first slice's counts as pseudo-counts."""
    alpha, base = np.array([0.4, 0.9]), 0.3
    history = [np.array([[3, 0, 1], [0, 2, 0]]), np.array([[0, 4, 0], [5, 0, 1]])]
    documents = [[0, 0, 1], [1, 2, 2]]
    model = OnlineLDA(
        2,
        window=2,
        history_weights=[0.7, 0.0],
        alpha=alpha,
        beta=base,
        random_state=1,
        n_sweeps=1,
        n_samples=1,
        verbose=False,
    )
    model.partial_fit(history[0]).partial_fit(history[1])
    first_counts = model._past[0].astype(np.float64)
    counts = np.array([[2, 1, 0], [0, 1, 2]])
    seen = Counter()
    chains, close = [], Fit.close

    def noted(self):
        chains.append(self.chain)
        close(self)

    monkeypatch.setattr(Fit, "close", noted)
    executor = Inline()
    model.set_params(executor=executor).partial_fit(counts)
    (chain,) = chains
    for _ in range(30_000):
        for _ in range(2):
            chain.sweep()
        seen[tuple(int(topic) for topic in executor.shards[0].state.topics)] += 1
    rank = np.argsort(chain._word_order)
    ordered = [sorted(document, key=lambda word: rank[word]) for document in documents]
    exact = naive.posterior(ordered, alpha, base + 0.7 * first_counts)
    assert min(exact.values()) * seen.total() > 5  # so that every assignment can be counted on its own
    expected = [probability * seen.total() for probability in exact.values()]
    assert chisquare([seen[state] for state in exact], expected).pvalue > 0.001


def test_the_prior_of_a_slice_is_what_the_window_held_times_its_weights():
    slices = toy_slices()
    model = learned(slices, window=2, history_weights=[0.2, 0.6], beta=0.05)
    table = model._make_prior().pseudo_counts(3, 10)
    # Two of the three kept tables are the window of the next slice.
    np.testing.assert_allclose(table, 0.05 + 0.2 * model._past[-2] + 0.6 * model._past[-1], rtol=1e-6)
    assert len(model._past) == 3
    np.testing.assert_allclose(model._past[-1].sum(), slices[-1].sum(), rtol=1e-5)
    np.testing.assert_allclose(model._past[-1].sum(axis=0), slices[-1].sum(axis=0), rtol=1e-5)


def test_topics_keep_their_numbers():
    """Two themes that share no word: the topic of each stays the one it was."""
    rng = np.random.default_rng(3)
    themes = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]) / 3
    model = OnlineLDA(2, window=1, random_state=0, n_sweeps=30, verbose=False)
    of_first_theme = []
    for _ in range(6):
        model.partial_fit(np.array([rng.multinomial(12, themes[d % 2]) for d in range(20)]))
        of_first_theme.append(int(model.topic_word_[:, 0].argmax()))
    assert len(set(of_first_theme)) == 1
    assert [model.evolution(topic).shape for topic in (0, 1)] == [(6, 2), (6, 2)]
    np.testing.assert_allclose(model.evolution(0).sum(axis=0), 1)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler_takes_a_history(sampler):
    jobs = [learned(toy_slices(), sampler=sampler, n_shards=3, n_jobs=n) for n in (1, 2)]
    same_state(*jobs)


def test_a_total_weight_is_spread_over_the_slices_there_are():
    model = OnlineLDA(window=3, history_weights=0.6)
    assert model._weights_of(0) == []
    np.testing.assert_allclose(model._weights_of(2), [0.3, 0.3])
    fading = OnlineLDA(window=3, history_weights=0.7, decay=0.5)
    np.testing.assert_allclose(fading._weights_of(3), [0.1, 0.2, 0.4])
    np.testing.assert_allclose(OnlineLDA(window=3, history_weights=[0.1, 0.2, 0.7])._weights_of(2), [0.2, 0.7])
    np.testing.assert_allclose(OnlineLDA(window=2)._weights_of(2), [0.5, 0.5])


# --- words that come and go ------------------------------------------------------------------------------------------


def test_new_words_come_after_the_known_ones_and_are_announced():
    model = OnlineLDA(**QUICK)
    model.partial_fit(Corpus.from_texts(["river bank", "bank money money"] * 5))
    assert model.vocabulary_.tolist() == ["bank", "money", "river"]
    assert model.new_words_ == ["bank", "money", "river"]
    model.partial_fit(Corpus.from_texts(["delta river", "debt debt bank"] * 5))
    assert model.vocabulary_.tolist() == ["bank", "money", "river", "debt", "delta"]
    assert model.new_words_ == ["debt", "delta"]
    assert model.slices_[1].n_new_words == 2
    assert model.topic_word_.shape == (3, 5)
    assert model.n_features_in_ == 5
    again = Corpus.from_texts(["money river debt"])
    assert model.transform(again).shape == (1, 3)


def test_words_of_a_sliced_corpus_that_a_slice_does_not_hold_are_not_known_beforehand():
    corpus = dated(["river bank", "delta bank"] * 3, [1, 2] * 3)
    model = OnlineLDA(**QUICK).fit(corpus, times="day")
    assert [one.n_new_words for one in model.slices_] == [2, 1]
    assert model.vocabulary_.tolist() == ["bank", "river", "delta"]
    assert model.doc_topic_.shape == (6, 3)
    assert model.doc_ids_.tolist() == [*corpus.ids[::2], *corpus.ids[1::2]]


def test_a_wider_matrix_brings_new_words_at_its_end():
    model = learned([*toy_slices(1), *toy_slices(1, n_words=13)])
    assert model.topic_word_.shape == (3, 13)
    assert model.slices_[1].n_new_words == 3
    with pytest.raises(PlaitError, match="X has 10 features, but OnlineLDA is expecting 13"):
        model.partial_fit(toy_slices(1)[0])


def test_words_unseen_for_long_are_forgotten():
    texts = [["river bank"] * 6, ["bank money"] * 6, ["bank money"] * 6, ["river money"] * 6]
    model = OnlineLDA(**QUICK, window=1, forget_after=2)
    known = []
    for one in texts:
        model.partial_fit(Corpus.from_texts(one))
        known.append(model.vocabulary_.tolist())
    assert known == [["bank", "river"], ["bank", "river", "money"], ["bank", "money"], ["bank", "money", "river"]]
    assert [one.n_forgotten_words for one in model.slices_] == [0, 0, 1, 0]
    assert [one.n_new_words for one in model.slices_] == [2, 1, 0, 1]
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    assert model.transform(Corpus.from_texts(["bank river"])).shape == (1, 3)
    with pytest.raises(PlaitError, match="forget_after takes words out"):
        OnlineLDA(**QUICK, forget_after=2).fit(toy_slices(1)[0])


def test_perplexity_of_the_next_slice_counts_words_that_are_new():
    now = Corpus.from_texts(["river bank river", "bank money money"] * 8)
    model = OnlineLDA(**QUICK, beta=0.1).fit(now)
    with_new = Corpus.from_texts(["river delta river delta", "bank money bank money"] * 4)
    known_only = Corpus.from_texts(["river river river river", "bank money bank money"] * 4)
    assert model.perplexity(with_new) > model.perplexity(known_only)
    before = model.topic_word_.copy()
    model.partial_fit(with_new, ahead=True)
    assert model.slices_[1].perplexity == pytest.approx(OnlineLDA(**QUICK, beta=0.1).fit(now).perplexity(with_new))
    assert before.shape == (3, 3)


def test_new_words_are_predicted_by_what_beta_expects_of_them():
    model = OnlineLDA(**(QUICK | {"n_samples": 1}), window=1, history_weights=0.5, beta=0.2)
    model.partial_fit(Corpus.from_texts(["river bank bank", "money"] * 6)).partial_fit(Corpus.from_texts(["bank"] * 6))
    past, held = (counts.astype(np.float64) for counts in model._past)
    expected = np.pad(0.2 + 0.5 * past, ((0, 0), (0, 2)), constant_values=0.2)
    (sample,) = model._chain_samples[0]
    wider = Sample(sparse.csr_array(np.pad(held, ((0, 0), (0, 2))).T), sample.alpha, expected)
    new = Corpus.from_texts(["bank delta river delta bank", "sea money money bank"] * 3)
    order = ["bank", "money", "river", "delta", "sea"]
    assert [*model.vocabulary_, *order[3:]] == order
    counts = sparse.csr_array(new.with_vocabulary(order).counts)
    scored = completion_perplexity(FoldIn([wider], False, model.seed_), counts, model.fold_in_sweeps, Threads())
    assert model.perplexity(new) == pytest.approx(scored.perplexity, rel=1e-6)
    np.testing.assert_allclose(wider.topic_word().sum(axis=1), 1)


# --- slices ----------------------------------------------------------------------------------------------------------


def test_fit_cuts_a_corpus_as_slice_by_time_does_and_equals_partial_fits():
    corpus = dated(["river bank", "bank money", "money debt", "river delta"] * 4, [1, 2, 9, 30] * 4)
    whole = OnlineLDA(**QUICK).fit(corpus, times="week")
    pieces = OnlineLDA(**QUICK)
    for label, part in corpus.slice_by_time("week"):
        pieces.partial_fit(part, label=label)
    assert [one.label for one in whole.slices_] == [label for label, _ in corpus.slice_by_time("week")]
    assert [one.empty for one in whole.slices_] == [False, False, True, True, False]
    assert whole.topic_word_.tobytes() == pieces.topic_word_.tobytes()
    assert np.isnan(whole.slices_[2].topic_share).all()
    np.testing.assert_allclose(whole.slices_[4].topic_share.sum(), 1, rtol=1e-6)
    for times, n_slices in (("day", 30), (2, 2), (["2024-01-01", "2024-01-03", "2024-02-01"], 2)):
        assert len(OnlineLDA(**QUICK).fit(corpus, times=times).slices_) == n_slices


def test_an_empty_slice_is_noted_and_changes_nothing_else():
    slices = toy_slices(3)
    names = [f"x{column}" for column in range(10)]
    corpora = [Corpus.from_matrix(one, vocabulary=names) for one in slices]
    empty = Corpus.from_matrix(np.zeros((2, 10), int), vocabulary=names)
    model = learned([corpora[0], empty])
    assert model.slices_[1].empty
    assert len(model._past) == 1
    model.partial_fit(corpora[1], label="after a pause")
    assert [one.label for one in model.slices_] == ["slice 0", "slice 1", "after a pause"]
    with pytest.raises(PlaitError, match="first slice holds no words"):
        OnlineLDA(**QUICK).partial_fit(empty)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_documents", [0, 2])
def test_an_empty_matrix_is_an_empty_slice_too(form, n_documents):
    slices, nothing = toy_slices(2), form(np.zeros((n_documents, 10), int))
    model = learned([slices[0], nothing, slices[1]])
    assert [one.empty for one in model.slices_] == [False, True, False]
    assert model.slices_[1].n_documents == n_documents
    with pytest.raises(ValueError, match=r"no words|0 sample"):
        OnlineLDA(**QUICK).partial_fit(nothing)


def test_a_slice_keeps_what_people_ask_of_it():
    corpus = dated(["river bank bank", "bank money"], [3, 4])
    (one,) = OnlineLDA(**QUICK).partial_fit(corpus).slices_
    assert (one.label, one.begins, one.ends) == (
        "2024-01-03 to 2024-01-04",
        "2024-01-03T00:00:00",
        "2024-01-04T00:00:00",
    )
    assert (one.number, one.n_documents, one.n_tokens) == (0, 2, 5.0)
    assert one.words.shape == one.probabilities.shape == (3, 3)
    assert set(one.words[0]) == {"bank", "money", "river"}
    assert np.isnan(one.drift).all()
    assert one.topic_tokens.sum() == pytest.approx(5.0)


# --- kept whole ------------------------------------------------------------------------------------------------------


def test_saved_and_loaded_between_slices_it_goes_on_to_the_same_bits(tmp_path):
    slices = toy_slices()
    never = learned(slices)
    model = learned(slices[:2])
    loaded = plait.load(plait.save(model, tmp_path / "stream.plait"))
    for one in slices[2:]:
        loaded.partial_fit(one)
    same_state(loaded, never)
    assert loaded.perplexity(slices[0]) == never.perplexity(slices[0])
    assert plait.save(loaded, tmp_path / "a.plait").read_bytes() == plait.save(never, tmp_path / "b.plait").read_bytes()


def stop_after(monkeypatch, n_sweeps):
    """Let Ctrl-C come after so many sweeps."""
    from plait.engine.chain import Chain
    from plait.engine.interrupt import StopRequest

    made, requests, sweep, enter = [], [], Chain.sweep, StopRequest.__enter__

    def entered(self):
        requests.append(self)
        return enter(self)

    def counted(self):
        made.append(1)
        if len(made) == n_sweeps:
            requests[-1].requested = True
        return sweep(self)

    monkeypatch.setattr(StopRequest, "__enter__", entered)
    monkeypatch.setattr(Chain, "sweep", counted)


@pytest.mark.parametrize("at", [1, 9, 14, 25])
def test_a_stopped_slice_is_resumed_to_the_same_bits(monkeypatch, tmp_path, at):
    corpus = dated(["river bank", "bank money", "money debt", "river delta"] * 4, [1, 2, 9, 16] * 4)
    never = OnlineLDA(**QUICK, tolerance=0).fit(corpus, times="week")
    with monkeypatch.context() as patch:
        stop_after(patch, at)
        stopped = OnlineLDA(**QUICK, tolerance=0).fit(corpus, times="week")
    assert stopped.interrupted_
    assert len(stopped.slices_) == (at - 1) // 10
    with pytest.raises(PlaitError, match="was interrupted before it was learned"):
        stopped.partial_fit(corpus)
    loaded = plait.load(plait.save(stopped, tmp_path / "stopped.plait"))
    with pytest.raises(PlaitError, match=r"not the slices that the fit began with|not the documents"):
        loaded.resume(dated(["other words"] * 3, [1, 9, 16]), times="week")
    loaded.resume(corpus, times="week")
    assert not loaded.interrupted_
    same_state(loaded, never)


def test_a_stopped_partial_fit_is_resumed_with_its_slice(monkeypatch):
    slices = toy_slices(3)
    never = learned(slices, tolerance=0)
    model = learned(slices[:2], tolerance=0)
    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        model.partial_fit(slices[2])
    assert model.interrupted_
    model.resume(slices[2])
    same_state(model, never)
    with pytest.raises(PlaitError, match="nothing to resume"):
        model.resume(slices[2])


def test_after_an_error_the_model_is_as_it_was():
    slices = toy_slices(3)
    model = learned(slices[:2])
    state = dict(vars(model))
    with pytest.raises(PlaitError):
        model.partial_fit(slices[2][:, :4])
    with pytest.raises(ValueError, match="Negative"):
        model.partial_fit(-slices[2])
    assert vars(model) == state
    same_state(model.partial_fit(slices[2]), learned(slices))


# --- bad input -------------------------------------------------------------------------------------------------------


def test_slices_out_of_order_are_refused_unless_they_are_meant():
    model = OnlineLDA(**QUICK).partial_fit(dated(["river bank", "bank money"], [5, 9]))
    with pytest.raises(PlaitError, match=r"begins on 2024-01-07.*in_order=False"):
        model.partial_fit(dated(["river bank", "bank money"], [7, 12]))
    model.partial_fit(dated(["river bank", "bank money"], [7, 12]), in_order=False)
    assert len(model.slices_) == 2


def test_the_number_of_topics_stays():
    model = learned(toy_slices(1)).set_params(n_topics=4)
    with pytest.raises(PlaitError, match="the stream has 3 topics, and n_topics is 4 now"):
        model.partial_fit(toy_slices(1)[0])


def test_names_and_no_names_do_not_mix():
    model = learned(toy_slices(1))
    with pytest.raises(PlaitError, match="names of words"):
        model.partial_fit(Corpus.from_texts(["river bank"]))


def test_a_document_without_a_time_is_an_error_or_left_out():
    corpus = Corpus.from_texts(["river bank", "bank money", "lost"], times=["2024-01-01", "2024-01-02", None])
    with pytest.raises(PlaitError, match="it has no time"):
        OnlineLDA(**QUICK).fit(corpus, times="day")
    model = OnlineLDA(**QUICK).fit(corpus, times="day", on_error="skip")
    assert model.doc_topic_.shape == (2, 3)
    with pytest.raises(PlaitError, match="give one, or the slices to partial_fit"):
        OnlineLDA(**QUICK).fit(toy_slices(1)[0], times="day")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": -1}, "window must be a whole number"),
        ({"window": 2, "history_weights": [1.0]}, "2 numbers of 0 or more"),
        ({"history_weights": -0.5}, "total weight of past slices"),
        ({"history_weights": "full"}, "total weight of past slices"),
        ({"history_weights": [1.0, "x", 2.0]}, "3 numbers of 0 or more"),
        ({"history_weights": [0.1, 0.2, 0.7], "decay": 0.5}, "decay spreads a total"),
        ({"decay": 0.0}, "decay must be a number above 0"),
        ({"history_form": "words"}, "history_form must be"),
        ({"forget_after": 0}, "forget_after must be a whole number"),
    ],
)
def test_bad_parameters(changes, message):
    with pytest.raises(PlaitError, match=message):
        OnlineLDA(**(QUICK | changes)).fit(toy_slices(1)[0])


def test_a_topic_that_is_not_there():
    with pytest.raises(PlaitError, match="from 0 to 2"):
        learned(toy_slices(1)).evolution(3)


def test_a_prior_that_knows_words_by_name_goes_with_history():
    seeds = plait.SeedPrior({"water": ["river"], "money": ["loan"]}, strength=5.0, base=0.1)
    model = OnlineLDA(**(QUICK | {"n_topics": 2}), beta=seeds, window=1, history_weights=0.5)
    model.partial_fit(Corpus.from_texts(["river bank", "loan bank"] * 5))
    model.partial_fit(Corpus.from_texts(["river sea", "loan debt"] * 5))
    assert [topic.name for topic in model.topics()] == ["water", "money"]
    past = model._past[0].astype(np.float64)
    expected = np.full((2, 5), 0.1)
    expected[:, : past.shape[1]] += 0.5 * past
    columns = {word: column for column, word in enumerate(model.vocabulary_)}
    expected[0, columns["river"]] += 5.0
    expected[1, columns["loan"]] += 5.0
    np.testing.assert_allclose(model.beta_, expected, rtol=1e-6)
    assert np.isfinite(model.perplexity(Corpus.from_texts(["river delta river", "loan bank loan"])))


def test_a_slice_with_no_known_word_is_learned_with_a_warning():
    model = OnlineLDA(**QUICK).partial_fit(Corpus.from_texts(["river bank"] * 4))
    with pytest.warns(UserWarning, match="no word of Tuesday was in any slice before"):
        model.partial_fit(Corpus.from_texts(["green tea"] * 4), label="Tuesday")
    assert model.new_words_ == ["green", "tea"]
