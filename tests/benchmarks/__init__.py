"""Benchmarks: performance claims are measured here, never in timed tests.

`make bench`, or `python -m tests.benchmarks [ROW…] [--quick]`. Each figure is a median that stands beside a baseline
measured in the same minute, alternately where that is possible: the machine is shared and noisy, so the ratio is
what counts. Linux only: processor time and memory of processes are read from `/proc`.
"""
