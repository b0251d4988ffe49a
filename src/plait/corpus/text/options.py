"""TextOptions: how text becomes words, and which words are kept. Corpora and models made from text contain them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from plait.corpus.problems import CorpusError
from plait.corpus.text.frequencies import AUTO, Limit, check_limits
from plait.corpus.text.guessing import guess_language
from plait.corpus.text.option_checks import (
    check_choice,
    check_normalize,
    read_language,
    read_phrases,
    shortest_word,
)
from plait.corpus.text.stop_words import load_stop_words, stop_words_of
from plait.corpus.text.vectorizers import (
    VECTORIZER_LIMITS,
    GivenVectorizer,
    VectorizerWords,
    is_vectorizer,
    qualified_name,
    read_vectorizer,
)
from plait.corpus.values import shown

LIMITS = ("min_df", "max_df", "max_words", "even_words")
NO_LIMITS: dict[str, Any] = {"min_df": 1, "max_df": 1.0, "max_words": None, "even_words": "keep"}
_CHOICES = {"accents": ("keep", "strip"), "numbers": ("drop", "keep"), "urls": ("drop", "keep")}
# What a vectorizer decides itself: value that is recorded, and values that ask for nothing else.
_LEFT_TO_VECTORIZER: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "language": (None, (None, AUTO)),
    "lowercase": (False, (False, True)),
    "accents": ("keep", ("keep",)),
    "numbers": ("keep", ("drop", "keep")),
    "urls": ("keep", ("drop", "keep")),
    "html": (False, (False, True)),
    "min_length": (1, (None, 1)),
    "normalize": (None, (None,)),
    "phrases": (False, (False,)),
    "even_words": ("keep", (AUTO, "keep")),
}


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer of which only the name is known, because a file contains no code.

    Parameters
    ----------
    name : str
        ``module:name`` of a function, or the class of a vectorizer.
    """

    name: str


@dataclass(frozen=True, repr=False, kw_only=True)
class TextOptions:
    """How text becomes words, and which words are kept.

    The options are immutable. ``corpus.text_options`` has those that a corpus was read with, where the language, the
    stop words, the phrases and the limits are the ones that were found. Files contain them as plain data.

    Parameters
    ----------
    language : str or None, default "auto"
        Code (``"de"``) or English name (``"german"``) of the language. ``"auto"`` guesses it from the texts; None
        stands for no language. It selects the stop words, lemmas, stems and clitics; Chinese, Japanese and Thai are
        split by jieba, janome and pythainlp.
    tokenizer : callable, CountVectorizer or None, default None
        Function from a text to its words, in place of Unicode word boundaries; the other options apply to what it is
        given and what it returns. A CountVectorizer decides everything by its own settings, which are honoured.
    lowercase : bool, default True
        Whether text is converted to lower case.
    accents : {"keep", "strip"}, default "keep"
        Whether diacritics are removed (``café`` is ``cafe``).
    numbers : {"drop", "keep"}, default "drop"
        Whether numbers are words. A number begins with a digit and has more digits than letters, or is an ordinal.
    urls : {"drop", "keep"}, default "drop"
        Whether URLs, e-mail addresses, host names, mail headers other than the subject, and encoded attachments are
        kept as text.
    html : bool, default True
        Whether HTML markup is removed and entities are decoded.
    min_length : int or None, default None
        Fewest characters of a word. None is 3; it is 2 for Chinese, Japanese, Korean, Thai and an unknown language,
        and 1 with a tokenizer of your own.
    stop_words : str, path, collection of str or None, default "auto"
        Words to remove: ``"auto"`` are those of the language (none for tokens and counts), a language such as
        ``"german"``, a file with one word per line, a collection, or None.
    normalize : {"lemmas", "stems"} or None, default None
        Whether words are replaced by their dictionary form or their stem.
    phrases : bool or collection of str, default False
        Whether adjacent words that often occur together are joined to one word, such as ``"machine learning"``; or the
        phrases to join.
    min_df, max_df : int, float or "auto", default "auto"
        A word is kept if it occurs in at least `min_df` and at most `max_df` documents, as a number (int) or a share
        (float) of the documents. ``"auto"`` depends on the number of documents: no limits below 100, 2 and 0.5 from
        100, 5 and 0.5 from 500, 10 and 0.3 from 2,000. Tokens and counts have no limits, and neither has a vocabulary
        of which they would leave fewer than 100 words.
    max_words : int or None, default None
        Number of words to keep, the most frequent ones; None for all.
    even_words : {"auto", "drop", "keep"}, default "auto"
        Whether words of more than a tenth of the documents that are spread evenly over them, such as "thanks" in mail,
        are kept. ``"auto"`` drops them from 2,000 documents of 50 words on average, if `max_df` is ``"auto"``, too.

    Examples
    --------
    >>> options = TextOptions(language="en", numbers="keep", phrases=["ice cream"])
    >>> options.words("Don't melt 2 ice creams: ICE CREAM <b>costs</b> $3.50 at http://ice.org")
    ['melt', 'ice', 'creams', 'ice cream', 'costs', '3.50']
    >>> TextOptions.from_dict(options.to_dict()) == options
    True
    """

    language: str | None = AUTO
    tokenizer: Any = None
    lowercase: bool = True
    accents: Literal["keep", "strip"] = "keep"
    numbers: Literal["drop", "keep"] = "drop"
    urls: Literal["drop", "keep"] = "drop"
    html: bool = True
    min_length: int | None = None
    stop_words: str | Path | Iterable[str] | None = AUTO
    normalize: Literal["lemmas", "stems"] | None = None
    phrases: bool | Iterable[str] = False
    min_df: Limit = AUTO
    max_df: Limit = AUTO
    max_words: int | None = None
    even_words: str = AUTO

    def __post_init__(self) -> None:
        self._check_choices()
        self._set(language=read_language(self.language))
        check_limits(self.min_df, self.max_df, self.max_words, self.even_words)
        if not (isinstance(self.stop_words, str) and self.stop_words == AUTO) and self.stop_words is not None:
            self._set(stop_words=load_stop_words(self.stop_words))
        if not isinstance(self.phrases, bool):
            self._set(phrases=read_phrases(self.phrases))
        if is_vectorizer(self.tokenizer):
            self._adopt_vectorizer()
        elif not (self.tokenizer is None or isinstance(self.tokenizer, NamedTokenizer) or callable(self.tokenizer)):
            raise CorpusError(
                f"tokenizer is {shown(self.tokenizer)}; give a function from text to words, or a CountVectorizer",
                parameter="tokenizer",
            )
        if self.language != AUTO:
            check_normalize(self.normalize, self.language)

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_choices(self) -> None:
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        check_choice("normalize", self.normalize, (None, "lemmas", "stems"))
        for name in ("lowercase", "html"):
            if not isinstance(getattr(self, name), bool):
                raise CorpusError(f"{name} is {shown(getattr(self, name))}; give True or False", parameter=name)
        length = self.min_length
        if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 1):
            raise CorpusError(
                f"min_length is {shown(length)}; give a number of characters of at least 1, or None",
                parameter="min_length",
            )

    def _adopt_vectorizer(self) -> None:
        """Take over the settings of a vectorizer; raise an error for options that it would make void."""
        for name, (recorded, allowed) in _LEFT_TO_VECTORIZER.items():
            if not any(value is getattr(self, name) or value == getattr(self, name) for value in allowed):
                raise CorpusError(
                    f"{name} does not apply with a CountVectorizer as tokenizer, which decides the words by its own "
                    f"settings; leave {name} out, or give a function as tokenizer",
                    parameter=name,
                )
            self._set(**{name: recorded})
        if isinstance(self.stop_words, str):
            self._set(stop_words=None)
        if isinstance(self.tokenizer, VectorizerWords | GivenVectorizer):
            return
        words, limits = read_vectorizer(self.tokenizer)
        for name, value in limits.items():
            given = getattr(self, name)
            if given in (AUTO, None) or value == given:
                continue
            if value != VECTORIZER_LIMITS[name]:
                raise CorpusError(
                    f"{name} is {given!r}, but the CountVectorizer has {value!r}; give it in one place",
                    parameter=name,
                )
            limits = limits | {name: given}
        check_limits(*(limits.get(name, getattr(self, name)) for name in LIMITS))
        self._set(tokenizer=words, **limits)

    @property
    def is_resolved(self) -> bool:
        """Whether nothing is left to be found in the texts: language, stop words and phrases are known."""
        return self.language != AUTO and self.stop_words != AUTO and self.phrases is not True

    def resolve(self, texts: Iterable[str]) -> TextOptions:
        """Return the options with the language, the stop words and the minimum length filled in.

        Parameters
        ----------
        texts : iterable of str
            A sample of the texts, to guess the language.

        Returns
        -------
        TextOptions
            The options. Phrases and limits need the whole corpus and stay as they are.

        Examples
        --------
        >>> options = TextOptions().resolve(["This is the start of it all."])
        >>> options.language, "the" in options.stop_words, options.min_length
        ('en', True, 3)
        """
        language = guess_language(texts) if self.language == AUTO else self.language
        check_normalize(self.normalize, language)
        stop_words = self.stop_words
        if isinstance(stop_words, str):
            stop_words = stop_words_of(language) if language is not None else None
        min_length = self.min_length or shortest_word(language, self.tokenizer is not None)
        return replace(self, language=language, stop_words=stop_words or None, min_length=min_length)

    def words(self, text: str) -> list[str]:
        """Return the words of one text. Limits of the vocabulary do not apply.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            The words in order.

        Examples
        --------
        >>> TextOptions(language="en").words("The well-known U.S. market fell 3.5% on Monday.")
        ['known', 'u.s.', 'market', 'fell', 'monday']
        """
        from plait.corpus.text.analyzers import TextAnalyzer

        return TextAnalyzer(self.resolve([text]))(text)

    def with_tokenizer(self, tokenizer: Any) -> TextOptions:
        """Return the options of a file with the tokenizer given again.

        Parameters
        ----------
        tokenizer : callable or CountVectorizer
            The tokenizer that the texts were read with. Its name must be the one in the file.

        Returns
        -------
        TextOptions
            The options.
        """
        if self.tokenizer is None or isinstance(self.tokenizer, VectorizerWords):
            raise CorpusError(
                "the texts were read without a tokenizer of the user's own; leave tokenizer out", parameter="tokenizer"
            )
        given = TextOptions(tokenizer=tokenizer)
        name, wanted = tokenizer_name(given.tokenizer), tokenizer_name(self.tokenizer)
        if name.rpartition(":")[2] != wanted.rpartition(":")[2]:
            raise CorpusError(
                f"the texts were read with the tokenizer {wanted}, not {name}; give the same one", parameter="tokenizer"
            )
        return replace(self, tokenizer=given.tokenizer)

    def same_words(self, other: TextOptions) -> bool:
        """Return whether both options turn any text into the same words.

        Limits of the vocabulary (`min_df`, `max_df`, `max_words`, `even_words`) are not compared. Tokenizers are
        compared by name.

        Parameters
        ----------
        other : TextOptions
            Other options; both should be resolved, as those of a corpus or a model are.

        Returns
        -------
        bool
            Whether they are the same.

        Examples
        --------
        >>> TextOptions(min_df=5).same_words(TextOptions()), TextOptions(html=False).same_words(TextOptions())
        (True, False)
        """
        return not self.differences(other)

    def differences(self, other: TextOptions) -> list[str]:
        """Return the names of the options that make other words of a text.

        Parameters
        ----------
        other : TextOptions
            Other options.

        Returns
        -------
        list of str
            Names of fields; empty if `same_words`.
        """
        names = [one.name for one in fields(self) if one.name not in (*LIMITS, "tokenizer")]
        found = [name for name in names if getattr(self, name) != getattr(other, name)]
        plain = (VectorizerWords, type(None))
        if isinstance(self.tokenizer, plain) or isinstance(other.tokenizer, plain):
            same = self.tokenizer == other.tokenizer
        else:
            same = tokenizer_name(self.tokenizer) == tokenizer_name(other.tokenizer)
        return found if same else [*found, "tokenizer"]

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data: None, bool, numbers, text, lists and dicts.

        A tokenizer of the user's own is stored by its name only.

        Returns
        -------
        dict of str to object
            One entry per field.
        """
        from plait.corpus.text.option_data import options_to_dict

        return options_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TextOptions:
        """Return the options of `to_dict`. The data may come from a stranger's file and are checked.

        Parameters
        ----------
        data : mapping of str to object
            The data.

        Returns
        -------
        TextOptions
            The options.
        """
        from plait.corpus.text.option_data import options_from_dict

        return options_from_dict(data)

    def __repr__(self) -> str:
        defaults = {one.name: one.default for one in fields(self)}
        shown_fields = []
        for name, default in defaults.items():
            value = getattr(self, name)
            if isinstance(value, frozenset | tuple) and len(value) > 5:
                shown_fields.append(f"{name}=<{len(value):,} {'phrases' if name == 'phrases' else 'words'}>")
            elif value != default:
                shown_fields.append(f"{name}={sorted(value) if isinstance(value, frozenset) else value!r}")
        return f"TextOptions({', '.join(shown_fields)})"

    def __reduce__(self) -> tuple[Any, ...]:  # a function such as a lambda cannot be pickled: keep its name
        return TextOptions.from_dict, (self.to_dict(),)

    def __copy__(self) -> TextOptions:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TextOptions:
        return self


def tokenizer_name(tokenizer: Any) -> str:
    """Return the name of a tokenizer of the user's own in files.

    Parameters
    ----------
    tokenizer : callable, GivenVectorizer or NamedTokenizer
        The tokenizer.

    Returns
    -------
    str
        ``module:name``.
    """
    return tokenizer.name if isinstance(tokenizer, NamedTokenizer | GivenVectorizer) else qualified_name(tokenizer)
