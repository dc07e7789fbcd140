"""The pairing worker: seals the pairing of each round from the log, and publishes it at its time."""
