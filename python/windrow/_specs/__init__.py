"""What specs are made of: durations, numbers, names, and their JSON. Knows no session."""
