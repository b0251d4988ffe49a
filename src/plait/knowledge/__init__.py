"""Outside knowledge: topics of articles that the documents mention, used as a prior.

`titles.py` searches article titles in documents, `related.py` selects the related articles, `strength.py` chooses the
strength of the prior, `build.py` runs these steps, `prior.py` holds the result.
"""

from __future__ import annotations

from plait.knowledge.prior import KnowledgePrior
from plait.knowledge.related import Article, RelatedArticles, Search
from plait.knowledge.strength import StrengthTrial

__all__ = ["Article", "KnowledgePrior", "RelatedArticles", "Search", "StrengthTrial"]
