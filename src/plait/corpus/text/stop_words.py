"""Stop words: lists by language, from files, and given ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from plait.corpus.problems import BadValueError, CorpusError
from plait.corpus.text.languages import INSTALL, LANGUAGES, is_language, language_code
from plait.corpus.values import check_text, shown

# What scikit-learn's list lacks: auxiliary verbs, contractions and abbreviations.
_MORE_ENGLISH_TEXT = """
ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't needn't oughtn't shan't
shouldn't wasn't weren't won't wouldn't y'all dont didnt doesnt isnt cant wont im ive did didn does doesn doing don
having isn just ll ve e.g. i.e. etc.
"""
_MORE_ENGLISH = frozenset(_MORE_ENGLISH_TEXT.split())


def load_stop_words(stop_words: str | Path | Iterable[str] | None) -> frozenset[str]:
    """Return the stop words that a language, a file, a collection or None stands for.

    Parameters
    ----------
    stop_words : str, path, collection of str or None
        The name or code of a language, a file with one word per line, a collection, or none.

    Returns
    -------
    frozenset of str
        The words.

    Examples
    --------
    >>> "the" in load_stop_words("english"), len(load_stop_words(None)), sorted(load_stop_words(["a", "b"]))
    (True, 0, ['a', 'b'])
    """
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str) and is_language(stop_words):
        return _required(language_code(stop_words))
    if isinstance(stop_words, str | Path):
        return _stop_words_in_file(Path(stop_words))
    words = list(stop_words)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise CorpusError(
            f"stop_words contains {shown(wrong[0])}; every stop word must be text", parameter="stop_words"
        )
    try:
        check_text("".join(words))
    except BadValueError as error:
        raise CorpusError(f"stop_words: {error.message}", parameter="stop_words") from None
    return frozenset(words)


@cache
def stop_words_of(language: str) -> frozenset[str] | None:
    """Return the stop words of a language.

    Parameters
    ----------
    language : str
        Its code. English needs no package; other languages need stopwordsiso.

    Returns
    -------
    frozenset of str or None
        The words; None if there is no list for the language.

    Examples
    --------
    >>> {"the", "don't"} <= stop_words_of("en")
    True
    """
    if language == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS) | _MORE_ENGLISH
    try:
        import stopwordsiso
    except ImportError as error:
        raise CorpusError(
            f"the stop words of {LANGUAGES[language]} need the package stopwordsiso; {INSTALL}, or give "
            "stop_words=None or a list",
            parameter="stop_words",
        ) from error
    if not stopwordsiso.has_lang(language):
        return None
    return frozenset(stopwordsiso.stopwords(language))


def _required(language: str) -> frozenset[str]:
    words = stop_words_of(language)
    if words is None:
        raise CorpusError(
            f"there are no stop words for {LANGUAGES[language]}; give a list, a file with one word per line, or None",
            parameter="stop_words",
        )
    return words


def _stop_words_in_file(path: Path) -> frozenset[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise CorpusError(
            f"stop_words is {shown(str(path))}, which is neither a language nor a readable UTF-8 file; give a "
            'language such as "english", a list, a file with one word per line, or None',
            parameter="stop_words",
        ) from error
    return frozenset(word for line in text.splitlines() if (word := line.strip()))
