"""A file with a word a line: the columns of a corpus in their order."""

from __future__ import annotations

from pathlib import Path

from plait.corpus.problems import CorpusError
from plait.corpus.readers.streams import read_lines
from plait.corpus.values import shown


def read_word_list(path: Path, encoding: str) -> list[str]:
    """The words of a vocabulary file; all different, none blank."""
    line_of: dict[str, int] = {}
    blank = 0
    for line in read_lines(path, encoding):
        place = f"{path.name}, line {line.number}"
        if line.error is not None:
            raise CorpusError(
                f"{place}: {line.error}; re-encode it or give encoding=",
                kind="wrong encoding",
                place=place,
                parameter="encoding",
            )
        word = line.text.rstrip("\r\n")
        if not word.strip():
            blank = blank or line.number
            continue
        if blank:
            # Blank lines may end the file; before a word they would shift every later column.
            raise CorpusError(f"{path.name}, line {blank}: there is no word in this line; remove it", place=place)
        if word in line_of:
            raise CorpusError(
                f"{place}: the word {shown(word)} is in line {line_of[word]} too; remove one",
                kind="duplicate word",
                place=place,
            )
        line_of[word] = line.number
    return list(line_of)
