"""Excerpts: the first characters of a text, so that people recognise a document."""

from __future__ import annotations

LONGEST_EXCERPT = 200  # characters
_READ = (2 * LONGEST_EXCERPT, 10 * LONGEST_EXCERPT)  # characters to collapse: few, and more if they are mostly blank


def make_excerpt(text: str) -> str:
    r"""Return the first 200 characters of a text, cut between words, with white space collapsed.

    Parameters
    ----------
    text : str
        A text of any length.

    Returns
    -------
    str
        At most 200 characters; a cut text ends with "…".

    Examples
    --------
    >>> make_excerpt("  The red\n\n fox ")
    'The red fox'
    >>> make_excerpt("fox " * 100)[-5:], len(make_excerpt("x" * 1000))
    (' fox…', 200)
    """
    text = text.lstrip()
    for length in _READ:
        start = " ".join(text[:length].split())
        if len(start) > LONGEST_EXCERPT:
            break
        if len(text) <= length:
            return start
    start = start[: LONGEST_EXCERPT - 1]
    space = start.rfind(" ")
    return (start[:space] if space > LONGEST_EXCERPT // 2 else start) + "…"
