"""The Markov chain and its shards: `chain` runs sweeps, `shard` holds documents, `fold_in` serves new documents.

- The chain: `run` is the loop around it, `documents` its counts in memory or in files, `cut` makes its shards,
  `messages` are what they exchange, `narrowing` sends the rows in use of large tables, `tables` has the chain's
  counts and `counts` the rows that shards share, `weights` draws the weights of responses, `hyperparameters` fits α
  and β, `history` and `likelihood` record progress.
- A shard: `assignments` are its documents' topics.
- Synchronous samplers: `frozen_shard` reads counts that do not change, `frozen_rows` has the moves of its tokens, and
  `topic_lists` the chain's counts where there are many topics.
- What is kept: `sample`; `doc_topics` are those of the training documents; `checkpoint` checks the state of an
  interrupted chain, `state_files` writes it; `editing` starts a chain from a sample with merged, dropped or split
  topics.
- New documents: `fold_kernels` has the compiled loops of `fold_in`, `fold_chunks` its task, `source_groups` finds new
  documents that link to each other, `pair_fold_in` uses links to training documents.
- Around a fit: `interrupt` (Ctrl-C, SIGTERM), `memory` (estimate), `progress` (bar).
"""
