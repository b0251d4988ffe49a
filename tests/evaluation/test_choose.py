"""Choosing the number of topics: figures against a fit by hand, equal splits, Ctrl-C, bad input, drawings."""

from __future__ import annotations

import signal
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

import plait
from plait.engine.chain import Chain
from plait.errors import PlaitError
from plait.evaluation import choose
from plait.evaluation.choose import TopicChoice, Trial, choose_n_topics
from plait.metrics import topic_diversity
from plait.models import LDA

QUICK = {"alpha": 0.1, "n_sweeps": 30, "n_samples": 2, "sample_every": 2, "fold_in_sweeps": 5}
PLANTED = ["river stream water delta", "money loan debt bank", "goal ball team match"]


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(PLANTED[number % 3].split(), size=12)) for number in range(60)]
    return plait.Corpus.from_texts(texts)


def chosen(X, candidates, **options):
    return choose_n_topics(X, candidates, model=LDA(**QUICK), verbose=False, **options)


def measures(choice):
    return [(row.n_topics, row.perplexity, row.npmi, row.c_v, row.diversity) for row in choice.rows]


def test_the_planted_number_of_topics_is_found(corpus):
    choice = chosen(corpus, [1, 6, 3], top=4)
    assert choice.complete
    assert [row.n_topics for row in choice.rows] == [1, 6, 3]
    by_number = {row.n_topics: row for row in choice.rows}
    assert by_number[3].perplexity < 5 < by_number[1].perplexity  # 4 words a topic, 12 in all
    assert by_number[3].diversity == 1
    assert by_number[3].npmi > by_number[1].npmi
    assert by_number[3].seconds > 0
    assert choice.best == min(choice.rows, key=lambda row: row.perplexity).n_topics != 1


def test_a_row_holds_what_a_fit_by_hand_gives(corpus):
    (row,) = chosen(corpus, [3], holdout=20, random_state=7, top=3).rows
    order = np.random.default_rng(7).permutation(60)
    training, held_out = corpus.select(np.sort(order[20:])), corpus.select(np.sort(order[:20]))
    model = LDA(3, random_state=7, verbose=False, **QUICK).fit(training)
    assert row.perplexity == model.perplexity(held_out)
    assert row.npmi == model.coherence(training, "npmi", top=3).mean()
    assert row.c_v == model.coherence(training, "c_v", top=3).mean()
    assert row.diversity == topic_diversity([topic.words for topic in model.topics(3)])


def test_any_input_and_any_number_of_threads_gives_the_same(corpus):
    expected = measures(chosen(corpus, [2, 3]))
    counts = corpus.counts.toarray()
    for X in (counts, sparse.coo_matrix(counts), pd.DataFrame(counts, columns=corpus.vocabulary)):
        assert measures(chosen(X, (2, 3))) == expected
    assert measures(chosen(corpus, np.array([2, 3]), n_jobs=2)) == expected
    assert measures(chosen(corpus, range(2, 4), random_state=1)) != expected


def test_the_model_given_is_a_pattern_that_stays_as_it_is(corpus, monkeypatch):
    seen = []
    fit = LDA.fit
    monkeypatch.setattr(LDA, "fit", lambda self, X: [seen.append(self.get_params()), fit(self, X)][1])
    pattern = LDA(99, n_jobs=1, random_state=5, **QUICK)
    before = pattern.get_params()
    choose_n_topics(corpus, [2], model=pattern, verbose=False)
    choose_n_topics(corpus, [2], model=pattern, verbose=False, n_jobs=2)
    changed = before | {"n_topics": 2, "random_state": 0, "verbose": False}
    assert seen == [changed, changed | {"n_jobs": 2}]
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
    assert measures(choice) == measures(whole)[:1]
    assert choice.best == 2
    assert choice.table().endswith("stopped before all candidates were tried")


def test_ctrl_c_between_two_fits_keeps_what_is_finished(corpus, monkeypatch):
    monkeypatch.setattr(choose, "_print_trial", lambda *_: signal.raise_signal(signal.SIGINT))
    choice = chosen(corpus, [2, 3])
    assert ([row.n_topics for row in choice.rows], choice.complete) == ([2], False)


def test_nothing_finished_is_said(corpus, monkeypatch, tmp_path):
    stop_in_sweep_of(2, monkeypatch)
    choice = chosen(corpus, [2, 3])
    assert choice.rows == ()
    for use in (lambda: choice.best, lambda: choice.plot(tmp_path / "plot.png")):
        with pytest.raises(PlaitError, match="no candidate was finished"):
            use()
    assert choice.to_frame().shape == (0, 6)
    assert "stopped" in choice.table()


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


TRIALS = (
    Trial(40, 900.0, 0.1, 0.5, 0.8, 2.0),
    Trial(2, 1234.5, -0.2, 0.4, 1.0, 0.5),
    Trial(9, 900.0, 0.2, 0.6, 0.9, 1.0),
)
CHOICE = TopicChoice(TRIALS, complete=True)


def test_of_equals_the_smaller_is_best():
    assert CHOICE.best == 9


def test_table_and_frame_show_every_row():
    lines = CHOICE.table().splitlines()
    assert len(lines) == 4
    assert [line.split() for line in lines[2:]] == [
        ["2", "1,234.5", "-0.200", "0.400", "1.00", "0.5"],
        ["*", "9", "900.0", "0.200", "0.600", "0.90", "1.0"],
    ]
    assert len({len(line) for line in lines}) == 1
    frame = CHOICE.to_frame()
    assert frame.rows() == [tuple(vars(row).values()) for row in CHOICE.rows]
    assert frame.columns == ["n_topics", "perplexity", "npmi", "c_v", "diversity", "seconds"]


@pytest.mark.parametrize(("name", "sign"), [("plot.png", b"\x89PNG"), ("plot.SVG", b"<svg"), ("plot.html", b"<html")])
def test_drawings(tmp_path, name, sign):
    pytest.importorskip("plotly" if name.endswith("html") else "matplotlib")
    path = CHOICE.plot(tmp_path / name)
    content = path.read_bytes()
    assert sign in content
    if not name.endswith("png"):
        assert b"lowest held-out perplexity: 9 topics" in content
    assert CHOICE.plot(str(path)) == path  # again, over the first


def test_a_drawing_that_cannot_be_made_says_why(tmp_path, monkeypatch):
    with pytest.raises(PlaitError, match=r"must end in \.html, \.png or \.svg"):
        CHOICE.plot(tmp_path / "plot.gif")
    for module, name in (("matplotlib", "plot.png"), ("plotly", "plot.html")):
        for part in [part for part in sys.modules if part.split(".")[0] == module]:
            monkeypatch.delitem(sys.modules, part)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(PlaitError, match=rf"(?i){name} needs {module}: pip install plait\[plots\]"):
            CHOICE.plot(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_each_finished_trial_is_shown_on_a_terminal_only(corpus, capsys, monkeypatch):
    choose_n_topics(corpus, [2, 3], model=LDA(**QUICK))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    choose._print_trial(CHOICE.rows[1], 2, 3, verbose=True)
    choose._print_trial(CHOICE.rows[1], 2, 3, verbose=False)
    shown = "2 of 3: 2 topics, perplexity 1,234.5, NPMI -0.200, C_v 0.400, 0.5 s\n"
    assert capsys.readouterr().err == shown
