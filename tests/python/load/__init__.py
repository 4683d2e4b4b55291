"""Streams that are large, long or sparse, through real queries in a small heap.

``messages`` creates the stream, ``kinds`` an operator of each kind over it, and ``gauge`` measures
a query's memory, state and work. The other modules are the cases: they yield the rows of a table,
and detect broken guarantees.
"""
