"""Compiled code that the samplers share.

`compiled` has the decorators, `lanes` and `doubles` vectors, `aligned` their memory. `token_state`, `token_weights`
and `token_counts` serve samplers in which each token holds one topic, `share_state` and `share_counts` those in which
it holds a distribution. `sources` are candidate sources of linked documents, `tilt` is the influence of responses,
`proposal` its exact form by proposals, for labels and the synchronous sampler, `picking` chooses words, `start` draws
initial states. `frozen` and `listed` are the dense and the sparse form of the synchronous sampler, `interleaved` the
dense form for several documents at a time; `held` has the topics of a document, `long_lists` what a sweep computes
once of lists, `gather` reads numbers of the topics of a list, `acceptance` accepts its proposals with responses. `runs`
draws and moves all tokens of a word in a document, with the integer vectors of `int_lanes`; `batches` does so with
several words at a time, in the order of `visits`. `lane_code`, `double_code`, `gather_code` and `int_lane_code` have
the LLVM code of `lanes`, `doubles`, `gather` and `int_lanes`.
"""
