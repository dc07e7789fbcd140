"""All input and output, one folder a process; the rules are elsewhere."""
