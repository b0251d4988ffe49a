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

from plait.corpus.container.corpus import Corpus
from plait.corpus.container.document import Document
from plait.corpus.known_documents import KnownDocuments
from plait.corpus.prepared.prepare import prepare_corpus
from plait.corpus.problems import CorpusError, Skipped
from plait.corpus.readers.read import read_corpus
from plait.corpus.text.options import TextOptions

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
