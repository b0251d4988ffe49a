"""A folder of .txt files: each file is a document, and the name of its folder is the label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plait.corpus.problems import Problems
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.streams import codec_name, plain_name, read_bytes


def text_files(folder: Path) -> list[Path]:
    """Return the text files in a folder and its sub-folders, sorted by name.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    list of Path
        The files.
    """
    return sorted(path for path in folder.rglob("*") if path.is_file() and plain_name(path).endswith(".txt"))


class TextFolder(Source):
    """The text files in a folder and its sub-folders. The ids are their paths without the suffix.

    Parameters
    ----------
    folder : Path
        The folder.
    encoding : str
        Encoding of the files.
    """

    def __init__(self, folder: Path, encoding: str) -> None:
        self.name = folder.name
        self._folder = folder
        self._encoding = encoding

    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the files as records, one per document.

        Parameters
        ----------
        problems : Problems
            Raises or counts the problems.

        Yields
        ------
        Record
            A document.
        """
        codec = codec_name(self._encoding)
        for path in text_files(self._folder):
            relative = path.relative_to(self._folder)
            place = relative.as_posix()
            content = read_bytes(path)
            try:
                text = content.decode(codec)
            except UnicodeDecodeError as error:
                line = content.count(b"\n", 0, error.start) + 1
                problems.report(
                    "wrong encoding",
                    f"{place}, line {line}",
                    f"byte 0x{content[error.start]:02x} is not {codec}",
                    fix="re-encode it, give encoding=",
                )
                continue
            yield Record(
                place=place,
                id=place[: plain_name(relative).rindex(".txt") - len(relative.name)],
                words=text.removeprefix("\ufeff"),
                form="text",
                labels=relative.parent.name or None,
            )
