"""The Corpus and its operations.

- `corpus`: the `Corpus` class; its methods delegate to the modules below.
- `document`: `Document`, one document of a corpus.
- `constructors`: `from_texts`, `from_matrix`, `from_frame`.
- `validate`: checks that the fields of a corpus match, and makes them read-only.
- `fields`: fields of some documents, and of an unpickled corpus.
- `frozen`: read-only arrays and matrices.
- `selection`: documents by position, id, mask, random split or fixed split.
- `slices`: time slices.
- `merging`: two corpora joined.
- `writing`: `Corpus.write`, which prepares a corpus in a folder.
- `vocabulary`: another vocabulary, word filters.
- `labels`: labels as arrays for classifiers.
- `summary`: the sizes that ``plait inspect`` prints.
"""
