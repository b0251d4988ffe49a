"""Reports as web pages: one file that needs no network, drawn from summaries by the templates beside this file."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait import __version__
from plait._utils.atomic import replace_file
from plait._utils.wording import counted
from plait.errors import PlaitError
from plait.report import curves, text
from plait.report.summary import Summary, summarise

if TYPE_CHECKING:
    from jinja2 import Environment

_NEEDED = 'a report needs Jinja2: pip install "plait[report]"'
_MARK = '<meta name="plait-made-by" content="{}">'
_MARKED_WITHIN = 1000  # bytes of a page's beginning


@dataclass(frozen=True)
class Part:
    """One model on a page, under a heading of its own."""

    title: str
    summary: Summary
    about: str = ""  # a sentence on what it is


def render_report(model: Any, *, title: str | None = None, words: int = 10, documents: int = 5) -> str:
    """Return the report on a model as a web page, HTML with all that it needs inside.

    Parameters
    ----------
    model
        A fitted model of plait.
    title
        Heading of the page; None makes one of the model's class and number of topics.
    words, documents
        How many words and typical documents of each topic.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "money loan bank"] * 5)
    >>> page = render_report(LDA(n_topics=2, random_state=0, verbose=False).fit(corpus), title="Rivers & loans")
    >>> "<h1>Rivers &amp; loans</h1>" in page
    True
    """
    check_can_render()
    summary = summarise(model, words=words, documents=documents)
    heading = f"{summary.head.model}, {counted(summary.head.n_topics, 'topic')}" if title is None else title
    return render_parts([Part(heading, summary)], heading)


def write_report(
    model: Any, path: str | os.PathLike[str], *, title: str | None = None, words: int = 10, documents: int = 5
) -> Path:
    """Write the report on a model to a file, whole or not at all; one that is there is replaced.

    Parameters
    ----------
    model, title, words, documents
        As for `render_report`.
    path
        The file, such as report.html.

    Returns
    -------
    Path
        The path, as it was given.
    """
    page = render_report(model, title=title, words=words, documents=documents).encode()
    replace_file(Path(path), lambda file: file.write(page), example="report.html")
    return Path(path)


def render_parts(parts: Sequence[Part], title: str, *, about: str = "", made_by: str = "report") -> str:
    """Return a web page on one model, or on several, each a part with a heading.

    Parameters
    ----------
    parts
        The models' summaries.
    title
        Heading of the page.
    about
        A sentence below it.
    made_by
        What writes the page, by which `is_made_by` knows it again.
    """
    environment = _environment()
    style, script = (_source(environment, name) for name in ("page.css", "page.js"))
    return environment.get_template("page.html").render(
        parts=parts,
        title=title,
        about=about,
        mark=_MARK.format(made_by),
        version=__version__,
        style=style,
        script=script,
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def is_made_by(path: Path, made_by: str) -> bool:
    """Say whether a file is a page that was rendered with this `made_by`."""
    with path.open("rb") as file:
        return _MARK.format(made_by).encode() in file.read(_MARKED_WITHIN)


def check_can_render() -> None:
    """Say what to install where what renders pages is missing."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise PlaitError(_NEEDED) from error


def _environment() -> Environment:
    check_can_render()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("plait.report", "templates"),
        autoescape=True,  # everything that is not in a template is text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": text.shown,
        "percent": text.percent,
        "figure": text.figure,
        "signed": text.signed,
        "counted": counted,
    }
    environment.globals |= {"place": curves.place, "span": curves.span}
    return environment


def _source(environment: Environment, name: str) -> str:
    """Return a file of the templates as it is; its digest lets a browser run this script and no other."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0].strip()


def _digest(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
