"""What `fit` and `predict` are given, checked and converted to arrays.

- `words`: documents as counts, from texts, a Corpus, a matrix or a data frame; `texts`: texts and frames of texts.
- `fingerprint`: by which an interrupted fit recognises its inputs.
- `vocabulary`: the words of a matrix's columns.
- `links`: links between documents; `link_matrix`: `Links`, for scikit-learn's row selection; `pair_matrices`: the
  user's own numbers of pairs.
- `features`: features of documents, standardised.
- `targets`: labels and numbers to predict; `label_types`: single labels; `class_weights`: weights of rare labels;
  `corpus_targets`: targets from the labels of a corpus.
"""
