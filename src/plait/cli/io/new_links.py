"""--links of commands that apply a model: the links of new documents, for models that follow links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.reading import describe_skipped
from plait.cli.options.models import follows_links, with_article
from plait.cli.options.reading import WordSource
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.models.answers.new_links import NewLinks

NewLinksPath = Annotated[
    Path | None,
    typer.Option(
        "--links",
        metavar="FILE",
        help="File of links (source, target, weight) of the documents, for a model that follows links: to training "
        "documents and to each other. Links to each other need all documents in memory.",
        show_default="none",
    ),
]
LinkArguments = Callable[["Corpus"], dict[str, Any]]


def read_new_links(
    path: Path | None, model: Any, model_path: Path, source: WordSource
) -> tuple[NewLinks | None, LinkArguments]:
    """Return the links of a file, and a function from a batch of documents to the arguments of a prediction.

    Parameters
    ----------
    path : Path, optional
        File of links.
    model : TopicEstimator
        A fitted model.
    model_path : Path
        File of the model, for messages.
    source : WordSource
        Encoding of the file, and what happens to invalid links.

    Returns
    -------
    NewLinks or None
        The links.
    callable
        Returns the keyword arguments for a batch.
    """
    if path is None:
        return None, lambda batch: {}
    if not follows_links(model):
        raise PlaitError(
            f"--links is for models that follow links; {model_path} holds {with_article(model)}, which does not"
        )
    from plait.models.answers.new_links import NewLinks

    links = NewLinks(path, model, encoding=source.encoding, on_error=source.on_error)
    return links, lambda batch: {"links": links.for_documents(batch.ids)}


def describe_usage(links: NewLinks) -> str:
    """Return one line about how many links were used.

    Parameters
    ----------
    links : NewLinks
        The links.

    Returns
    -------
    str
        The line.
    """
    usage = links.usage()
    line = f"used {counted(usage.n_links, 'link')} of {counted(usage.n_documents, 'document')}"
    if usage.n_unused:
        others = counted(usage.n_unused, "other link")
        line += f"; {others} in the file {'does' if usage.n_unused == 1 else 'do'} not go to a known source document"
    return f"{line}; {describe_skipped(links.skipped)}"
