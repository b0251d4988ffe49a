"""`plait transform`: the topics of new documents, written to a table in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from plait._utils.wording import counted
from plait.cli.io.applying import TableOutput, id_columns, print_fields, write_table
from plait.cli.io.new_links import NewLinksPath, describe_usage, read_new_links
from plait.cli.options.groups import expand_groups
from plait.cli.options.models import ModelPath, load_model
from plait.cli.options.reading import CorpusPath, SplitOptions, TitleField, WordSource
from plait.cli.show.screen import print_text

if TYPE_CHECKING:
    import polars

    from plait.corpus import Corpus


@expand_groups
def transform(
    context: typer.Context,
    model: ModelPath,
    path: CorpusPath,
    output: TableOutput,
    source: WordSource,
    split: SplitOptions,
    links: NewLinksPath = None,
    title_field: TitleField = None,
) -> None:
    """Write the topic shares of documents to a table.

    Columns: id, title (if documents have titles), tokens (those that the model knows), topic_0, topic_1 ...; the column
    of a named topic has its name.
    Documents are read and written in batches, so a corpus may be larger than memory, unless --links connects them to
    each other. The output file appears when it is complete. Invalid documents are skipped, counted and reported;
    --strict makes them errors.
    """
    target = output.check(model, path, links)
    estimator = load_model(model)
    estimator.n_jobs = output.jobs
    new_links, links_of = read_new_links(links, estimator, model, source)
    together = new_links is not None and new_links.among_new
    n_topics = len(estimator.topic_word_)

    def rows(batch: Corpus) -> polars.DataFrame:
        import polars

        from plait.models.naming import topic_columns

        names = topic_columns(estimator.topic_names_, reserved=["id", "title", "tokens"])
        found = estimator.transform(batch, **links_of(batch))
        return polars.DataFrame([*id_columns(batch), *polars.from_numpy(found, schema=names).get_columns()])

    written = write_table(
        estimator, path, source, output, target, rows, split=split, together=together, title=title_field
    )
    sizes = f"{counted(written.documents, 'document')}, {counted(n_topics, 'topic')}"
    print_fields(written, context.command)
    print_text(f"wrote {output.output}: {sizes}; {written.skipped}")
    if new_links is not None:
        print_text(describe_usage(new_links))
    if written.unknown:
        unknown = counted(written.unknown, "document")
        print_text(f"{unknown} without a word of the model's vocabulary: shares are the model's prior")
