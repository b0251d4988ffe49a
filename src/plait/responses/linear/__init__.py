"""Gaussian regressions of the response weights: labels on topics, links on pairs of topics.

`targets` has the chain and shard halves of labels and values, `target_rows` the targets as a chain keeps them,
`regression` their weights, `label_parts` those of some labels; `pairs` and `shard_pairs` have the halves of links,
`bilinear` their weights, `link_sums` the sums over links; `cholesky` draws from Gaussians.
"""
