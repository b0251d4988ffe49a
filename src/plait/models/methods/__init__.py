"""Public methods of the estimators, one file per answer.

`labels`, `values`, `links` and `influence` are about one part of a model; `documents` has topics of groups of documents
and search, `similarity` compares topics, `plots` draws figures, `output` is for data frames and notebooks.

A method is a function that a class lists in its body (`predict = labels.predict`), so that every model has the methods
of its own answers and no others. Each reads its arguments and delegates to an object of `plait.models.answers`.
`fit_links` has `fit` and `resume` of models that are fitted to links, `availability` says which methods a model has.
`naming` and `editing` are methods of all models that return another model.
"""
