"""How long tests wait for what must come: for a busy machine, where a process alone takes seconds to start."""

PATIENCE_S = 120.0
