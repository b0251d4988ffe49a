"""The steps of `plait demo`: packages as `labels`, imports as `links`, their `influence`, a `stream`, the `report`.

`compile` compiles samplers of later steps while the first ones run.
"""
