"""Topics that are merged, dropped or split, and the record of it.

`operations` says what becomes of every topic, `parameters` maps α, β and names, `run` starts chains from the edited
state and settles them, `steps` are the methods of models that it calls, `record` checks what `edits_` holds,
`sequence` does several edits in one call.

The state itself is edited by `plait.engine.editing`, the past of a stream by `plait.models.online.editing`.
"""
