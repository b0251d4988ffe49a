"""Reports as web pages: one file that needs no network, rendered from summaries with `templates/`."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait import __version__
from plait._utils.atomic import replace_file
from plait._utils.wording import counted, how_to_install
from plait.errors import PlaitError
from plait.plots import figure_script, figure_style
from plait.plots.colours import class_of
from plait.plots.figure import Figure, Link, Panels
from plait.plots.frame import axis_ranges
from plait.report import curves, text
from plait.report.pictures import Pictures, draw_pictures
from plait.report.summary import Summary, check_reportable, summarise

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_INSTALL = f"a report needs Jinja2: {how_to_install('report')}"
_MADE_BY = '<meta name="plait-made-by" content="{}">'
_POINTER_TEXT = re.compile(r"(<a .*?</a>)|<title>[^<]*</title>", re.DOTALL)
_MADE_BY_WITHIN = 1000  # bytes at the start of a page


@dataclass(frozen=True)
class Section:
    """One model on a page.

    Parameters
    ----------
    title : str
        Heading of the section, shown if the page has several.
    summary : Summary
        Summary of the model.
    about : str, default ""
        Description of the model in one sentence.
    pictures : Pictures, optional
        Figures of the model; None for a page of tables.

    Examples
    --------
    >>> from plait import LDA
    >>> from plait.report import summarise
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> Section("Two topics", summarise(model)).summary.head.n_topics
    2
    """

    title: str
    summary: Summary
    about: str = ""
    pictures: Pictures | None = None


def make_section(
    model: Any, title: str | None = None, *, about: str = "", corpus: Any = None, words: int = 10, documents: int = 5
) -> Section:
    """Return the section of a model, with figures.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    title : str or None, default None
        Heading; None for the class and the number of topics of the model.
    about : str, default ""
        Description of the model in one sentence.
    corpus : Corpus, optional
        The corpus of the fit, for pages of documents, coherence, and predictions of its other documents.
    words : int, default 10
        Number of words per topic.
    documents : int, default 5
        Number of typical documents per topic.

    Returns
    -------
    Section
        Summary and figures.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> section = make_section(model, about="Rivers and loans.")
    >>> section.title, section.pictures.map.title
    ('LDA, 2 topics', 'Map of 2 topics')
    """
    check_reportable(model)
    pictures = draw_pictures(model, corpus)
    summary = summarise(model, words=words, documents=documents, corpus=corpus, document_rows=pictures.document_rows())
    heading = f"{summary.head.model}, {counted(summary.head.n_topics, 'topic')}" if title is None else title
    return Section(heading, summary, about, pictures)


def render_report(
    model: Any, *, title: str | None = None, words: int = 10, documents: int = 5, corpus: Any = None
) -> str:
    """Return the report on a model as a self-contained HTML page.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    title : str or None, default None
        Heading of the page; None for the class and the number of topics of the model.
    words : int, default 10
        Number of words per topic.
    documents : int, default 5
        Number of typical documents per topic.
    corpus : Corpus, optional
        The corpus of the fit. With it, the report has pages of documents with their links, the coherence of the
        topics, and how well labels and links of its other documents are predicted.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "money loan bank"] * 5)
    >>> page = render_report(LDA(n_topics=2, random_state=0, verbose=False).fit(corpus), title="Rivers & loans")
    >>> "<h1>Rivers &amp; loans</h1>" in page
    True
    """
    check_can_render()
    section = make_section(model, title, corpus=corpus, words=words, documents=documents)
    return render_sections([section], section.title)


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    words: int = 10,
    documents: int = 5,
    corpus: Any = None,
    overwrite: bool = False,
) -> Path:
    """Write the report on a model to an HTML file.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    path : str or path
        File to write, such as "report.html".
    title : str or None, default None
        Heading of the page; None for the class and the number of topics of the model.
    words : int, default 10
        Number of words per topic.
    documents : int, default 5
        Number of typical documents per topic.
    corpus : Corpus, optional
        The corpus of the fit, as in `render_report`.
    overwrite : bool, default False
        Replace an existing file, atomically. False: an existing file is an error.

    Returns
    -------
    Path
        The path.

    Examples
    --------
    >>> import tempfile
    >>> import plait
    >>> model = plait.LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(model, f"{folder}/report.html", title="Rivers and banks")
    ...     "Rivers and banks" in path.read_text(encoding="utf-8")
    True
    """
    if Path(path).is_file() and not overwrite:
        raise PlaitError(f"{path} exists already; give overwrite=True to replace it, or another name")
    page = render_report(model, title=title, words=words, documents=documents, corpus=corpus).encode()
    replace_file(Path(path), lambda file: file.write(page), example="report.html")
    return Path(path)


def render_sections(sections: Sequence[Section], title: str, *, about: str = "", made_by: str = "report") -> str:
    """Return an HTML page with one section per model.

    Parameters
    ----------
    sections : sequence of Section
        Summaries of the models.
    title : str
        Heading of the page.
    about : str, default ""
        Sentence below the heading.
    made_by : str, default "report"
        Program that writes the page; `is_made_by` checks it.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from plait import LDA
    >>> from plait.report import summarise
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> page = render_sections([Section("A", summarise(model)), Section("B", summarise(model))], "Two models")
    >>> page.count("<h2>")
    2
    """
    check_can_render()
    environment = _environment()
    style = figure_style() + "\n" + _source(environment, "page.css")
    script = "\n".join([figure_script(), _source(environment, "page.js")])
    return environment.get_template("page.html").render(
        sections=sections,
        title=title,
        about=about,
        made_by=_MADE_BY.format(made_by),
        version=__version__,
        style=style,
        script=script,
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def is_made_by(path: Path, made_by: str) -> bool:
    """Return whether a file is a page that was rendered with this `made_by`.

    Parameters
    ----------
    path : Path
        An existing file.
    made_by : str
        Program that wrote the page.

    Returns
    -------
    bool
        Whether the page has this mark.
    """
    with path.open("rb") as file:
        return _MADE_BY.format(made_by).encode() in file.read(_MADE_BY_WITHIN)


def check_can_render() -> None:
    """Raise an error that says what to install if Jinja2 is missing."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise PlaitError(_INSTALL) from error


@cache
def _environment() -> Environment:
    """Return the Jinja2 environment of the templates, which are compiled once per process."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("plait.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "printable": text.printable,
        "percent": text.format_percent,
        "number": text.format_number,
        "signed": text.format_signed,
        "counted": counted,
        "svg": _svg,
        "height": _height,
        "words_json": _words_json,
        "colour_class": class_of,
    }
    environment.globals |= {"polylines": curves.polylines, "make_link": _make_link}
    return environment


def _make_link(prefix: str, topics: Sequence[int], pages: Sequence[int]) -> Link:
    """Return a function from the key of a mark to its address on the page."""
    known = {f"topic{topic}" for topic in topics} | {f"document{row}" for row in pages}
    return lambda key: f"#{prefix}-{key}" if key in known else None


def _svg(figure: Figure | Panels, width: float, link: Link, *, twin: bool = False) -> Markup:
    """Return a drawing for a page; its texts are escaped by the renderer.

    A twin is a second drawing for narrow screens. Its texts for the pointer are those of the first drawing, in the same
    order, so they are left empty, and the script of the page fills them in. Links keep theirs: they are their names.
    """
    from markupsafe import Markup

    drawn = figure.to_svg(width=width, standalone=False, link=link)
    return Markup(_POINTER_TEXT.sub(lambda found: found[1] or "<title/>", drawn) if twin else drawn)


def _height(figure: Figure | Panels) -> float:
    """Return the height of a figure with one row per entry, 0 for others."""
    if isinstance(figure, Panels) or figure.row_height is None:
        return 0.0
    low, high = axis_ranges(figure)[1]
    return figure.row_height * abs(high - low)


def _words_json(pool: Sequence[tuple[str, float, float]]) -> str:
    """Return words and their probabilities as JSON, which the template escapes."""
    return json.dumps([[text.printable(word), *numbers] for word, *numbers in pool], separators=(",", ":"))


def _source(environment: Environment, name: str) -> str:
    """Return the content of a template file without rendering it."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0].strip()


def _digest(content: str) -> str:
    """Return the SHA-256 digest for the page's Content-Security-Policy, which allows this style or script only."""
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
