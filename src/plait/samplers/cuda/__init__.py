"""The synchronous sampler in CUDA C++: sources that `executors/cuda_device.py` compiles when a fit first needs them.

`conditional.cuh` mirrors samplers/conditional.py, `lanes.cuh`, `tilt.cuh` and `proposal.cuh` the files of the same
names in samplers/kernels, `random.cuh` samplers/random.py. `frozen.cu` has the sweep of the dense form, `sources.cuh`
linked documents, `listed.cu` the sweep of the sparse form, `held.cuh` its topics of a document, `observed.cuh` its
responses, `lists.cu` makes its lists, `start.cu` draws initial topics, `counts.cu` counts tokens, `fold.cu` infers the
topics of new documents, `regression.cu` has the sums that weights depend on, `auxiliaries.cu` draws of the hinge loss.
`source.py` joins a file with what it includes.
"""
