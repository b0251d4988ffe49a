"""Short texts for messages: numbers of things, lists of names, and texts from files."""

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


def printable(text: str) -> str:
    r"""Return a text with line ends, escapes, lone surrogates and other control characters written out.

    Words, ids and file names come from other people; a terminal must not interpret them.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Text that can be printed and encoded.

    Examples
    --------
    >>> printable("a\x1b[31mb"), printable("caf\udce9")
    ('a\\x1b[31mb', 'caf\\udce9')
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
