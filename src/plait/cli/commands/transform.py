"""`plait transform`: the topics of new documents, written as a table batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait._utils.wording import counted
from plait.cli.io.applying import TableOutput, id_column, write_answers
from plait.cli.io.new_links import NewLinksPath, links_for
from plait.cli.options.models import ModelPath, load_model
from plait.cli.options.reading import CorpusPath, WordSource
from plait.cli.options.spreading import spread

if TYPE_CHECKING:
    import polars

    from plait.corpus import Corpus


@spread
def transform(
    model: ModelPath, path: CorpusPath, output: TableOutput, source: WordSource, links: NewLinksPath = None
) -> None:
    """Write the share of each topic in each document: columns id, topic_0, topic_1 ...

    Documents are read and written in batches, so a corpus may be larger than memory, unless --links joins them to
    each other. The output file appears when all of it is written. Bad documents are left out, counted and reported;
    --strict makes them errors.
    """
    target = output.check()
    estimator = load_model(model)
    estimator.n_jobs = output.jobs
    followed, links_of = links_for(links, estimator, model, source)
    together = followed is not None and followed.among_new
    n_topics = len(estimator.topic_word_)

    def shares(batch: Corpus) -> polars.DataFrame:
        import polars

        names = [f"topic_{topic}" for topic in range(n_topics)]
        found = estimator.transform(batch, **links_of(batch))
        return polars.from_numpy(found, schema=names).insert_column(0, id_column(batch))

    written = write_answers(estimator, path, source, output, target, shares, together=together)
    sizes = f"{counted(written.documents, 'document')}, {counted(n_topics, 'topic')}"
    print(f"wrote {output.output}: {sizes}; {written.skipped}")
    if followed is not None:
        print(followed.line())
    if written.unknown:
        unknown = counted(written.unknown, "document")
        print(f"{unknown} without a word that the model knows: shares are the model's prior")
