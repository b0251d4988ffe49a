"""Influence along links as people read it: what there is to learn, who shapes whom, and tables of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plait._utils.wording import counted
from plait.cli.show.screen import Table, printable

if TYPE_CHECKING:
    from plait.corpus import Corpus

COLUMNS = ("source", "target", "influence")
_ITSELF = "itself"


def influence_line(corpus: Corpus, model: Any) -> str:
    """Say in one line along which links words may be drawn.

    Examples
    --------
    >>> from plait import Corpus, LinkedLDA
    >>> corpus = Corpus.from_texts(["red", "blue", "pink"], ids="abc", links=[("a", "b"), ("a", "c")])
    >>> influence_line(corpus, LinkedLDA())
    '2 links to draw words along; 2 documents have none'
    >>> influence_line(corpus, LinkedLDA(most_links=1))
    '2 links to draw words along; 1 beyond the heaviest of each document is not followed (of equally heavy ones ...'
    """
    import numpy as np

    from plait.mixing.linked_documents import orient_links

    mixing = model._make_mixing()
    degrees = np.diff(orient_links(corpus.links, mixing.direction).indptr)
    line = f"{counted(int(degrees.sum()), 'link')} to draw words along"
    cut = 0 if mixing.most_links is None else int(np.maximum(degrees - mixing.most_links, 0).sum())
    if cut:
        followed = f"{cut:,} beyond {_heaviest(mixing)} of each document {'is' if cut == 1 else 'are'} not followed"
        line += f"; {followed} (of equally heavy ones some by chance; --most-links follows more)"
    alone = int(np.count_nonzero(degrees == 0))
    if alone:
        line += f"; {counted(alone, 'document')} {'has' if alone == 1 else 'have'} none"
    return line


def influence_lines(model: Any, top: int = 5) -> list[str]:
    """Say what a fitted model found: how much is drawn along links, and from whom most."""
    drawn = "documents that others draw from most:"
    found = [f"  {printable(one.document)}: {_words_of(one)}" for one in model.most_influential(top)]
    return [drawn_line(model), drawn, *found]


def drawn_line(model: Any, linked: str = "linked documents") -> str:
    """Say which share of all words is drawn from linked documents, by whatever name."""
    lengths = model._doc_lengths
    own = float(model.influence_.diagonal() @ lengths / lengths.sum())
    return f"{1 - own:.1%} of all words are drawn from {linked}"


def influential_table(model: Any, top: int, name: str = "document", linked: str = "linked documents") -> Table:
    """Lay out the documents that others draw from most; `name` and `linked` head the columns."""
    numbers = ["words drawn by others", linked]
    table = Table([name, *numbers], right=set(numbers))
    for one in model.most_influential(top):
        table.add(one.document, f"{one.words:,.1f}", f"{one.documents:,}")
    return table


def influencers_table(model: Any, documents: Sequence[str | int], top: int) -> Table:
    """Lay out whom documents draw from: themselves, the strongest others, and the rest together."""
    table = Table(["document", "draws from", "share"], right={"share"})
    for document in documents:
        others = model.influencers(document, top=model.influence_.shape[0])
        shown = [(one.document, one.share) for one in others[:top]]
        rest = [one.share for one in others[top:]]
        shown.insert(0, (_ITSELF, 1.0 - sum(one.share for one in others)))
        if rest:
            shown.append((f"{len(rest):,} more", sum(rest)))
        for place, (source, share) in enumerate(shown):
            table.add(str(document) if place == 0 else "", source, f"{share:.1%}")
    return table


def cut_lines(model: Any, documents: Sequence[str | int]) -> list[str]:
    """Say which documents have links that were not followed, and how many."""
    from plait.models.answers.known_documents import find_rows

    lines = []
    for document, row in zip(documents, find_rows(documents, model.doc_ids_, model.influence_.shape[0]), strict=True):
        cut = int((model.influence_[[row]].data == 0).sum())
        if cut:
            lines.append(
                f"{printable(str(document))}: {counted(cut, 'link')} beyond {_heaviest(model._make_mixing())} "
                f"{'was' if cut == 1 else 'were'} not followed (plait fit --most-links follows more)"
            )
    return lines


def _words_of(one: Any) -> str:
    return f"{one.words:,.1f} words of {counted(one.documents, 'document')}"


def _heaviest(mixing: Any) -> str:
    return "the heaviest" if mixing.most_links == 1 else f"the {mixing.most_links} heaviest"
