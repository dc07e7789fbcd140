"""Benchmarks: performance claims are measured here, never in timed tests."""
