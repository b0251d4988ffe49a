"""The commands of plait, one file per command: parse, call the library, print.

`inspect` or `prepare` a corpus, `fit` or `stream` a model, show its `topics`, `trends`, `influence` and `links`, `edit`
its topics, `find` documents or those `similar` to one, apply it with `transform` and `predict`, `evaluate` it, write a
`report`, `serve` it; `knowledge` makes a prior from articles, `demo` shows all on the installed packages.
"""
