"""Links as a model learns them: that there are some, and what is said about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus


def check_links(corpus: Corpus, path: Path) -> None:
    """Refuse a corpus without links."""
    if corpus.links is None or not corpus.n_links:
        raise PlaitError(
            f"{path}: no document links to another; name a file of links with --links, or fit a model that needs "
            "none, such as --model lda"
        )


def link_line(corpus: Corpus) -> str:
    """Say in one line what there is to learn.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> link_line(Corpus.from_texts(["red", "blue", "pink"], ids="abc", links=[("a", "b")]))
    '1 link; 1 document has none and shapes the topics only'
    """
    links = corpus.links
    assert links is not None
    touched = set(links.nonzero()[0].tolist()) | set(links.nonzero()[1].tolist())
    line = f"{corpus.n_links:,} link{'s' * (corpus.n_links != 1)}"
    alone = len(corpus) - len(touched)
    if alone == 1:
        line += "; 1 document has none and shapes the topics only"
    elif alone:
        line += f"; {alone:,} documents have none and shape the topics only"
    return line


def learnt_lines(model: Any, top: int = 5) -> list[str]:
    """Say what a fitted model learnt from, and which topics it links most readily."""
    way = "directed" if model.directed_ else "undirected"
    lines = [f"learnt from {model.n_links_:,} {way} links and {model.n_negatives_:,} pairs without one"]
    return [*lines, "links that topics speak for most:", *(f"  {link}" for link in model.topic_links(top))]
