"""A model applied to documents in batches; its results are written to a table or kept for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.io.outputs import Force, check_output
from plait.cli.io.reading import describe_fields, describe_skipped
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv
from plait.cli.io.tables import Write, check_table_name, open_table
from plait.cli.options.model_options import Jobs
from plait.cli.options.reading import SplitOptions, WordSource
from plait.cli.show.screen import print_text

if TYPE_CHECKING:
    import polars

    from plait.cli.io.batches import Batches
    from plait.corpus import Corpus
    from plait.corpus.readers.field_guesses import FieldChoice
    from plait.models import TopicEstimator

Rows = Callable[["Corpus"], "polars.DataFrame"]
_ALL = SplitOptions()
Sink = Callable[[], AbstractContextManager[Write]]  # opened again if the documents are read again


@dataclass(frozen=True)
class TableOutput:
    """The table to write, and what happens to an existing one."""

    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Table to write: a .csv, .jsonl or .parquet file.", show_default=False),
    ]
    force: Force = False
    safe_csv: SafeCsv = False
    jobs: Jobs = 1

    @property
    def suffix(self) -> str:
        """The format of the table."""
        return check_table_name(self.output)

    def check(self, *inputs: Path | None) -> Path:
        """Return the file to write to, or raise an error that says why it cannot be written.

        Parameters
        ----------
        *inputs : Path or None
            Files and folders that the command reads.

        Returns
        -------
        Path
            The real path.
        """
        check_safe_csv(self.safe_csv, self.suffix == ".csv")
        return check_output(self.output, overwrite=self.force, inputs=inputs)


@dataclass(frozen=True)
class Applied:
    """The number of documents, of those without a known word, a line about what was skipped, and the fields."""

    documents: int
    unknown: int
    skipped: str
    fields: Sequence[FieldChoice]


def write_table(
    model: TopicEstimator,
    path: Path,
    source: WordSource,
    output: TableOutput,
    target: Path,
    rows: Rows,
    *,
    split: SplitOptions = _ALL,
    together: bool = False,
    title: str | None = None,
) -> Applied:
    """Write the results for the documents at a path to a table.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    path : Path
        The corpus.
    source : WordSource
        Fields of the words.
    output : TableOutput
        The table.
    target : Path
        Real path of the table.
    rows : callable
        Returns the rows for a batch of documents.
    split : SplitOptions, optional
        Which documents are used.
    together : bool
        Whether all documents are one batch.
    title : str, optional
        Field with the title; None to guess.

    Returns
    -------
    Applied
        Numbers of documents.
    """

    def sink() -> AbstractContextManager[Write]:
        return open_table(target, output.suffix, safe_csv=output.safe_csv)

    return apply(model, path, source, rows, sink, split=split, together=together, title=title)


def apply(
    model: TopicEstimator,
    path: Path,
    source: WordSource,
    rows: Rows,
    sink: Sink,
    *,
    split: SplitOptions = _ALL,
    together: bool = False,
    title: str | None = None,
) -> Applied:
    """Send the results for the documents at a path to a sink.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    path : Path
        The corpus.
    source : WordSource
        Fields of the words.
    rows : callable
        Returns the rows for a batch of documents.
    sink : callable
        Opens the destination of the rows.
    split : SplitOptions, optional
        Which documents are used.
    together : bool
        Whether all documents are one batch.
    title : str, optional
        Field with the title; None to guess.

    Returns
    -------
    Applied
        Numbers of documents.
    """
    from plait.cli.io.batches import Batches
    from plait.corpus.readers.records import RestartError

    batches = Batches(path, source, model, split, together=together, title=title)
    while True:
        try:
            documents, unknown = _apply_once(batches, rows, sink)
        except RestartError:
            continue  # better fields were found, so the documents are read again
        return Applied(documents, unknown, describe_skipped(batches.skipped), batches.fields)


def print_fields(applied: Applied, command: Any) -> None:
    """Print the fields that were taken, unless their names say it.

    Parameters
    ----------
    applied : Applied
        What was read.
    command : typer.core.TyperCommand
        The command, whose options are named.
    """
    for line in describe_fields([one for one in applied.fields if not one.is_plain], command):
        print_text(line)


@contextmanager
def keep_frames(frames: list[polars.DataFrame]) -> Iterator[Write]:
    """Keep rows in a list, for the terminal.

    Parameters
    ----------
    frames : list
        Cleared, then filled.

    Yields
    ------
    callable
        Adds the next rows.
    """
    frames.clear()
    yield frames.append


def _apply_once(batches: Batches, rows: Rows, sink: Sink) -> tuple[int, int]:
    documents = unknown = 0
    with sink() as write:
        for batch in batches:
            write(rows(batch))
            documents += len(batch)
            unknown += int((batch.lengths == 0).sum())
    return documents, unknown


def id_columns(batch: Corpus) -> list[polars.Series]:
    """Return the first columns of a table of documents: ids, titles if documents have some, and known tokens.

    Parameters
    ----------
    batch : Corpus
        Documents over the vocabulary of the model.

    Returns
    -------
    list of polars.Series
        Two or three columns; `tokens` is 0 for a document without a word that the model knows.
    """
    import polars

    columns = [polars.Series("id", batch.ids.tolist(), dtype=polars.String)]
    if batch.titles is not None:
        columns.append(polars.Series("title", batch.titles.tolist(), dtype=polars.String))
    columns.append(polars.Series("tokens", batch.lengths))
    return columns
