"""Transcripts through the operators of the Python package, for tests and ``scripts/replay``."""
