"""Plain and compressed files, read line by line with line numbers."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from plait._utils.wording import how_to_install
from plait.corpus.problems import CorpusError
from plait.corpus.values import describe_error

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
COMPRESSED = "plain, .gz, .bz2, .xz or .zst"
# Bounds on memory: a small compressed file can hold gigabytes.
LONGEST_LINE = 2**28
_LARGEST_XZ_DICTIONARY = 2**29
_READ_AT_ONCE = 2**20
_BYTES_AT_ONCE = 2048  # of a compressed file; Zstandard can expand them to 64 MiB
_NOT_FOR_FILES = ("punycode", "idna")  # encodings of domain names


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
        if suffix in COMPRESSIONS:
            return io.BufferedReader(_FrameReader(path.open("rb"), _decompressor(path)))
        return path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror or error}", place=str(path)) from error


class _FrameReader(io.RawIOBase):
    """The content of a file of one or more compressed frames; a frame that is cut raises an EOFError."""

    def __init__(self, file: IO[bytes], new_decompressor: Callable[[], Any]) -> None:
        self._file = file
        self._pieces = _decompress(file, new_decompressor)
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:  # a piece can be empty before the end
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._ready = memoryview(piece)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def _decompress(file: IO[bytes], new_decompressor: Callable[[], Any]) -> Iterator[bytes]:
    decompressor: Any = None
    rest = b""
    while piece := rest or file.read(_BYTES_AT_ONCE):
        rest = b""
        if decompressor is None:
            piece = piece.lstrip(b"\0")  # padding after a frame
            if not piece:
                continue
            decompressor = new_decompressor()
        yield decompressor.decompress(piece)
        if decompressor.eof:
            decompressor, rest = None, decompressor.unused_data
    if decompressor is not None:
        raise EOFError("the file ends within a compressed frame")


def _decompressor(path: Path) -> Callable[[], Any]:
    """Return what makes a decompressor of one frame: with decompress(), eof and unused_data."""
    suffix = path.suffix.lower()
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2Decompressor
    if suffix == ".xz":
        import lzma

        return partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_LARGEST_XZ_DICTIONARY)
    module = _zstd_module(path)
    make: Callable[[], Any] = (
        module.ZstdDecompressor if hasattr(module, "ZstdFile") else module.ZstdDecompressor().decompressobj
    )
    return make


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
            f"{path.name} is compressed with Zstandard, which needs another package; {how_to_install('zstd')}"
        ) from error
    return zstandard


def damage_errors(path: Path) -> tuple[type[Exception], ...]:
    """Return the errors that reading a damaged file can raise.

    Parameters
    ----------
    path : Path
        The file, whose name says how it is compressed.
    """
    errors: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error)
    suffix = path.suffix.lower()
    if suffix == ".xz":
        import lzma

        return (*errors, lzma.LZMAError)
    return (*errors, _zstd_module(path).ZstdError) if suffix == ".zst" else errors


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
        codec = codecs.lookup(encoding).name
        "a\n".encode(codec)  # fails for codecs such as hex, which are not for text
    except (LookupError, ValueError, TypeError):
        codec = ""
    if not codec or codec in _NOT_FOR_FILES:
        raise CorpusError(
            f'encoding is {encoding!r}, which is not an encoding of text files; try "utf-8" or "latin-1"',
            parameter="encoding",
        )
    return codec


def _is_wide(codec: str) -> bool:
    """Return whether byte 10 does not always end a line: in UTF-16, UTF-32 and EBCDIC."""
    return codec.startswith(("utf-16", "utf-32")) or not "a\n".encode(codec).endswith(b"\n")


def decode(content: bytes, codec: str) -> str:
    """Return bytes as text; raise a UnicodeError if they cannot be decoded.

    Parameters
    ----------
    content : bytes
        The bytes.
    codec : str
        Name of the encoding, from `codec_name`.

    Returns
    -------
    str
        The text, without a byte order mark.
    """
    if codec in ("utf-16", "utf-32"):  # a stream must start with a byte order mark, bytes need not
        return io.TextIOWrapper(io.BytesIO(content), codec, newline="").read()
    return content.decode(codec).removeprefix("\ufeff")


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Return the content of a file, decompressed.

    Parameters
    ----------
    path : Path
        The file.
    most : int, optional
        Largest size of the decompressed content.

    Returns
    -------
    bytes
        The content.
    """
    try:
        with open_bytes(path) as stream:
            if most is None:
                return stream.read()
            content = bytearray()
            while piece := stream.read(_READ_AT_ONCE):
                content += piece
                if len(content) > most:
                    raise CorpusError(f"{path.name} has more than {most:,} bytes; split it", place=path.name)
            return bytes(content)
    except damage_errors(path) as error:
        raise CorpusError(
            f"{path.name} is damaged ({describe_error(error)}); fetch or compress it again", place=path.name
        ) from error


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
            for line in lines_in(stream, encoding, path.name):
                number = line.number
                yield line
    except damage_errors(path) as error:
        raise CorpusError(
            f"{path.name} is damaged after line {number:,} ({describe_error(error)}); fetch or compress it again",
            place=path.name,
        ) from error
    if number == 0:
        raise CorpusError(f"{path.name} is empty", kind="empty file", place=path.name)


def lines_in(stream: IO[bytes], encoding: str, name: str = "the input") -> Iterator[Line]:
    """Yield the lines of an open stream, each as soon as it is complete.

    Parameters
    ----------
    stream : binary file
        The open stream.
    encoding : str
        Its encoding.
    name : str, default "the input"
        Name for error messages.

    Yields
    ------
    Line
        A line.
    """
    codec = codec_name(encoding)
    # Wide encodings are decoded before the stream is split into lines.
    lines = _wide_lines(stream, codec, name) if _is_wide(codec) else _lines(stream, codec)
    number = 0
    try:
        for number, (text, undecoded) in enumerate(lines, start=1):
            yield Line(number, text.removeprefix("\ufeff") if number == 1 else text, undecoded)
    except _LongLineError as error:
        place = f"{name}, line {number + 1}"
        raise CorpusError(f"{place}: the line is longer than {LONGEST_LINE:,} bytes; split it", place=place) from error


class _LongLineError(Exception):
    """A line is longer than `LONGEST_LINE`."""


def _lines(stream: IO[bytes], codec: str) -> Iterator[tuple[str, str | None]]:
    longest = LONGEST_LINE
    for raw in iter(partial(stream.readline, longest + 1), b""):
        if len(raw) > longest:
            raise _LongLineError
        try:
            yield raw.decode(codec), None
        except UnicodeDecodeError as error:
            yield raw.decode(codec, "replace"), f"byte 0x{raw[error.start]:02x} is not {codec}"


def _wide_lines(stream: IO[bytes], codec: str, name: str) -> Iterator[tuple[str, str | None]]:
    try:
        reader = io.TextIOWrapper(stream, codec, newline="")
        for text in iter(partial(reader.readline, LONGEST_LINE + 1), ""):
            if len(text) > LONGEST_LINE:
                raise _LongLineError
            yield text, None
    except UnicodeError as error:
        reason = getattr(error, "reason", error)
        raise CorpusError(
            f"{name} is not {codec} ({reason}); give the right encoding=", place=name, parameter="encoding"
        ) from error
