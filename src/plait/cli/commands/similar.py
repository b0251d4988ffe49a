"""`plait similar`: the training documents with topics similar to those of a document or a text."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from plait.cli.io.outputs import Force
from plait.cli.io.safe_csv import SafeCsv
from plait.cli.options.models import ModelPath, load_model
from plait.cli.show.found import FoundOutput, FoundTop, check_found_output, show_found


def similar(
    model: ModelPath,
    document: Annotated[
        str, typer.Argument(metavar="ID|TEXT", show_default=False, help="Id of a training document, or a text.")
    ],
    top: FoundTop = 10,
    output: FoundOutput = None,
    force: Force = False,
    safe_csv: SafeCsv = False,
) -> None:
    """Print the documents of a model with the most similar topics.

    The score is 1 for the same topics and 0 for none in common (1 - Hellinger distance). Columns of a table: id,
    title, score, excerpt.
    """
    target = check_found_output(output, safe_csv=safe_csv, force=force, inputs=[model])
    estimator: Any = load_model(model)
    known: str | int = int(document) if estimator.doc_ids_ is None and document.isdecimal() else document
    show_found(estimator.similar_documents(known, top), output, target, safe_csv=safe_csv)
