"""Real queries that are killed at any point of a batch, compared with DuckDB.

A ``Subject`` is a scenario of ``large`` with a source and a sink. ``plans`` draws the lives of its
query, how each of them ends, and the faults of its tasks. ``trial`` runs the lives, each in a
process of its own (``fresh/life.py``), and judges the output.
"""
