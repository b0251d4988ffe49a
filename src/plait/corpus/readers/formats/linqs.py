"""The LINQS format: NAME.content has one row of 0/1 words and a label per document, NAME.cites the links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plait.corpus.numbers import number_in
from plait.corpus.problems import WRONG_ENCODING, BadValueError, CorpusError, Problems
from plait.corpus.readers.records import LinkRecord, Record, Source
from plait.corpus.readers.streams import plain_name, read_lines
from plait.corpus.values import shown

_MOST_WORDS = 1_000_000  # rows are dense, so real files have some thousands


def linqs_files(path: Path) -> tuple[Path, Path | None]:
    """Return the file of documents and the file of links that belong together.

    Parameters
    ----------
    path : Path
        Either of the two files.

    Returns
    -------
    content : Path
        The file of documents.
    cites : Path or None
        The file of links, if there is one.
    """
    stem = plain_name(path).rsplit(".", 1)[0]
    beside = {plain_name(other): other for other in sorted(path.parent.iterdir())}
    content = beside.get(f"{stem}.content")
    if content is None:
        raise CorpusError(f"{path.name} needs its documents in {stem}.content in the same folder, {path.parent}")
    return content, beside.get(f"{stem}.cites")


class LinqsSource(Source):
    """Rows of an id, one number per word and a label, separated by tabs. The words are w0, w1, ….

    Parameters
    ----------
    path : Path
        The .content file.
    encoding : str
        Its encoding.
    """

    def __init__(self, path: Path, encoding: str) -> None:
        self.name = path.name
        self.path = self._path = path
        self._encoding = encoding
        first = next(line for line in read_lines(path, encoding))
        n_words = first.text.count("\t" if "\t" in first.text else " ") - 1  # bounded before the row is split
        if n_words > _MOST_WORDS:
            raise CorpusError(
                f"{path.name}, line 1: the row has {n_words:,} words, more than {_MOST_WORDS:,}; use a sparse format "
                "such as JSON lines with counts",
                place=f"{path.name}, line 1",
            )
        n_words = len(_cells(first.text)) - 2
        if n_words < 1:
            raise CorpusError(
                f"{path.name}, line 1: {shown(first.text.strip())} is not an id, numbers and a label; "
                "separate them by tabs"
            )
        self.vocabulary: list[str] = [f"w{number}" for number in range(n_words)]

    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the rows of the .content file as records.

        Parameters
        ----------
        problems : Problems
            Raises or counts the problems.

        Yields
        ------
        Record
            A document.
        """
        for line in read_lines(self._path, self._encoding):
            cells = _cells(line.text)
            place = f"{self.name}, line {line.number}"
            if line.error is not None:
                problems.report(WRONG_ENCODING, place, line.error)
            elif len(cells) == len(self.vocabulary) + 2:
                name, *numbers, label = cells
                try:
                    counts = {self.vocabulary[n]: _number(cell) for n, cell in enumerate(numbers) if cell != "0"}
                except BadValueError as error:
                    problems.report(error.kind, place, error.message)
                    continue
                yield Record(place=place, id=name, words=counts, form="counts", labels=label)
            elif cells:
                message = f"the row has {len(cells)} cells where the first has {len(self.vocabulary) + 2}"
                problems.report("broken row", place, message)


def _cells(text: str) -> list[str]:
    text = text.strip("\r\n ")
    return text.split("\t") if "\t" in text else text.split()


def _number(cell: str) -> float:
    try:
        return number_in(cell)
    except ValueError:
        raise BadValueError("not a number", f"{shown(cell)} is not a number") from None


def linqs_links(path: Path, encoding: str, problems: Problems) -> Iterator[LinkRecord]:
    """Yield the links of a .cites file, whose rows are "cited, citing".

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.
    problems : Problems
        Raises or counts the problems.

    Yields
    ------
    LinkRecord
        A link from the citing to the cited document.
    """
    for line in read_lines(path, encoding):
        cells = _cells(line.text)
        place = f"{path.name}, line {line.number}"
        if line.error is not None:
            problems.report(WRONG_ENCODING, place, line.error)
        elif len(cells) == 2:
            cited, citing = cells
            yield LinkRecord(place, citing, cited)
        elif cells:
            problems.report("broken row", place, f"{shown(line.text.strip())} is not two ids separated by a tab")
