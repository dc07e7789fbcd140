"""A few commands as they come in."""

ANNOUNCE = {"type": "announce-tournament", "tournament": "t", "name": "Test", "rounds": 3}
ENTRY = {
    "type": "register-player",
    "player": "p1",
    "person": {"name": "Planted-Name", "birth_date": "1360-01-02", "contact": "planted@example.org"},
}


def KEYS(key: str) -> dict[str, str]:  # noqa: N802 - used like the constants beside it
    return {"Idempotency-Key": key}
