"""Drawings as file content: HTML by Plotly, PNG and SVG by Matplotlib, chosen by the file name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from plait.errors import PlaitError


def check_drawing_name(path: Path) -> str:
    """Return the suffix of a file for a drawing; raise an error if it is not supported.

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
        raise PlaitError(f"{path} must end in .html, .png or .svg; the ending selects the format of the drawing")
    return suffix


def draw_as(path: Path, html: Callable[[], bytes], picture: Callable[[str], bytes]) -> bytes:
    """Return a drawing in the format that a file name asks for; nothing is written.

    Parameters
    ----------
    path : Path
        File that the drawing is for.
    html : callable
        Returns a web page drawn with Plotly.
    picture : callable
        Returns a picture drawn with Matplotlib, given its format, "png" or "svg".

    Returns
    -------
    bytes
        Content of the file.
    """
    suffix = check_drawing_name(path)
    try:
        return html() if suffix == ".html" else picture(suffix[1:])
    except ImportError as error:
        library = "Plotly" if suffix == ".html" else "Matplotlib"
        raise PlaitError(f"drawing {path} needs {library}: pip install plait[plots]") from error
