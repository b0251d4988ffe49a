"""Lines about the links of a corpus and about what a model learned from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait._utils.text import MOST_CHARACTERS, printable
from plait._utils.wording import counted
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus


def check_links(corpus: Corpus, path: Path) -> None:
    """Raise an error if a corpus has no links.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    path : Path
        Their file, for the message.
    """
    if corpus.links is None or not corpus.n_links:
        raise PlaitError(
            f"{path}: no document links to another; name a file of links with --links, or fit a model that needs "
            "none, such as --model lda"
        )


def link_line(corpus: Corpus) -> str:
    """Return one line about the links of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Documents with links.

    Returns
    -------
    str
        The line.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> link_line(Corpus.from_texts(["red", "blue", "pink"], ids="abc", links=[("a", "b")]))
    '1 link; 1 document has none: only its words are used'
    """
    links = corpus.links
    assert links is not None
    linked = set(links.nonzero()[0].tolist()) | set(links.nonzero()[1].tolist())
    line = counted(corpus.n_links, "link")
    alone = len(corpus) - len(linked)
    if alone == 1:
        line += "; 1 document has none: only its words are used"
    elif alone:
        line += f"; {alone:,} documents have none: only their words are used"
    return line


def learned_lines(model: Any, top: int = 5) -> list[str]:
    """Return lines about the links that a model was fitted to and its largest link weights.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts links.
    top : int, default 5
        Number of pairs of topics.

    Returns
    -------
    list of str
        The lines.
    """
    way = "directed" if model.directed_ else "undirected"
    lines = [f"learned from {model.n_links_:,} {way} links and {model.n_negatives_:,} unlinked pairs"]
    if hasattr(model, "pair_weights_"):
        weights = model.pair_weights_
        lines.append(
            f"weights of pair features ({', '.join(weights.labels)}) learned from {weights.n_links:,} hidden links of "
            f"{weights.n_documents:,} documents"
        )
    return [
        *lines,
        "topics with the largest link weights:",
        *(f"  {printable(str(link), 5 * MOST_CHARACTERS)}" for link in model.topic_links(top)),
    ]
