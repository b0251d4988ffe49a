"""Labels beyond topics: scores of features beside topics, and settings that are chosen on held-out training documents.

`features.py` turns words or columns of the user's own into scores of labels, with the linear machines of `svm.py`.
`folds.py` divides the training documents, `held_out.py` scores the documents of a fold by chains that did not see their
labels, `trials.py` chooses the cost and the class weights with them, and `blending.py` the weights of topics and
features, the thresholds and the curves of probabilities. `choice.py` is the record of all that a model keeps.
"""
