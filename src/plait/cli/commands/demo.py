"""`plait demo`: the Python packages on this machine, so that nothing need be downloaded."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plait.cli.demo.import_guess import suggest_imports
from plait.cli.demo.import_influence import find_influence
from plait.cli.demo.package_guess import guess_packages
from plait.cli.demo.report import DEFAULT, DemoReport
from plait.cli.options.model_options import Jobs, Seed, Topics
from plait.cli.options.reading import skipped_line
from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from plait.models import TopicEstimator


def demo(
    topics: Topics = 20,
    seed: Seed = 0,
    jobs: Jobs = -1,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Web page on all models, written at the end; one of an earlier demo is replaced.",
            show_default=str(DEFAULT),
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no web page.")] = False,
) -> None:
    """Show plait at work on the Python packages that are installed on this machine.

    A module is a document; its words are those of its docstrings, which are read without running anything.
    First come the topics of all modules; then a model is told which package each module is of, and has to say
    it of modules that it has not seen; a third learns which modules import which, and suggests imports; a
    fourth says which modules shape those that import them. At the end all of it is written as a web page.
    """
    if no_report and report is not None:
        raise typer.BadParameter("--report and --no-report contradict each other; give one of them")
    page = DemoReport(report, wanted=not no_report)
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
    page.add("Topics", "Topics of the words of all modules.", model)
    print("4. Learning to tell a module's package; a fifth of the modules is held out ...", flush=True)
    teller = guess_packages(corpus, seed, jobs)
    page.add("Packages", "Topics that tell which package a module is of; a fifth of the modules is held out.", teller)
    print("6. Learning which modules import which; a fifth of the modules is held out ...", flush=True)
    linker = suggest_imports(corpus, seed, jobs)
    page.add("Imports", "Topics that predict which module imports which; a fifth of the modules is held out.", linker)
    print("9. Letting words be drawn from the modules that a module imports, to see who shapes whom ...", flush=True)
    drawer = find_influence(corpus, seed, jobs)
    page.add("Influence", "Topics whose words may be drawn from imported modules: who shapes whom.", drawer)
    page.write()
    print(f"Done in {time.perf_counter() - began:.0f} s. On your own documents: plait fit PATH -o MODEL.plait")


def _show_topics(model: TopicEstimator) -> None:
    table = Table(["topic", "share", "words", "typical modules"], right={"topic", "share"})
    for topic, modules in zip(model.topics(top=8), model.typical_documents(top=3), strict=True):
        names = ", ".join(name for name, _ in modules)
        table.add(str(topic.index), f"{topic.share:.1%}", " ".join(topic.words), names)
    table.show()
