"""Excerpts: the first characters of a text, so that people recognise a document."""

from __future__ import annotations

from plait.corpus.text.cleaning import remove_mail_noise

LONGEST_EXCERPT = 200  # characters
_READ = (2 * LONGEST_EXCERPT, 10 * LONGEST_EXCERPT)  # characters to collapse: few, and more if they are mostly blank
_MAIL = 20_000  # characters in which mail headers are looked for


def make_excerpt(text: str, title: str = "", *, mail: bool = False) -> str:
    r"""Return the first 200 characters of a text, cut between words, with white space collapsed.

    Parameters
    ----------
    text : str
        A text of any length.
    title : str, default ""
        Title of the document. With `mail`, a subject that repeats it is left out.
    mail : bool, default False
        Whether mail headers and lines that name the author of a quotation are left out, as they are for words.

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
    >>> make_excerpt("From: a@b.c\nSubject: Mars\nLines: 1\n\nIs it red?", "Mars", mail=True)
    'Is it red?'
    """
    text = text.lstrip()
    if mail:
        start = remove_mail_noise(text[:_MAIL]).lstrip()
        without_title = start.removeprefix(title).lstrip() if start != text[:_MAIL] else start
        text = without_title or text
    for length in _READ:
        start = " ".join(text[:length].split())
        if len(start) > LONGEST_EXCERPT:
            break
        if len(text) <= length:
            return start
    start = start[: LONGEST_EXCERPT - 1]
    space = start.rfind(" ")
    return (start[:space] if space > LONGEST_EXCERPT // 2 else start) + "…"
