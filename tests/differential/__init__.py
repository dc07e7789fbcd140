"""Our engine against another one on made-up tournaments: `python -m tests.differential --engine COMMAND`."""
