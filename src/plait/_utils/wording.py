"""Short texts for messages: numbers of things, lists of names, and texts from files."""

from __future__ import annotations

from collections.abc import Iterable

from plait._utils.text import MOST_CHARACTERS, printable


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "link"), counted(1200, "document")
    ('1 link', '1,200 documents')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def how_to_install(extra: str) -> str:
    """Return how to install the packages of an extra.

    Parameters
    ----------
    extra : str
        Such as "report".

    Returns
    -------
    str
        The command, for error messages.

    Examples
    --------
    >>> how_to_install("report")
    "pip install '.[report]' in a checkout of plait"
    """
    return f"pip install '.[{extra}]' in a checkout of plait"


def join_names(names: Iterable[str], most: int = 10) -> str:
    """Return names separated by commas, printable and of limited length, and the number of further names.

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
    return ", ".join(printable(str(name), MOST_CHARACTERS) for name in listed[:most]) + more
