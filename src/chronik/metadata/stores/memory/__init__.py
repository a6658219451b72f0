"""The store engine in memory, for the simulation and for unit tests."""
