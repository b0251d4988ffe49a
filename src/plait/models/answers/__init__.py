"""Answers of a fitted model, one subject per file: topics, labels, values, links, influence and explanations.

An answer is an object that a model has. It is made from what it needs of the fitted model (samples, weights, ids) and
can be used and tested alone; the public methods of the estimators (`plait.models.methods`) delegate to it.
"""
