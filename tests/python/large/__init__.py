"""Streams of hundreds to a million rows, each recomputed by DuckDB.

A ``Scenario`` describes a case completely: rows from a seed, an operator, and the runs with their
settings into which the query is divided. ``draw`` creates scenarios. ``run`` executes one in
Windrow with real files and a real checkpoint. Each operator computes the expected output in SQL,
and ``judge`` compares. ``shrink`` searches for the smallest scenario that still fails.
"""
