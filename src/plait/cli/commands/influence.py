"""`plait influence`: which documents shape others, and along which links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.io.applying import whole_table
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.tables import check_table_name
from plait.cli.options.models import ModelPath, follows_links, load_model, with_article
from plait.cli.show.influential import COLUMNS, cut_lines, drawn_line, influencers_table, influential_table
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
            help="Documents of the model: whom do they draw from? Without any: whom do others draw from most?",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many documents to print, of each ID.")] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Table of all links, or those of the IDs: a .csv, .jsonl or .parquet file.",
            show_default="the screen",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Say which documents shape others: from whom their words are drawn.

    Without ID: the documents from which most words of others are drawn, and how many documents are linked with them
    and may draw. With ID: which share of its words a document draws from itself, and from each document that it is
    linked with. A table that is written has the columns source (the document that draws), target (the one that it
    draws from) and influence (the share of the words of source; 0 where the link was not followed); what is missing
    to 1 is drawn from source itself.
    """
    suffix = "" if output is None else check_table_name(output)
    target = None if output is None else check_output(output, overwrite=force)
    estimator: Any = load_model(model)
    if not follows_links(estimator):
        raise PlaitError(
            f"{model} holds {with_article(estimator)}, whose words draw from their own document only; "
            "fit one that follows links: plait fit --model linked"
        )
    names = [_row_or_id(estimator, name) for name in dict.fromkeys(document or ())]
    rows = _rows(estimator, names)
    if target is not None:
        frame = _frame(estimator, rows)
        with whole_table(target, suffix) as write:
            write(frame)
        print(f"wrote {output}: {frame.height:,} links of {len(rows):,} documents; {drawn_line(estimator)}")
        return
    if names:
        influencers_table(estimator, names, top).show()
        for line in cut_lines(estimator, names):
            print(line)
        return
    influential_table(estimator, top).show()
    print(drawn_line(estimator))


def _row_or_id(model: Any, name: str) -> str | int:
    """Return what a model knows a document by: its id, or its row where the model was fitted to a matrix."""
    return int(name) if model.doc_ids_ is None and name.isdecimal() else name


def _rows(model: Any, names: list[str | int]) -> Any:
    """Return the rows of the documents that are named; all where none is."""
    import numpy as np

    from plait.models.answers.known_documents import find_rows

    n_documents = model.influence_.shape[0]
    return find_rows(names, model.doc_ids_, n_documents) if names else np.arange(n_documents)


def _frame(model: Any, rows: Any) -> polars.DataFrame:
    """Lay out all links of some documents, by document and by falling influence."""
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
    return polars.DataFrame(dict(zip(COLUMNS, columns, strict=True)), schema=dict(zip(COLUMNS, types, strict=True)))
