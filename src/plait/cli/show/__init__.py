"""What commands print: tables (`screen`), topics, evaluations, labels, links, influence, reading of text (`text`)."""
