"""Swiss systems: each reads a `PairingInput` and returns a `PairingOutput` (pairing_input.py)."""
