"""Start a query, and write its rows to sinks."""
