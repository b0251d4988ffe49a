"""The corpus: what goes into a model, and how it is read."""

from __future__ import annotations

from plait.corpus.container.corpus import Corpus
from plait.corpus.container.document import Document
from plait.corpus.problems import CorpusError, Skipped
from plait.corpus.readers import read_corpus

__all__ = ["Corpus", "CorpusError", "Document", "Skipped", "read_corpus"]
