"""Options of the commands, and the corpora, models and priors that are built from them.

`model_options`, `response_options` and `time_options` declare the options of a model, `reading` those of a corpus,
`text_options` how text becomes words, `executor_options` where a fit runs;
`groups` turns dataclasses into options; `targets` parses --use; `building` maps options to estimators, `combined`
to the parts of a TopicModel; `models` names the models; `priors` reads --prior and --seeds.
"""
