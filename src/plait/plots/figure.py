"""Figures as plain data: axes and marks. `svg.py`, `plotly.py` and `png.py` render them; nothing here draws.

A colour is a number of `colours.CATEGORIES`, `MUTED` (grey), `OPEN` (paper) or `INK` (text). Renderers escape texts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import plotly.graph_objects

MUTED, OPEN, INK = -1, -2, -3
Numbers = tuple[float, ...]
Link = Callable[[str], str | None]


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes
    ----------
    label : str
        What is on the axis.
    low, high : float or None
        Ends of the axis; None to fit the marks.
    ticks : tuple of (float, str), optional
        Positions and texts of the ticks; None for round numbers, () for none.
    percent, log, grid, thin : bool
        Whether numbers are percentages, the axis is logarithmic, ticks have lines, and ticks without room are left out.

    Examples
    --------
    >>> ">60%<" in Figure("Share", Axis("x"), Axis("y", 0, 1, percent=True), (Line((0, 1), (0, 1)),)).to_svg()
    True
    """

    label: str
    low: float | None = None
    high: float | None = None
    ticks: tuple[tuple[float, str], ...] | None = None
    percent: bool = False
    log: bool = False
    grid: bool = True
    thin: bool = False


@dataclass(frozen=True)
class Points:
    """Circles.

    Attributes
    ----------
    x, y : tuple of float
        Centres.
    size : tuple of float
        Radii in pixels of a figure 900 pixels wide.
    colour : tuple of int
        Colours.
    hover : tuple of str
        Texts shown when the pointer is on a point; lines are separated by line ends.
    text : tuple of str
        Texts beside the points, as far as there is room; earlier ones first. () for none.
    inner : tuple of str
        Texts in the points, as far as they fit. () for none.
    keys : tuple of str
        What the points stand for, such as "topic3" or "document17"; renderers make links of them. () for nothing.
    ringed : tuple of bool
        Whether a point has a ring around it. () for none.
    """

    x: Numbers
    y: Numbers
    size: Numbers
    colour: tuple[int, ...]
    hover: tuple[str, ...]
    text: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    ringed: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Line:
    """A line through points; a y that is not a number is a gap.

    Attributes
    ----------
    x, y : tuple of float
        Points.
    colour : int
        Colour.
    name : str
        Name of the line, written at its end; "" for none.
    hover : tuple of str
        A text per point; () for none.
    dashed, markers, thin : bool
        Whether the line is dashed, its points are marked, and it is thin.
    errors : tuple of float
        Half lengths of error bars; () for none.
    key : str
        What the line stands for; "" for nothing.
    """

    x: Numbers
    y: Numbers
    colour: int = 0
    name: str = ""
    hover: tuple[str, ...] = ()
    dashed: bool = False
    markers: bool = False
    errors: Numbers = ()
    thin: bool = False
    key: str = ""


@dataclass(frozen=True)
class Bars:
    """Bars of a common width around positions on one axis.

    Attributes
    ----------
    at : tuple of float
        Positions.
    values : tuple of float
        Ends of the bars.
    colour : tuple of int
        Colours.
    hover : tuple of str
        A text per bar; () for none.
    horizontal : bool
        Whether bars lie.
    base : tuple of float
        Beginnings of the bars; () for 0.
    text : tuple of str
        Texts at the ends of the bars; () for none.
    keys : tuple of str
        As of `Points`.
    width : float
        Share of the distance between two bars.
    """

    at: Numbers
    values: Numbers
    colour: tuple[int, ...]
    hover: tuple[str, ...] = ()
    horizontal: bool = True
    base: Numbers = ()
    text: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    width: float = 0.8


@dataclass(frozen=True)
class Area:
    """An area between two curves over the same x.

    Attributes
    ----------
    x, low, high : tuple of float
        The curves.
    colour : int
        Colour.
    name : str
        Name, written where the area is highest, if it fits.
    hover : tuple of str
        A text per x; () for none.
    key : str
        What the area stands for; "" for nothing.
    """

    x: Numbers
    low: Numbers
    high: Numbers
    colour: int = 0
    name: str = ""
    hover: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True)
class Cells:
    """A heat map: row r from the top is at y = r, column c at x = c.

    Attributes
    ----------
    values : tuple of tuple of float
        One tuple per row; NaN is an empty cell.
    hover : tuple of tuple of str
        Texts of the cells.
    scale : {"diverging", "sequential"}
        Colours: from negative to positive around 0, or from 0 to the maximum.
    limit : float
        Value of the last colour.
    name : str
        What the values are; the title of the colour scale.
    """

    values: tuple[Numbers, ...]
    hover: tuple[tuple[str, ...], ...]
    scale: Literal["diverging", "sequential"]
    limit: float
    name: str


@dataclass(frozen=True)
class Edges:
    """Straight lines between pairs of points, such as the links of a network.

    Attributes
    ----------
    x0, y0, x1, y1 : tuple of float
        Ends.
    width : tuple of float
        Widths in pixels.
    colour : tuple of int
        Colours.
    hover : tuple of str
        A text per edge; () for none.
    directed : bool
        Whether an arrow head is drawn at the second end.
    """

    x0: Numbers
    y0: Numbers
    x1: Numbers
    y1: Numbers
    width: Numbers
    colour: tuple[int, ...]
    hover: tuple[str, ...] = ()
    directed: bool = False


Mark = Points | Line | Bars | Area | Cells | Edges


@dataclass(frozen=True)
class Figure:
    """A figure: a title, two axes and marks.

    Attributes
    ----------
    title : str
        Title.
    x, y : Axis
        Axes.
    marks : tuple of Mark
        What is drawn, from the bottom up.
    note : str
        How to read the figure, in a sentence or two.
    legend : tuple of (str, int)
        Names of colours.
    aspect : float
        Height divided by width.
    square : bool
        Whether one unit has the same length on both axes.
    row_height : float or None
        For figures with one row per entry: height of a row in pixels, in place of `aspect`.

    Examples
    --------
    >>> figure = Figure("A point", Axis("x"), Axis("y"), (Points((1.0,), (2.0,), (5.0,), (0,), ("<here>",)),))
    >>> svg = figure.to_svg()
    >>> svg.startswith("<svg "), "&lt;here&gt;" in svg
    (True, True)
    """

    title: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    note: str = ""
    legend: tuple[tuple[str, int], ...] = ()
    aspect: float = 0.6
    square: bool = False
    row_height: float | None = None

    def to_svg(self, *, width: float = 900, standalone: bool = True, link: Link | None = None) -> str:
        """Return the figure as SVG.

        Parameters
        ----------
        width : float, default 900
            Width in pixels. The layout adapts to it; texts keep their size.
        standalone : bool, default True
            True: with title, note, background and style, for a file. False: without them, for a page that has
            `plots.figure_style()` and writes the title itself.
        link : callable, optional
            Returns the address for the key of a mark ("topic3", "document17"), or None.

        Returns
        -------
        str
            SVG; all texts are escaped.
        """
        from plait.plots.svg import draw_svg

        return draw_svg((self,), self.title, 1, width=width, standalone=standalone, link=link)

    def to_plotly(self) -> plotly.graph_objects.Figure:
        """Return the figure as a Plotly figure.

        Returns
        -------
        plotly.graph_objects.Figure
            It can be changed with all methods of Plotly.
        """
        from plait.plots.plotly import draw_plotly

        return draw_plotly((self,), self.title, 1)

    def save(self, path: str | Path, *, overwrite: bool = True) -> Path:
        """Write the figure to a file.

        Parameters
        ----------
        path : str or path
            File. Its ending selects the format: .svg, .html (Plotly, works offline) or .png (Matplotlib).
        overwrite : bool, default True
            Whether an existing file is replaced.

        Returns
        -------
        Path
            The path.
        """
        from plait.plots.files import save_figure

        return save_figure(self, Path(path), overwrite)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return _mime_bundle(self)


@dataclass(frozen=True)
class Panels:
    """Several figures beside and below each other.

    Attributes
    ----------
    title : str
        Title of all.
    figures : tuple of Figure
        The figures, row by row.
    columns : int
        Figures per row, where there is room for them.
    note : str
        How to read the figures.

    Examples
    --------
    >>> figure = Figure("A line", Axis("x"), Axis("y"), (Line((0, 1), (0, 1)),))
    >>> Panels("Twice", (figure, figure), columns=2).to_svg().count("A line")
    2
    """

    title: str
    figures: tuple[Figure, ...]
    columns: int = 1
    note: str = ""

    def to_svg(self, *, width: float = 900, standalone: bool = True, link: Link | None = None) -> str:
        """Return the figures as one SVG; the parameters are those of `Figure.to_svg`."""
        from plait.plots.svg import draw_svg

        return draw_svg(self.figures, self.title, self.columns, width=width, standalone=standalone, link=link)

    def to_plotly(self) -> plotly.graph_objects.Figure:
        """Return the figures as one Plotly figure."""
        from plait.plots.plotly import draw_plotly

        return draw_plotly(self.figures, self.title, self.columns)

    def save(self, path: str | Path, *, overwrite: bool = True) -> Path:
        """Write the figures to a file; the parameters are those of `Figure.save`."""
        from plait.plots.files import save_figure

        return save_figure(self, Path(path), overwrite)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return _mime_bundle(self)


def _mime_bundle(figure: Figure | Panels) -> dict[str, Any]:
    """Return what a notebook shows: Plotly where it is installed and known to the notebook, else SVG."""
    bundle: dict[str, Any] = {"text/plain": f"{type(figure).__name__}({figure.title!r})", "text/html": figure.to_svg()}
    with contextlib.suppress(ImportError):  # SVG needs nothing
        bundle["application/vnd.plotly.v1+json"] = figure.to_plotly().to_plotly_json()
    return bundle
