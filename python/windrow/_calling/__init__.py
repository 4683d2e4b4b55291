"""Aggregates that call a Python function of the user."""
