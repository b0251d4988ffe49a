"""The manifest of a prepared corpus: sizes, files with digests, and how the texts were read, as JSON.

The manifest is written last and replaced in one step, so a folder has all files of its manifest or no manifest. It has
a digest of itself. A stranger can compute digests, too: every number is compared with the arrays before it is used.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from plait._utils.atomic import replace_file
from plait._utils.text import short
from plait.corpus.prepared.files import FileRecord, damaged, digest_bytes, parse_record
from plait.corpus.problems import CorpusError, Skipped, SkippedKind
from plait.corpus.readers.field_guesses import FieldChoice
from plait.corpus.text.options import TextOptions
from plait.errors import PlaitError

FORMAT = 1
NAME = "manifest.json"
_MOST_BYTES = 1 << 28
_SIZES = ("n_documents", "n_words", "n_entries")


class WordChunk(NamedTuple):
    """Counts of consecutive documents.

    Parameters
    ----------
    n_documents, n_entries : int
        Number of documents, and of their distinct words.
    file : FileRecord
        The file.
    """

    n_documents: int
    n_entries: int
    file: FileRecord


class FieldChunk(NamedTuple):
    """Ids, titles and other fields of consecutive documents.

    Parameters
    ----------
    n_documents : int
        Number of documents.
    files : dict of str to FileRecord
        The file of each field; a field without a file is blank in all these documents.
    """

    n_documents: int
    files: dict[str, FileRecord]


@dataclass(frozen=True)
class Manifest:
    """What a prepared corpus consists of.

    Parameters
    ----------
    n_documents, n_words, n_entries : int
        Number of documents, of words in the vocabulary, and of distinct words of all documents.
    fractional : bool
        Whether counts may be fractions.
    counts_digest : str
        Digest of all counts, by which an interrupted fit recognises them.
    vocabulary : FileRecord
        Words, their frequencies, and the names of labels.
    sizes : FileRecord
        Number of tokens and of distinct words of each document.
    words : tuple of WordChunk
        Counts.
    fields : tuple of FieldChunk
        Other fields.
    links : tuple of FileRecord or None
        Links; None for a corpus without links.
    metadata : tuple of str
        Names of the further fields, in the order of their files.
    text_options : TextOptions or None
        How the texts were read.
    skipped : Skipped
        What was skipped.
    choices : tuple of FieldChoice
        Which fields of the input were taken.
    digest : str, default ""
        Digest of the manifest itself; "" before it is written.
    """

    n_documents: int
    n_words: int
    n_entries: int
    fractional: bool
    counts_digest: str
    vocabulary: FileRecord
    sizes: FileRecord
    words: tuple[WordChunk, ...]
    fields: tuple[FieldChunk, ...]
    links: tuple[FileRecord, ...] | None = None
    metadata: tuple[str, ...] = ()
    text_options: TextOptions | None = None
    skipped: Skipped = field(default_factory=Skipped)
    choices: tuple[FieldChoice, ...] = ()
    digest: str = ""

    def files(self) -> list[FileRecord]:
        """Return the records of all files."""
        found = [self.vocabulary, self.sizes, *(one.file for one in self.words), *(self.links or ())]
        return [*found, *(record for chunk in self.fields for record in chunk.files.values())]

    def write(self, folder: Path) -> None:
        """Write the manifest into the folder, in place of the one that is there.

        Parameters
        ----------
        folder : Path
            The folder, which has all the files.
        """
        content = {
            "format": FORMAT,
            **{name: getattr(self, name) for name in (*_SIZES, "fractional", "counts_digest")},
            "vocabulary": list(self.vocabulary),
            "sizes": list(self.sizes),
            "words": [[one.n_documents, one.n_entries, list(one.file)] for one in self.words],
            "fields": [
                [one.n_documents, {name: list(file) for name, file in one.files.items()}] for one in self.fields
            ],
            "links": None if self.links is None else [list(one) for one in self.links],
            "metadata": list(self.metadata),
            "text_options": None if self.text_options is None else self.text_options.to_dict(),
            "skipped": [[one.name, one.count, list(one.examples)] for one in self.skipped],
            "choices": [asdict(one) for one in self.choices],
        }
        text = _to_json({"digest": digest_bytes(_to_json(content).encode()), **content})
        replace_file(folder / NAME, lambda file: file.write(text.encode()), NAME)


def _to_json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1)


def is_prepared(folder: Path) -> bool:
    """Return whether a folder is a prepared corpus.

    Parameters
    ----------
    folder : Path
        A folder.

    Returns
    -------
    bool
        Whether it has a manifest.
    """
    return (folder / NAME).is_file()


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a prepared corpus, checked.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    Manifest
        The manifest.
    """
    path = folder / NAME
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise damaged(path, f"it has {path.stat().st_size:,} bytes")
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}", place=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is not JSON ({error})") from error
    if not isinstance(content, dict) or "format" not in content:
        raise damaged(path, "it is not a manifest of plait")
    if content["format"] != FORMAT:
        raise CorpusError(
            f"{path} has the format {short(repr(content['format']))}; this version of plait reads format {FORMAT}: "
            "upgrade plait, or prepare the corpus again",
            place=str(path),
        )
    digest = content.pop("digest", None)
    if digest != digest_bytes(_to_json(content).encode()):
        raise damaged(path, "its digest is not its own")
    try:
        return _parse(path, content, digest)
    except CorpusError:
        raise
    except (PlaitError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(path, repr(error)) from error


def _parse(path: Path, content: dict[str, Any], digest: str) -> Manifest:
    """Return the manifest of parsed JSON; sizes of chunks must add up."""
    words = tuple(
        WordChunk(_size(path, documents), _size(path, entries), parse_record(path, file))
        for documents, entries, file in content["words"]
    )
    fields = tuple(
        FieldChunk(_size(path, documents), {str(name): parse_record(path, file) for name, file in files.items()})
        for documents, files in content["fields"]
    )
    sizes = {name: _size(path, content[name]) for name in _SIZES}
    found = {
        "n_documents": {sum(one.n_documents for one in words), sum(one.n_documents for one in fields)},
        "n_entries": {sum(one.n_entries for one in words)},
    }
    for name, totals in found.items():
        if totals != {sizes[name]}:
            raise damaged(path, f"{name} is {sizes[name]:,}, but its parts have {sorted(totals)}")
    if type(content["fractional"]) is not bool or not isinstance(content["counts_digest"], str):
        raise damaged(path, "fractional or counts_digest has another type")
    metadata = content["metadata"]
    if not isinstance(metadata, list) or not all(isinstance(name, str) for name in metadata):
        raise damaged(path, "metadata is not a list of names")
    options, links = content["text_options"], content["links"]
    return Manifest(
        **sizes,
        fractional=content["fractional"],
        counts_digest=content["counts_digest"],
        vocabulary=parse_record(path, content["vocabulary"]),
        sizes=parse_record(path, content["sizes"]),
        words=words,
        fields=fields,
        links=None if links is None else tuple(parse_record(path, one) for one in links),
        metadata=tuple(metadata),
        text_options=None if options is None else TextOptions.from_dict(options),
        skipped=Skipped(tuple(_kind(path, *one) for one in content["skipped"])),
        choices=tuple(_choice(path, one) for one in content["choices"]),
        digest=digest,
    )


def _size(path: Path, value: Any) -> int:
    if type(value) is not int or value < 0:
        raise damaged(path, f"{short(repr(value))} is not a size")
    return value


def _kind(path: Path, name: Any, count: Any, examples: Any) -> SkippedKind:
    if not isinstance(name, str) or not isinstance(examples, list) or not all(isinstance(one, str) for one in examples):
        raise damaged(path, "an entry of skipped is not text")
    return SkippedKind(name, _size(path, count), tuple(examples))


def _choice(path: Path, value: dict[str, Any]) -> FieldChoice:
    texts = [value["role"], value["reason"], *value["names"], *value["others"]]
    if not all(isinstance(one, str) for one in texts):
        raise damaged(path, "an entry of choices is not text")
    return FieldChoice(
        value["role"], tuple(value["names"]), value["reason"], tuple(value["others"]), bool(value["named"])
    )
