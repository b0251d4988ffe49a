"""A model that learns a stream slice by slice and is saved after each slice, so that a killed process can continue."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from plait._utils.locking import lock_for_writing
from plait._utils.wording import counted, join_names
from plait.corpus import Skipped
from plait.corpus.container.slices import CALENDAR
from plait.corpus.problems import MAX_SKIPPED, Problems
from plait.corpus.values import NO_TIME
from plait.errors import PlaitError
from plait.models.online import Consumed, OnlineLDA, Waiting
from plait.store import load, save
from plait.streaming.arrivals import Arrivals
from plait.streaming.cuts import FILE, make_cut
from plait.streaming.reading import StreamReading, record_options
from plait.streaming.slices import LATE, CompleteSlice, Slices
from plait.streaming.sources import StreamSource, file_sources, input_source, watched_sources


@dataclass(frozen=True)
class LearnedSlice:
    """What a stream has learned from one slice.

    Parameters
    ----------
    label : str or None
        Label of the slice.
    record : object or None
        The last of the model's `slices_`; None if no document of the slice could be used.
    n_empty : int
        Number of empty slices before it.
    skipped : Skipped
        Tally of what was skipped.
    seconds : float
        Time that learning and saving took.

    Examples
    --------
    >>> LearnedSlice("2024-05", None, n_empty=1, skipped=Skipped(), seconds=0.2).label
    '2024-05'
    """

    label: str | None
    record: Any
    n_empty: int
    skipped: Skipped
    seconds: float


def load_stream(path: str | Path) -> OnlineLDA:
    """Return the model of a stream, to continue it.

    Parameters
    ----------
    path : str or Path
        File of the model.

    Returns
    -------
    OnlineLDA
        The model; its `consumed_` records what was read from which source.

    Examples
    --------
    >>> import tempfile
    >>> import plait
    >>> model = plait.OnlineLDA(2, n_sweeps=5, verbose=False)
    >>> model = model.partial_fit(["river stream", "bank loan"] * 5, label="May")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_stream(plait.save(model, f"{folder}/news.plait"))
    >>> [one.label for one in again.slices_]
    ['May']
    """
    model = load(Path(path))
    if not isinstance(model, OnlineLDA):
        kind = type(model).__name__
        raise PlaitError(f"{path} holds another model ({kind}), which does not learn slice by slice; use another file")
    if model.interrupted_:
        raise PlaitError(f"{path} was stopped inside a slice; finish it first (plait fit --resume)")
    return model


class Stream:
    """A model that learns a stream of documents slice by slice, and is saved after each slice.

    The model file also records what was read from which source. A process that is killed at any moment can be started
    again with the same sources: it continues with the next slice, nothing is lost or learned twice, and the result is
    bit-identical to that of an uninterrupted run. While a stream learns, a lock file beside the model keeps other
    processes from writing it.

    Parameters
    ----------
    model : OnlineLDA
        A new model, or that of `load_stream` to continue.
    path : str or Path
        File of the model.
    by : str or int, optional
        "day", "week", "month", "year", "file", or a number of documents per slice. None: as before, or "file" for a
        new stream.
    reading : StreamReading, optional
        How documents are read. None: as before, or the defaults for a new stream.
    late : {"stop", "skip", "join"}, default "stop"
        Whether a document from before the current slice is an error, is skipped, or is learned in the current slice.
    final : bool, default False
        Whether the last slice is complete. If not, its documents are left and must be given again with those that
        follow.
    ahead : bool, default False
        Whether to measure the perplexity of each slice before it is learned.
    on_error : {"raise", "skip"}, default "raise"
        Whether an invalid document is an error, or is skipped and counted.
    max_skipped : float, default 0.05
        Largest share of the rows of a slice that may be skipped, as in `plait.read_corpus`.
    drop_waiting : bool, default False
        Whether to continue without sources that have documents which were left by an earlier run.

    Attributes
    ----------
    model : OnlineLDA
        The model.
    n_learned : int
        Slices learned so far.
    waiting : dict
        Documents left because their slice may not have ended, by source.
    skipped : Skipped
        Tally of what was skipped after the last slice.

    Examples
    --------
    >>> import json, tempfile
    >>> from plait import OnlineLDA
    >>> folder = tempfile.TemporaryDirectory()
    >>> files = [Path(folder.name, f"{month}.jsonl") for month in ("2020-01", "2020-02")]
    >>> for file in files:
    ...     row = {"id": file.stem, "text": "river lake bank loan", "date": f"{file.stem}-01"}
    ...     _ = file.write_text(json.dumps(row))
    >>> model = OnlineLDA(2, n_sweeps=5, n_samples=1, random_state=0, verbose=False)
    >>> stream = Stream(model, Path(folder.name, "news.plait"), by="month", final=True)
    >>> [learned.label for learned in stream.learn_files(files)]
    ['2020-01', '2020-02']
    >>> stream = Stream(load_stream(Path(folder.name, "news.plait")), Path(folder.name, "news.plait"), final=True)
    >>> [learned.label for learned in stream.learn_files(files)]
    []
    >>> folder.cleanup()
    """

    def __init__(
        self,
        model: OnlineLDA,
        path: str | Path,
        *,
        by: str | int | None = None,
        reading: StreamReading | None = None,
        late: str = "stop",
        final: bool = False,
        ahead: bool = False,
        on_error: str = "raise",
        max_skipped: float = MAX_SKIPPED,
        drop_waiting: bool = False,
    ) -> None:
        self.model: Any = model
        self.path = Path(path)
        self.n_learned = 0
        self.waiting: dict[str, Waiting] = {}
        self.skipped = Skipped()
        self._problems = Problems(on_error, max_skipped)
        self._late, self._final, self._ahead, self._drop_waiting = late, final, ahead, drop_waiting
        if late not in LATE:
            raise PlaitError(f"late must be one of {', '.join(map(repr, LATE))}, not {late!r}", parameter="late")
        if by is not None:
            by = _check_by(by)
        if self.path.exists() and not hasattr(model, "slices_"):
            raise PlaitError(f"{path} exists already; continue it with load_stream, or name another file")
        before: Consumed | None = getattr(model, "consumed_", None)
        self._saved = before  # what the model file says was read
        if before is None:
            self._by = by
            self._reading = StreamReading() if reading is None else reading
            self._consumed = Consumed(by or FILE, self._reading.to_record())
            return
        if by not in (None, before.by):
            raise PlaitError(
                f"{path} was started with by {before.by}, not {by}; all slices must be read in the same way: leave it "
                "out to continue, or start a new model in another file",
                parameter="by",
            )
        self._by = _check_by(before.by)
        self._reading = StreamReading.from_record(before) if reading is None else reading
        self._reading.check_same(before, self.path)
        self._consumed = before

    @property
    def n_waiting(self) -> int:
        """Number of documents left because their slice may not have ended."""
        return sum(one.documents for one in self.waiting.values())

    def learn_files(self, paths: Sequence[str | Path]) -> Iterator[LearnedSlice]:
        """Learn files, corpus folders and folders of files, in the given order.

        Parameters
        ----------
        paths : sequence of str or Path
            Files and folders. Files may have grown since an earlier run.

        Yields
        ------
        LearnedSlice
            After each slice, when the model is saved.
        """
        sources = list(file_sources([Path(path) for path in paths], *self._fields()))
        self._check_waiting({source.name for source in sources})
        yield from self._learn(iter(sources))

    def learn_folder(
        self, folder: str | Path, *, every: float = 2.0, on_idle: Callable[[], None] = lambda: None
    ) -> Iterator[LearnedSlice]:
        """Learn the files of a folder, and wait for more until Ctrl-C.

        Parameters
        ----------
        folder : str or Path
            The folder.
        every : float, default 2.0
            Seconds between two looks.
        on_idle : callable, optional
            Called when there is nothing to do.

        Yields
        ------
        LearnedSlice
            After each slice, when the model is saved.
        """
        yield from self._learn(watched_sources(Path(folder), *self._fields(), every, on_idle))

    def learn_input(self, lines: IO[bytes] | None = None, *, continued: bool = False) -> Iterator[LearnedSlice]:
        """Learn JSON lines from standard input.

        Parameters
        ----------
        lines : binary file, optional
            The lines; None for standard input.
        continued : bool, default False
            Whether the lines start with the first document that was not learned. If not, they start from the
            beginning of the stream; documents learned before are checked and skipped.

        Yields
        ------
        LearnedSlice
            After each slice, when the model is saved.
        """
        if self._by in (None, FILE):
            raise PlaitError(
                "standard input has no files to divide it by; use day, week, month or year, or a number of documents",
                parameter="by",
            )
        source = input_source(sys.stdin.buffer if lines is None else lines, *self._fields())
        yield from self._learn(iter([source]), continued=continued)

    def saved_label(self) -> str | None:
        """Return the label of the last slice in the model file; None if there is no file yet.

        Returns
        -------
        str or None
            The label.
        """
        if not self.path.exists():
            return None
        label: str = load(self.path).slices_[-1].label
        return label

    def _fields(self) -> tuple[Any, str]:
        return self._reading.field_names(), self._reading.encoding

    def _learn(self, sources: Iterator[StreamSource], *, continued: bool = False) -> Iterator[LearnedSlice]:
        with lock_for_writing(self.path):
            self._check_unchanged()
            yield from self._learn_slices(sources, continued)

    def _check_unchanged(self) -> None:
        """Raise an error if another process has continued the model since it was loaded."""
        if not self.path.exists():
            return
        if getattr(load(self.path), "consumed_", None) != self._saved:
            raise PlaitError(f"{self.path} was changed by another process since it was loaded; load it again")

    def _learn_slices(self, sources: Iterator[StreamSource], continued: bool) -> Iterator[LearnedSlice]:
        ends = [one.ends for one in getattr(self.model, "slices_", []) if one.ends is not None]
        last = np.datetime64(max(ends), "s") if ends else NO_TIME
        consumed = self._consumed
        arrivals = Arrivals(sources, consumed.sources, consumed.waiting, self._problems, continued=continued)
        slices = Slices(
            arrivals,
            make_cut(consumed.by, last),
            self._reading.text_options(consumed),
            self._reading.fractional,
            self._reading.date_format,
            self._late,
            self._final,
        )
        for complete in slices:
            start = time.perf_counter()
            self._fit(complete)
            # The model and the state of its sources are saved in one step.
            self._consumed = replace(self._consumed, sources=complete.taken, waiting={})
            if complete.corpus is not None:
                if complete.corpus.text_options is not None:
                    self._consumed = record_options(self._consumed, slices.options)
                self._save()
                self.n_learned += 1
            arrivals.set_learned(complete.taken)
            record = None if complete.corpus is None else self.model.slices_[-1]
            label = complete.label if record is None else record.label
            seconds = time.perf_counter() - start
            yield LearnedSlice(label, record, len(complete.empty), complete.skipped, seconds)
        slices.check_rest()
        self.waiting = slices.waiting
        self.skipped = self._problems.skipped()
        if self.path.exists() and self.waiting != self._consumed.waiting:
            self._consumed = replace(self._consumed, waiting=self.waiting)
            self._save()

    def _fit(self, complete: CompleteSlice) -> None:
        """Learn a slice, and the empty slices before it."""
        if complete.corpus is None:
            return
        for label in complete.empty:
            self.model.partial_fit(complete.corpus.select([]), label=label)
        ahead = self._ahead and hasattr(self.model, "slices_")
        try:
            in_order = self._late != "join"
            self.model.partial_fit(complete.corpus, label=complete.label, in_order=in_order, ahead=ahead)
        except PlaitError as error:
            if error.parameter == "in_order":
                error.parameter = "late"
            raise
        if self.model.interrupted_:
            raise KeyboardInterrupt

    def _check_waiting(self, names: set[str]) -> None:
        """Raise an error if a source is missing whose documents were left by an earlier run."""
        missing = {name: one for name, one in self._consumed.waiting.items() if name not in names}
        if missing and not self._drop_waiting:
            number = sum(one.documents for one in missing.values())
            raise PlaitError(
                f"{counted(number, 'document')} of {join_names(missing)} were not learned last time, as their slice "
                "had not ended; give these sources again, before the new ones, or drop their documents",
                parameter="drop_waiting",
            )

    def _save(self) -> None:
        self.model.consumed_ = self._consumed
        save(self.model, self.path)
        self._saved = self._consumed


def _check_by(by: object) -> str:
    """Return how a stream is cut, as text; raise an error for an unknown way."""
    text = str(by)
    if text not in (*CALENDAR, FILE) and not (text.isascii() and text.isdecimal() and int(text) > 0):
        names = ", ".join((*CALENDAR, FILE))
        raise PlaitError(f"by must be one of {names}, or a number of documents, not {text}", parameter="by")
    return text
