"""Benchmarks, built from traces and run on judges."""
