"""Corpora read with the options of a command, and one line about what was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait._utils.text import printable
from plait.cli.options.reading import SplitOptions, WordSource
from plait.cli.options.text_options import Vocabulary
from plait.errors import PlaitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from plait.corpus import Corpus, Skipped
    from plait.corpus.readers.field_guesses import FieldChoice


@dataclass(frozen=True)
class HeldOut:
    """A random share of held-out documents."""

    share: float
    seed: int


@dataclass(frozen=True)
class Reading:
    """A corpus, and what was skipped when it was read."""

    corpus: Corpus
    skipped: Skipped


def read(
    path: Path,
    source: WordSource,
    vocabulary: Vocabulary,
    split: SplitOptions,
    held_out: HeldOut | None = None,
    **more: Any,
) -> Reading:
    """Return the corpus at a path, to inspect it or to fit a model to it.

    Parameters
    ----------
    path : Path
        The corpus.
    source : WordSource
        Fields of the words.
    vocabulary : Vocabulary
        Limits of the vocabulary.
    split : SplitOptions
        The split to use.
    held_out : HeldOut, optional
        Share of the documents to leave out.
    **more : object
        Further arguments of `read_corpus`.

    Returns
    -------
    Reading
        The corpus and what was skipped.
    """
    from plait.corpus import read_corpus
    from plait.corpus.prepared.manifest import is_prepared

    given = source.keywords() | {"split": split.split_field} | more
    prepared = path.is_dir() and is_prepared(path)
    if prepared or (split.split is None and held_out is None):
        corpus = read_corpus(path, **given, **vocabulary.keywords())
        # The vocabulary of a prepared corpus was chosen for all of its documents.
        return Reading(_choose(corpus, split, held_out), corpus.skipped)
    # Limits of the vocabulary apply to the chosen documents alone.
    whole = read_corpus(path, **given, **vocabulary.words(), min_df=1, max_df=1.0, even_words="keep")
    return Reading(_choose(whole, split, held_out).filter_words(**vocabulary.limits()), whole.skipped)


def _choose(whole: Corpus, split: SplitOptions, held_out: HeldOut | None) -> Corpus:
    """Return the documents of a split, without those that are held out."""
    chosen = whole if split.split is None else whole.part(split.split)
    return chosen if held_out is None else chosen.split(held_out.share, random_state=held_out.seed)[0]


def read_for_model(model: Any, path: Path, source: WordSource, **more: Any) -> Corpus:
    """Return the corpus that a fitted model is applied to; texts become words as those of the model did.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    path : Path
        The corpus.
    source : WordSource
        Fields of the words.
    **more : object
        Further arguments of `read_corpus`.

    Returns
    -------
    Corpus
        The documents with all their words.
    """
    from plait.corpus import read_corpus

    vocabulary_of(model)
    keywords = source.keywords()
    del keywords["lowercase"]
    corpus = read_corpus(path, **keywords, **more, like=like_model(model, source))
    warn_of_other_words(model, corpus)
    return corpus


def like_model(model: Any, source: WordSource) -> Any:
    """Return what `read_corpus` takes as like=: the model, or for a model that cannot read text a substitute.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    source : WordSource
        Whether text is converted to lower case.

    Returns
    -------
    object
        It has the attribute `text_options_`.
    """
    from types import SimpleNamespace

    options = getattr(model, "text_options_", None)
    if options is not None:
        if source.keep_case and options.lowercase:
            raise PlaitError("the texts of the model were converted to lower case; leave --keep-case out")
        return model
    from sklearn.feature_extraction.text import CountVectorizer

    from plait.corpus import TextOptions

    # Earlier versions read text in this way, and did not save it.
    return SimpleNamespace(
        text_options_=TextOptions(
            tokenizer=CountVectorizer(lowercase=not source.keep_case),
            stop_words=unknown_stop_words(vocabulary_of(model)),
            min_df=1,
            max_df=1.0,
        ).resolve([])
    )


def warn_of_other_words(model: Any, corpus: Corpus) -> None:
    """Warn if the documents were texts, and the model does not know how texts become words.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus
        The documents.
    """
    import warnings

    if getattr(model, "text_options_", None) is None and corpus.text_options is not None:
        warnings.warn(
            "the model does not say how text becomes words: it was fitted to tokens or counts, or by an earlier "
            "version; texts are split as scikit-learn's CountVectorizer does",
            stacklevel=2,
        )


def align_split(model: Any, whole: Corpus, split: str | None) -> Reading:
    """Return the documents of a split, or all, in the columns of a model's vocabulary.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    whole : Corpus
        All documents.
    split : str, optional
        Name of a split.

    Returns
    -------
    Reading
        The documents and what was skipped.
    """
    chosen = whole if split is None else whole.part(split)
    aligned = chosen.with_vocabulary(vocabulary_of(model))
    # A split starts with nothing skipped; the whole corpus passes its own tally on.
    return Reading(aligned, aligned.skipped if split is None else whole.skipped + aligned.skipped)


def vocabulary_of(model: Any) -> np.ndarray:
    """Return the vocabulary of a model; a model without one cannot be applied to a corpus.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    array of str
        The words.
    """
    if model.vocabulary_ is None:
        raise PlaitError(
            "the model was fitted to a matrix without a vocabulary, so it cannot be applied to a corpus; "
            "fit it to a corpus"
        )
    words: np.ndarray = model.vocabulary_
    return words


def unknown_stop_words(words: np.ndarray) -> list[str]:
    """Return the English stop words that are not in a model's vocabulary: they are not counted as unknown words.

    A word of the vocabulary is never removed, whatever the stop words of the fit were.

    Parameters
    ----------
    words : array of str
        The vocabulary.

    Returns
    -------
    list of str
        The stop words.
    """
    from plait.corpus.text.stop_words import load_stop_words

    return sorted(load_stop_words("english") - set(words))


def describe_fields(fields: Sequence[FieldChoice], command: Any) -> list[str]:
    """Return lines about the fields that were taken, with the options that would change them.

    Fields whose names say what they are share one line. A role that the command has no option for is left out.

    Parameters
    ----------
    fields : sequence of FieldChoice
        The choices, such as ``corpus.fields``.
    command : typer.core.TyperCommand
        The command, whose options are named.

    Returns
    -------
    list of str
        The lines.
    """
    from plait.corpus.values import shown

    options = {one.name: one.opts[0] for one in command.params if one.param_type_name == "option"}
    known = {one.role: options.get(one.role if one.role == "sheet" else f"{one.role}_field") for one in fields}
    plain = [one for one in fields if one.is_plain and not one.named and known[one.role]]
    lines = [one.describe(str(known[one.role])) for one in fields if not one.is_plain and known[one.role]]
    if plain:
        taken = ", ".join(f"{one.role} {shown(one.names[0])}" for one in plain)
        changes = " or ".join([str(known[plain[0].role]), "the like"] if plain[1:] else [str(known[plain[0].role])])
        lines.append(f"fields: {taken} (by name; {changes} changes it)")
    return lines


def describe_reading(path: Path, reading: Reading) -> str:
    """Return one line about what was read and skipped.

    Parameters
    ----------
    path : Path
        The corpus.
    reading : Reading
        What was read.

    Returns
    -------
    str
        The line.
    """
    corpus = reading.corpus
    sizes = f"{corpus.n_documents:,} documents, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens"
    return f"read {printable(str(path))}: {sizes}; {describe_skipped(reading.skipped)}"


def describe_skipped(skipped: Skipped) -> str:
    """Return one line about what was skipped, most frequent kind first.

    Parameters
    ----------
    skipped : Skipped
        Tally by kind.

    Returns
    -------
    str
        The line.
    """
    from plait._utils.wording import counted
    from plait.corpus.container.vocabulary import OUTSIDE
    from plait.corpus.problems import ENCODING_HINT, WRONG_ENCODING

    found = sorted((kind for kind in skipped if kind.name != OUTSIDE), key=lambda kind: -kind.count)
    kinds = ", ".join(f"{kind.count:,} × {kind.name}" for kind in found)
    line = f"skipped {kinds}" if found else "nothing skipped"
    line += f" ({ENCODING_HINT})" if skipped[WRONG_ENCODING] else ""
    if skipped[OUTSIDE]:
        outside = counted(skipped[OUTSIDE], "token")
        line += f"; {outside} not in the model's vocabulary (dropped when it was fitted, or new)"
    return line
