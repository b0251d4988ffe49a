"""Short texts for messages: numbers of things, lists of names, and text of others made safe to print."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "link"), counted(1200, "document")
    ('1 link', '1,200 documents')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def join_names(names: Iterable[str], most: int = 10) -> str:
    """Return names separated by commas, and the number of further names.

    Parameters
    ----------
    names : iterable of str
        The names.
    most : int, default 10
        How many to show.

    Returns
    -------
    str
        The list.

    Examples
    --------
    >>> join_names(["red", "green", "blue"], most=2)
    'red, green and 1 more'
    """
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def printable(text: str, most: int = 80) -> str:
    r"""Return a text with control characters and other characters that do not print escaped, and shortened.

    Text from a file must not control the terminal that a message is printed on, nor fill it.

    Parameters
    ----------
    text : str
        Any text.
    most : int, default 80
        Number of characters to keep.

    Returns
    -------
    str
        The text on one line.

    Examples
    --------
    >>> printable("a\x1b[31mb"), printable("word" * 99, most=6)
    ('a\\x1b[31mb', 'wordwo…')
    """
    short = text if len(text) <= most else text[:most] + "…"
    if short.isprintable():
        return short
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in short)
