"""Gaussian regressions of the response weights: labels on topics, links on pairs of topics."""
