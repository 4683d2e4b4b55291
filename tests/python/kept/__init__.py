"""Checkpoints of released and current versions, stored as text, from which later ones restart."""
