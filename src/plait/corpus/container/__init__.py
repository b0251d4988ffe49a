"""The `Corpus` class and what it delegates: validation, selection, slices of time, merging, vocabulary."""
