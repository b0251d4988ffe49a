"""A lost worker: all shards roll back to the last checkpoint, and the fit ends in the bits of an undisturbed one."""

from __future__ import annotations

import os
import signal
import warnings

import pytest
from sklearn.base import clone

import plait
from plait import LDA, OnlineLDA
from plait.engine.cut import ShardPlan
from plait.executors import Executor, Threads, WorkerError
from plait.models.chain_loop import _MOST_LOSSES
from tests.executors.processes import Processes
from tests.executors.test_contract import CASES, COUNTS, QUICK, assert_same_bits


class Losing(Threads):
    """Threads that lose all shards at some of their calls, counted from the first."""

    def __init__(self, *calls, method=None):
        super().__init__(1)
        self._calls, self._method, self.n_calls, self.n_places = set(calls), method, 0, 0

    def place(self, shards):
        self.n_places += 1
        super().place(shards)

    def each(self, method, message=None):
        self.n_calls += self._method in (None, method)
        if self.n_calls in self._calls and self._method in (None, method):
            self._calls.discard(self.n_calls)
            self._shards = []
            raise WorkerError(f"shards 0-2: lost during {method}")
        return super().each(method, message)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("with_checkpoint", [True, False])
def test_a_fit_that_lost_shards_gives_the_same_bits(case, with_checkpoint, tmp_path):
    model, targets = CASES[case]
    options = {"checkpoint": tmp_path / "m.plait", "checkpoint_every": 2} if with_checkpoint else {}
    losing = Losing(4, method="sweep")
    with pytest.warns(UserWarning, match=r"lost during sweep; the fit continues from (sweep 2|the start)"):
        disturbed = clone(model).set_params(executor=losing).fit(COUNTS, **targets, **options)
    assert losing.n_places >= 2
    assert_same_bits(disturbed, clone(model).fit(COUNTS, **targets))


@pytest.mark.parametrize("call", range(1, 40, 3))
def test_a_loss_at_any_call_gives_the_same_bits(call, tmp_path):
    model, targets = CASES["MedLDA"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        executor = Losing(call)
        disturbed = clone(model).set_params(executor=executor)
        disturbed.fit(COUNTS, **targets, checkpoint=tmp_path / "m.plait", checkpoint_every=2)
    assert sum("the fit continues" in str(one.message) for one in caught) == 1
    assert_same_bits(disturbed, clone(model).fit(COUNTS, **targets))


def test_the_corpus_is_cut_once_for_all_chains_and_losses(monkeypatch):
    cut, n_cuts = ShardPlan.__init__, []

    def noted(plan, *arguments):
        n_cuts.append(plan)
        cut(plan, *arguments)

    monkeypatch.setattr(ShardPlan, "__init__", noted)
    model, targets = CASES["MedLDA"]  # two chains
    losing = Losing(4, method="sweep")
    with pytest.warns(UserWarning, match="the fit continues"):
        clone(model).set_params(executor=losing).fit(COUNTS, **targets)
    assert losing.n_places == 3
    assert len(n_cuts) == 1


def test_a_stream_that_lost_shards_gives_the_same_bits(tmp_path):
    models = []
    for executor in (Losing(3, 9, method="sweep"), None):
        model = OnlineLDA(**QUICK, window=1, executor=executor)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*the fit continues")
            for first in (0, 10, 20):
                model.partial_fit(COUNTS[first : first + 10])
        models.append(model)
    assert_same_bits(*models)


def test_a_resumed_fit_that_lost_shards_rolls_back_to_where_it_was_resumed(tmp_path):
    model = LDA(**QUICK | {"n_sweeps": 9})
    whole = clone(model).fit(COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=4)
    resumed = plait.load(tmp_path / "m.plait")
    assert resumed.n_sweeps_ == 8
    resumed.set_params(executor=Losing(2, method="sweep"))
    with pytest.warns(UserWarning, match=r"the fit continues from sweep 8, the start of its chain"):
        resumed.resume(COUNTS)
    assert_same_bits(resumed, whole)


def test_losses_without_progress_end_the_fit(tmp_path):
    path = tmp_path / "m.plait"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*the fit continues")
        with pytest.raises(
            WorkerError, match=rf"lost {_MOST_LOSSES} times without progress after sweep 3; the last che"
        ):
            LDA(**QUICK, executor=Losing(4, 6, 8, 10, 12, method="sweep")).fit(
                COUNTS, checkpoint=path, checkpoint_every=2
            )
        with pytest.raises(WorkerError, match=r"without progress after sweep 0; give checkpoint= to lose less work"):
            LDA(**QUICK, executor=Losing(1, 2, 3, 4, 5, method="sweep")).fit(COUNTS)
    assert_same_bits(plait.load(path).resume(COUNTS), LDA(**QUICK).fit(COUNTS))


def test_losses_with_progress_do_not_end_the_fit(tmp_path):
    executor = Losing(*range(3, 40, 3), method="sweep")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*the fit continues")
        model = LDA(**QUICK | {"n_sweeps": 12}, executor=executor)
        model.fit(COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=1)
    assert_same_bits(model, LDA(**QUICK | {"n_sweeps": 12}).fit(COUNTS))


def test_a_damaged_checkpoint_is_not_needed_for_the_roll_back(tmp_path):
    class Damaging(Losing):
        def each(self, method, message=None):
            if method == "sweep" and self.n_calls == 3:
                for manifest in (tmp_path / "m.plait.checkpoint").glob("generation-*/manifest.json"):
                    manifest.write_text("{}")
            return super().each(method, message)

    model = LDA(**QUICK, executor=Damaging(4, method="sweep"))
    with pytest.warns(UserWarning, match="the checkpoint cannot be read") as caught:
        model.fit(COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=2)
    assert any("the fit continues from the start" in str(one.message) for one in caught)
    assert_same_bits(model, LDA(**QUICK).fit(COUNTS))


def test_a_slice_does_not_roll_back_to_the_checkpoint_of_the_slice_before(tmp_path):
    folder = tmp_path / "m.plait.checkpoint"

    class Damaging(Losing):
        def each(self, method, message=None):
            if method == "sweep" and self.n_calls == 6:  # the first sweep of the second slice
                (sorted(folder.glob("generation-*"))[-1] / "manifest.json").write_text("{}")
            return super().each(method, message)

    times = ["2020-01-01"] * 6 + ["2020-02-01"] * 6
    corpus = plait.Corpus.from_texts(["river stream bank", "money loan bank", "river bank"] * 4, times=times)
    model = OnlineLDA(**QUICK, window=1)
    disturbed = clone(model).set_params(executor=Damaging(7, method="sweep"))
    with pytest.warns(UserWarning, match=r"the checkpoint cannot be read: .*whole"):
        disturbed.fit(corpus, times="month", checkpoint=folder, checkpoint_every=3)
    assert_same_bits(disturbed, model.fit(corpus, times="month"))


def test_a_killed_process_is_replaced():
    class Killed(Processes):
        n_sweeps = 0

        def each(self, method, message=None):
            self.n_sweeps += method == "sweep"
            if method == "sweep" and self.n_sweeps == 3:
                os.kill(self._workers[1][0].pid, signal.SIGKILL)
            return super().each(method, message)

    with Killed() as processes, pytest.warns(UserWarning, match="a process was lost during sweep"):
        model = LDA(**QUICK, executor=processes).fit(COUNTS)
    assert_same_bits(model, LDA(**QUICK).fit(COUNTS))


def test_an_error_of_a_shard_is_not_a_loss():
    class Failing(Executor):
        def place(self, shards):
            self.shards = shards

        def each(self, method, message=None):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        LDA(**QUICK, executor=Failing()).fit(COUNTS)
