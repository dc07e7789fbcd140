"""Matchings in general graphs, exact and in integers. Knows nothing of chess."""
