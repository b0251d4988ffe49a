"""Answers of a fitted model, one subject per file.

An answer is an object that a model has. It is made from what it needs of the fitted model (samples, weights, ids) and
can be used and tested alone; the public methods of the estimators (`plait.models.methods`) delegate to it.

`topics`, `labels`, `values`, `links` and `influence` answer for one part of a model; `explanation` explains predicted
values, `tasks` are the linear predictors behind labels and values, `suggestions`, `candidates`, `pairs` (pair
features) and `topic_links` belong to links.
`groups` are topics of groups of documents, `search` finds documents, `similarity` compares topics; `listing` has the
lists that print as tables and convert to data frames.
`known_documents` are training documents as the model keeps them; `new_documents` and `new_links` are new documents with
links.
"""
