"""The small parts around the chain: fitting α and β, the history, memory, threads, Ctrl-C, the progress bar."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sparse

import plait
from plait.engine.history import History
from plait.engine.hyperparameters import fit_alpha, fit_beta
from plait.engine.interrupt import StopRequest
from plait.engine.progress import FitProgress
from plait.engine.sample import Sample, mean_alpha
from plait.errors import PlaitError
from plait.executors import Threads
from plait.executors.threads import count_jobs
from plait.samplers.base import SweepInfo


def test_alpha_converges_to_the_one_that_made_the_documents():
    rng = np.random.default_rng(0)
    true = np.array([0.5, 2.0, 0.1])
    lengths = rng.integers(50, 150, size=3000)
    counts = np.array([rng.multinomial(n, rng.dirichlet(true)) for n in lengths])
    alpha = np.ones(3)
    for _ in range(60):
        alpha = fit_alpha(counts, lengths.astype(float), alpha)
    np.testing.assert_allclose(alpha, true, rtol=0.1)
    as_reals = np.ones(3)
    for _ in range(60):
        as_reals = fit_alpha(counts.astype(float), lengths.astype(float), as_reals)
    np.testing.assert_allclose(as_reals, alpha, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_symmetric_alpha_converges_to_the_one_that_made_the_documents(dtype, form):
    rng = np.random.default_rng(0)
    lengths = rng.integers(50, 150, size=2000)
    counts = np.array([rng.multinomial(n, rng.dirichlet(np.full(4, 0.3))) for n in lengths]).astype(dtype)
    alpha = np.array([0.5, 1.0, 2.0, 4.5])  # its mean is the start
    for _ in range(30):
        alpha = fit_alpha(form(counts), lengths, alpha, symmetric=True)
    np.testing.assert_allclose(alpha, 0.3, rtol=0.05)
    assert np.ptp(alpha) == 0


def test_alpha_of_samples_is_averaged_and_an_equal_one_keeps_its_bits():
    words = sparse.csr_array(np.ones((2, 2), np.int32))
    one, other = Sample(words, np.array([0.1, 0.3]), 0.1), Sample(words, np.array([0.3, 0.1]), 0.1)
    np.testing.assert_allclose(mean_alpha([one, other]), [0.2, 0.2])
    assert mean_alpha([one] * 3).tobytes() == one.alpha.tobytes()


def test_documents_of_one_token_leave_alpha_alone():
    counts = np.eye(3, dtype=int)[[0, 1, 2, 1]]
    np.testing.assert_allclose(fit_alpha(counts, np.ones(4, int), np.full(3, 0.7), symmetric=True), 0.7)
    empty = np.zeros((2, 3), int)
    np.testing.assert_allclose(fit_alpha(empty, np.zeros(2, int), np.full(3, 0.7), symmetric=True), 0.7)


def test_beta_converges_to_the_one_that_made_the_topics():
    rng = np.random.default_rng(1)
    word_topic = np.array([rng.multinomial(3000, rng.dirichlet(np.full(400, 0.2))) for _ in range(30)]).T
    beta = 1.0
    for _ in range(60):
        beta = fit_beta(word_topic, beta)
    assert beta == pytest.approx(0.2, rel=0.05)


def test_a_history_settles_when_the_perplexity_stops_falling():
    history = History()
    for sweep in range(40):
        history.add(sweep + 1, SweepInfo(-1000.0 * (2 + np.exp(-sweep / 3)), 1000.0))
        if sweep in (5, 18, 21):
            assert not history.converged(10, 1e-3)
    assert history.converged(10, 1e-3)
    assert not history.converged(10, 0.0)
    assert history.records[-1].perplexity == pytest.approx(np.exp(2), rel=1e-3)


def history_of(perplexities):
    history = History()
    for sweep, perplexity in enumerate(perplexities, start=1):
        history.add(sweep, SweepInfo(-100.0 * np.log(perplexity), 100.0))
    return history


def end_of_burn_in(perplexities, window=10):
    """The number of sweeps after which the rule without a tolerance ends burn-in; None for never."""
    sweeps = range(1, len(perplexities) + 1)
    return next((n for n in sweeps if history_of(perplexities[:n]).converged(window, None)), None)


def test_burn_in_ends_when_little_is_gained_beside_all_that_was_gained():
    sweeps = np.arange(1, 301)
    falling = 1000 + 900 / (1 + sweeps / 10)
    end = end_of_burn_in(falling)
    first, before, now = falling[:20].mean(), falling[end - 40 : end - 20].mean(), falling[end - 20 : end].mean()
    assert 120 < end < 300
    assert before - now < 0.01 * (first - now)
    earlier = falling[: end - 1]
    first, before, now = earlier[:20].mean(), earlier[-40:-20].mean(), earlier[-20:].mean()
    assert before - now >= 0.01 * (first - now)
    # Scale and offset of the perplexity do not matter, its course does.
    assert end_of_burn_in(100 + 3 * falling) == end
    assert end_of_burn_in(2000 - 2 * sweeps) is None
    # Three windows are the least; a sampler with longer windows waits longer.
    assert end_of_burn_in(np.full(100, 50.0)) == 60
    assert end_of_burn_in(np.full(200, 50.0), window=20) == 120


@pytest.mark.parametrize(("n_jobs", "message"), [(0, "n_jobs"), (1.5, "n_jobs")])
def test_a_number_of_threads_that_is_none_is_refused(n_jobs, message):
    with pytest.raises(PlaitError, match=message):
        count_jobs(n_jobs)


def test_all_cores_and_all_but_one():
    assert count_jobs(-1) >= 1
    assert count_jobs(-2) == max(1, count_jobs(-1) - 1)


def test_an_error_in_a_thread_reaches_the_caller():
    with Threads(2) as threads, pytest.raises(ZeroDivisionError):
        threads.map(lambda value: 1 / value, [1, 0])


def test_ctrl_c_is_noted_first_and_obeyed_at_once_the_second_time():
    before = signal.getsignal(signal.SIGINT)
    with StopRequest() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.requested
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("verbose", "stream", "shown"), [(True, Terminal, True), (False, Terminal, False), (True, io.StringIO, False)]
)
def test_the_bar_is_shown_on_a_terminal_only(monkeypatch, verbose, stream, shown):
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setenv("TERM", "xterm")
    history = History()
    with FitProgress(verbose, 10, "LDA") as bar:
        for sweep in range(10):
            bar.show(history.add(sweep + 1, SweepInfo(-100.0, 50.0)), sweep + 1, 10)
    text = sys.stderr.getvalue()
    assert ("LDA" in text and "perplexity" in text) == shown
    assert bool(text) == shown


@pytest.mark.parametrize(
    ("kernel", "verbose", "shown"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_the_bar_is_shown_in_a_notebook(monkeypatch, kernel, verbose, shown):
    contents: list[dict[str, str]] = []

    class Handle:
        def update(self, content, raw):
            assert raw
            contents.append(content)

    def display(content, raw, display_id):
        assert raw
        assert display_id
        contents.append(content)
        return Handle()

    shell = SimpleNamespace(kernel=object()) if kernel else SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    history = History()
    with FitProgress(verbose, 10, "<LDA>") as bar:
        for sweep in range(10):
            bar.show(history.add(sweep + 1, SweepInfo(-100.0, 50.0)), sweep + 1, 10)
    assert bool(contents) == shown
    if shown:
        assert contents[0]["text/html"].startswith("&lt;LDA&gt; <progress")
        assert "10/10 sweeps" in contents[-2]["text/plain"]
        assert "perplexity" in contents[-2]["text/html"]
        assert contents[-1] == {"text/plain": "", "text/html": ""}


def test_memory_grows_with_what_a_fit_holds():
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.3, size=(300, 200)).astype(np.int32))
    little = plait.estimate_memory(counts, 10)
    assert plait.estimate_memory(counts, 1000) > little
    assert plait.estimate_memory(counts, 10, "limit") > little
    assert plait.estimate_memory(counts, 10, n_samples=50) > little


def test_memory_grows_with_the_documents_that_words_draw_from():
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.3, size=(300, 200)).astype(np.int32))
    links = sparse.csr_array((np.random.default_rng(1).random((300, 300)) < 0.02).astype(float))
    alone = {name: plait.estimate_memory(counts, 10, name) for name in ("plain", "limit")}
    for most in (1, 3):
        mixing = plait.LinkedDocuments(most_links=most)
        linked = {name: plait.estimate_memory(counts, 10, name, mixing=mixing, links=links) for name in alone}
        assert linked["plain"] > alone["plain"]
        # Where words are spread, each of them is over the topics of every document that it may draw from.
        extra = linked["limit"] - alone["limit"]
        assert extra > 0.9 * most * counts.nnz * 16 * 4
    corpus = plait.Corpus.from_texts(["red", "blue"], ids="ab", links=[("a", "b")])
    assert plait.estimate_memory(corpus, 10, mixing=mixing) > plait.estimate_memory(corpus, 10)
    with pytest.raises(PlaitError, match="there are no links"):
        plait.estimate_memory(counts, 10, mixing=mixing)


def test_importing_plait_loads_nothing_heavy():
    script = "import sys, plait; print([m for m in ('numba', 'sklearn', 'polars', 'scipy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = plait.nonsense
    assert set(plait.__all__) <= set(dir(plait))
    for name in plait.__all__:
        assert getattr(plait, name) is not None


def test_memory_grows_with_threads_where_there_are_several_shards():
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.3, size=(300, 200)).astype(np.int32))
    assert plait.estimate_memory(counts, 50, n_jobs=4) == plait.estimate_memory(counts, 50)  # one shard
    many = counts * 100  # 1.8 million tokens: four shards
    one, four, eight = (plait.estimate_memory(many, 50, n_jobs=n) for n in (1, 4, 8))
    assert one < four == eight
    assert plait.estimate_memory(many, 50, "limit", n_jobs=4) > four


def test_a_worker_with_shards_does_not_load_scikit_learn():
    modules = "plait.executors.ray_worker, plait.engine.shard, plait.responses.linear.targets, plait.samplers.plain"
    script = f"import sys, {modules}; print([m for m in ('sklearn', 'pandas', 'scipy.stats') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"  # a lost worker is replaced in half the time
