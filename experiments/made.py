"""Small made corpora with the names and fields of the real ones, so that every script runs without data.

They have no meaning: documents of a label share words, links join documents of a label, and what a script prints about
them is no result. `experiments/quick.py` runs all scripts on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

# Words of letters only, because some scripts drop others, which a stemmer does not change.
_SYLLABLES = [f"{first}{vowel}{last}" for first, vowel, last in product("bdgkmprtvz", "aou", "kmp")]
WORDS = [f"{one}{other}o" for one, other in product(_SYLLABLES, _SYLLABLES)]
# Of experiments/online/seeds.py, which ranks the stories of six labels by topics with these seed words.
STORY_WORDS = {
    "crude": ["oil", "crude", "barrels", "opec"],
    "grain": ["wheat", "corn", "grain", "crop"],
    "interest": ["rate", "rates", "prime", "lending"],
    "money-fx": ["currency", "dollar", "yen", "exchange"],
    "ship": ["ship", "port", "vessel", "shipping"],
    "trade": ["trade", "tariffs", "exports", "deficit"],
}
Documents = list[dict[str, Any]]


def write_corpora(folder: Path) -> None:
    """Write all made corpora below a folder, to which PLAIT_DATA can be set."""
    for name in ("cora", "citeseer", "webkb"):
        _write(folder / name, *network(seed=len(name), counted=True))
    _write(folder / "cora_rtm", *network(seed=1, counted=False))
    _write(folder / "20news_matlab", postings(n_groups=20, n_each=20))
    _write(folder / "bibtex", bookmarks(n_tags=8, n_documents=120))
    _write(folder / "reuters21578", stories(n_documents=600))
    _write(folder / "wikipedia_vital", articles())
    _write(folder / "sotu", dated([date(1790 + 2 * number, 1, 8) for number in range(115)]))
    _write(folder / "nips", dated([date(1988 + number // 6, 12, 1) for number in range(78)]))


def network(seed: int, *, counted: bool, n_documents: int = 80, n_groups: int = 4) -> tuple[Documents, list[str]]:
    """Return documents of a few groups with text, and links within each group; with the words that occur, or not."""
    rng = np.random.default_rng(seed)
    words = [WORDS[24 * group : 24 * (group + 1)] for group in range(n_groups)]
    documents: Documents = []
    for number in range(n_documents):
        text = _mixed(rng, words[number % n_groups], WORDS[: 24 * n_groups], 30, share=0.3)
        one: dict[str, Any] = {"id": f"d{number}", "title": f"paper {number}", "text": " ".join(text)}
        if counted:
            one |= {"label": f"group {number % n_groups}", "counts": dict.fromkeys(sorted(set(text)), 1)}
        documents.append(one)
    targets = rng.integers(n_documents // n_groups, size=(n_documents, 2)) * n_groups
    ends = {(number, int(target) + number % n_groups) for number in range(n_documents) for target in targets[number]}
    return documents, [f"d{source},d{target}" for source, target in sorted(ends) if source != target]


def postings(n_groups: int, n_each: int) -> Documents:
    """Return documents with one label, a quarter of them for testing."""
    rng = np.random.default_rng(0)
    documents: Documents = []
    for number in range(n_groups * n_each):
        group = number % n_groups
        own = WORDS[40 + 8 * group : 48 + 8 * group]
        text = _mixed(rng, own, WORDS[:40], 16, share=0.4)
        documents.append({"id": f"d{number}", "label": f"group.{group:02}", "counts": _counts(text)})
    return _split(documents, every=n_groups * 4)


def bookmarks(n_tags: int, n_documents: int) -> Documents:
    """Return documents with one or two labels each, a quarter of them for testing."""
    rng = np.random.default_rng(0)
    documents: Documents = []
    for number in range(n_documents):
        tags = sorted({number % n_tags, int(rng.integers(n_tags))})
        own = [word for tag in tags for word in WORDS[30 + 10 * tag : 40 + 10 * tag]]
        counts = _counts(_mixed(rng, own, WORDS[:30], 20, share=0.3))
        documents.append({"id": f"d{number}", "labels": [f"tag{tag}" for tag in tags], "counts": counts})
    return _split(documents, every=n_tags * 4)


def stories(n_documents: int) -> Documents:
    """Return dated texts with labels, titles and a split, a quarter of them for testing."""
    rng = np.random.default_rng(0)
    documents: Documents = []
    for number in range(n_documents):
        label = list(STORY_WORDS)[number % len(STORY_WORDS)]
        text = _mixed(rng, STORY_WORDS[label], WORDS[:60], 25, share=0.5)
        day = date(1987, 2, 26) + timedelta(days=number // 3)
        one = {"id": str(number), "title": f"{label} story", "text": " ".join(text), "labels": [label]}
        documents.append(one | {"date": day.isoformat(), "text_type": "NORM"})
    return _split(documents, every=len(STORY_WORDS) * 4)


def articles() -> Documents:
    """Return articles whose titles occur in the stories."""
    rng = np.random.default_rng(0)
    titles = {word: words for words in STORY_WORDS.values() for word in words}
    return [
        {"id": title, "title": title, "text": " ".join(_mixed(rng, words, WORDS[:40], 60, share=0.5))}
        for title, words in titles.items()
    ]


def dated(days: Sequence[date]) -> Documents:
    """Return texts whose words change slowly, one per day."""
    rng = np.random.default_rng(0)
    documents: Documents = []
    for number, day in enumerate(days):
        first = 60 * number // len(days)
        text = _mixed(rng, WORDS[first : first + 12], WORDS[:20], 40, share=0.4)
        documents.append({"id": f"d{number}", "text": " ".join(text), "date": day.isoformat()})
    return documents


def _mixed(
    rng: np.random.Generator, own: Sequence[str], shared: Sequence[str], n_tokens: int, share: float
) -> list[str]:
    """Return tokens of two lists of words; the second has about the given share."""
    return [str(rng.choice(shared if other else own)) for other in rng.random(n_tokens) < share]


def _counts(tokens: Iterable[str]) -> dict[str, int]:
    words = list(tokens)
    return {word: words.count(word) for word in sorted(set(words))}


def _split(documents: Documents, every: int) -> Documents:
    """Mark documents in turns, so that all labels have training and test documents."""
    for number, one in enumerate(documents):
        one["split"] = "test" if number % every < every // 4 else "train"
    return documents


def _write(folder: Path, documents: Documents, links: Sequence[str] = ()) -> None:
    folder.mkdir(parents=True)
    lines = [json.dumps(one) for one in documents]
    (folder / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if links:
        (folder / "links.csv").write_text("\n".join(["source,target", *links]) + "\n", encoding="utf-8")
