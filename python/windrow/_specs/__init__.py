"""Check and convert parts of specs: durations, numbers, names, and JSON, without a session."""
