"""What can go wrong in a store, as types with fields; the messages say what and where, and never a password."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.store.port import Head


class StoreError(Exception):
    """Base of every refusal of a store."""


class VersionConflict(StoreError):
    """Somebody was faster: the log has grown past what the writer knew. Read and decide again."""

    def __init__(self, tournament: str, expected: "Head", found: "Head") -> None:
        super().__init__(f"{tournament} is at version {found.version}, not {expected.version}")
        self.tournament = tournament
        self.expected = expected
        self.found = found


class CommandClash(StoreError):
    """A command id came back with another request; the first one stands as `first`…`last`."""

    def __init__(self, tournament: str, cause: str, first: int, last: int) -> None:
        where = f"version {first}" if first == last else f"versions {first} to {last}"
        super().__init__(
            f"{tournament}: command {cause!r} was already carried out with another request ({where})"
        )
        self.tournament = tournament
        self.cause = cause
        self.first = first
        self.last = last


class LogBroken(StoreError):
    """A log is not what we wrote: entries are lost, foreign or changed, at or after `version`."""

    def __init__(self, tournament: str, version: int, reason: str) -> None:
        super().__init__(f"the log of {tournament} is broken at version {version}: {reason}")
        self.tournament = tournament
        self.version = version
        self.reason = reason


class ClockSkew(StoreError):
    """The writer's clock and the server's differ by more than an event may (design section 4)."""

    def __init__(self, skew_ms: int, skew_ms_max: int) -> None:
        ahead = "ahead of" if skew_ms > 0 else "behind"
        super().__init__(
            f"this machine's clock is {abs(skew_ms) / 1000:.1f} s {ahead} the server's; "
            f"at most {skew_ms_max / 1000:.0f} s are allowed, nothing was recorded"
        )
        self.skew_ms = skew_ms  # positive: the writer is ahead


class NotAppendable(StoreError, ValueError):
    """Entries that do not continue the log they were made for: our own mistake, nothing was sent."""

    def __init__(self, tournament: str, reason: str) -> None:
        super().__init__(f"nothing was appended to {tournament}: {reason}")
        self.tournament = tournament
        self.reason = reason


class BadName(StoreError, ValueError):
    """Something that would become part of a key is not a tournament's id, a player's id or a digest."""

    def __init__(self, what: str, value: str) -> None:
        super().__init__(f"{value[:80]!r} is not {what}")
        self.what = what
        self.value = value


class BlobMissing(StoreError, LookupError):
    """No blob is stored under this digest."""

    def __init__(self, tournament: str, digest: str) -> None:
        super().__init__(f"{tournament}: no blob {digest}")
        self.tournament = tournament
        self.digest = digest


class BlobBroken(StoreError):
    """What is stored under a digest does not have that digest."""

    def __init__(self, tournament: str, digest: str) -> None:
        super().__init__(f"{tournament}: the blob {digest} was changed, its content has another digest")
        self.tournament = tournament
        self.digest = digest


class BlobTooLarge(StoreError, ValueError):
    """A blob is larger than a store takes."""

    def __init__(self, tournament: str, size: int, size_max: int) -> None:
        super().__init__(f"{tournament}: a blob of {size} bytes; at most {size_max} are stored")
        self.tournament = tournament
        self.size = size


class PersonClash(StoreError):
    """Another record of this player is registered; it is not overwritten."""

    def __init__(self, tournament: str, player: str) -> None:
        super().__init__(f"{tournament}: player {player} is registered with another personal record")
        self.tournament = tournament
        self.player = player


class RegisterBroken(StoreError):
    """What the register holds for a player is not a personal record."""

    def __init__(self, tournament: str, player: str, reason: str) -> None:
        super().__init__(f"{tournament}: the register's record of player {player} is not readable: {reason}")
        self.tournament = tournament
        self.player = player


class BadStoreUrl(StoreError, ValueError):
    """The store's URL is not one we can use."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"store URL {address}: {reason}; accepted are redis://HOST:PORT/DB, rediss://HOST:PORT/DB "
            "and unix:///PATH/TO/SOCKET?db=DB"
        )
        self.address = address


class StoreUnreachable(StoreError):
    """Nothing answers at `address`, or not in time, or not as a Redis or Valkey server does."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"no store at {address}: {reason}")
        self.address = address
        self.reason = reason


class StoreRefused(StoreError):
    """The server at `address` answered and will not do it: authentication, permissions, a full disk or memory."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"the server at {address} refuses: {reason}")
        self.address = address
        self.reason = reason


class UnsupportedServer(StoreError):
    """The server is of a kind or version on which the store cannot work at all."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"the server at {address} cannot be used: {reason}")
        self.address = address
        self.reason = reason


class UnsafeServer(StoreError):
    """The server could lose what it acknowledged; `problems` names each setting."""

    def __init__(self, address: str, problems: tuple[str, ...]) -> None:
        super().__init__(
            f"the server at {address} may lose events that it acknowledged: {'; '.join(problems)}. "
            "Set this right, or allow an unsafe server explicitly"
        )
        self.address = address
        self.problems = problems


class StoreMismatch(StoreError):
    """The data at `address` were written by a store laid out otherwise."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"the store at {address} does not fit: {reason}")
        self.address = address
        self.reason = reason
