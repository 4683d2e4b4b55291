"""Streams of hundreds to a million messages, each recomputed by DuckDB.

A ``Scenario`` is all there is to a case: messages by a seed, an operator, and how the query is cut
into runs with settings of their own. ``draw`` makes one up, ``run`` has Windrow do it with real
files and a real checkpoint, each operator says in SQL what must have come out, and ``judge``
compares. ``shrink`` looks for the least scenario that still fails.
"""
