"""`plait demo`: the Python packages on this machine, so that nothing need be downloaded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plait.cli.import_guess import suggest_imports
from plait.cli.import_influence import find_influence
from plait.cli.model_options import Jobs, Seed, Topics
from plait.cli.package_guess import guess_packages
from plait.cli.reading import skipped_line
from plait.cli.screen import Table

if TYPE_CHECKING:
    from plait.models import TopicEstimator


def demo(topics: Topics = 20, seed: Seed = 0, jobs: Jobs = -1) -> None:
    """Show plait at work on the Python packages that are installed on this machine.

    A module is a document; its words are those of its docstrings, which are read without running anything.
    First come the topics of all modules; then a model is told which package each module is of, and has to say
    it of modules that it has not seen; a third learns which modules import which, and suggests imports; a
    fourth says which modules shape those that import them.
    """
    began = time.perf_counter()
    print("1. Reading the docstrings of the Python packages installed here (nothing is run) ...", flush=True)
    from plait.datasets import installed_packages

    corpus = installed_packages()
    print(
        f"   {corpus.n_documents:,} modules of {len(corpus.label_names):,} packages, {corpus.n_words:,} words, "
        f"{corpus.n_tokens:,} tokens, {corpus.n_links:,} imports; {skipped_line(corpus.skipped)}"
    )
    print(f"2. Fitting {topics} topics (the first time, the sampler is compiled) ...", flush=True)
    from plait.models import LDA

    model = LDA(topics, n_jobs=jobs, random_state=seed).fit(corpus)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    print(f"   {model.n_sweeps_} sweeps, perplexity {model.history_[-1].perplexity:,.1f}")
    print("3. What the topics are about, and the modules most typical of each:")
    _show_topics(model)
    print("4. Learning to tell a module's package; a fifth of the modules is held out ...", flush=True)
    guess_packages(corpus, seed, jobs)
    print("6. Learning which modules import which; a fifth of the modules is held out ...", flush=True)
    suggest_imports(corpus, seed, jobs)
    print("9. Letting words be drawn from the modules that a module imports, to see who shapes whom ...", flush=True)
    find_influence(corpus, seed, jobs)
    print(f"Done in {time.perf_counter() - began:.0f} s. On your own documents: plait fit PATH -o MODEL.plait")


def _show_topics(model: TopicEstimator) -> None:
    table = Table(["topic", "share", "words", "typical modules"], right={"topic", "share"})
    for topic, modules in zip(model.topics(top=8), model.typical_documents(top=3), strict=True):
        names = ", ".join(name for name, _ in modules)
        table.add(str(topic.index), f"{topic.share:.1%}", " ".join(topic.words), names)
    table.show()
