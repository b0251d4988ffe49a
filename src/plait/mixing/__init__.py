"""Whose proportions a word draws its topic from.

Its own document's (`own_document.py`), or also those of linked documents (`linked_documents.py`).
"""

from __future__ import annotations

from typing import TypeAlias

from plait.mixing.linked_documents import LinkedDocuments
from plait.mixing.own_document import OwnDocument

Mixing: TypeAlias = OwnDocument | LinkedDocuments

__all__ = ["LinkedDocuments", "Mixing", "OwnDocument"]
