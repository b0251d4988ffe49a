"""From files, folders and data frames to a Corpus.

- `read`: `read_corpus`, the entry point.
- `discovery`: which format a path has, by its name.
- `formats`: one module per file format; each yields records.
- `records`: the records of documents and links that every format yields.
- `fields`: which field of a table holds the id, the words, the label; `field_names`: names that say it;
  `field_guesses`: names in other languages, and values; `header_check`: a warning if there is no header.
- `builder`: the loop that turns records into a Corpus; `collected`: its documents; `assembling`: the whole of a
  source.
- `remedies`: the error if too much is skipped; `encodings`: the encoding that a file probably has.
- `links`: links from any origin, checked and collected in a matrix.
- `texts`: the texts themselves, read again for phrases.
- `streams`: compressed files, encodings, numbered lines.
"""
