"""Runs transcripts through the operators of the package, for tests and ``scripts/replay``."""
