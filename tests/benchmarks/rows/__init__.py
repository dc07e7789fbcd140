"""The benchmarks, a module each: what it measures and against what stands at its head, `rows` does it."""
