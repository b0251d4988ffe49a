"""`plait demo`: samplers of later steps are compiled by a second process while the first steps run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_TOPICS = 3  # the compiled code depends on types only
_SWEEPS: dict[str, Any] = {"n_sweeps": 1, "n_samples": 1, "random_state": 0, "verbose": False, "n_jobs": 1}


@contextmanager
def compile_ahead() -> Iterator[None]:
    """Compile the samplers of links, influence and streams in a second process, if there is a processor for it.

    The compiled code reaches this process through the cache on disk. Samplers that are in the cache already are loaded,
    which takes the second process a few seconds. It is stopped at the end.

    Yields
    ------
    None
        While the second process may run.
    """
    if (os.cpu_count() or 1) < 2:
        yield
        return
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def compile_samplers() -> None:
    """Fit tiny models with the samplers of the later steps, in the order of the steps."""
    from plait.corpus import Corpus
    from plait.models import LinkedLDA, OnlineLDA, RelationalTopicModel

    texts = ["river stream water bank", "money loan credit bank"] * 4
    ids = [str(row) for row in range(len(texts))]
    corpus = Corpus.from_texts(texts, ids=ids, links=[(ids[row], ids[row - 2]) for row in range(2, len(texts))])
    RelationalTopicModel(_TOPICS, n_chains=1, **_SWEEPS).fit(corpus).score_links(corpus, direction="to")
    LinkedLDA(_TOPICS, **_SWEEPS).fit(corpus)
    stream = OnlineLDA(_TOPICS, window=3, **_SWEEPS)
    for slice_of in (range(4), range(4, 8)):
        stream.partial_fit(corpus.select(list(slice_of)))


if __name__ == "__main__":
    compile_samplers()
