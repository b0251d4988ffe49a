"""Lines and tables about influence along links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plait._utils.text import MOST_CHARACTERS, cut, printable
from plait._utils.wording import counted
from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from plait.corpus import Corpus

COLUMNS = ("source", "target", "influence")
_ITSELF = "itself"
_TITLE = 60  # characters


def influence_line(corpus: Corpus, model: Any) -> str:
    """Return one line about the links that a model will follow.

    Parameters
    ----------
    corpus : Corpus
        Documents with links.
    model : TopicEstimator
        A model that follows links.

    Returns
    -------
    str
        The line.

    Examples
    --------
    >>> from plait import Corpus, LinkedLDA
    >>> corpus = Corpus.from_texts(["red", "blue", "pink"], ids="abc", links=[("a", "b"), ("a", "c")])
    >>> influence_line(corpus, LinkedLDA())
    '2 links to follow; 2 documents have none'
    >>> influence_line(corpus, LinkedLDA(most_links=1))
    '2 links to follow; 1 beyond the heaviest of each document is not followed (ties are broken at random; ...'
    """
    import numpy as np

    from plait.mixing.linked_documents import orient_links
    from plait.models.answers.new_links import link_direction

    degrees = np.diff(orient_links(corpus.links, link_direction(model)).indptr)
    line = f"{counted(int(degrees.sum()), 'link')} to follow"
    most_links = _most_links(model)
    cut = 0 if most_links is None else int(np.maximum(degrees - most_links, 0).sum())
    if cut:
        line += f"; {cut:,} beyond {_heaviest(most_links)} of each document {'is' if cut == 1 else 'are'} not followed"
        line += " (ties are broken at random; --most-links follows more)"
    alone = int(np.count_nonzero(degrees == 0))
    if alone:
        line += f"; {counted(alone, 'document')} {'has' if alone == 1 else 'have'} none"
    return line


def influence_lines(model: Any, top: int = 5) -> list[str]:
    """Return lines about the influence that a model found.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that follows links.
    top : int, default 5
        Number of documents.

    Returns
    -------
    list of str
        The lines.
    """
    found = [f"  {_named(one)}: {_borrowed(one)}" for one in model.most_influential(top)]
    return [borrowed_line(model), "most influential documents (tokens of other documents):", *found]


def borrowed_line(model: Any, linked: str = "linked documents") -> str:
    """Return one line about the share of tokens that come from linked documents.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that follows links.
    linked : str
        Name of the linked documents.

    Returns
    -------
    str
        The line.
    """
    borrowed = sum(one.words for one in model.most_influential(model.influence_.shape[0]))
    return f"{borrowed / model.word_counts_.sum():.1%} of all tokens come from {linked}"


def influential_table(model: Any, top: int, name: str = "document", linked: str = "linked documents") -> Table:
    """Return a table of the most influential documents.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that follows links.
    top : int
        Number of documents.
    name, linked : str
        Heads of the columns of documents and of their numbers of linked documents.

    Returns
    -------
    Table
        The table.
    """
    numbers = ["tokens of others", linked]
    found = model.most_influential(top)
    titled = any(one.title for one in found)
    table = Table([name, *["title"] * titled, *numbers], right=set(numbers))
    for one in found:
        table.add(one.document, *[cut(one.title, _TITLE)] * titled, f"{one.words:,.1f}", f"{one.documents:,}")
    return table


def influencers_table(model: Any, documents: Sequence[str | int], top: int) -> Table:
    """Return a table of the source documents of some documents: itself, the strongest others, and the rest.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that follows links.
    documents : sequence
        Ids or rows.
    top : int
        Number of source documents per document.

    Returns
    -------
    Table
        The table.
    """
    from plait.models.answers.known_documents import find_rows

    titled = model.documents_.titles is not None
    table = Table(["document", "source", *["title"] * titled, "share"], right={"share"})
    for document in documents:
        others = model.influencers(document, top=model.influence_.shape[0])
        (row,) = find_rows([document], model.doc_ids_, model.influence_.shape[0])
        rows = [(_ITSELF, model.documents_.title(row), 1.0 - sum(one.share for one in others))]
        rows += [(one.document, one.title, one.share) for one in others[:top]]
        if others[top:]:
            rows.append((f"{len(others) - top:,} more", "", sum(one.share for one in others[top:])))
        for number, (source, title, share) in enumerate(rows):
            cells = [cut(title, _TITLE)] * titled
            table.add(str(document) if number == 0 else "", source, *cells, f"{share:.1%}")
    return table


def cut_lines(model: Any, documents: Sequence[str | int]) -> list[str]:
    """Return one line per document with links that were not followed.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that follows links.
    documents : sequence
        Ids or rows.

    Returns
    -------
    list of str
        The lines.
    """
    from plait.models.answers.known_documents import find_rows

    lines = []
    for document, row in zip(documents, find_rows(documents, model.doc_ids_, model.influence_.shape[0]), strict=True):
        cut = int((model.influence_[[row]].data == 0).sum())
        if cut:
            lines.append(
                f"{printable(str(document), MOST_CHARACTERS)}: {counted(cut, 'link')} beyond "
                f"{_heaviest(_most_links(model))} "
                f"{'was' if cut == 1 else 'were'} not followed (plait fit --most-links follows more)"
            )
    return lines


def _named(one: Any) -> str:
    """Return the id of a document, followed by its title if it has one."""
    title = f" ({cut(one.title, _TITLE)})" if one.title else ""
    return f"{printable(one.document, MOST_CHARACTERS)}{title}"


def _borrowed(one: Any) -> str:
    return f"{one.words:,.1f} tokens of {counted(one.documents, 'document')}"


def _most_links(model: Any) -> int | None:
    most: int | None = model.most_links if hasattr(model, "most_links") else model.mixing.most_links
    return most


def _heaviest(most_links: int | None) -> str:
    return "the heaviest" if most_links == 1 else f"the {most_links} heaviest"
