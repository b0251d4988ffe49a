"""What commands print: tables, metrics, links and influence."""
