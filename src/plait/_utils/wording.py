"""Counts and lists of names, formatted for messages."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, what: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    Parameters
    ----------
    number : int
        The number.
    what : str
        The noun in the singular.

    Returns
    -------
    str
        The formatted count.

    Examples
    --------
    >>> counted(1, "link"), counted(1200, "document")
    ('1 link', '1,200 documents')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def join_names(names: Iterable[str], limit: int = 10) -> str:
    """Return names joined by commas; names beyond the limit are only counted.

    Parameters
    ----------
    names : iterable of str
        The names.
    limit : int, default 10
        Number of names to write out.

    Returns
    -------
    str
        The joined names.

    Examples
    --------
    >>> join_names(["red", "green", "blue"], limit=2)
    'red, green and 1 more'
    """
    listed = list(names)
    more = f" and {len(listed) - limit:,} more" if len(listed) > limit else ""
    return ", ".join(listed[:limit]) + more
