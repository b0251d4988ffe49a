"""From text to word counts.

- `options`: `TextOptions`, how text becomes words; `option_checks` checks its values, `option_data` stores them,
  `choosing` takes them from keywords, a corpus or a model.
- `analyzers`: from one text to its words, with the steps below.
- `cleaning`: markup, addresses, mail headers and attachments.
- `splitting`: word boundaries; `vectorizers`: a CountVectorizer as the tokenizer.
- `languages`, `guessing`: names of languages, and the language of texts.
- `stop_words`, `normalizing`: lists, lemmas and stems.
- `phrases`, `collecting`: collocations, and the ordered words that they are found in.
- `frequencies`: limits on the number of documents of a word.
- `counting`: word counts of documents.
"""
