"""Figures as files: SVG of our own, HTML by Plotly, PNG by Matplotlib, chosen by the file name."""

from __future__ import annotations

from pathlib import Path

from plait._utils.atomic import replace_file
from plait._utils.wording import how_to_install
from plait.errors import PlaitError
from plait.plots.figure import Figure, Panels

_LIBRARIES = {".html": "Plotly", ".png": "Matplotlib"}


def check_figure_name(path: Path) -> str:
    """Return the suffix of a file for a figure; raise an error if it is not supported.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        ".html", ".png" or ".svg".
    """
    suffix = path.suffix.lower()
    if suffix not in (".html", ".png", ".svg"):
        raise PlaitError(f"{path} must end in .html, .png or .svg; the ending selects the format of the figure")
    return suffix


def figure_content(figure: Figure | Panels, path: Path) -> bytes:
    """Return a figure as the content of a file; nothing is written.

    Parameters
    ----------
    figure : Figure or Panels
        The figure.
    path : Path
        File that the figure is for.

    Returns
    -------
    bytes
        Content of the file.
    """
    suffix = check_figure_name(path)
    if suffix == ".svg":
        return figure.to_svg().encode()
    try:
        if suffix == ".html":
            page: str = figure.to_plotly().to_html(include_plotlyjs=True)
            return page.encode()
        from plait.plots.png import draw_png

        figures, columns = (figure.figures, figure.columns) if isinstance(figure, Panels) else ((figure,), 1)
        return draw_png(figures, figure.title, columns, figure.note)
    except ImportError as error:
        raise PlaitError(f"drawing {path} needs {_LIBRARIES[suffix]}: {how_to_install('plots')}") from error


def save_figure(figure: Figure | Panels, path: Path, overwrite: bool) -> Path:
    """Write a figure to a file; see `Figure.save`."""
    if path.is_file() and not overwrite:
        raise PlaitError(f"{path} exists already; give overwrite=True to replace it, or another name")
    content = figure_content(figure, path)
    replace_file(path, lambda file: file.write(content), example="figure.svg")
    return path
