"""The main job on real data: a year of flights from New York, as a stream."""
