"""Draw one small picture per model: docs/images/model-NAME.svg. Colours are legible on light and dark pages.

python docs/images/models.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_FOLDER = Path(__file__).parent
_BLUE, _ORANGE, _GREEN, _GREY = "#2d8fd5", "#e08a00", "#00a07a", "#85858f"
_TOPICS = (_BLUE, _ORANGE, _GREEN)


def _text(x: float, y: float, text: str, *, colour: str = _GREY, size: int = 14, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, colour: str, *, filled: bool = True) -> str:
    style = f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="2"'
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" {style}/>'


def _sheet(x: float, y: float, colours: Sequence[str]) -> str:
    """Return a document of 44 × 56: a page whose lines have the colours of their topics."""
    lines = [_box(x + 7, y + 8 + 9 * row, 30 if row % 3 else 24, 5, colour) for row, colour in enumerate(colours)]
    return _box(x, y, 44, 56, _GREY, filled=False) + "".join(lines)


def _lines(*numbers: int) -> list[str]:
    """Return five colours, so many of each topic."""
    return [_TOPICS[topic] for topic, number in enumerate(numbers) for _ in range(number)]


def _arrow(
    start: tuple[float, float], end: tuple[float, float], *, width: float = 2, colour: str = _GREY, dashed: bool = False
) -> str:
    (x1, y1), (x2, y2) = start, end
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    head = 5 + width
    bx, by = x2 - head * dx, y2 - head * dy
    points = f"{x2},{y2} {bx - dy * head / 2},{by + dx * head / 2} {bx + dy * head / 2},{by - dx * head / 2}"
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    line = f'<line x1="{x1}" y1="{y1}" x2="{bx}" y2="{by}" stroke="{colour}" stroke-width="{width}"{dash}/>'
    return line + f'<polygon points="{points}" fill="{colour}"/>'


def _topic(x: float, y: float, colour: str, words: str) -> str:
    return _box(x, y, 12, 12, colour) + _text(x + 18, y + 11, words, anchor="start", size=13)


def _lda() -> str:
    sheets = _sheet(20, 20, _lines(4, 1, 0)) + _sheet(72, 20, _lines(0, 3, 2)) + _sheet(46, 92, _lines(1, 0, 4))
    topics = ("river, boat, rain", "loan, bank, debt", "song, opera, choir")
    listed = "".join(
        _topic(156, 48 + 34 * row, colour, words)
        for row, (colour, words) in enumerate(zip(_TOPICS, topics, strict=True))
    )
    return sheets + _arrow((122, 84), (148, 84)) + listed


def _medlda() -> str:
    left = _sheet(24, 8, _lines(5, 0, 0)) + _sheet(76, 48, _lines(4, 0, 1)) + _sheet(24, 86, _lines(3, 0, 2))
    right = _sheet(252, 8, _lines(0, 5, 0)) + _sheet(200, 48, _lines(0, 4, 1)) + _sheet(252, 86, _lines(0, 3, 2))
    margin = "".join(
        f'<line x1="{x}" y1="12" x2="{x}" y2="150" stroke="{_GREY}" stroke-width="{width}" stroke-dasharray="{dash}"/>'
        for x, width, dash in ((160, 3, "none"), (140, 1.5, "4 4"), (180, 1.5, "4 4"))
    )
    return left + right + margin + _text(72, 170, "billing", colour=_BLUE) + _text(248, 170, "delivery", colour=_ORANGE)


def _slda() -> str:
    axis = f'<line x1="30" y1="130" x2="295" y2="130" stroke="{_GREY}" stroke-width="2"/>'
    marks = "".join(_text(50 + 55 * star, 156, "★" * (star + 1), size=11) for star in range(5))
    sheets = _sheet(30, 62, _lines(0, 5, 0)) + _sheet(140, 62, _lines(2, 3, 0)) + _sheet(245, 62, _lines(5, 0, 0))
    return axis + marks + sheets + _text(160, 36, "topics → a number")


def _relational() -> str:
    sheets = _sheet(20, 20, _lines(4, 1, 0)) + _sheet(20, 108, _lines(4, 0, 1)) + _sheet(256, 40, _lines(5, 0, 0))
    sheets += _sheet(160, 120, _lines(0, 1, 4))
    links = _arrow((66, 48), (250, 62)) + _arrow((66, 142), (154, 148))
    return (
        sheets
        + links
        + _arrow((66, 120), (250, 82), dashed=True, colour=_BLUE)
        + _text(150, 92, "?", colour=_BLUE, size=22)
    )


def _linked() -> str:
    sources = _sheet(24, 14, _lines(5, 0, 0)) + _sheet(24, 78, _lines(0, 5, 0)) + _sheet(138, 118, _lines(0, 0, 5))
    paper = _sheet(250, 46, [_BLUE, _BLUE, _BLUE, _ORANGE, _GREEN])
    arrows = _arrow((70, 42), (244, 66), width=8, colour=_BLUE) + _arrow((70, 104), (244, 84), width=3, colour=_ORANGE)
    arrows += _arrow((184, 138), (244, 98), width=3, colour=_GREEN)
    shares = _text(150, 40, "60 %", colour=_BLUE) + _text(108, 88, "20 %", colour=_ORANGE)
    return sources + paper + arrows + shares + _text(228, 138, "20 %", colour=_GREEN)


def _online() -> str:
    slices = (("Mon", 60, 40, 0), ("Tue", 55, 45, 0), ("Wed", 45, 30, 25), ("Thu", 35, 10, 55))
    drawn = ""
    for column, (name, *shares) in enumerate(slices):
        x, y = 40 + 66 * column, 22.0
        for share, colour in zip(shares, _TOPICS, strict=True):
            drawn += _box(x, y, 40, 1.2 * share, colour) if share else ""
            y += 1.2 * share
        drawn += _text(x + 20, 164, name)
    return drawn + _text(192, 14, "new", colour=_GREEN)


def _combined() -> str:
    sheet = _sheet(138, 62, _lines(2, 2, 1))
    parts = (((60, 40), (132, 74), "labels"), ((60, 148), (132, 108), "links"))
    drawn = "".join(_arrow(end, (x + 30, y), colour=_GREY) + _text(x, y + 5, name) for (x, y), end, name in parts)
    drawn += (
        _arrow((188, 74), (232, 40))
        + _text(264, 40, "numbers")
        + _arrow((188, 108), (232, 146))
        + _text(266, 158, "influence")
    )
    return sheet + drawn + _text(160, 44, "words")


def _graph() -> str:
    nodes = (
        (60, 50, _BLUE),
        (60, 134, _BLUE),
        (132, 92, ""),
        (212, 92, _ORANGE),
        (272, 44, _ORANGE),
        (272, 140, _ORANGE),
    )
    edges = ((60, 50, 60, 134), (60, 50, 117, 83), (60, 134, 117, 101), (149, 92, 212, 92))
    edges += ((212, 92, 272, 44), (212, 92, 272, 140), (272, 44, 272, 140))
    drawn = "".join(
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{_GREY}" stroke-width="2"/>' for x1, y1, x2, y2 in edges
    )
    for x, y, colour in nodes:
        style = f'fill="{colour}"' if colour else f'fill="none" stroke="{_BLUE}" stroke-width="3"'
        drawn += f'<circle cx="{x}" cy="{y}" r="17" {style}/>'
    return drawn + _text(132, 99, "?", colour=_BLUE, size=20)


PICTURES = {
    "lda": (_lda, "Documents are mixtures of topics; topics are lists of words"),
    "medlda": (_medlda, "Documents with two labels on both sides of a margin"),
    "slda": (_slda, "Documents along an axis of ratings from one to five stars"),
    "relational": (_relational, "Documents with links, and a suggested link marked with a question mark"),
    "linked": (_linked, "A document whose lines come from three documents that it cites, 60, 20 and 20 percent"),
    "online": (_online, "Shares of topics on four days; a new topic appears on the third"),
    "combined": (_combined, "One document with words, labels, links, numbers and influence"),
    "graph": (_graph, "A network of documents with known classes and one unknown class"),
}


def draw(name: str) -> str:
    """Return the picture of a model as SVG.

    Parameters
    ----------
    name : str
        A key of `PICTURES`.

    Returns
    -------
    str
        The SVG document.
    """
    make, title = PICTURES[name]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" width="480" height="270" role="img" '
        f'font-family="system-ui, sans-serif" font-weight="600"><title>{escape(title)}</title>{make()}</svg>\n'
    )


if __name__ == "__main__":
    for name in PICTURES:
        (_FOLDER / f"model-{name}.svg").write_text(draw(name), encoding="utf-8")
