"""Lines about the labels or numbers of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plait.cli.options.targets import Target
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus


def check_labels(corpus: Corpus, target: Target, path: Path) -> None:
    """Raise an error if a corpus has no labels, or no numbers.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    target : Target
        Labels or values.
    path : Path
        Their file, for the message.
    """
    if corpus.labels is None or not any(corpus.labels):
        what = "a label" if target is Target.labels else "a number to learn"
        raise PlaitError(f"{path}: no document has {what}; name the field that holds them with --label")


def label_line(corpus: Corpus, target: Target) -> str:
    """Return one line about the labels or numbers of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Documents with labels.
    target : Target
        Labels or values.

    Returns
    -------
    str
        The line.
    """
    labelled = sum(bool(names) for names in corpus.labels or ())
    if target is Target.values:
        line = f"{labelled:,} documents have a number to learn"
    else:
        several = "several per document" if corpus.is_multilabel else "one per document"
        line = f"{labelled:,} documents have labels: {len(corpus.label_names):,} different ones, {several}"
    if labelled < len(corpus):
        line += f"; {len(corpus) - labelled:,} have none: only their words are used"
    return line
