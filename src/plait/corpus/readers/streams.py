"""Plain and compressed files, read line by line with line numbers."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from plait.corpus.problems import CorpusError

COMPRESSIONS = (".gz", ".zst")


class Line(NamedTuple):
    """A line of a text file.

    Parameters
    ----------
    number : int
        Line number, from 1.
    text : str
        The line with its end.
    error : str or None
        Why its bytes could not be decoded; None if they could.
    """

    number: int
    text: str
    error: str | None


def plain_name(path: Path) -> str:
    """Return the name of a file in lower case, without the suffix of its compression.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> plain_name(Path("papers/Documents.jsonl.gz"))
    'documents.jsonl'
    """
    name = path.name.lower()
    return name[: -len(path.suffix)] if path.suffix.lower() in COMPRESSIONS else name


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading bytes, decompressed according to its suffix.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    binary file
        The open file.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".gz":
            return io.BufferedReader(gzip.open(path, "rb"))
        if suffix == ".zst":
            return _open_zstd(path)
        return path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror or error}", place=str(path)) from error


def _zstd_module(path: Path) -> Any:
    try:
        from compression import zstd  # Python 3.14 and later

        return zstd
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError as error:
        raise CorpusError(
            f"{path.name} is compressed with Zstandard, which needs another package; pip install plait[zstd]"
        ) from error
    return zstandard


def _open_zstd(path: Path) -> IO[bytes]:
    module = _zstd_module(path)
    if hasattr(module, "ZstdFile"):
        opened: IO[bytes] = io.BufferedReader(module.ZstdFile(path, "rb"))
        return opened
    reader = module.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
    return io.BufferedReader(reader)


def _damage(path: Path) -> tuple[type[Exception], ...]:
    """Return the errors that reading a damaged file can raise."""
    errors: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error)
    return (*errors, _zstd_module(path).ZstdError) if path.suffix.lower() == ".zst" else errors


def codec_name(encoding: str) -> str:
    """Return Python's name of an encoding.

    Parameters
    ----------
    encoding : str
        Any name of an encoding.

    Returns
    -------
    str
        The name, such as "utf-8".
    """
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise CorpusError(
            f'encoding is {encoding!r}, which Python does not know; try "utf-8" or "latin-1"', parameter="encoding"
        ) from error


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, decompressed.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bytes
        The content.
    """
    try:
        with open_bytes(path) as stream:
            return stream.read()
    except _damage(path) as error:
        raise CorpusError(f"{path.name} is damaged ({error}); fetch or compress it again", place=path.name) from error


def read_lines(path: Path, encoding: str) -> Iterator[Line]:
    """Yield the lines of a text file; an empty or damaged file is always an error.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.

    Yields
    ------
    Line
        A line.
    """
    number = 0
    try:
        with open_bytes(path) as stream:
            for line in lines_in(stream, encoding):
                number = line.number
                yield line
    except _damage(path) as error:
        raise CorpusError(
            f"{path.name} is damaged after line {number:,} ({error}); fetch or compress it again",
            place=path.name,
        ) from error
    if number == 0:
        raise CorpusError(f"{path.name} is empty", kind="empty file", place=path.name)


def lines_in(stream: IO[bytes], encoding: str) -> Iterator[Line]:
    """Yield the lines of an open stream, each as soon as it is complete.

    Parameters
    ----------
    stream : binary file
        The open stream.
    encoding : str
        Its encoding.

    Yields
    ------
    Line
        A line.
    """
    codec = codec_name(encoding)
    # In UTF-16 and UTF-32, byte 10 does not always end a line, so the stream is decoded before it is split.
    lines = _wide_lines(stream, codec) if codec.startswith(("utf-16", "utf-32")) else _lines(stream, codec)
    for number, (text, undecoded) in enumerate(lines, start=1):
        yield Line(number, text.removeprefix("\ufeff") if number == 1 else text, undecoded)


def _lines(stream: IO[bytes], codec: str) -> Iterator[tuple[str, str | None]]:
    for raw in stream:
        try:
            yield raw.decode(codec), None
        except UnicodeDecodeError as error:
            yield raw.decode(codec, "replace"), f"byte 0x{raw[error.start]:02x} is not {codec}"


def _wide_lines(stream: IO[bytes], codec: str) -> Iterator[tuple[str, str | None]]:
    try:
        for text in io.TextIOWrapper(stream, codec, newline=""):
            yield text, None
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"the file is not {codec} ({error.reason}); give the right encoding=", parameter="encoding"
        ) from error
