"""`plait knowledge`: a prior for `plait fit --prior` from articles that the documents mention."""

from __future__ import annotations

from dataclasses import dataclass
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

_TITLES_PANEL = "Related articles"
_PRIOR_PANEL = "Prior"


def _strength(text: str) -> float | str:
    """Return a number, or "choose"."""
    if text == "choose":
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number or choose") from None


@dataclass(frozen=True)
class ArticleOptions:
    """The articles, and which of them are related to the corpus."""

    articles: Annotated[
        Path,
        typer.Argument(
            metavar="ARTICLES",
            help="Articles with titles, in any of the formats of a corpus.",
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
            metavar="NUMBER|choose",
            help="Weight of a token of the articles relative to one of the documents; choose compares several "
            "on held-out documents, with one fit each.",
            rich_help_panel=_PRIOR_PANEL,
        ),
    ] = "0.01",
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="Dirichlet prior on article–topic distributions.", rich_help_panel=_PRIOR_PANEL),
    ] = 0.1,
    beta: Annotated[
        float,
        typer.Option("--beta", help="Dirichlet prior on topic–word distributions.", rich_help_panel=_PRIOR_PANEL),
    ] = 0.01,
    sweeps: Annotated[
        int, typer.Option("--sweeps", min=1, help="Maximum number of sweeps per fit.", rich_help_panel=_PRIOR_PANEL)
    ] = 200,
    jobs: Jobs = 1,
    seed: Seed = 0,
    force: Force = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Make a prior from articles that the documents mention.

    Titles of ARTICLES are searched in the texts of the corpus. The topics of the articles that enough documents
    mention become a prior for plait fit PATH --prior. Give plait fit the same vocabulary options. If documents have
    counts and no text, titles are searched among their words.
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
        n_topics=topics,
        min_mentions=options.min_mentions,
        max_mentions=options.max_mentions,
        strength=strength,
        base=beta,
        model=LDA(alpha=alpha, n_sweeps=sweeps),
        random_state=seed,
        n_jobs=jobs,
        verbose=not quiet,
    )
    save(prior, target)
    if not quiet:
        print_text(prior.report)
        print_text(f"saved {output}: plait fit {path} --prior {output}")
