"""A GPU: the shards of a chain are swept on it, with the bits of the CPU's synchronous sampler.

Words, topics and counts stay on the device between sweeps; the counts are a `HeldTable`, which the chain fetches when
it needs them. Words and topics that do not fit are in memory of the host, which the device reads and writes. What a
device does not do (draws of weights, and of most losses' auxiliary variables) runs in threads of this process.
`cuda_tokens.py` has the tokens, `cuda_sweep.py` and `cuda_lists.py` the sweeps, `cuda_fold.py` new documents,
`cuda_regression.py` the sums that weights depend on, `cuda_device.py` memory and kernels, and samplers/cuda the
sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.executors.base import Executor, NewDocuments
from plait.executors.cuda_device import CupyDevice, Device
from plait.executors.cuda_fold import can_fold, fold_documents
from plait.executors.cuda_lists import ListedSweep, ListedTable, dense_counts
from plait.executors.cuda_memory import check_table, tokens_fit
from plait.executors.cuda_observations import DeviceObservations
from plait.executors.cuda_regression import DeviceRegression, can_regress
from plait.executors.cuda_sources import DeviceSources
from plait.executors.cuda_sweep import DenseSweep, DeviceTable
from plait.executors.cuda_tokens import DeviceTokens, HeldTopics
from plait.executors.threads import Threads
from plait.samplers.base import SweepInfo, TopicLists
from plait.samplers.synchronous import MOST_DENSE


class CudaExecutor(Executor):
    """Sweep on a GPU; the model is the one that the CPU gives with `sampler="synchronous"`.

    The object is a specification: it can be copied, pickled and cloned with an estimator. The device is opened when a
    fit begins. It needs CuPy (the extra `cuda`).

    Parameters
    ----------
    device : int, default 0
        Number of the device.
    n_jobs : int or None, default None
        Threads for what runs on the CPU: None for one, -1 for all cores.

    Examples
    --------
    >>> from plait import CudaExecutor, LDA
    >>> model = LDA(100, sampler="synchronous", executor=CudaExecutor())
    >>> model.executor.device
    0
    """

    _sums_on_device = True  # the sums that weights depend on, where the device has them

    def __init__(self, device: int = 0, n_jobs: int | None = None) -> None:
        self.device = device
        self.n_jobs = n_jobs
        self._open()

    def _open(self) -> None:
        self._threads = Threads(self.n_jobs)
        self._opened: Device | None = None
        self._shards: list[Any] = []
        self._tokens: DeviceTokens | None = None
        self._sources: DeviceSources | None = None
        self._sweeps: DenseSweep | ListedSweep | None = None
        self._observations: DeviceObservations | None = None
        self._regression: DeviceRegression | None = None  # of labels and values
        self._table: DeviceTable | ListedTable | None = None  # topics per word
        self._drawn: DeviceTable | None = None  # topics per source document

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.device, self.n_jobs = state["device"], state["n_jobs"]
        self._open()

    def __repr__(self) -> str:
        given = [] if self.device == 0 else [str(self.device)]
        return f"CudaExecutor({', '.join(given + ([] if self.n_jobs is None else [f'n_jobs={self.n_jobs}']))})"

    def _make_device(self) -> Device:
        return CupyDevice(self.device)

    def check(self, sampler: Any) -> None:
        """Raise an error if a sampler is not the synchronous one, or there is no device."""
        if not sampler.synchronous and sampler.name != "auto":  # that one is chosen when the corpus is known
            raise PlaitError(
                f"a GPU draws topics with the sampler 'synchronous' only, not {sampler.name!r}",
                parameter="sampler",
            )
        if self._opened is None:
            self._opened = self._make_device()

    def place(self, shards: Sequence[Any]) -> None:
        """Copy the tokens of all shards to the device, or to page-locked memory if they do not fit."""
        shards = list(shards)
        self.check(shards[0].sampler)
        assert self._opened is not None
        first = shards[0]
        self._forget()
        self._opened.close()
        on_host = not tokens_fit(self._opened, shards)
        self._shards = shards
        self._threads.place(shards)
        self._tokens = DeviceTokens(self._opened, shards, on_host)
        self._observations = DeviceObservations(self._opened, self._tokens)
        if self._sums_on_device and can_regress(shards):
            self._regression = DeviceRegression(self._opened, self._tokens, self._observations, shards)
        if first.sources is not None:
            self._sources = DeviceSources(self._opened, self._tokens, [shard.sources for shard in shards])
        for number, shard in enumerate(shards):
            own = shard.state
            shard.state = HeldTopics(own, self._tokens, number)
            if hasattr(own, "topics"):
                self._tokens.put_topics(number, own.topics)

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call a method of every shard; the device sweeps, counts and draws initial topics for all of them."""
        if not self._shards:
            raise RuntimeError(f"there is no shard to call {method} of: none was placed, or the executor was closed")
        own: dict[str, Callable[[Any], list[Any]]] = {
            "start": self._start, "recount": self._recount, "sweep": self._sweep, "doc_topic": self._doc_topic,
        }  # fmt: skip
        if self._regression is not None:
            own |= {"statistics": self._statistics, "draw_auxiliaries": self._draw_auxiliaries}
        if method not in self._device_methods() and self._observations is not None:
            self._observations.fetch()
            self._observations.up_to_date = False  # what other methods change is copied again
        if method in own:
            return own[method](message)
        return self._threads.each(method, message)

    def _device_methods(self) -> tuple[str, ...]:
        """Return the methods that neither read nor change pseudo-observations on the host."""
        draws = self._regression is not None and self._regression.draws
        return ("statistics", "sweep", "doc_topic", *(("draw_auxiliaries",) if draws else ()))

    def _statistics(self, request: Any) -> list[Any]:
        assert self._regression is not None
        return [[self._regression.sum_statistics(request.messages[0])]]  # of all shards: nothing is left to add

    def _draw_auxiliaries(self, request: Any) -> list[Any]:
        assert self._regression is not None
        if self._regression.draws:
            self._regression.draw_auxiliaries(request.messages[0], request.keys[0])
            return [[None]] * len(self._shards)
        values = self._regression.project_documents(request.messages[0])

        def draw(number: int) -> list[None]:
            shard = self._shards[number]
            shard.responses[0].draw_given(values[number], request.keys[0], shard.map)
            return [None]

        return self._threads.map(draw, range(len(self._shards)))

    def _start(self, key: np.uint64) -> list[Any]:
        assert self._tokens is not None
        self._open_sweeps()  # what a device does not support is an error before topics are drawn
        if self._sources is not None:  # the source of a token is drawn, too
            return self._threads.each("start", key)
        self._tokens.start(self._shards[0].prior_factors(), key)
        return [None] * len(self._shards)

    def _recount(self, message: None) -> list[Any]:
        assert self._tokens is not None
        if self._sources is not None:
            return self._threads.each("recount")
        counted, totals = self._tokens.count(self._shards[0].words.size)
        self._table = self._held(counted)
        nothing = np.zeros(totals.size)
        added = [totals.astype(np.float64), *([nothing] * (len(self._shards) - 1))]
        return [shard.recount_result(self._table, None, own) for shard, own in zip(self._shards, added, strict=True)]

    def _held(self, counted: Any) -> DeviceTable | ListedTable:
        assert self._opened is not None
        if self._lists_topics():
            return ListedTable(self._opened, counted, self._shards[0].width)
        return DeviceTable(self._opened, counted)

    def _lists_topics(self) -> bool:
        """Return whether words have lists of topics, as `Chain` decides it."""
        first = self._shards[0]
        alike = first.prior_factors().prior_table is None
        return first.sampler.lists_topics(first.n_topics) and self._sources is None and alike

    def _check_table(self) -> None:
        """Raise an error if β is a table for which the device has no memory; priors must have been set."""
        first = self._shards[0]
        if first.prior_factors().prior_table is not None:
            assert self._opened is not None
            check_table(self._opened, first.words.size, first.width)

    def _open_sweeps(self) -> DenseSweep | ListedSweep:
        """Return what sweeps the shards; priors must have been set."""
        assert self._tokens is not None
        assert self._opened is not None
        first = self._shards[0]
        if self._sweeps is None:
            if self._lists_topics():
                self._sweeps = ListedSweep(self._opened, self._tokens, self._observations)
            elif first.n_topics > MOST_DENSE and first.responses:
                raise PlaitError(
                    f"executor='cuda' takes up to {MOST_DENSE} topics with labels, values or links where documents are "
                    "linked or beta is a table",
                    parameter="n_topics",
                )
            else:
                self._check_table()
                self._sweeps = DenseSweep(self._opened, self._tokens, self._sources, self._observations)
        return self._sweeps

    def _sweep(self, broadcast: Any) -> list[Any]:
        assert self._tokens is not None
        assert self._opened is not None
        sweeps = self._open_sweeps()
        if self._table is None or broadcast.word_topic is not self._table:
            sent = broadcast.word_topic
            counts = dense_counts(sent, self._shards[0].width) if isinstance(sent, TopicLists) else sent
            self._table = self._held(self._opened.put(counts))
        if self._sources is not None and (self._drawn is None or broadcast.source_topic is not self._drawn):
            self._drawn = DeviceTable(self._opened, self._opened.put(broadcast.source_topic))
        factors = self._threads.each("sweep_factors", broadcast)
        drawn = None if self._drawn is None else self._drawn.counted
        swept = sweeps.sweep(self._table.counted, broadcast.totals, factors, broadcast.key, drawn)
        self._table = self._held(self._table.counted)
        self._drawn = None if drawn is None else DeviceTable(self._opened, drawn)
        nothing = np.zeros_like(swept.totals)
        changes = [swept.totals, *([nothing] * (len(self._shards) - 1))]
        n_tokens = np.diff(self._tokens.edges)
        infos = [SweepInfo(float(one), float(size)) for one, size in zip(swept.likelihoods, n_tokens, strict=True)]
        return self._threads.map(
            lambda number: self._shards[number].sweep_result(infos[number], self._table, self._drawn, changes[number]),
            range(len(self._shards)),
        )

    def _doc_topic(self, message: None) -> list[Any]:
        assert self._tokens is not None
        return [one.copy() for one in self._tokens.doc_topic()]

    def fold_in(self, documents: NewDocuments) -> np.ndarray | None:
        """Return the topic proportions of new documents, inferred on the device; None if the CPU has to do it."""
        if not can_fold(documents):
            return None
        if self._opened is None:
            self._opened = self._make_device()
        return fold_documents(self._opened, documents)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Return what a function returns for each of some independent items, computed in threads."""
        return self._threads.map(function, items)

    def _forget(self) -> None:
        """Drop the shards and the memory that belongs to them."""
        if self._observations is not None:
            self._observations.fetch()
        self._shards = []
        self._tokens = self._sources = self._sweeps = self._table = self._drawn = None
        self._observations = self._regression = None

    def release(self) -> None:
        """Give the memory of the device back."""
        self.close()

    def close(self) -> None:
        """Drop the shards, end the threads and give the memory of the device back."""
        self._forget()
        self._threads.close()
        if self._opened is not None:
            self._opened.close()
            self._opened = None
