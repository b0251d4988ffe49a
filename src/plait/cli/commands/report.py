"""`plait report`: a model as one web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output
from plait.cli.options.models import ModelPath, load_model
from plait.cli.show.screen import print_text
from plait.errors import PlaitError


def report(
    model: ModelPath,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Web page to write.", show_default=False)
    ],
    title: Annotated[
        str | None,
        typer.Option("--title", help="Heading of the page.", show_default="the name of the model's file"),
    ] = None,
    words: Annotated[int, typer.Option("--words", min=1, help="Words per topic.")] = 10,
    documents: Annotated[int, typer.Option("--documents", min=1, help="Typical documents per topic.")] = 5,
    force: Force = False,
) -> None:
    """Write a report on a model: one web page that works offline.

    It shows the parameters, the course of the fit, the topics with their words and typical documents, and what else
    the model learned: weights of topics for labels or numbers, linked topics and suggested links, influential
    documents, and topics over time.
    """
    from plait.report.page import Section, check_can_render, render_sections
    from plait.report.summary import summarise

    check_page_name(output)
    check_can_render()
    target = check_output(output, overwrite=force, inputs=[model])
    summary = summarise(load_model(model), words=words, documents=documents)
    heading = model.stem if title is None else title
    write_page(target, render_sections([Section(heading, summary)], heading))
    print_text(f"wrote {output}: {summary.head.model}, {counted(summary.head.n_topics, 'topic')}")


def check_page_name(path: Path) -> None:
    """Raise an error if a file name does not end in .html or .htm.

    Parameters
    ----------
    path : Path
        The file.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise PlaitError(f"{path} must end in .html, as a report is a web page")


def write_page(path: Path, page: str) -> None:
    """Write a web page.

    Parameters
    ----------
    path : Path
        The file, which is replaced.
    page : str
        The HTML.
    """
    from plait._utils.atomic import replace_file

    replace_file(path, lambda file: file.write(page.encode()))
