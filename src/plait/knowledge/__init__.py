"""Outside knowledge: articles that documents mention, searched by title, learnt, and made a prior of topics.

`titles.py` searches, `related.py` says which articles are related, `strength.py` how much they should count, `build.py`
does one after the other, `prior.py` is what comes of it.
"""

from __future__ import annotations

from plait.knowledge.prior import KnowledgePrior
from plait.knowledge.related import Article, RelatedArticles, Search
from plait.knowledge.strength import StrengthTrial

__all__ = ["Article", "KnowledgePrior", "RelatedArticles", "Search", "StrengthTrial"]
