"""Looking at a running query: what is said of it, in a terminal, a notebook, a log."""
