"""What a fitted model answers: topics, labels, values, links, influence and explanations, one file each."""
