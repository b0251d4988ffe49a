"""From text to word counts.

- `analyzers`: tokenizers, stop words and frequency limits.
- `counting`: word counts of one document.
"""
