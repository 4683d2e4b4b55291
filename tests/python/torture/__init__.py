"""Real queries that are killed at any point of a batch, against what DuckDB makes of the messages.

A ``Subject`` is a scenario of ``large`` with a source and a sink; ``plans`` draws the lives that
its query has, how each ends, and what befalls its tasks; ``trial`` has it live them, each in a
process of its own (``fresh/life.py``), and judges what came out.
"""
