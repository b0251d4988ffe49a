"""`plait knowledge`: what articles say of the subjects of a corpus, as a prior for `plait fit --prior`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from plait.cli.io.outputs import Force, check_output
from plait.cli.options.model_options import Jobs, Seed
from plait.cli.options.reading import CorpusPath, Part, Vocabulary, WordSource, read, read_line
from plait.cli.options.spreading import spread

_TITLES_PANEL = "Which articles are related"
_PRIOR_PANEL = "The prior"


def _strength(text: str) -> float | str:
    """Read a number, or "choose"."""
    if text == "choose":
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number or choose") from None


@dataclass(frozen=True)
class ArticleOptions:
    """How articles are read, and which are related."""

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
            help="Use articles whose titles so many documents mention at least (ρ).",
            rich_help_panel=_TITLES_PANEL,
        ),
    ] = 2
    max_mentions: Annotated[
        float,
        typer.Option(
            "--max-mentions",
            metavar="SHARE",
            help="Use articles whose titles this share of the documents mentions at most.",
            rich_help_panel=_TITLES_PANEL,
        ),
    ] = 1.0


@spread
def knowledge(
    options: ArticleOptions,
    path: CorpusPath,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PRIOR.plait", help="File for the prior.", show_default=False)
    ],
    source: WordSource,
    vocabulary: Vocabulary,
    part: Part,
    topics: Annotated[
        int, typer.Option("--topics", "-k", min=1, help="How many topics.", rich_help_panel=_PRIOR_PANEL)
    ] = 20,
    strength: Annotated[
        Any,
        typer.Option(
            "--strength",
            parser=_strength,
            metavar="NUMBER|choose",
            help="What a word of the articles counts beside one of the documents; choose tries several on documents "
            "held out, and takes a fit for each.",
            rich_help_panel=_PRIOR_PANEL,
        ),
    ] = "0.01",
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="How evenly an article spreads over topics.", rich_help_panel=_PRIOR_PANEL),
    ] = 0.1,
    beta: Annotated[
        float,
        typer.Option("--beta", help="How evenly a topic spreads over words beforehand.", rich_help_panel=_PRIOR_PANEL),
    ] = 0.01,
    sweeps: Annotated[
        int, typer.Option("--sweeps", min=1, help="At most so many sweeps a fit.", rich_help_panel=_PRIOR_PANEL)
    ] = 200,
    jobs: Jobs = 1,
    seed: Seed = 0,
    force: Force = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what went wrong.")] = False,
) -> None:
    """Make a prior for the topics of a corpus from articles that its documents mention.

    Titles of ARTICLES are searched in the texts of the corpus; the topics of those that enough documents mention
    become a prior, for plait fit PATH --prior. Give plait fit the same options for words. Where documents hold
    counts and no text, titles are looked up among their words.
    """
    target = check_output(output, overwrite=force)
    from plait.corpus import read_corpus
    from plait.corpus.readers.texts import read_texts
    from plait.knowledge import KnowledgePrior
    from plait.models import LDA
    from plait.store import save

    reading = read(path, source, vocabulary, part)
    if not quiet:
        print(read_line(path, reading), flush=True)
    # Words of an article that are not in the corpus fall away by themselves, so no limits on words are needed.
    articles = read_corpus(
        options.articles,
        title=options.title_field,
        stop_words=vocabulary.keywords()["stop_words"],
        lowercase=not source.keep_case,
        encoding=source.encoding,
        on_error="raise" if source.strict else "skip",
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
        print(prior.report)
        print(f"saved {output}: plait fit {path} --prior {output}")
