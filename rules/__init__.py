"""The pure core: what the rules of chess tournaments say, with no I/O, no clock and no randomness."""
