"""What `fit` and `predict` are given, checked and converted to arrays: counts, targets, links."""
