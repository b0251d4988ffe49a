"""The corpus: documents with words, links, labels and times, and how they are read.

- `container`: the immutable `Corpus` and its operations.
- `readers`: `read_corpus` and the file formats.
- `prepared`: `prepare_corpus`, and corpora in folders that are opened without being read.
- `text`: `TextOptions`, languages, tokenizers, stop words, phrases and word counts.
- `excerpts`: the first characters of a text.
- `known_documents`: what a fitted model keeps of its documents.
- `values`: single ids, labels and dates, parsed; `numbers`: counts and weights, parsed; `dates`: formats of dates.
- `problems`: `CorpusError`, and the count of what was skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait._utils.lazy import import_on_use
from plait.corpus.container.corpus import Corpus
from plait.corpus.container.document import Document
from plait.corpus.known_documents import KnownDocuments
from plait.corpus.problems import CorpusError, Skipped
from plait.corpus.text.options import TextOptions

if TYPE_CHECKING:
    from plait.corpus.prepared.prepare import prepare_corpus
    from plait.corpus.readers.read import read_corpus

__all__ = [
    "Corpus",
    "CorpusError",
    "Document",
    "KnownDocuments",
    "Skipped",
    "TextOptions",
    "prepare_corpus",
    "read_corpus",
]

__getattr__ = import_on_use(
    __name__, {"prepare_corpus": "plait.corpus.prepared.prepare", "read_corpus": "plait.corpus.readers.read"}
)
