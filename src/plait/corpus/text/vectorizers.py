"""A scikit-learn CountVectorizer as the tokenizer: its settings as plain data, honoured or refused by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from plait.corpus.problems import CorpusError
from plait.corpus.text.frequencies import AUTO
from plait.corpus.values import shown

VECTORIZER_LIMITS = {"min_df": 1, "max_df": 1.0, "max_words": None}  # the defaults of a CountVectorizer: none
_STORED = (
    "analyzer",
    "ngram_range",
    "stop_words",
    "token_pattern",
    "strip_accents",
    "lowercase",
    "binary",
    "vocabulary",
)
_CALLABLES = ("preprocessor", "tokenizer", "analyzer", "strip_accents")
# Patterns that a file may contain: no groups, so that no text can make the search slow.
_SIMPLE_PATTERN = re.compile(
    r"(?:\(\?[aiu]+\))?(?:(?:\\[bBdDwWsS.'-]|\[(?:[^\[\]\\]|\\[dDwWsS.'\]\[-])+\]|[^()\[\]{}*+?|\\^$.])"
    r"(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?)+"
)
_MAX_PATTERN, _MAX_REPETITIONS = 200, 3


@dataclass(frozen=True)
class VectorizerWords:
    """What a CountVectorizer makes of a text: its settings that decide the words, as plain data.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"}, default "word"
        Whether words or characters are counted.
    ngram_range : tuple of (int, int), default (1, 1)
        Shortest and longest n-gram.
    stop_words : "english", tuple of str or None, default None
        Words to remove.
    token_pattern : str
        Regular expression of a word.
    strip_accents : {"ascii", "unicode"} or None, default None
        How accents are removed.
    lowercase : bool, default True
        Whether text is converted to lower case.
    binary : bool, default False
        Whether a word counts once per document.
    vocabulary : tuple of str or None, default None
        The words of the columns.
    """

    analyzer: str = "word"
    ngram_range: tuple[int, int] = (1, 1)
    stop_words: str | tuple[str, ...] | None = None
    token_pattern: str = r"(?u)\b\w\w+\b"
    strip_accents: str | None = None
    lowercase: bool = True
    binary: bool = False
    vocabulary: tuple[str, ...] | None = None

    def build(self) -> Callable[[str], Iterable[str]]:
        """Return the function from a text to its words.

        Returns
        -------
        callable
            From str to a list of str.
        """
        from sklearn.feature_extraction.text import CountVectorizer

        settings = {name: getattr(self, name) for name in _STORED if name != "vocabulary"}
        if isinstance(self.stop_words, tuple):
            settings["stop_words"] = list(self.stop_words)
        return _counted_once(CountVectorizer(**settings).build_analyzer(), self.binary)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data.

        Returns
        -------
        dict
            Lists in place of tuples.
        """
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> VectorizerWords:
        """Return the settings of `to_dict`, checked: they may come from a file of a stranger.

        Parameters
        ----------
        data : mapping of str to object
            The settings.

        Returns
        -------
        VectorizerWords
            The settings.
        """
        if set(data) != set(_STORED):
            raise CorpusError(f"the settings of a vectorizer are {shown(sorted(map(str, data)))}")
        settings: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        words = cls(**settings)
        if not _is_plain(words):
            raise CorpusError(f"the settings of a vectorizer have invalid values: {shown(dict(data))}")
        return words


def _counted_once(analyze: Callable[[str], Iterable[str]], binary: bool) -> Callable[[str], Iterable[str]]:
    return (lambda text: list(dict.fromkeys(analyze(text)))) if binary else analyze


def _is_plain(words: VectorizerWords) -> bool:
    """Return whether every setting is plain data of the right type and a text cannot make the pattern slow."""
    shortest, longest = words.ngram_range if len(words.ngram_range) == 2 else (0, 0)
    texts = [*(words.stop_words if isinstance(words.stop_words, tuple) else ()), *(words.vocabulary or ())]
    return (
        words.analyzer in ("word", "char", "char_wb")
        and type(shortest) is int
        and type(longest) is int
        and 1 <= shortest <= longest <= 20
        and (words.stop_words in (None, "english") or isinstance(words.stop_words, tuple))
        and words.strip_accents in (None, "ascii", "unicode")
        and type(words.lowercase) is bool
        and type(words.binary) is bool
        and (words.vocabulary is None or isinstance(words.vocabulary, tuple))
        and all(isinstance(text, str) for text in texts)
        and _is_simple(words.token_pattern)
    )


def _is_simple(pattern: Any) -> bool:
    return (
        isinstance(pattern, str)
        and len(pattern) <= _MAX_PATTERN
        and _SIMPLE_PATTERN.fullmatch(pattern) is not None
        and len(re.findall(r"[*+]|,\}", pattern)) <= _MAX_REPETITIONS
        and _compiles(pattern)
    )


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


@dataclass(frozen=True, eq=False)
class GivenVectorizer:
    """A vectorizer with code of the user's own, which a file cannot contain.

    Parameters
    ----------
    vectorizer : object
        The vectorizer.
    name : str
        Its class and the names of its functions.
    vocabulary : tuple of str or None
        The words of the columns.
    """

    vectorizer: Any
    name: str
    vocabulary: tuple[str, ...] | None

    def build(self) -> Callable[[str], Iterable[str]]:
        """Return the function from a text to its words.

        Returns
        -------
        callable
            From str to an iterable of str.
        """
        return _counted_once(self.vectorizer.build_analyzer(), bool(getattr(self.vectorizer, "binary", False)))


def is_vectorizer(tokenizer: Any) -> bool:
    """Return whether a tokenizer is a vectorizer of scikit-learn, or made by `read_vectorizer`.

    Parameters
    ----------
    tokenizer : object
        The tokenizer.

    Returns
    -------
    bool
        Whether it has a method ``build_analyzer`` or is already converted.
    """
    return isinstance(tokenizer, VectorizerWords | GivenVectorizer) or hasattr(tokenizer, "build_analyzer")


def read_vectorizer(vectorizer: Any) -> tuple[VectorizerWords | GivenVectorizer, dict[str, Any]]:
    """Return the settings of a vectorizer that decide the words, and its limits of the vocabulary.

    Parameters
    ----------
    vectorizer : CountVectorizer
        A vectorizer of scikit-learn; whether it is fitted makes no difference.

    Returns
    -------
    words : VectorizerWords or GivenVectorizer
        The settings; the second if the vectorizer contains functions or is of the user's own class.
    limits : dict of str to object
        `min_df`, `max_df` and `max_words`, where the vectorizer sets them.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> words, limits = read_vectorizer(CountVectorizer(min_df=3, ngram_range=(1, 2)))
    >>> words.ngram_range, limits
    ((1, 2), {'min_df': 3, 'max_df': 1.0})
    """
    from sklearn.feature_extraction.text import CountVectorizer

    kind = type(vectorizer).__name__
    if not isinstance(vectorizer, CountVectorizer):
        raise CorpusError(
            f"tokenizer is a {kind}, which does not name its words; give a CountVectorizer or a function",
            parameter="tokenizer",
        )
    settings = vectorizer.get_params(deep=False)
    _refuse(kind, settings)
    vocabulary = _vocabulary(settings["vocabulary"])
    limits = _limits(settings) if vocabulary is None else {}
    code = [name for name in _CALLABLES if callable(settings[name])]
    if not code and type(vectorizer).build_analyzer is CountVectorizer.build_analyzer:
        stop_words = settings["stop_words"]
        words = VectorizerWords(
            **{name: settings[name] for name in ("analyzer", "token_pattern", "strip_accents")},
            ngram_range=tuple(settings["ngram_range"]),
            stop_words=stop_words if stop_words is None or isinstance(stop_words, str) else tuple(sorted(stop_words)),
            lowercase=bool(settings["lowercase"]),
            binary=bool(settings["binary"]),
            vocabulary=vocabulary,
        )
        if _is_plain(words):
            return words, limits
        code = ["token_pattern"]
    functions = ", ".join(f"{name}={_function_name(settings[name])}" for name in code)
    return GivenVectorizer(vectorizer, f"{type(vectorizer).__module__}:{kind}({functions})", vocabulary), limits


def _refuse(kind: str, settings: dict[str, Any]) -> None:
    """Raise an error for a setting that plait cannot honour."""
    weights = {"use_idf": False, "norm": None, "sublinear_tf": False}
    for name, wanted in weights.items():
        if name in settings and settings[name] != wanted:
            raise CorpusError(
                f"tokenizer is a {kind} with {name}={settings[name]!r}, which weights the counts; topic models need "
                "counts: give a CountVectorizer with the same settings",
                parameter="tokenizer",
            )
    if settings["input"] != "content":
        raise CorpusError(
            f"tokenizer is a {kind} with input={settings['input']!r}; plait gives it texts: set input='content'",
            parameter="tokenizer",
        )


def _limits(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the limits of a vectorizer. Its defaults are explicit limits, too: it keeps every word."""
    found = {"min_df": settings["min_df"], "max_df": settings["max_df"], "max_words": settings["max_features"]}
    return {name: value for name, value in found.items() if value not in (None, AUTO)}


def _vocabulary(vocabulary: Any) -> tuple[str, ...] | None:
    """Return the words of a vocabulary in the order of their columns."""
    if vocabulary is None:
        return None
    words = sorted(vocabulary, key=vocabulary.__getitem__) if isinstance(vocabulary, Mapping) else vocabulary
    return tuple(sorted(words)) if isinstance(words, set | frozenset) else tuple(words)


def _function_name(function: Any) -> str:
    return qualified_name(function) if callable(function) else repr(function)


def qualified_name(function: Any) -> str:
    """Return the name that a function of the user's own has in files.

    Parameters
    ----------
    function : callable
        A function, or an object that can be called.

    Returns
    -------
    str
        ``module:name``.

    Examples
    --------
    >>> qualified_name(str.split)
    'builtins:str.split'
    """
    named = function if hasattr(function, "__qualname__") else type(function)
    owner = inspect.getmodule(named)
    module = getattr(named, "__module__", None) or (owner.__name__ if owner else None) or "builtins"
    return f"{module}:{named.__qualname__}"
