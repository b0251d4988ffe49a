"""A folder of .txt files: each file is a document, and the name of its folder is the label."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from plait.corpus.problems import WRONG_ENCODING, Problems
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.streams import LONGEST_LINE, codec_name, decode, plain_name, read_bytes
from plait.corpus.values import escape_file_name


def has_text_files(folder: Path) -> bool:
    """Return whether a folder or one of its sub-folders has text files.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    bool
        True if there is one.
    """
    return any(_is_text(Path(name)) for _, _, names in os.walk(folder) for name in names)


def first_undecoded_file(folder: Path) -> Path | None:
    """Return a text file of a folder or of one of its sub-folders that is not UTF-8; None if there is none.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    Path or None
        The file.
    """
    for path in text_files(folder, Problems("skip")):
        try:
            decode(read_bytes(path, most=LONGEST_LINE), "utf-8")
        except UnicodeError:
            return path
    return None


def text_files(folder: Path, problems: Problems) -> list[Path]:
    """Return the text files in a folder and its sub-folders, sorted by name.

    Links to files are read. Links to folders are not followed, as they can lead anywhere or back; they are reported.

    Parameters
    ----------
    folder : Path
        The folder.
    problems : Problems
        Raises or counts the sub-folders and files that cannot be read.

    Returns
    -------
    list of Path
        The files.
    """

    def place(path: Path) -> str:
        return escape_file_name(path.relative_to(folder).as_posix())

    def report_unreadable(error: OSError) -> None:
        message = f"the folder cannot be read ({error.strerror})"
        problems.report("unreadable folder", place(Path(error.filename)), message, fix="change its permissions")

    found: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=report_unreadable):
        for path in (Path(parent, name) for name in folders):
            if path.is_symlink():
                message = "the folder is a link, which is not followed"
                problems.report("linked folder", place(path), message, fix="copy its files")
        for path in (Path(parent, name) for name in names):
            if not _is_text(path):
                continue
            if path.is_file():
                found.append(path)
            else:
                problems.report("unreadable file", place(path), "it is not a file, or a broken link", fix="remove it")
    return sorted(found)


def _is_text(path: Path) -> bool:
    return plain_name(path).endswith(".txt")


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
        self.path = folder
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
        for path in text_files(self._folder, problems):
            relative = path.relative_to(self._folder)
            name = relative.as_posix()
            place = escape_file_name(name)
            content = read_bytes(path, most=LONGEST_LINE)
            try:
                text = decode(content, codec)
            except UnicodeError as error:
                _report_undecoded(problems, place, content, codec, error)
                continue
            if place != name:
                message = "the name is not UTF-8, so it is escaped"
                problems.report("bad file name", place, message, fix="rename it", lost="")
            yield Record(
                place=place,
                id=escape_file_name(name[: plain_name(relative).rindex(".txt") - len(relative.name)]),
                words=text,
                form="text",
                labels=escape_file_name(relative.parent.name) or None,
            )


def _report_undecoded(problems: Problems, place: str, content: bytes, codec: str, error: UnicodeError) -> None:
    if isinstance(error, UnicodeDecodeError):
        line = content.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{content[error.start]:02x} is not {codec}"
        problems.report(WRONG_ENCODING, f"{place}, line {line}", message)
    else:
        problems.report(WRONG_ENCODING, place, f"the file is not {codec} ({error})")
