"""Mixing: the documents whose topic proportions a token may draw from.

Read `base.py` first: it is the contract. Tokens draw from their own document (`own_document.py`), or also from linked
documents (`linked_documents.py`).
"""

from __future__ import annotations

from plait._utils.discovery import find_classes
from plait.mixing.base import Mixing
from plait.mixing.linked_documents import LinkedDocuments
from plait.mixing.own_document import OwnDocument

MIXINGS: dict[str, type[Mixing]] = {
    kind.__name__: kind for kind in find_classes("plait.mixing", lambda kind: issubclass(kind, Mixing))
}

__all__ = ["MIXINGS", "LinkedDocuments", "Mixing", "OwnDocument"]
