"""Held-out NPMI of topics from raw texts: one judge, which splits the held-out documents alike for every contestant."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plait.corpus.readers.texts import read_texts
from plait.corpus.text.cleaning import remove_addresses, remove_mail_noise, remove_markup

# Words of the judge: runs of letters, marks and digits, in lower case. Mail headers and attachments are no text.
_SEPARATOR = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class RawTexts:
    """Training texts and held-out texts of one corpus."""

    name: str
    train: list[str]
    held_out: list[str]


def raw_texts(name: str, most: int, seed: int = 0) -> RawTexts:
    """Return texts of a corpus in the folder that PLAIT_DATA names: at most so many for training, and as many held out.

    The fixed split of 20news_bydate is used; other corpora are split at random.
    """
    pairs = read_texts(Path(os.environ["PLAIT_DATA"], name))
    documents = [(place, text) for place, text in pairs or () if len(text) >= 200]
    order = np.random.default_rng(seed).permutation(len(documents))
    documents = [documents[row] for row in order]
    if name == "20news_bydate":
        train = [text for place, text in documents if place.startswith("train")]
        held_out = [text for place, text in documents if not place.startswith("train")]
    else:
        half = len(documents) // 2
        train, held_out = ([text for _, text in part] for part in (documents[:half], documents[half:]))
    return RawTexts(name, train[:most], held_out[:most])


def plain(text: str) -> str:
    """Return a text as the judge reads it: words in lower case with one space around each."""
    return f" {_SEPARATOR.sub(' ', text.lower()).strip()} "


class Judge:
    """Scores top words by their co-occurrence in held-out documents.

    `clean` removes mail headers, attachments, addresses and markup first. Otherwise, fragments of attachments and names
    of headers score high, because they occur together.
    """

    def __init__(self, texts: Sequence[str], clean: bool = True) -> None:
        if clean:
            texts = [remove_addresses(remove_mail_noise(remove_markup(text))) for text in texts]
        self._texts = [plain(text) for text in texts]
        self._words = [frozenset(text.split()) for text in self._texts]

    def npmi(self, topics: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the NPMI of each topic: mean over pairs of its words, -1 for a pair that never co-occurs."""
        from plait import coherence

        terms = sorted({plain(word) for topic in topics for word in topic})
        found = np.array([self._documents_with(term) for term in terms]).T.astype(np.int32)
        names = [[plain(word) for word in dict.fromkeys(map(str, topic))] for topic in topics]
        # The judge may read two words alike ("u.s." and "u s"): each counts once per topic.
        return coherence([list(dict.fromkeys(topic)) for topic in names], found, terms)

    def _documents_with(self, term: str) -> np.ndarray:
        word = term.strip()
        if " " in word:
            return np.array([term in text for text in self._texts])
        return np.array([word in words for words in self._words])
