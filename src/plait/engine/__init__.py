"""The Markov chain and its shards: `chain` runs sweeps, `shard` holds documents, `fold_in` serves new documents."""
