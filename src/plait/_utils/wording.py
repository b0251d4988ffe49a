"""Numbers of things, as sentences for people say them."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "link"), counted(1200, "document")
    ('1 link', '1,200 documents')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"
