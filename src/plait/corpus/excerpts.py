"""Excerpts: the first characters of a text, so that people recognise a document."""

from __future__ import annotations

LONGEST_EXCERPT = 200  # characters
_READ = 10 * LONGEST_EXCERPT  # characters, among which white space is collapsed


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
    start = " ".join(text[:_READ].split())
    if len(start) <= LONGEST_EXCERPT and len(text) <= _READ:
        return start
    start = start[: LONGEST_EXCERPT - 1]
    space = start.rfind(" ")
    return (start[:space] if space > LONGEST_EXCERPT // 2 else start) + "…"
