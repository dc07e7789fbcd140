"""How a store is laid out, fixed when it is created and checked at every start."""

from services.store.connection import Connection
from services.store.errors import StoreMismatch
from services.store.keys import FORMAT, LOG_KEYS, PARTITIONS_MAX, STORE_KEY

_WHERE = "(layout)"


async def fix_layout(connection: Connection, partitions: int | None) -> int:
    """Return the number of partitions of the store, which is created when there is none.

    Raises `StoreMismatch` when that is not `partitions` (None takes any, and 1 for a new store), when the store is
    of another format, or when there are logs and no record of how they are laid out.
    """
    assert partitions is None or 1 <= partitions <= PARTITIONS_MAX, partitions
    noted = await _noted(connection)
    if noted == [None, None]:
        if await _holds_logs(connection):
            noted = await _noted(connection)  # somebody may have created it a moment ago
            if noted == [None, None]:
                raise StoreMismatch(
                    connection.address, f"it holds logs, but {STORE_KEY}, which says how, is gone"
                )
        await connection.transaction(
            _WHERE,
            ("HSETNX", STORE_KEY, "format", FORMAT),
            ("HSETNX", STORE_KEY, "partitions", partitions or 1),
        )
        noted = await _noted(connection)
    found_format, found = (int(text) if text and text.isdigit() else 0 for text in noted)
    if found_format != FORMAT:
        raise StoreMismatch(
            connection.address, f"it is in format {found_format}, this program knows {FORMAT}"
        )
    if not 1 <= found <= PARTITIONS_MAX:
        raise StoreMismatch(connection.address, f"{STORE_KEY} says {found} partitions")
    if partitions not in (None, found):
        raise StoreMismatch(
            connection.address,
            f"it was created with {found} partitions, not {partitions}; that cannot be changed",
        )
    return found


async def _noted(connection: Connection) -> list[bytes | None]:
    noted: list[bytes | None] = await connection.command(_WHERE, "HMGET", STORE_KEY, "format", "partitions")
    return noted


async def _holds_logs(connection: Connection) -> bool:
    cursor = b"0"
    while True:
        cursor, found = await connection.command(_WHERE, "SCAN", cursor, "MATCH", LOG_KEYS, "COUNT", 1000)
        if found:
            return True
        if cursor == b"0":
            return False
