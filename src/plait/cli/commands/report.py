"""`plait report`: all that a model has to say, as one web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output, written_whole
from plait.cli.options.models import ModelPath, load_model
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
    words: Annotated[int, typer.Option("--words", min=1, help="How many words of each topic.")] = 10,
    documents: Annotated[int, typer.Option("--documents", min=1, help="How many typical documents of each topic.")] = 5,
    force: Force = False,
) -> None:
    """Write a report on a model: one web page that needs no network.

    It holds the settings, how the fit went, the topics with their words and typical documents, and what else the
    model knows: topics that speak for labels or numbers, topics that link to others and links that may be missing,
    documents that shape others, and how topics went through time.
    """
    from plait.report.page import Section, check_can_render, render_sections
    from plait.report.summary import summarise

    check_page_name(output)
    check_can_render()
    target = check_output(output, overwrite=force)
    summary = summarise(load_model(model), words=words, documents=documents)
    heading = model.stem if title is None else title
    page = render_sections([Section(heading, summary)], heading)
    write_page(target, page)
    print(f"wrote {output}: {summary.head.model}, {counted(summary.head.n_topics, 'topic')}")


def check_page_name(path: Path) -> None:
    """Refuse a name that no browser would open as a page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise PlaitError(f"{path} must end in .html, as a report is a web page")


def write_page(target: Path, page: str) -> None:
    """Write a page, whole or not at all."""
    with written_whole(target) as part:
        part.write_text(page, encoding="utf-8", newline="\n")
