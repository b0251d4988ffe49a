"""A model applied to documents batch by batch, its answers written to a table or kept for the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plait.cli.io.outputs import Force, check_output, written_whole
from plait.cli.io.tables import Write, check_table_name, open_table
from plait.cli.options.model_options import Jobs
from plait.cli.options.reading import WordSource, model_words, skipped_line

if TYPE_CHECKING:
    import polars

    from plait.cli.io.batches import Batches
    from plait.corpus import Corpus
    from plait.models import TopicEstimator

Rows = Callable[["Corpus"], "polars.DataFrame"]
Sink = Callable[[], AbstractContextManager[Write]]  # where answers go; opened anew when the documents are read again


@dataclass(frozen=True)
class TableOutput:
    """Where the table goes, and what happens to one that is there already."""

    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Table to write: a .csv, .jsonl or .parquet file.", show_default=False),
    ]
    force: Force = False
    jobs: Jobs = 1

    @property
    def suffix(self) -> str:
        """The format of the table; an error where the name says none."""
        return check_table_name(self.output)

    def check(self) -> Path:
        """Return where to write, or say why nothing can be written there."""
        check_table_name(self.output)
        return check_output(self.output, overwrite=self.force)


@dataclass(frozen=True)
class Answered:
    """How many documents were answered for, how many have no word that the model knows, what was left out."""

    documents: int
    unknown: int
    skipped: str


def write_answers(
    model: TopicEstimator,
    path: Path,
    source: WordSource,
    output: TableOutput,
    target: Path,
    rows: Rows,
    *,
    together: bool = False,
) -> Answered:
    """Write what `rows` says about each document at a path; the table appears when all of it is written."""
    return answer(model, path, source, rows, lambda: whole_table(target, output.suffix), together=together)


def answer(
    model: TopicEstimator, path: Path, source: WordSource, rows: Rows, sink: Sink, *, together: bool = False
) -> Answered:
    """Give what `rows` says about each document at a path to a sink; `together` for all documents in one batch."""
    from plait.cli.io.batches import Batches
    from plait.corpus.readers.records import RestartError

    batches = Batches(path, source, model_words(model), together=together)
    while True:
        try:
            documents, unknown = _answer(batches, rows, sink)
        except RestartError:
            continue  # better fields turned up, so what was written so far came from the wrong ones
        return Answered(documents, unknown, skipped_line(batches.skipped))


@contextmanager
def whole_table(target: Path, suffix: str) -> Iterator[Write]:
    """Write a table that appears when all of it is written."""
    with written_whole(target) as part, open_table(part, suffix) as write:
        yield write


@contextmanager
def kept_frames(frames: list[polars.DataFrame]) -> Iterator[Write]:
    """Keep answers in a list, for the screen."""
    frames.clear()
    yield frames.append


def _answer(batches: Batches, rows: Rows, sink: Sink) -> tuple[int, int]:
    documents = unknown = 0
    with sink() as write:
        for batch in batches:
            write(rows(batch))
            documents += len(batch)
            unknown += int((batch.lengths == 0).sum())
    return documents, unknown


def id_column(batch: Corpus) -> polars.Series:
    """Return the first column of every such table."""
    import polars

    return polars.Series("id", batch.ids.tolist(), dtype=polars.String)
