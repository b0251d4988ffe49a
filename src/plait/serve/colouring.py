"""The words of a text with their topics, in place, for pages that colour them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import regex

from plait.corpus.text.analyzers import TextAnalyzer
from plait.inputs.texts import text_options_of

# A run of letters, marks and digits with apostrophes or middle dots inside, as in plait.corpus.text.splitting.
_RUN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}\u200c\u200d]*+(?:['’·][\p{L}\p{M}\p{N}]++)*+")
_LONGEST_PHRASE = 4  # words


class Piece(NamedTuple):
    """A part of a text.

    Parameters
    ----------
    text : str
        The characters.
    word : str
        The word of the vocabulary that they are; "" for none.
    topic : int
        The most probable topic of the word in this text; -1 for none.
    probability : float
        Its probability.
    """

    text: str
    word: str = ""
    topic: int = -1
    probability: float = 0.0


class _Found(NamedTuple):
    begin: int
    end: int
    word: str


def colour_words(model: Any, text: str, shares: np.ndarray, column_of: dict[str, int]) -> list[Piece]:
    """Return a text in pieces: words with their most probable topic, and what is between them.

    The probability of topic k for word w is proportional to φ_kw ϑ_k.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that reads text.
    text : str
        The text.
    shares : ndarray of shape (topics,)
        Topic proportions of the text.
    column_of : dict of str to int
        Columns of the words of the model.

    Returns
    -------
    list of Piece
        The pieces; joined they are the text.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, random_state=0, verbose=False).fit(["river stream", "money loan"] * 9)
    >>> columns = {word: column for column, word in enumerate(model.vocabulary_)}
    >>> pieces = colour_words(model, "A river, unknown.", model.transform(["river"])[0], columns)
    >>> [(piece.text, piece.word) for piece in pieces]
    [('A ', ''), ('river', 'river'), (', unknown.', '')]
    """
    found = list(_join_phrases(list(_find(TextAnalyzer(text_options_of(model)), text)), column_of))
    columns = np.array([column_of[one.word] for one in found], dtype=np.int64)
    weights = model.topic_word_[:, columns] * shares[:, np.newaxis]
    weights /= np.maximum(weights.sum(axis=0), 1e-300)
    topics = weights.argmax(axis=0)
    pieces, position = [], 0
    for number, one in enumerate(found):
        if one.begin > position:
            pieces.append(Piece(text[position : one.begin]))
        topic = int(topics[number])
        pieces.append(Piece(text[one.begin : one.end], one.word, topic, float(weights[topic, number])))
        position = one.end
    if position < len(text):
        pieces.append(Piece(text[position:]))
    return pieces


def _find(analyze: Callable[[str], list[str]], text: str) -> Iterator[_Found]:
    """Yield the words of a text as the model reads them, and where they are."""
    for run in _RUN.finditer(text):
        words = analyze(run.group())
        if len(words) == 1:
            yield _Found(run.start(), run.end(), words[0])
            continue
        position = run.start()  # several words in a run: a language without spaces, or an elided word
        for word in words:
            begin = text.lower().find(word, position, run.end()) if len(text.lower()) == len(text) else -1
            if begin >= 0:
                position = begin + len(word)
                yield _Found(begin, position, word)


def _join_phrases(found: list[_Found], column_of: dict[str, int]) -> Iterator[_Found]:
    """Yield known words; adjacent words that are a phrase of the vocabulary are one."""
    at = 0
    while at < len(found):
        for length in range(min(_LONGEST_PHRASE, len(found) - at), 0, -1):
            joined = " ".join(one.word for one in found[at : at + length])
            if joined in column_of:
                yield _Found(found[at].begin, found[at + length - 1].end, joined)
                break
        at += length
