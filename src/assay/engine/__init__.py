"""Run picklable callables: pools, journal, resume."""
