"""Prepared corpora: a corpus in a folder, opened without reading it, and read chunk by chunk.

- `manifest`: sizes, files and digests, as JSON; `files`: safetensors files of arrays, checked when they are read.
- `counts`: `StoredCounts`, the counts as a fit reads them; `fields`: ids, titles, labels and times as arrays.
- `corpus`: `PreparedCorpus`, a `Corpus` whose fields are read when they are needed.
- `writer`: writes the files; `spool`: documents on their way from a reader to the files, outside memory.
- `prepare`: `prepare_corpus`, from files in any format, with bounded memory.
"""
