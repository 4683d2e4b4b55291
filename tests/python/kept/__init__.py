"""Checkpoints of released and current versions, kept as text, with which later ones go on."""
