"""Show a running query in a terminal, a notebook, or a log."""
