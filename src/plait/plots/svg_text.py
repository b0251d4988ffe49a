"""Texts of an SVG: escaped, measured, wrapped and cut; numbers with few digits."""

from __future__ import annotations

import html
import unicodedata

from plait._utils.text import cut, printable

_NARROW, _USUAL, _WIDE = frozenset("iljtfr.,;:'|!()[] "), frozenset("abcdeghknopqsuvxyz0123456789-–"), 1.0


def escape(text: str) -> str:
    r"""Return a text for SVG or HTML, without control characters.

    Examples
    --------
    >>> escape('<b> & "x"\x00')
    '&lt;b&gt; &amp; &quot;x&quot;\\x00'
    """
    return html.escape(printable(text, keep="\n"), quote=True)


def number(value: float) -> str:
    """Return a coordinate with at most one decimal.

    Examples
    --------
    >>> number(3.0), number(2.25), number(-0.01)
    ('3', '2.2', '0')
    """
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def text_width(text: str, size: float = 12) -> float:
    """Return the approximate width of a text in pixels.

    Parameters
    ----------
    text : str
        A text.
    size : float, default 12
        Size of the font in pixels.

    Returns
    -------
    float
        Width.
    """
    widths = (
        0.36 if one in _NARROW else 0.6 if one in _USUAL else _width(one)  # shares of the size, of common fonts
        for one in text
    )
    return size * sum(widths)


def _width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return 0.0 if unicodedata.combining(character) else 0.92 if character in "mwMW@%" else 0.7


def fit(text: str, room: float, size: float = 12) -> str:
    """Return a text cut so that it fits into some pixels.

    Parameters
    ----------
    text : str
        A text.
    room : float
        Pixels.
    size : float, default 12
        Size of the font in pixels.

    Returns
    -------
    str
        The text, or its start and "…".
    """
    if text_width(text, size) <= room:
        return text
    length = len(text)
    while length > 1 and text_width(text[:length], size) > room - size:
        length -= 1
    return cut(text, length)


def wrap(text: str, room: float, size: float = 12) -> list[str]:
    """Return a text in lines that fit into some pixels.

    Parameters
    ----------
    text : str
        A text.
    room : float
        Pixels.
    size : float, default 12
        Size of the font in pixels.

    Returns
    -------
    list of str
        At most three lines; the last one is cut.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > 3:
        lines = [*lines[:2], " ".join(lines[2:])]
    return [fit(line, room, size) for line in lines]


def format_tick(value: float, step: float, percent: bool) -> str:
    """Return a number as it stands at a tick.

    Parameters
    ----------
    value : float
        The number.
    step : float
        Distance between two ticks.
    percent : bool
        Whether it is a share.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> format_tick(0.15, 0.05, True), format_tick(2000.0, 500.0, False), format_tick(-0.5, 0.5, False)
    ('15%', '2,000', '−0.5')
    """
    if percent:
        value, step = 100 * value, 100 * step
    decimals = next((places for places in range(5) if abs(step * 10**places - round(step * 10**places)) < 1e-6), 5)
    text = f"{value + 0.0:,.{decimals}f}".replace("-", "−")
    return text + "%" * percent
