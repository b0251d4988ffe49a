"""Labels beyond topics: scores of features beside topics, and settings that are chosen on held-out training documents.

`features.py` turns words or columns of the user's own into scores of labels; `columns.py` fits and applies linear
machines, `svm.py` and `bayes.py` learn one. `folds.py` divides the training documents, `held_out.py` scores documents
of a fold by chains that did not see their labels, `blending.py` weighs topics and features, and `choosing.py` chooses
all settings with them. `choice.py` is the record that a model keeps.
"""
