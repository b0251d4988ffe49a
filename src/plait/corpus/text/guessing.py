"""The language of texts, guessed from a sample of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable

from plait.corpus.text.languages import LANGUAGES, SEGMENTED
from plait.corpus.text.splitting import find_words, pattern

SAMPLE_TEXTS = 200
_CHARACTERS_OF_TEXT = 1000
_CHUNK = 1000
_FEWEST_LETTERS = 100  # for a guess by a package: shorter samples are guessed wrongly too often

# Frequent English words that are rare in other languages.
_ENGLISH_TEXT = """
the of and to that for it with this are not have from which you they his be by but what were would there
"""
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_LEAST_ENGLISH = 0.08  # of English prose, about a fifth are words of this list
_LEAST_STOP_WORDS = 0.1  # of prose in any language, at least a third; of lists of keywords, few
_LEAST_AGREEMENT = 0.6  # of the parts of the sample

_KANA = r"[\p{Hiragana}\p{Katakana}]"
_HAN = r"\p{Han}"
_THAI = r"\p{Thai}"
_LETTER = r"\p{L}"


def guess_language(texts: Iterable[str]) -> str | None:
    """Return the language of texts, or None if it is not clear.

    Without a package, English, Chinese, Japanese and Thai are found. With py3langid (in ``plait[text]``), all
    languages that plait has names for.

    Parameters
    ----------
    texts : iterable of str
        Texts; the start of the first 200 is used.

    Returns
    -------
    str or None
        The code, such as ``"de"``.

    Examples
    --------
    >>> guess_language(["The price of oil and the price of corn"]), guess_language(["x1 x2"])
    ('en', None)
    """
    sample = []
    for text in texts:
        sample.append(_start_of_text(text))
        if len(sample) >= SAMPLE_TEXTS:
            break
    joined = "\n".join(sample)
    letters = len(pattern(_LETTER).findall(joined))
    if not letters:
        return None
    segmented = _segmented_language(joined, letters)
    if segmented:
        return segmented
    words = [word.lower() for word in find_words(joined)]
    if sum(word in _ENGLISH for word in words) >= _LEAST_ENGLISH * len(words):
        return "en"
    return _guess_by_package(joined, words) if letters >= _FEWEST_LETTERS else None


def _start_of_text(text: str) -> str:
    """Return some characters of a text without addresses and mail headers, which look English."""
    from plait.corpus.text.cleaning import remove_addresses, remove_mail_noise, remove_markup

    start = text[: 4 * _CHARACTERS_OF_TEXT]
    return remove_addresses(remove_mail_noise(remove_markup(start)))[:_CHARACTERS_OF_TEXT]


def _segmented_language(text: str, letters: int) -> str | None:
    """Return the language of a script without spaces between words, if at least half of the letters are of it."""
    if len(pattern(_THAI).findall(text)) >= letters / 2:
        return "th"
    kana = len(pattern(_KANA).findall(text))
    if kana + len(pattern(_HAN).findall(text)) >= letters / 2:
        return "ja" if kana >= letters / 20 else "zh"
    return None


def _guess_by_package(text: str, words: list[str]) -> str | None:
    """Return what py3langid finds in most parts of a text; None without the package, or if its guess is not clear."""
    try:
        from py3langid import classify
    except ImportError:
        return None
    chunks = [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)][:SAMPLE_TEXTS]
    try:
        found = Counter(str(classify(chunk)[0]) for chunk in chunks)
    except OSError as error:  # the package unpacks its data into a temporary file
        warnings.warn(
            f"the language of the texts cannot be guessed without a folder for temporary files ({error}); give the "
            "language",
            stacklevel=2,
        )
        return None
    code, number = found.most_common(1)[0]
    code = {"nb": "no", "nn": "no"}.get(code, code)
    if code not in LANGUAGES or code in SEGMENTED or number < _LEAST_AGREEMENT * len(chunks):
        return None
    return code if _has_stop_words(code, words) else None


def _has_stop_words(code: str, words: list[str]) -> bool:
    """Return whether words look like prose, not like names or keywords: many are stop words of the language."""
    from plait.corpus.problems import CorpusError
    from plait.corpus.text.stop_words import stop_words_of

    try:
        stop = stop_words_of(code)
    except CorpusError:  # the list is not installed
        return True
    return stop is None or sum(word in stop for word in words) >= _LEAST_STOP_WORDS * len(words)
