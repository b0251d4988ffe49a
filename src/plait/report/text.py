"""Texts and numbers formatted for a report."""

from __future__ import annotations

import unicodedata

_MAX_CHARACTERS = 300  # of a text that comes from the user


def printable(text: str) -> str:
    r"""Return a text with control characters and lone surrogates escaped, shortened to 300 characters.

    All other characters, of any script, are kept. HTML is escaped by the templates.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Text for a page.

    Examples
    --------
    >>> printable("a\x00b"), printable("x" * 301)[-15:]
    ('a\\x00b', 'x… (301 in all)')
    """
    short = text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}… ({len(text):,} in all)"
    if short.isprintable():
        return short
    return "".join(
        one.encode("unicode_escape").decode("ascii") if unicodedata.category(one) in ("Cc", "Cs") else one
        for one in short
    )


def format_percent(share: float) -> str:
    """Return a share as a percentage.

    Parameters
    ----------
    share : float
        Number from 0 to 1.

    Returns
    -------
    str
        Percentage.

    Examples
    --------
    >>> format_percent(0.1234), format_percent(0.0001)
    ('12.3%', '< 0.1%')
    """
    return "< 0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def format_number(value: float) -> str:
    """Return a number with a readable number of digits.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str
        Formatted number.

    Examples
    --------
    >>> format_number(1234), format_number(1234.56), format_number(-2.5), format_number(0.0123)
    ('1,234', '1,234.6', '−2.5', '0.0123')
    """
    form = ",.0f" if value == int(value) else ",.1f" if abs(value) >= 100 else ".3g"
    return format(value, form).replace("-", "−")


def format_signed(value: float) -> str:
    """Return a number with its sign and two decimals.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str
        Formatted number.

    Examples
    --------
    >>> format_signed(0.5), format_signed(-12.345)
    ('+0.50', '−12.35')
    """
    return f"{value:+.2f}".replace("-", "−")
