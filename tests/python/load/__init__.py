"""Streams that are large, long or far apart, through real queries in a small heap.

``messages`` makes the stream, ``kinds`` an operator of each kind over it, ``gauge`` says what a
query keeps and does. The other modules are the cases: rows of a table, and what breaks a promise.
"""
