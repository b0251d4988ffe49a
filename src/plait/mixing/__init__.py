"""Whose proportions a word draws its topic from.

Its own document's (`own_document.py`), or also those of linked documents (`linked_documents.py`).
"""

from __future__ import annotations

from typing import TypeAlias

from plait._utils.discovery import find_classes
from plait.mixing.linked_documents import LinkedDocuments
from plait.mixing.own_document import OwnDocument

Mixing: TypeAlias = OwnDocument | LinkedDocuments

MIXINGS: dict[str, type[Mixing]] = {
    kind.__name__: kind for kind in find_classes("plait.mixing", lambda kind: hasattr(kind, "alphas"))
}

__all__ = ["MIXINGS", "LinkedDocuments", "Mixing", "OwnDocument"]
