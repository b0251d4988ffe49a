"""`plait knowledge`: a prior for `plait fit --prior` from articles that the documents mention."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from plait.cli.io.outputs import Force, check_output
from plait.cli.io.reading import describe_reading, read
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import Jobs, Seed
from plait.cli.options.reading import CorpusPath, SplitOptions, WordSource
from plait.cli.options.text_options import Vocabulary
from plait.cli.show.screen import print_text
from plait.errors import PlaitError

_TITLES_PANEL = "Related articles"
_PRIOR_PANEL = "Prior"
MODEL_SUFFIX = ".plait"


class Method(StrEnum):
    """What is learned from articles."""

    vectors = "vectors"
    counts = "counts"


def _strength(text: str) -> float | str:
    """Return a number, or "auto"."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number or auto") from None


@dataclass(frozen=True)
class ArticleOptions:
    """The articles, and which of them are related to the corpus."""

    articles: Annotated[
        Path,
        typer.Argument(
            metavar="ARTICLES",
            help="Articles with titles, in any of the formats of a corpus; or a model (.plait) of a large corpus.",
            show_default=False,
        ),
    ]
    title_field: Annotated[
        str | None,
        typer.Option(
            "--title-field",
            metavar="FIELD",
            help="Field with the title of an article. Guessed if not given.",
            show_default=False,
            rich_help_panel=_TITLES_PANEL,
        ),
    ] = None
    min_mentions: Annotated[
        int,
        typer.Option(
            "--min-mentions",
            metavar="DOCUMENTS",
            min=1,
            help="Minimum number of documents that mention the title of an article (ρ).",
            rich_help_panel=_TITLES_PANEL,
        ),
    ] = 2
    max_mentions: Annotated[
        float,
        typer.Option(
            "--max-mentions",
            metavar="SHARE",
            help="Maximum share of documents that mention the title of an article.",
            rich_help_panel=_TITLES_PANEL,
        ),
    ] = 1.0


def _load_model(options: ArticleOptions, method: Method) -> Any:
    """Return the model in place of the articles; reject options of articles."""
    from plait.priors import is_prior
    from plait.store import load

    given = {
        "--title-field": options.title_field is not None,
        "--min-mentions": options.min_mentions != 2,
        "--max-mentions": options.max_mentions != 1.0,
        "--method": method is not Method.vectors,
    }
    unused = [name for name, is_given in given.items() if is_given]
    if unused:
        raise typer.BadParameter(f"{unused[0]} is for articles, and {options.articles} is a model; leave it out")
    large = load(options.articles)
    if is_prior(large):
        raise PlaitError(f"{options.articles} holds a prior, not a model; give articles, or a model of a large corpus")
    return large


@expand_groups
def knowledge(
    options: ArticleOptions,
    path: CorpusPath,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PRIOR.plait", help="File for the prior.", show_default=False)
    ],
    source: WordSource,
    vocabulary: Vocabulary,
    split: SplitOptions,
    topics: Annotated[
        int, typer.Option("--topics", "-k", min=1, help="Number of topics.", rich_help_panel=_PRIOR_PANEL)
    ] = 20,
    strength: Annotated[
        Any,
        typer.Option(
            "--strength",
            parser=_strength,
            metavar="NUMBER|auto",
            help="Factor of the pseudo-counts; auto compares several on held-out documents.",
            rich_help_panel=_PRIOR_PANEL,
        ),
    ] = "auto",
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="vectors: topics predict their words from word vectors of all articles; counts: topic–word counts of "
            "the articles that the documents mention.",
            rich_help_panel=_PRIOR_PANEL,
        ),
    ] = Method.vectors,
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="Dirichlet prior on article–topic distributions.", rich_help_panel=_PRIOR_PANEL),
    ] = 0.1,
    beta: Annotated[
        float | None,
        typer.Option(
            "--beta",
            help="Pseudo-count that is added to all words. Chosen by the method if not given.",
            show_default=False,
            rich_help_panel=_PRIOR_PANEL,
        ),
    ] = None,
    sweeps: Annotated[
        int, typer.Option("--sweeps", min=1, help="Maximum number of sweeps per fit.", rich_help_panel=_PRIOR_PANEL)
    ] = 200,
    jobs: Jobs = 1,
    seed: Seed = 0,
    force: Force = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Make a prior from articles, or from a model of a large corpus.

    ARTICLES may also be a model that plait fit saved. Titles of articles are searched in the texts of the corpus; if
    documents have counts and no text, among their words. The prior is for plait fit PATH --prior; give plait fit the
    same vocabulary options.
    """
    target = check_output(output, overwrite=force, inputs=[options.articles, path, *vocabulary.input_files()])
    from plait.corpus.readers.texts import read_texts
    from plait.knowledge import KnowledgePrior
    from plait.knowledge.build import read_articles
    from plait.models import LDA
    from plait.store import save

    reading = read(path, source, vocabulary, split)
    if not quiet:
        print_text(describe_reading(path, reading), flush=True)
    shared = {"n_topics": topics, "strength": strength, "base": beta, "random_state": seed, "n_jobs": jobs}
    settings = LDA(alpha=alpha, n_sweeps=sweeps)
    if options.articles.suffix == MODEL_SUFFIX:
        large = _load_model(options, method)
        prior = KnowledgePrior.from_model(large, reading.corpus, settings=settings, verbose=not quiet, **shared)
    else:
        # Words that are not in the corpus are dropped later, so no vocabulary limits are needed.
        articles = read_articles(
            options.articles,
            reading.corpus,
            title=options.title_field,
            encoding=source.encoding,
            on_error=source.on_error,
        )
        named = {name: source.keywords()[name] for name in ("text", "tokens", "counts", "id", "encoding")}
        texts = read_texts(path, **named)
        ids = set(reading.corpus.ids)
        prior = KnowledgePrior.from_articles(
            articles,
            reading.corpus,
            texts=None if texts is None else (text for name, text in texts if name in ids),
            method=method.value,
            min_mentions=options.min_mentions,
            max_mentions=options.max_mentions,
            model=settings,
            verbose=not quiet,
            **shared,
        )
    save(prior, target)
    if not quiet:
        print_text(prior.report)
        print_text(f"saved {output}: plait fit {path} --prior {output}")
