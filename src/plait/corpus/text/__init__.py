"""From text to tokens: analyzers, stop words and word counts of one document."""
