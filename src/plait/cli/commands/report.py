"""`plait report`: a model as one web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.reading import align_split, read_for_model
from plait.cli.options.groups import expand_groups
from plait.cli.options.models import ModelPath, load_model
from plait.cli.options.reading import WordSource, label_option, links_option
from plait.cli.show.screen import print_text
from plait.errors import PlaitError


@expand_groups
def report(
    model: ModelPath,
    source: WordSource,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Web page to write.", show_default=False)
    ],
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            metavar="PATH",
            help="The corpus of the fit: adds document pages, coherence, and predictions of its other documents.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[str | None, label_option()] = None,
    links: Annotated[Path | None, links_option()] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", help="Heading of the page.", show_default="Topics of the model's file"),
    ] = None,
    words: Annotated[int, typer.Option("--words", min=1, help="Words per topic.")] = 10,
    documents: Annotated[int, typer.Option("--documents", min=1, help="Typical documents per topic.")] = 5,
    force: Force = False,
) -> None:
    """Write a visual report on a model: one web page that works offline.

    It begins with a map of the topics and their words, typical documents and hierarchy, then shows what else the
    model learned: weights of topics for labels or numbers, links, influence between documents and topics over time,
    and how the fit went. With --corpus, documents have pages with their topics, nearest documents and links, and
    labels and links of documents that the model was not fitted to are predicted and measured.
    """
    from plait.report.page import check_can_render, make_section, render_sections

    check_page_name(output)
    check_can_render()
    if corpus is None and (links is not None or label is not None):
        raise typer.BadParameter("--label and --links are for reading a corpus; give --corpus, too")
    target = check_output(output, overwrite=force, inputs=[model, corpus, links])
    estimator = load_model(model)
    documents_of_fit = None
    if corpus is not None:
        whole = read_for_model(estimator, corpus, source, label=label, links=links)
        documents_of_fit = align_split(estimator, whole, None).corpus
    heading = f"Topics of {model.name}" if title is None else title
    section = make_section(estimator, heading, corpus=documents_of_fit, words=words, documents=documents)
    head = section.summary.head
    kind = f"{head.model}, {counted(head.n_topics, 'topic')}"
    write_page(target, render_sections([section], heading, about=kind))
    print_text(f"wrote {output}: {kind}")


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
