"""`plait find`: the training documents whose topics make some words most likely."""

from __future__ import annotations

from typing import Annotated

import typer

from plait.cli.io.outputs import Force
from plait.cli.io.safe_csv import SafeCsv
from plait.cli.options.models import ModelPath, load_model
from plait.cli.show.found import FoundOutput, FoundTop, check_found_output, show_found
from plait.cli.show.screen import print_text


def find(
    model: ModelPath,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", show_default=False, help="Words to look for.")],
    top: FoundTop = 10,
    output: FoundOutput = None,
    force: Force = False,
    safe_csv: SafeCsv = False,
) -> None:
    """Print the documents of a model whose topics fit some words.

    A document need not contain the words: it is found if they are frequent in its topics. The score is the mean
    log-likelihood per word. Columns of a table: id, title, score, excerpt.
    """
    target = check_found_output(output, safe_csv=safe_csv, force=force, inputs=[model])
    found = load_model(model).find_documents(" ".join(words), top)
    show_found(found, output, target, safe_csv=safe_csv)
    if target is None:
        print_text("score: mean log-likelihood per word; the highest is the best")
