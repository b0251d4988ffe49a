"""`plait inspect`: the contents of a corpus, what was skipped, how text becomes words, and the memory of a fit."""

from __future__ import annotations

import typer

from plait.cli.io.reading import describe_fields, read
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import Topics
from plait.cli.options.reading import CorpusPath, ExtraFields, SplitOptions, WordSource
from plait.cli.options.text_options import Vocabulary
from plait.cli.show.screen import Table, format_bytes, print_text
from plait.cli.show.text import compare_texts, describe_text_options


@expand_groups
def inspect(
    context: typer.Context,
    path: CorpusPath,
    source: WordSource,
    extras: ExtraFields,
    vocabulary: Vocabulary,
    split: SplitOptions,
    topics: Topics = 20,
) -> None:
    """Print the contents of a corpus, how its texts are read, and the memory of a fit.

    The first documents are shown before (the text) and after (the words that are kept), with the language and the
    phrases that were found.

    Invalid input (broken lines, missing ids, bad dates ...) is skipped, counted and reported with the places of the
    first ones; --strict makes it an error.
    """
    from dataclasses import replace

    from plait.corpus.container.summary import summarise
    from plait.corpus.prepared.manifest import is_prepared
    from plait.corpus.readers.texts import read_texts
    from plait.engine.memory import estimate_memory

    reading = read(path, source, vocabulary, split, **extras.keywords())
    summary = replace(summarise(reading.corpus), skipped=reading.skipped)
    for line in describe_fields(reading.corpus.fields, context.command):
        print_text(line)
    table = Table(["what", "value"], header=False, most=2000)
    named = {name: source.keywords()[name] for name in ("text", "tokens", "counts", "id", "sheet", "encoding")}
    prepared = path.is_dir() and is_prepared(path)  # texts themselves are not kept
    texts = None if prepared or reading.corpus.text_options is None else read_texts(path, **named)
    rows = [*summary.rows(), *describe_text_options(reading.corpus), *compare_texts(reading.corpus, texts)]
    for name, value in rows:
        table.add(name, value)
    table.show()
    line = f"memory for a fit with {topics} topics: about {format_bytes(estimate_memory(reading.corpus, topics))}"
    if reading.corpus.n_links:
        from plait.mixing import LinkedDocuments

        linked = estimate_memory(reading.corpus, topics, mixing=LinkedDocuments())
        line += f"; {format_bytes(linked)} with --model linked"
    print_text(line)
