"""What a service must be told: from the command line, else the environment, else a default. Read once, at the start.

The only module that reads `TIRAGE_…` variables, the tests' failpoint and the command line's `--url` apart.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from services.store.address import check_url
from services.store.errors import BadStoreUrl
from services.store.keys import PARTITIONS_MAX

PREFIX = "TIRAGE_"
TRUE = {"1", "yes", "true", "on"}
FALSE = {"0", "no", "false", "off", ""}
SECONDS_MAX = 86_400.0
SEAL_KEY_FILE = "seal.key"
TOKENS_FILE = "tokens.toml"
HOST, PORT, PORT_MAX = "127.0.0.1", 8080, 65_535  # where the gateway listens unless told otherwise
URL_VARIABLE = f"{PREFIX}STORE_URL"


class BadSetting(ValueError):
    """A setting that cannot be used; `name` is the variable or option as the user wrote it."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a service."""

    store_url: str
    data_dir: Path
    seal_key: Path  # file with the key that makes the salts of seals
    partitions: int | None = None  # what the store must have; None: as it is
    allow_unsafe: bool = False  # use a server that may lose events
    sweep_s: float = 3.0  # between two looks at all heads
    claim_idle_ms: int = 30_000  # after which a doorbell that nobody answered is rung again
    store_wait_s: float = 30.0  # for a store that is not there at the start
    end_with: int | None = None  # end when this process, which started us, is gone
    tokens: Path  # file with the digests of the gateway's bearer tokens
    host: str = HOST  # where the gateway listens
    port: int = PORT  # 0: a free one


def load(environment: Mapping[str, str], **given: str | None) -> Settings:
    """Return the settings: those `given` on the command line come before the environment's.

    Both are text, by the names of the fields of `Settings`; None stands for not given. Raises `BadSetting`.
    """
    values: dict[str, Any] = {}
    for name, read in _READERS.items():
        option, variable = f"--{name.replace('_', '-')}", PREFIX + name.upper()
        option = _OPTIONS.get(name, option)
        for source, text in ((option, given.get(name)), (variable, environment.get(variable))):
            if text is not None:
                values[name] = _read(source, text, read)
                break
    if "store_url" not in values:
        raise BadSetting(f"{_OPTIONS['store_url']} or {URL_VARIABLE}", "no store is named")
    values.setdefault("data_dir", platformdirs.user_data_path("tirage", appauthor=False))
    values.setdefault("seal_key", values["data_dir"] / SEAL_KEY_FILE)
    values.setdefault("tokens", values["data_dir"] / TOKENS_FILE)
    return Settings(**values)


def _read(source: str, text: str, read: Callable[[str], object]) -> object:
    try:
        return read(text)
    except ValueError as error:
        raise BadSetting(source, str(error)) from error


def _url(text: str) -> str:
    try:
        return check_url(text)
    except BadStoreUrl as error:  # its message never shows a password
        raise ValueError(str(error)) from None


def _path(text: str) -> Path:
    if not text:
        raise ValueError("a path is needed")
    return Path(text).expanduser().absolute()


def _host(text: str) -> str:
    if not text or any(char.isspace() or char == "/" for char in text):
        raise ValueError(f"{text!r} is neither a name nor an address")
    return text


def _truth(text: str) -> bool:
    if text.lower() in TRUE:
        return True
    if text.lower() in FALSE:
        return False
    raise ValueError(f"{text!r} is neither yes nor no")


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise ValueError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= SECONDS_MAX:
        raise ValueError(f"{text!r} is not a number of seconds, more than 0 and at most {SECONDS_MAX:.0f}")
    return seconds


_OPTIONS = {"store_url": "--url"}

_READERS: dict[str, Callable[[str], object]] = {
    "store_url": _url,
    "data_dir": _path,
    "seal_key": _path,
    "partitions": _whole(1, PARTITIONS_MAX),
    "allow_unsafe": _truth,
    "sweep_s": _seconds,
    "claim_idle_ms": _whole(10, 86_400_000),
    "store_wait_s": _seconds,
    "end_with": _whole(1, 2**31 - 1),
    "tokens": _path,
    "host": _host,
    "port": _whole(0, PORT_MAX),
}
