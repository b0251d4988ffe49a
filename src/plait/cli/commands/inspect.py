"""`plait inspect`: what a corpus holds, what was left out, and the memory that a fit will need."""

from __future__ import annotations

from plait.cli.options.model_options import Topics
from plait.cli.options.reading import CorpusPath, Extras, Part, Vocabulary, WordSource, read
from plait.cli.options.spreading import spread
from plait.cli.show.screen import Table, megabytes


@spread
def inspect(
    path: CorpusPath,
    source: WordSource,
    extras: Extras,
    vocabulary: Vocabulary,
    part: Part,
    topics: Topics = 20,
) -> None:
    """Say what a corpus holds and how much memory a fit will need.

    Bad things in the corpus (broken lines, missing ids, bad dates ...) are left out, counted and reported
    with the places of the first ones; --strict makes them errors.
    """
    from dataclasses import replace

    from plait.corpus.container.summary import summarise
    from plait.engine.memory import estimate_memory

    reading = read(path, source, vocabulary, part, **extras.keywords())
    summary = replace(summarise(reading.corpus), skipped=reading.skipped)
    table = Table(["what", "value"], header=False)
    for name, value in summary.rows():
        table.add(name, value)
    table.show()
    memory = megabytes(estimate_memory(reading.corpus, topics))
    line = f"memory for a fit with {topics} topics: about {memory}"
    if reading.corpus.n_links:
        from plait.mixing import LinkedDocuments

        line += f"; {megabytes(estimate_memory(reading.corpus, topics, mixing=LinkedDocuments()))} with --model linked"
    print(line)
