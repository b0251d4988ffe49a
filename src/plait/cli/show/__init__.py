"""What commands print: tables (`screen`), topics, evaluations, labels, links and influence; how text is read (`text`)."""
