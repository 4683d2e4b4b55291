"""The parts of specs: durations, numbers, names, and their JSON. Independent of a session."""
