"""`plait influence`: influence between documents along links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.io.outputs import Force, check_output
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv
from plait.cli.io.tables import check_table_name, open_table
from plait.cli.options.models import ModelPath, follows_links, load_model, with_article
from plait.cli.show.influence import COLUMNS, borrowed_line, cut_lines, influencers_table, influential_table
from plait.cli.show.screen import print_text
from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars


def influence(
    model: ModelPath,
    document: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            show_default=False,
            help="Training documents whose source documents are printed. Without ID: the most influential documents.",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Documents to print, per ID.")] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Table of all links, or those of the IDs: .csv, .jsonl or .parquet.",
            show_default="the terminal",
        ),
    ] = None,
    force: Force = False,
    safe_csv: SafeCsv = False,
) -> None:
    """Print influence between documents along links.

    Influence is the share of a document's tokens that come from another document. Without ID: the documents from
    which most tokens of other documents come, and the number of documents that follow a link to them. With ID: the
    share of the document's tokens that come from itself and from each linked document. A table that is written has
    the columns source (the document with the tokens), target (the document that they come from) and influence (the
    share of the tokens of source; 0 if the link was not followed); the rest comes from source itself. If documents
    have titles, source_title and target_title follow.
    """
    suffix = "" if output is None else check_table_name(output)
    check_safe_csv(safe_csv, suffix == ".csv")
    target = None if output is None else check_output(output, overwrite=force, inputs=[model])
    estimator: Any = load_model(model)
    if not follows_links(estimator):
        raise PlaitError(
            f"{model} holds {with_article(estimator)}, which does not follow links; "
            "fit a model that does: plait fit --model linked"
        )
    names = [_row_or_id(estimator, name) for name in dict.fromkeys(document or ())]
    rows = _rows(estimator, names)
    if target is not None:
        frame = _frame(estimator, rows)
        with open_table(target, suffix, safe_csv=safe_csv) as write:
            write(frame)
        print_text(f"wrote {output}: {frame.height:,} links of {len(rows):,} documents; {borrowed_line(estimator)}")
        return
    if names:
        influencers_table(estimator, names, top).show()
        for line in cut_lines(estimator, names):
            print_text(line)
        return
    influential_table(estimator, top).show()
    print_text(borrowed_line(estimator))


def _row_or_id(model: Any, name: str) -> str | int:
    """Return the id of a document, or its row if the model was fitted to a matrix."""
    return int(name) if model.doc_ids_ is None and name.isdecimal() else name


def _rows(model: Any, names: list[str | int]) -> Any:
    """Return the rows of some documents; all rows without names."""
    import numpy as np

    from plait.models.answers.known_documents import find_rows

    n_documents = model.influence_.shape[0]
    return find_rows(names, model.doc_ids_, n_documents) if names else np.arange(n_documents)


def _frame(model: Any, rows: Any) -> polars.DataFrame:
    """Return all links of some documents, by document and by decreasing influence."""
    import numpy as np
    import polars

    from plait.models.answers.known_documents import document_names

    influence = model.influence_[rows].tocoo()
    source, target, share = rows[influence.row], influence.col, influence.data
    order = np.lexsort((target, -share, influence.row))
    order = order[source[order] != target[order]]
    names = document_names(model.doc_ids_, model.influence_.shape[0])
    columns = (names[source[order]].tolist(), names[target[order]].tolist(), share[order])
    types = (polars.String, polars.String, polars.Float64)
    frame = polars.DataFrame(dict(zip(COLUMNS, columns, strict=True)), schema=dict(zip(COLUMNS, types, strict=True)))
    titles = model.documents_.titles
    if titles is None:
        return frame
    ends = {"source_title": source[order], "target_title": target[order]}
    return frame.with_columns(
        polars.Series(name, titles[rows].tolist(), dtype=polars.String) for name, rows in ends.items()
    )
