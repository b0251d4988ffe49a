"""Found documents as a table, and as a data frame in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plait._utils.text import cut
from plait._utils.wording import counted
from plait.cli.io.outputs import check_output
from plait.cli.io.safe_csv import check_safe_csv
from plait.cli.io.tables import check_table_name, open_table
from plait.cli.show.screen import Table, print_text

FoundOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Table to write: .csv, .jsonl or .parquet.", show_default="the terminal"),
]
FoundTop = Annotated[int, typer.Option("--top", min=1, help="Documents to print.")]
_TITLE = 60  # characters
_EXCERPT = 80


def check_found_output(output: Path | None, *, safe_csv: bool, force: bool, inputs: list[Path]) -> Path | None:
    """Return the file to write to; None for the terminal.

    Parameters
    ----------
    output : Path or None
        The file as it was given.
    safe_csv : bool
        Whether --safe-csv was given.
    force : bool
        Whether an existing file is replaced.
    inputs : list of Path
        Files that the command reads.

    Returns
    -------
    Path or None
        The real path.
    """
    check_safe_csv(safe_csv, output is not None and check_table_name(output) == ".csv")
    return None if output is None else check_output(output, overwrite=force, inputs=inputs)


def show_found(found: Any, output: Path | None, target: Path | None, *, safe_csv: bool) -> None:
    """Print found documents, or write them to a table.

    Parameters
    ----------
    found : Listing of FoundDocument
        The documents.
    output : Path or None
        The file as it was given.
    target : Path or None
        Its real path; None for the terminal.
    safe_csv : bool
        Whether to protect texts that a spreadsheet would run as formulas.
    """
    if target is not None and output is not None:
        with open_table(target, check_table_name(output), safe_csv=safe_csv) as write:
            write(found.to_frame("polars"))
        print_text(f"wrote {output}: {counted(len(found), 'document')}")
        return
    titled, texts = any(one.title for one in found), any(one.excerpt for one in found)
    table = Table(["score", "id", *["title"] * titled, *["text"] * texts], right={"score"})
    for one in found:
        cells = [cut(one.title, _TITLE)] * titled + [cut(one.excerpt, _EXCERPT)] * texts
        table.add(f"{one.score:.3f}", one.id, *cells)
    table.show()
