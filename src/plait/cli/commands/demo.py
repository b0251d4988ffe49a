"""`plait demo`: models of the Python packages on this machine, so that nothing is downloaded."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.text import cut
from plait.cli.demo.compile import compile_ahead
from plait.cli.demo.influence import demo_influence
from plait.cli.demo.labels import demo_labels
from plait.cli.demo.links import demo_links
from plait.cli.demo.report import DEFAULT, DemoReport
from plait.cli.demo.stream import demo_stream
from plait.cli.io.reading import describe_skipped
from plait.cli.options.model_options import Jobs, Seed, Topics
from plait.cli.show.screen import Table, print_text

if TYPE_CHECKING:
    from plait.models import TopicEstimator

_TITLE = 50  # characters
_SWEEPS = 100


def demo(
    topics: Topics = 20,
    seed: Seed = 0,
    jobs: Jobs = -1,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Web page on all models, written at the end; replaces the page of an earlier demo.",
            show_default=str(DEFAULT),
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no web page.")] = False,
) -> None:
    """Demonstrate plait on the installed Python packages.

    A document is a module; its words are those of its docstrings, which are read without running anything. The first
    model finds topics of all modules; the second predicts the package of held-out modules; the third learns which
    modules import which, and suggests imports; the fourth measures influence along imports; the fifth follows topics
    through a stream of packages. At the end a visual report on all models is written.
    """
    if no_report and report is not None:
        raise typer.BadParameter("--report and --no-report contradict each other; give one of them")
    page = DemoReport(report, wanted=not no_report)
    with compile_ahead():
        _run(page, topics, seed, jobs)


def _run(page: DemoReport, topics: int, seed: int, jobs: int) -> None:
    """Fit and print the models one after the other, and write the page."""
    start = time.perf_counter()
    print_text("1. Reading the docstrings of the Python packages installed here (nothing is run) ...", flush=True)
    from plait.datasets import installed_packages

    corpus = installed_packages()
    print_text(
        f"   {corpus.n_documents:,} modules of {len(corpus.label_names):,} packages, {corpus.n_words:,} words, "
        f"{corpus.n_tokens:,} tokens, {corpus.n_links:,} imports; {describe_skipped(corpus.skipped)}"
    )
    print_text(f"2. Fitting {topics} topics (the first time, the sampler is compiled) ...", flush=True)
    from plait.models import LDA

    # Fewer sweeps than by default, as a demo must not take minutes.
    model = LDA(topics, n_sweeps=_SWEEPS, n_jobs=jobs, random_state=seed).fit(corpus)
    if model.interrupted_:
        raise KeyboardInterrupt("the demo saves nothing")
    print_text(f"   {model.n_sweeps_} sweeps, perplexity {model.history_[-1].perplexity:,.1f}")
    print_text("3. The topics, and the most typical modules of each:")
    _print_topics(model)
    page.add("Topics", "Topics of the words of all modules.", model, corpus)
    print_text("4. Another model, MedLDA: the package of a module; a fifth of the modules is held out ...", flush=True)
    labels = demo_labels(corpus, seed, jobs)
    page.add("Packages", "Topics that predict the package of a module; a fifth of the modules is held out.", labels)
    print_text("6. A relational topic model: which modules import which; a fifth is held out ...", flush=True)
    links = demo_links(corpus, seed, jobs)
    page.add("Imports", "Topics that predict which module imports which; a fifth of the modules is held out.", links)
    print_text("9. Linked LDA: the influence of imported modules on the words of a module ...", flush=True)
    influence = demo_influence(corpus, seed, jobs)
    page.add("Influence", "Topics whose tokens may come from imported modules: influence along imports.", influence)
    print_text("12. Online LDA: topics of a stream; packages arrive in the order of their names ...", flush=True)
    print_text("    Names are no time: the order only shows how topics continue, emerge and fade in a stream.")
    stream = demo_stream(corpus, seed, jobs)
    page.add(
        "A stream of packages",
        "Topics that continue from package to package; each package is a time slice. Their order is that of the names "
        "and only shows how a stream works.",
        stream,
    )
    page.write(model)
    print_text(f"Done in {time.perf_counter() - start:.0f} s. On your own documents: plait fit PATH -o MODEL.plait")


def _named(one: Any) -> str:
    """Return the title of a module and its name; only the name if it has no other title."""
    return one.id if one.title in ("", one.id) else f"{cut(one.title, _TITLE)} ({one.id})"


def _print_topics(model: TopicEstimator) -> None:
    table = Table(["topic", "share", "words", "typical modules"], right={"topic", "share"}, most=1000)
    for topic, modules in zip(model.topics(top=8), model.typical_documents(top=3), strict=True):
        names = "; ".join(_named(one) for one in modules)
        table.add(str(topic.index), f"{topic.share:.1%}", " ".join(topic.words), names)
    table.show()
