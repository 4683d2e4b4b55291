"""The demo: a year of flights from New York as a stream."""
