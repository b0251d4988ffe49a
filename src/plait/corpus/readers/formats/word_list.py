"""A vocabulary file: one word per line, in the order of the columns."""

from __future__ import annotations

from pathlib import Path

from plait.corpus.problems import WRONG_ENCODING, CorpusError
from plait.corpus.readers.streams import read_lines
from plait.corpus.values import shown


def read_word_list(path: Path, encoding: str) -> list[str]:
    """Return the words of a vocabulary file; duplicate and blank words raise an error.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.

    Returns
    -------
    list of str
        The words.
    """
    line_of: dict[str, int] = {}
    blank = 0
    for line in read_lines(path, encoding):
        place = f"{path.name}, line {line.number}"
        if line.error is not None:
            raise CorpusError(
                f"{place}: {line.error}; re-encode it or give encoding=",
                kind=WRONG_ENCODING,
                place=place,
                parameter="encoding",
            )
        word = line.text.rstrip("\r\n")
        if not word.strip():
            blank = blank or line.number
            continue
        if blank:
            # Blank lines may end the file; before a word they would shift the later columns.
            raise CorpusError(f"{path.name}, line {blank}: the line is blank; remove it", place=place)
        if word in line_of:
            raise CorpusError(
                f"{place}: the word {shown(word)} is in line {line_of[word]} too; remove one",
                kind="duplicate word",
                place=place,
            )
        line_of[word] = line.number
    return list(line_of)
