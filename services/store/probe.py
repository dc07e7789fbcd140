"""What a server can promise: asked at start, said in words, and refused when it could lose acknowledged events."""

from collections.abc import Mapping

import msgspec
import structlog

from services.store.connection import Connection, parse_info
from services.store.errors import StoreRefused, UnsafeServer, UnsupportedServer

CONFIGURATION = ("appendfsync", "no-appendfsync-on-rewrite", "aof-load-truncated")
VERSIONS_MIN = {"redis": (7, 0), "valkey": (7, 2)}

Settings = Mapping[str, str]

log = structlog.get_logger(__name__)


class Durability(msgspec.Struct, frozen=True, kw_only=True):
    """What a server is and what becomes of its data when it dies; None: it would not say."""

    kind: str | None  # "redis" or "valkey"
    version: str | None
    role: str | None  # "master" or "slave"
    replicas: int
    append_only: bool | None
    last_write_ok: bool
    appendfsync: str | None  # "always", "everysec" or "no"
    fsync_on_rewrite: bool | None  # whether fsync goes on while the file is being rewritten
    maxmemory_policy: str | None
    load_truncated: bool | None  # whether it starts on a file whose end was cut; see services.server
    cluster: bool

    @property
    def unsupported(self) -> str | None:
        """Why the store cannot work on this server at all, or None when it can."""
        if self.kind is None or self.version is None:
            return "it does not say that it is Redis or Valkey (INFO server)"
        wanted = VERSIONS_MIN[self.kind]
        found = tuple(int(part) for part in self.version.split(".")[:2] if part.isdigit())
        if found < wanted:
            return f"it is {self.kind} {self.version}; at least {self.kind} {wanted[0]}.{wanted[1]} is needed"
        if self.cluster:
            return "it is a node of a cluster, which is not offered yet"
        return None

    @property
    def problems(self) -> tuple[str, ...]:
        """Each setting by which acknowledged events could be lost, with what it should be; empty: none is known."""
        return tuple(
            problem
            for problem in (
                _problem("appendonly", {True: "yes", False: "no", None: None}[self.append_only], "yes"),
                _problem("appendfsync", self.appendfsync, "always"),
                _problem(
                    "no-appendfsync-on-rewrite",
                    {True: "no", False: "yes", None: None}[self.fsync_on_rewrite],
                    "no",
                ),
                _problem("maxmemory-policy", self.maxmemory_policy, "noeviction"),
                None
                if self.role == "master"
                else f"it is a {self.role or 'server of unknown role'}, not a primary",
                None if self.last_write_ok else "its last write to the append-only file failed",
            )
            if problem
        )

    def in_words(self) -> str:
        """Return one sentence for people: the server, and what survives its death."""
        server = f"{self.kind or 'unknown server'} {self.version or ''}".rstrip()
        if self.problems:
            return f"{server}: acknowledged events may be lost ({'; '.join(self.problems)})"
        alone = (
            "no replica, so its disk is the only copy"
            if not self.replicas
            else f"replicas: {self.replicas}, not waited for, so a failover may lose the last events"
        )
        cut = "; aof-load-truncated is yes: after a power cut have its file checked before anybody writes"
        return f"{server}: an event is on disk before it is acknowledged; {alone}{cut * bool(self.load_truncated)}"


async def probe(connection: Connection, *, allow_unsafe: bool) -> Durability:
    """Ask a server what it can promise.

    Raises `StoreUnreachable`, `StoreRefused`, `UnsupportedServer`, and `UnsafeServer` unless `allow_unsafe`.
    """
    await connection.command("(server)", "PING")  # whoever may not even do this lacks the password
    promised = durability(await _info(connection), await _config(connection))
    if promised.unsupported:
        raise UnsupportedServer(connection.address, promised.unsupported)
    if promised.problems and not allow_unsafe:
        raise UnsafeServer(connection.address, promised.problems)
    if promised.problems:
        log.warning("server_unsafe", address=connection.address, problems=promised.problems)
    return promised


def durability(info: Settings | None, config: Settings | None) -> Durability:
    """Read what a server said: `info` its INFO lines, `config` its CONFIG GET answer; None: it would not say."""
    about = info or {}
    settings = config or {}
    kind = "valkey" if "valkey_version" in about else "redis" if "redis_version" in about else None
    replicas = about.get("connected_slaves", "0")
    return Durability(
        kind=kind,
        version=about.get(f"{kind}_version"),
        role=about.get("role"),
        replicas=int(replicas) if replicas.isdigit() else 0,
        append_only=_truth(about.get("aof_enabled"), "1"),
        last_write_ok=about.get("aof_last_write_status", "ok") == "ok",
        appendfsync=settings.get("appendfsync"),
        fsync_on_rewrite=_truth(settings.get("no-appendfsync-on-rewrite"), "no"),
        maxmemory_policy=about.get("maxmemory_policy"),
        load_truncated=_truth(settings.get("aof-load-truncated"), "yes"),
        cluster=about.get("cluster_enabled") == "1",
    )


async def _info(connection: Connection) -> Settings | None:
    try:
        return parse_info(await connection.command("(server)", "INFO"))
    except StoreRefused as error:
        log.warning("server_does_not_tell", address=connection.address, command="INFO", reason=error.reason)
        return None


async def _config(connection: Connection) -> Settings | None:
    try:
        flat = await connection.command("(server)", "CONFIG", "GET", *CONFIGURATION)
    except StoreRefused as error:
        log.warning("server_does_not_tell", address=connection.address, command="CONFIG", reason=error.reason)
        return None
    return {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _truth(value: str | None, yes: str) -> bool | None:
    return None if value is None else value == yes


def _problem(setting: str, found: str | None, wanted: str) -> str | None:
    if found is None:
        return f"{setting} could not be read (it must be {wanted}; let the user run INFO and CONFIG GET)"
    return None if found == wanted else f"{setting} is {found}, it must be {wanted}"
