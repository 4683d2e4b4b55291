"""Starting a query, and where its rows go."""
