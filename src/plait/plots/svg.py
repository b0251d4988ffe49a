"""Figures as SVG: the static form, for reports, files and notebooks without Plotly. It needs no other package.

`frame.py` places axes, ticks and legends, `svg_marks.py` draws marks. All texts are escaped here and there by `escape`.
Colours are classes, so that a page can show them on dark paper; nothing has a `style` attribute, which a strict
Content-Security-Policy forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from plait.plots import colours
from plait.plots.figure import Figure, Link
from plait.plots.frame import Frame, draw_frame, make_frame
from plait.plots.svg_marks import draw_mark, draw_names
from plait.plots.svg_text import escape, number, wrap

_GAP = 18.0  # pixels between panels
_LEAST_PANEL = 250.0  # pixels
_TITLE_LINE, _PANEL_LINE = 21.0, 16.0


def draw_svg(
    figures: Sequence[Figure], title: str, columns: int, *, width: float, standalone: bool, link: Link | None
) -> str:
    """Return figures as one SVG.

    Parameters
    ----------
    figures : sequence of Figure
        The figures, row by row.
    title : str
        Title of all.
    columns : int
        Figures per row, where there is room for them.
    width : float
        Width in pixels.
    standalone : bool
        Whether to include title, note, background and style.
    link : callable or None
        Returns the address for a key.

    Returns
    -------
    str
        SVG.
    """
    title_lines = wrap(title, width - 20, 16) if standalone else []
    note_lines = wrap(figures[0].note, width - 20) if standalone and len(figures) == 1 else []
    notes_top = len(title_lines) * _TITLE_LINE + (6 if title_lines else 0)
    top = notes_top + len(note_lines) * _PANEL_LINE + (4 if note_lines else 0)
    columns = max(1, min(columns, len(figures), int(width // _LEAST_PANEL)))
    panel_width = (width - _GAP * (columns - 1)) / columns
    parts: list[str] = []
    for start in range(0, len(figures), columns):
        row = [_panel(figure, panel_width, len(figures) > 1, link) for figure in figures[start : start + columns]]
        for place, (content, _) in enumerate(row):
            parts.append(
                f'<g transform="translate({number(place * (panel_width + _GAP))} {number(top)})">{content}</g>'
            )
        top += max(height for _, height in row) + _GAP
    height = top - _GAP
    head = []
    if standalone:
        head += [f"<style>{figure_style(scope='.plot')}</style>", '<rect class="sheet" width="100%" height="100%"/>']
        for line, text in enumerate(title_lines):
            head.append(f'<text class="title" x="10" y="{number(20 + line * _TITLE_LINE)}">{escape(text)}</text>')
        for line, text in enumerate(note_lines):
            at = number(notes_top + 10 + line * _PANEL_LINE)
            head.append(f'<text class="axis-label" x="10" y="{at}">{escape(text)}</text>')
    name = ". ".join(filter(None, [title, *(figure.note for figure in figures[:1])]))
    role = "group" if link is not None and any("<a " in part for part in parts) else "img"
    name_space = 'xmlns="http://www.w3.org/2000/svg" ' if standalone else ""  # HTML needs none
    size = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    return (
        f'<svg {name_space}class="plot" {size} role="{role}" aria-label="{escape(name)}">{"".join(head + parts)}</svg>'
    )


def figure_style(*, scope: str = ":root") -> str:
    """Return the style of figures, for pages that contain `Figure.to_svg(standalone=False)`.

    Parameters
    ----------
    scope : str, default ":root"
        Selector that gets the colours. ":root" is for pages, with dark colours where the reader prefers them.

    Returns
    -------
    str
        CSS.

    Examples
    --------
    >>> figure_style(scope=".plot").startswith(".plot{--c0:#")
    True
    """
    source = resources.files("plait.plots").joinpath("static", "figures.css").read_text(encoding="utf-8")
    return colours.style_rules(scope) + "\n" + source.strip()


def figure_script() -> str:
    """Return the script of figures: texts of marks are shown beside the pointer, and arrow keys move between marks.

    Returns
    -------
    str
        JavaScript. Pages work without it, with the browser's own tooltips.

    Examples
    --------
    >>> "plotTip" in figure_script(), "</script" in figure_script()
    (True, False)
    """
    return resources.files("plait.plots").joinpath("static", "figures.js").read_text(encoding="utf-8").strip()


def _panel(figure: Figure, width: float, titled: bool, link: Link | None) -> tuple[str, float]:
    """Return one figure and its height."""
    lines = [part for line in figure.title.split("\n") for part in wrap(line, width, 12)][:3] if titled else []
    frame: Frame = make_frame(figure, width, len(lines) * _PANEL_LINE)
    parts = [
        f'<text class="panel-title" x="0" y="{number(12 + at * _PANEL_LINE)}">{escape(text)}</text>'
        for at, text in enumerate(lines)
    ]
    parts += draw_frame(frame)
    for mark in figure.marks:
        parts += draw_mark(mark, frame, link)
    parts += draw_names(figure.marks, frame)
    return "".join(parts), frame.height
