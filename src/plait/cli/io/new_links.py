"""Links of new documents, to those that a model knows and to each other, for models whose words may draw along them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.options.models import follows_links, with_article
from plait.cli.options.reading import WordSource, skipped_line
from plait.errors import PlaitError

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sparse

    from plait.corpus import Corpus
    from plait.corpus.readers.records import LinkRecord

NewLinksPath = Annotated[
    Path | None,
    typer.Option(
        "--links",
        metavar="FILE",
        help="File of links (source, target, weight) of the documents, to those of the model and to each other, for a "
        "model that follows links: words are then drawn along them, too. Links to each other are followed with all "
        "documents in memory.",
        show_default="none",
    ),
]
LinksOf = Callable[["Corpus"], dict[str, Any]]  # what predictions for a batch are given besides


class NewLinks:
    """The links of a file, by the ids of their ends.

    Attributes
    ----------
    among_new : bool
        Whether documents that the model does not know are linked to each other, so that batches must not part them.
    """

    def __init__(self, path: Path, model: Any, source: WordSource) -> None:
        import numpy as np
        import scipy.sparse as sparse

        from plait.corpus.problems import Problems
        from plait.corpus.readers.links import given_links, link_matrix
        from plait.mixing.linked_documents import orient_links

        if model.doc_ids_ is None:
            raise PlaitError("the model was fitted to a matrix, so its documents have no ids; leave --links out")
        problems = Problems(source.keywords()["on_error"])
        self._row_of = {str(name): row for row, name in enumerate(model.doc_ids_)}
        self._n_known = len(self._row_of)
        reader = given_links(path, source.encoding)
        assert reader is not None
        entries = list(reader(self._row_of, problems))
        for entry in entries:
            _take_in(entry, self._row_of)
        links = link_matrix(entries, self._row_of, (), problems)
        self._direction: str = model._make_mixing().direction
        drawn = orient_links(links, self._direction)
        self.among_new = bool(drawn[self._n_known :, self._n_known :].nnz)
        self._drawn = sparse.csr_array(sparse.vstack([drawn, sparse.csr_array((1, drawn.shape[1]))]))
        self._ends = links.nonzero()
        self._skipped = problems.skipped()
        self._met = np.zeros(self._drawn.shape[0], dtype=bool)

    def of(self, ids: np.ndarray) -> sparse.csr_array:
        """Return whom each of these may draw from: documents of the model, then, where they are linked, these."""
        import numpy as np
        import scipy.sparse as sparse

        rows = np.array([self._row_of.get(str(name), -1) for name in ids], dtype=np.int64)  # the last row has no links
        self._met[rows] = True
        drawn = sparse.csr_array(self._drawn[rows])
        known = drawn[:, : self._n_known]
        if not self.among_new:
            return known
        place_of = np.full(self._drawn.shape[1], -1, dtype=np.int64)
        new = np.flatnonzero(rows >= self._n_known)  # a document of the model itself is met there
        place_of[rows[new]] = new
        ends = drawn.tocoo()
        here = place_of[ends.col] >= 0
        if not here.any():
            return known
        among = (ends.data[here], (ends.row[here], place_of[ends.col[here]]))
        return sparse.csr_array(sparse.hstack([known, sparse.coo_array(among, shape=(len(rows), len(rows)))]))

    def line(self) -> str:
        """Say in one line how many links were used, and how many were not."""
        import numpy as np

        sources, targets = self._ends
        there = self._met[:-1].copy()  # whom others may draw from
        there[: self._n_known] = True
        out = self._met[sources] & there[targets] & (self._direction != "in")
        into = self._met[targets] & there[sources] & (self._direction != "out")
        used = int(np.count_nonzero(out | into))
        drawing = np.concatenate([sources[out], targets[into]])
        of = len(np.unique(drawing))
        line = f"words are drawn along {counted(used, 'link')} of {counted(of, 'document')}"
        if used < sources.size:
            others = counted(sources.size - used, "other link")
            line += f"; {others} in the file would not let one of the documents draw from another or from the model's"
        return f"{line}; {skipped_line(self._skipped)}"


def links_for(path: Path | None, model: Any, model_path: Path, source: WordSource) -> tuple[NewLinks | None, LinksOf]:
    """Return the links of a file, and what predictions for a batch of documents are given of them."""
    if path is None:
        return None, lambda batch: {}
    if not follows_links(model):
        raise PlaitError(
            f"--links is for models that follow links; {model_path} holds {with_article(model)}, whose words draw "
            "from their own document only"
        )
    links = NewLinks(path, model, source)
    return links, lambda batch: {"links": links.of(batch.ids)}


def links_to_known(model: Any, whole: Corpus, chosen: Corpus) -> sparse.csr_array | None:
    """Return along which links of a corpus some of its documents may draw from those of a model; None for no link.

    Parameters
    ----------
    whole
        The corpus with its links.
    chosen
        Documents of it, a row each.
    """
    import numpy as np
    import scipy.sparse as sparse

    from plait.mixing.linked_documents import orient_links

    if whole.links is None or model.doc_ids_ is None:
        return None
    row_of = {str(name): row for row, name in enumerate(whole.ids)}
    known = np.array([row_of.get(str(name), -1) for name in model.doc_ids_])
    there = np.flatnonzero(known >= 0)
    rows = [row_of[str(name)] for name in chosen.ids]
    found = sparse.csr_array(orient_links(whole.links, model._make_mixing().direction)[rows][:, known[there]])
    if not found.nnz:
        return None
    drawn = found.tocoo()
    shape = (found.shape[0], known.size)
    return sparse.csr_array((drawn.data, (drawn.row, there[drawn.col])), shape=shape)


def links_of_rows(links: sparse.csr_array | None, rows: list[int]) -> sparse.csr_array | None:
    """Return the links of some of the documents, a row each; None where these have none."""
    if links is None:
        return None
    cut = links[rows]
    return cut if cut.nnz else None


def n_linked(links: sparse.csr_array | None) -> int:
    """Return how many documents, a row each, have a link."""
    import numpy as np

    return 0 if links is None else int(np.count_nonzero(np.diff(links.indptr)))


def linked_line(linked: int, documents: int) -> str:
    """Say in one line how many of the documents that are measured have links that are followed.

    Examples
    --------
    >>> linked_line(17, 18)
    'With links: 17 of 18 documents may draw from ones that the model was fitted to; the rest is told from words'
    """
    of = f"{linked:,} of {counted(documents, 'document')}"
    line = f"With links: {of} may draw from ones that the model was fitted to"
    return line + "; the rest is told from words" * (linked < documents)


def _take_in(entry: LinkRecord, row_of: dict[str, int]) -> None:
    """Give the ends of a link a row each; what is no id is refused later, with its place."""
    from plait.corpus.problems import BadValueError
    from plait.corpus.values import parse_id

    for end in (entry.source, entry.target):
        try:
            row_of.setdefault(parse_id(end), len(row_of))
        except BadValueError:
            continue
