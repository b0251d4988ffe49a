"""Dictionary forms and stems of words, from packages that contain their data."""

from __future__ import annotations

from collections.abc import Callable

from plait.corpus.problems import CorpusError
from plait.corpus.text.languages import INSTALL, LEMMAS, STEMMERS


def normalizer(kind: str, language: str) -> Callable[[str], str]:
    """Return the function from a word to its dictionary form or stem.

    Parameters
    ----------
    kind : {"lemmas", "stems"}
        Dictionary forms by simplemma, or stems by snowballstemmer.
    language : str
        Code of the language.

    Returns
    -------
    callable
        From str to str.
    """
    package = "simplemma" if kind == "lemmas" else "snowballstemmer"
    try:
        return _lemmatizer(LEMMAS[language]) if kind == "lemmas" else _stemmer(STEMMERS[language])
    except ImportError as error:
        raise CorpusError(
            f'normalize="{kind}" needs the package {package}; {INSTALL}', parameter="normalize"
        ) from error


def _lemmatizer(code: str) -> Callable[[str], str]:
    from simplemma import lemmatize

    return lambda word: str(lemmatize(word, lang=code))


def _stemmer(name: str) -> Callable[[str], str]:
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    return stem
