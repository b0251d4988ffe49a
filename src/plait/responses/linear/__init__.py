"""Gaussian regressions of the response weights: labels on topics, links on pairs of topics.

`targets` has the chain and shard halves of labels and values, `target_rows` the targets as a chain keeps them,
`regression` their weights, `topic_sums` and `feature_sums` the sums over topics and features of documents,
`label_rows` rows of sums for all labels, `label_parts` weights of some labels; `pairs` and `shard_pairs` have the
halves of links, `pair_layout` the pairs of each shard, `bilinear` their weights, `low_rank` those of low rank,
`link_sums` and `diagonal` the sums over links; `partners` finds the documents with the highest values,
`selected_pairs` computes the values of some pairs, `strongest` the topics that explain them; `cholesky` draws from
Gaussians.
"""
