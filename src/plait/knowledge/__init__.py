"""Outside knowledge as a prior: articles, or a model of a large corpus.

`titles.py` searches article titles in documents, `context.py` tests whether a mention means the article, `related.py`
selects the related articles, `rejected.py` lists the others. `vectors.py` has the word vectors of articles,
`regression.py` predicts the words of topics from them, `learning.py` learns the prior of a corpus, `strength.py`
chooses its strength. `build.py` runs these steps for articles, `large_model.py` for a model, and `prior.py` holds the
result.
"""

from __future__ import annotations

from plait.knowledge.prior import KnowledgePrior
from plait.knowledge.rejected import RejectedTitle, RejectedTitles
from plait.knowledge.related import Article, RelatedArticles, Search
from plait.knowledge.strength import StrengthTrial

__all__ = ["Article", "KnowledgePrior", "RejectedTitle", "RejectedTitles", "RelatedArticles", "Search", "StrengthTrial"]
