"""Comparisons of models: which number of topics suits a corpus (`choose`)."""
