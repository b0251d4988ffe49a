"""Choosing the number of topics: the rule, scores against fits by hand, Ctrl-C, limits, bad input, drawings."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

import plait
from plait.engine.chain import Chain
from plait.engine.fold_in import halve_documents
from plait.errors import PlaitError
from plait.evaluation import choose
from plait.evaluation.choice import Measured, TopicChoice, Trial, compare
from plait.evaluation.choose import choose_n_topics
from plait.evaluation.progress import ChoiceProgress
from plait.metrics import match_topics, topic_stability
from plait.models import LDA

sys.path.insert(0, str(Path(__file__).parents[2] / "experiments" / "choosing"))

QUICK = {"alpha": 0.1, "n_sweeps": 30, "n_samples": 2, "sample_every": 2, "fold_in_sweeps": 5}
PLANTED = ["river stream water delta", "money loan debt bank", "goal ball team match"]


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(PLANTED[number % 3].split(), size=12)) for number in range(60)]
    return plait.Corpus.from_texts(texts)


def chosen(X, candidates=None, **options):
    return choose_n_topics(X, candidates, model=LDA(**QUICK), verbose=False, **({"n_seeds": 2} | options))


def measures(choice):
    return [(row.n_topics, row.log_likelihood, row.standard_error, row.coherence, row.stability) for row in choice.rows]


def test_the_planted_number_of_topics_is_recommended(corpus):
    choice = chosen(corpus, [1, 6, 3], top=4, n_seeds=3)
    assert choice.complete
    assert [row.n_topics for row in choice.rows] == [1, 3, 6]
    by_number = {row.n_topics: row for row in choice.rows}
    assert by_number[3].log_likelihood > -np.log(5) > by_number[1].log_likelihood  # 4 words per topic, 12 in all
    assert by_number[3].coherence > by_number[1].coherence
    assert by_number[3].stability > 0.99 > by_number[6].stability
    assert by_number[3].seconds > 0
    assert choice.recommended == 3


@pytest.mark.parametrize("planted", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_a_planted_number_is_found_without_candidates(planted):
    from simulation import planted_corpus

    counts = planted_corpus(planted, 200, n_documents=400, n_words=600)
    choice = choose_n_topics(counts, n_seeds=3, verbose=False)
    assert abs(choice.recommended - planted) <= 0.25 * planted
    tried = [row.n_topics for row in choice.rows]
    assert tried[:3] == [2, 3, 4] or tried[:3] == [2, 3, 5]
    assert max(tried) < 60  # of 64 documents per topic: the search ended where likelihood fell


def test_a_row_holds_what_fits_by_hand_give(corpus):
    (row,) = chosen(corpus, [3], holdout=20, random_state=7, top=3).rows
    order = np.random.default_rng(7).permutation(60)
    training, held_out = corpus.select(np.sort(order[20:])), corpus.select(np.sort(order[:20]))
    fixed = {"alpha": 0.1, "beta": 0.01, "tolerance": 1e-3} | QUICK
    models = [LDA(3, random_state=seed, verbose=False, **fixed).fit(training) for seed in (7, 8)]
    # The halves of a held-out document are those of the first seed, so only its perplexity is the model's own.
    first = models[0].score(held_out)
    observed, predicted = halve_documents(held_out.counts, False, 7)
    second = models[1]._chains().completion_likelihoods(observed, predicted).sum() / predicted.sum()
    assert row.log_likelihood == pytest.approx((first + second) / 2, rel=1e-12)
    assert row.standard_error == pytest.approx(abs(first - second) / np.sqrt(2), rel=1e-9)
    assert row.coherence == np.mean([model.coherence(training, "npmi", top=3).mean() for model in models])
    assert row.stability == topic_stability([model.topic_word_ for model in models])


def test_topics_are_matched_one_to_one():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.1), size=5)
    order = rng.permutation(5)
    partners, similarities = match_topics(topics, topics[order])
    assert (order[partners] == np.arange(5)).all()
    assert similarities == pytest.approx(np.ones(5))
    # Both topics of the first model are nearest to the first of the second; only one may have it.
    first, second = np.array([[1.0, 0.0, 0.0], [0.8, 0.2, 0.0]]), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert match_topics(first, second)[0].tolist() == [0, 1]
    assert topic_stability([topics, topics[order], topics[::-1]]) == pytest.approx(1)
    with pytest.raises(PlaitError, match="at least 2 fits, not 1"):
        topic_stability([topics])
    with pytest.raises(PlaitError, match="compare equal shapes"):
        match_topics(topics, topics[:4])


def test_the_error_is_that_of_the_difference_of_two_fits():
    """Against draws of the model behind it: documents differ far more than the likelihoods of two models."""
    rng = np.random.default_rng(0)
    n_tokens = rng.integers(20, 60, size=200).astype(float)

    def draw(n_seeds):
        hard = -7.0 * n_tokens + rng.normal(0, 30, size=200)  # how hard each document is, the same for all models
        gains = 0.1 * n_tokens + rng.normal(0, 4, size=200)  # of more topics
        chains = [rng.normal(0, 0.01, size=(n_seeds, 1)) * n_tokens for _ in range(2)]
        return [Measured(5, hard + chains[0], 0.1, 0.9, 1.0), Measured(10, hard + gains + chains[1], 0.1, 0.9, 1.0)]

    single = [draw(1) for _ in range(400)]
    differences = [(many.likelihoods - few.likelihoods).sum() / n_tokens.sum() for few, many in single]
    stated = [compare(draw(5), n_tokens)[0].standard_error for _ in range(400)]
    assert np.sqrt(np.mean(np.square(stated))) == pytest.approx(np.std(differences), rel=0.1)
    assert np.median(stated) < 0.02 < 30 / 40 / np.sqrt(200)  # the error of a single likelihood is much larger


@pytest.mark.parametrize(
    ("errors", "recommended"), [((0.0, 0.0, 0.0), 20), ((0.01, 0.03, 0.0), 10), ((0.2, 0.0, 0.0), 5)]
)
def test_the_smallest_number_within_one_standard_error_is_recommended(errors, recommended):
    likelihoods = (-7.1, -7.02, -7.0)
    rows = [Trial(n, *pair, 0.1, 0.9, 1.0) for n, *pair in zip((5, 10, 20), likelihoods, errors, strict=True)]
    choice = TopicChoice((*rows, Trial(40, -7.05, 0.1, 0.1, 0.9, 1.0)), 3, 100, 100)
    assert (choice.recommended, choice.best) == (recommended, 20)
    assert str(recommended) in choice.reason
    assert "largest number tried" not in choice.reason
    assert "largest number tried, so larger ones may be better" in TopicChoice(tuple(rows), 3, 100, 100).reason


def test_any_input_and_any_number_of_threads_gives_the_same(corpus):
    expected = measures(chosen(corpus, [2, 3]))
    counts = corpus.counts.toarray()
    for X in (counts, sparse.coo_matrix(counts), pd.DataFrame(counts, columns=corpus.vocabulary)):
        assert measures(chosen(X, (2, 3))) == expected
    assert measures(chosen(corpus, np.array([2, 3]), n_jobs=2)) == expected
    assert measures(chosen(corpus, range(2, 4), random_state=1)) != expected
    assert measures(chosen(corpus)) == measures(chosen(corpus))  # the search, too


def test_the_model_given_is_a_pattern_that_stays_as_it_is(corpus, monkeypatch):
    seen = []
    fit = LDA.fit
    monkeypatch.setattr(LDA, "fit", lambda self, X: [seen.append(self.get_params()), fit(self, X)][1])
    pattern = LDA(99, n_jobs=1, random_state=5, **QUICK)
    before = pattern.get_params()
    choose_n_topics(corpus, [2], model=pattern, n_seeds=2, verbose=False)
    choose_n_topics(corpus, [2], model=pattern, n_seeds=2, verbose=False, n_jobs=2)
    fixed = {"beta": 0.01, "tolerance": 1e-3}  # where the pattern leaves them to be learned
    changed = [before | fixed | {"n_topics": 2, "random_state": seed, "verbose": False} for seed in (0, 1)]
    assert seen == [*changed, *(one | {"n_jobs": 2} for one in changed)]
    assert pattern.get_params() == before
    assert not hasattr(pattern, "topic_word_")


def test_a_combination_can_be_the_model(corpus):
    own = {name: value for name, value in QUICK.items() if name != "alpha"}
    model = plait.TopicModel(mixing=plait.OwnDocument(0.1), **own)
    of_lda = choose_n_topics(corpus, [2, 3], model=LDA(tolerance=0.0, **QUICK), verbose=False)
    assert measures(choose_n_topics(corpus, [2, 3], model=model, verbose=False)) == measures(of_lda)
    model.set_params(mixing=plait.OwnDocument([0.1, 0.2]))
    with pytest.raises(PlaitError, match="one for each of 3 topics"):
        choose_n_topics(corpus, [2, 3], model=model, verbose=False)


def test_without_a_model_it_is_lda(corpus):
    choice = choose_n_topics(corpus, [2], random_state=0, verbose=False)
    assert measures(choice) == measures(choose_n_topics(corpus, [2], model=LDA(), verbose=False))
    numbers = LDA(alpha=0.1, beta=0.01, tolerance=1e-3)
    assert measures(choice) == measures(choose_n_topics(corpus, [2], model=numbers, verbose=False))


def test_large_corpora_are_sampled_and_the_sample_is_said(corpus):
    n_tokens = int(corpus.counts.sum())
    choice = chosen(corpus, [2], max_tokens=n_tokens // 2)
    assert (choice.n_documents, choice.n_available) == (30, 60)
    assert "30 of 60 documents" in choice.table()
    whole = chosen(corpus, [2], max_tokens=None)
    assert measures(whole) == measures(chosen(corpus, [2], max_tokens=n_tokens)) != measures(choice)
    assert "60 documents" in whole.table()


def test_the_default_candidates_fit_the_corpus(corpus):
    # 48 training documents with 576 tokens: at most 5 topics, then the numbers beside the recommended one.
    assert {row.n_topics for row in chosen(corpus).rows} <= {2, 3, 4, 5}
    assert choose._default_candidates(sparse.csr_array(np.full((2000, 100), 5)))[-1] == 90
    assert choose._default_candidates(np.ones((3, 4))) == [2, 3]


def test_the_time_limit_ends_the_comparison(corpus):
    choice = chosen(corpus, [2, 3, 4], time_limit=1e-9)
    assert [row.n_topics for row in choice.rows] == [2]  # the first is always tried
    assert not choice.complete
    assert "stopped at the time limit of 0 s" in choice.reason
    assert chosen(corpus, [2, 3], time_limit=None).complete


def stop_in_sweep_of(n_topics, monkeypatch, times=1):
    sweep = Chain.sweep

    def interrupted_sweep(self):
        if self.n_topics == n_topics:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return sweep(self)

    monkeypatch.setattr(Chain, "sweep", interrupted_sweep)


@pytest.mark.parametrize("times", [1, 2])  # the second Ctrl-C does not wait for the end of a sweep
def test_ctrl_c_during_a_fit_keeps_what_is_finished(corpus, monkeypatch, times):
    whole = chosen(corpus, [2, 3])
    stop_in_sweep_of(3, monkeypatch, times)
    choice = chosen(corpus, [2, 3, 4])
    assert not choice.complete
    assert [row.log_likelihood for row in choice.rows] == [row.log_likelihood for row in whole.rows[:1]]
    assert choice.recommended == 2
    assert choice.table().endswith("the comparison was stopped by Ctrl-C.")


def test_ctrl_c_between_two_fits_keeps_what_is_finished(corpus, monkeypatch):
    monkeypatch.setattr(ChoiceProgress, "finish", lambda *_: signal.raise_signal(signal.SIGINT))
    choice = chosen(corpus, [2, 3])
    assert ([row.n_topics for row in choice.rows], choice.complete) == ([2], False)


def test_nothing_finished_is_said(corpus, monkeypatch, tmp_path):
    stop_in_sweep_of(2, monkeypatch)
    choice = chosen(corpus, [2, 3])
    assert choice.rows == ()
    for use in (
        lambda: choice.best,
        lambda: choice.recommended,
        lambda: choice.reason,
        lambda: choice.plot(tmp_path / "plot.png"),
    ):
        with pytest.raises(PlaitError, match="no candidate was finished"):
            use()
    assert choice.to_frame().shape == (0, 6)
    assert "stopped by Ctrl-C" in choice.table()


@pytest.mark.parametrize(
    ("candidates", "options", "message"),
    [
        ([], {}, "candidates is empty"),
        ([5, 3, 5], {}, "candidates holds 5 more than once"),
        ([2, 0], {}, "each of candidates must be a whole number, 1 or more, not 0"),
        ([2.5], {}, "each of candidates must be a whole number.*2.5"),
        (5, {}, r"such as \[10, 20, 50\], not 5"),
        ("10,20", {}, r"such as \[10, 20, 50\], not '10,20'"),
        ([2], {"holdout": 60}, r"holdout=60 takes 60 of 60 document\(s\) and leaves none"),
        ([2], {"holdout": 0.999}, r"leaves none to train on; hold out less"),
        ([2], {"holdout": 0.0}, "holdout must be a share between 0 and 1"),
        ([2], {"holdout": True}, "holdout must be"),
        ([2], {"n_seeds": 1}, "n_seeds must be a whole number, 2 or more"),
        ([2], {"max_tokens": 0}, "max_tokens must be a whole number, 1 or more"),
        ([2], {"time_limit": 0}, "time_limit must be a number of seconds above 0"),
        ([2], {"time_limit": True}, "time_limit must be a number of seconds above 0"),
        ([2], {"top": 1}, "top must be a whole number, 2 or more"),
        ([2], {"random_state": -1}, "random_state must be a whole number"),
        ([2], {"model": LDA}, "model must be a model of plait"),
        ([2], {"model": LDA(n_sweeps=0)}, "n_sweeps must be"),
        ([3, 2], {"model": LDA(alpha=[0.1, 0.2, 0.3])}, r"alpha has the shape \(3,\)"),
        ([3, 2], {"model": LDA(beta=np.ones((3, 12)))}, r"beta has the shape \(3, 12\)"),
    ],
)
def test_bad_input_is_refused_before_any_fit(corpus, monkeypatch, candidates, options, message):
    monkeypatch.setattr(LDA, "fit", lambda *_: pytest.fail("a model was fitted"))
    with pytest.raises(PlaitError, match=message):
        choose_n_topics(corpus, candidates, verbose=False, **options)


def test_too_few_documents_or_words():
    with pytest.raises(PlaitError, match=r"takes 1 of 1 document\(s\)"):
        choose_n_topics(np.ones((1, 5), dtype=int), [2])
    with pytest.raises(PlaitError, match="coherence needs at least 2"):
        choose_n_topics(np.ones((5, 1), dtype=int), [2])


ROWS = (
    Trial(2, -7.5, 0.02, -0.2, 1.0, 0.5),
    Trial(9, -7.0, 0.01, 0.2, 0.9, 1.0),
    Trial(40, -7.0, 0.03, 0.1, 0.8, 2.0),
)
CHOICE = TopicChoice(ROWS, n_seeds=3, n_documents=1000, n_available=1000)


def test_of_equals_the_smaller_is_best():
    assert CHOICE.best == CHOICE.recommended == 9


def test_table_and_frame_show_every_row():
    lines = CHOICE.table().splitlines()
    assert len(lines) == 6
    assert [line.split() for line in lines[1:3]] == [
        ["2", "-7.5000", "0.0200", "-0.200", "1.00", "0.5"],
        ["*", "9", "-7.0000", "0.0100", "0.200", "0.90", "1.0"],
    ]
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[4] == "3 numbers of topics, 3 seeds each, 1,000 documents, 3.5 s."
    assert lines[5] == CHOICE.reason
    assert str(CHOICE) == repr(CHOICE) == CHOICE.table()
    frame = CHOICE.to_frame()
    assert frame.rows() == [tuple(vars(row).values()) for row in CHOICE.rows]
    assert frame.columns == ["n_topics", "log_likelihood", "standard_error", "coherence", "stability", "seconds"]


@pytest.mark.parametrize(("name", "sign"), [("plot.png", b"\x89PNG"), ("plot.SVG", b"<svg"), ("plot.html", b"<html")])
def test_drawings(tmp_path, name, sign):
    pytest.importorskip("plotly" if name.endswith("html") else "matplotlib")
    path = CHOICE.plot(tmp_path / name)
    content = path.read_bytes()
    assert sign in content
    if not name.endswith("png"):
        assert b"recommended: 9 topics" in content
    assert CHOICE.plot(str(path)) == path  # again, over the first


def test_a_drawing_that_cannot_be_made_says_why(tmp_path, monkeypatch):
    with pytest.raises(PlaitError, match=r"must end in \.html, \.png or \.svg"):
        CHOICE.plot(tmp_path / "plot.gif")
    for module, name in (("matplotlib", "plot.png"), ("plotly", "plot.html")):
        for part in [part for part in sys.modules if part.split(".")[0] == module]:
            monkeypatch.delitem(sys.modules, part)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(PlaitError, match=rf"(?i){name} needs {module}: pip install '\.\[plots\]'"):
            CHOICE.plot(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_progress_is_shown_on_a_terminal_only(corpus, capsys, monkeypatch):
    choose_n_topics(corpus, [2, 3], model=LDA(**QUICK), n_seeds=2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for verbose, shown in ((False, False), (True, True)):
        choose_n_topics(corpus, [2, 3], model=LDA(**QUICK), n_seeds=2, time_limit=90, verbose=verbose)
        printed = capsys.readouterr().err
        assert ("2 topics: log-likelihood -" in printed) == ("of at most 90 s" in printed) == shown


def test_texts_are_read_as_models_read_them():
    texts = ["river stream bank water"] * 15 + ["money loan bank credit"] * 15
    from_texts, from_corpus = chosen(texts, [1, 2]), chosen(plait.Corpus.from_texts(texts), [1, 2])
    assert [row.log_likelihood for row in from_texts.rows] == [row.log_likelihood for row in from_corpus.rows]
