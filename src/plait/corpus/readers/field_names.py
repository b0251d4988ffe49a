"""Plain names of fields, which say their role."""

from __future__ import annotations

from collections.abc import Sequence

from plait.corpus.readers.records import WordForm

WORDS = "words"
# Names in lower case, the most likely first.
GUESSES: dict[str, tuple[str, ...]] = {
    "id": ("id", "doc_id", "document_id", "docid", "paper_id", "article_id", "uid", "key", "name"),
    "title": ("title", "headline", "subject", "heading"),
    "label": (
        "label",
        "labels",
        "class",
        "classes",
        "category",
        "categories",
        "topic",
        "topics",
        "tag",
        "tags",
    ),
    "date": ("date", "datetime", "time", "timestamp", "published", "publication_date", "created", "year"),
    "split": ("split", "set", "subset", "fold", "partition"),
}
# For words, the form comes first: counts, then tokens, then text.
WORD_GUESSES: tuple[tuple[WordForm, str], ...] = (
    ("counts", "counts"),
    ("counts", "word_counts"),
    ("counts", "bag_of_words"),
    ("counts", "bow"),
    ("tokens", "tokens"),
    ("tokens", "words"),
    *(
        ("text", name)
        for name in (
            "text",
            "body",
            "content",
            "contents",
            "abstract",
            "full_text",
            "message",
            "document",
            "summary",
        )
    ),
)


def find_candidates(layout: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return every (role, rank, field) that the names of some fields suggest.

    Parameters
    ----------
    layout : sequence of str
        The names of the fields.

    Returns
    -------
    list of (str, int, str)
        Role, rank (a lower one is a better guess) and field.

    Examples
    --------
    >>> find_candidates(["ID", "Abstract"])
    [('id', 0, 'ID'), ('words', 10, 'Abstract')]
    """
    by_name: dict[str, str] = {}
    for name in layout:
        by_name.setdefault(str(name).strip().lower(), name)
    found = [
        (role, rank, by_name[guess])
        for role, guesses in GUESSES.items()
        for rank, guess in enumerate(guesses)
        if guess in by_name
    ]
    found += [(WORDS, rank, by_name[guess]) for rank, (_, guess) in enumerate(WORD_GUESSES) if guess in by_name]
    return found
