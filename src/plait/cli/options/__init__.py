"""Options of the commands and what they build: corpora, models, priors."""
