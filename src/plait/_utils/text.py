"""Texts from files as they are printed: nothing that a terminal interprets, and not endlessly long."""

from __future__ import annotations

import json
from typing import Any

MOST_CHARACTERS = 200


def printable(text: str, most: int | None = None, keep: str = "") -> str:
    r"""Return a text with line ends, escapes and other control characters written out.

    Words, labels, ids and file names come from files of other people; the terminal must not interpret them.

    Parameters
    ----------
    text : str
        A text.
    most : int, optional
        Number of characters after which the text is cut; None for never.
    keep : str, default ""
        Characters that are not written out, such as line ends of a table.

    Returns
    -------
    str
        The text without control characters.

    Examples
    --------
    >>> printable("a\x1b[31mb"), printable("x" * 1000, most=5)
    ('a\\x1b[31mb', 'xxxxx… (1,000 characters)')
    """
    if most is not None and len(text) > most:
        return f"{printable(text[:most], keep=keep)}… ({len(text):,} characters)"
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else _written_out(character) for character in text
    )


def short(text: str, most: int = 80) -> str:
    """Return a name from a file as it is printed in a message: `printable`, cut after some characters.

    Parameters
    ----------
    text : str
        A text.
    most : int, default 80
        Number of characters after which the text is cut.

    Returns
    -------
    str
        The text without control characters.

    Examples
    --------
    >>> short("word" * 99, most=6)
    'wordwo… (396 characters)'
    """
    return printable(text, most)


def cut(text: str, most: int) -> str:
    """Return a printable text of at most some characters; a cut text ends with "…".

    Parameters
    ----------
    text : str
        A text.
    most : int
        Number of characters.

    Returns
    -------
    str
        The text without control characters.

    Examples
    --------
    >>> cut("The red fox", 8), cut("fox", 8)
    ('The red…', 'fox')
    """
    text = printable(text[: most + 1])
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def one_line(text: str, most: int = 2000) -> str:
    r"""Return a message as one printable line; of a very long one, the start and the end.

    Parameters
    ----------
    text : str
        A message.
    most : int, default 2000
        Number of characters after which the middle is left out.

    Returns
    -------
    str
        The line.

    Examples
    --------
    >>> one_line("bad\n\x1b[2J label")
    'bad \\x1b[2J label'
    """
    line = printable(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most // 2]} … {line[-most // 2 :]}"


def printable_json(value: Any) -> str:
    r"""Return a value as JSON, without characters that a terminal interprets; a parser reads the same value.

    Parameters
    ----------
    value : object
        Value for `json.dumps`.

    Returns
    -------
    str
        Indented JSON.

    Examples
    --------
    >>> printable_json("\u202eé\x9b")
    '"\\u202eé\\u009b"'
    """
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return "".join(
        character if character == "\n" or character.isprintable() else json.dumps(character)[1:-1] for character in text
    )


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
