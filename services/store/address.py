"""A store's URL: which forms are accepted, how one is shown without its secrets."""

from urllib.parse import SplitResult, parse_qsl, urlsplit

from services.store.errors import BadStoreUrl

PORT_MAX = 65_535

_OPTIONS = {
    "redis": {"db", "username", "password"},
    "unix": {"db", "username", "password"},
    "rediss": {
        "db",
        "username",
        "password",
        "ssl_ca_certs",
        "ssl_certfile",
        "ssl_keyfile",
        "ssl_check_hostname",
        "ssl_cert_reqs",
    },
}
_NOT_YET = {"redis+sentinel", "redis+cluster", "sentinel", "cluster"}


def shown(url: str) -> str:
    """Return `url` as it may stand in messages and logs: without user, password and options.

    >>> shown("redis://arbiter:secret@db.example:6379/2?password=secret")
    'redis://db.example:6379/2'
    """
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(not a URL)"
    if not parts.scheme or "://" not in url:
        return "(not a URL)"  # it could be anything, a password too
    return f"{parts.scheme}://{host}{parts.path}"


def check_url(url: str) -> str:
    """Return `url` when it names one server in an accepted form; raise `BadStoreUrl` saying what is wrong."""
    address = shown(url)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadStoreUrl(address, "its host or port is not readable") from error
    if parts.scheme in _NOT_YET:
        raise BadStoreUrl(address, f"{parts.scheme}:// is not offered yet")
    if parts.scheme not in _OPTIONS or "://" not in url:
        raise BadStoreUrl(address, f"the scheme {parts.scheme or '(none)'!r} is not known")
    reason = _what_is_wrong_with(parts, port)
    if reason:
        raise BadStoreUrl(address, reason)
    return url


def _what_is_wrong_with(parts: SplitResult, port: int | None) -> str | None:
    if parts.scheme == "unix":
        if parts.netloc.rpartition("@")[2] or not parts.path.startswith("/"):
            return "a unix socket needs an absolute path"
    elif not parts.hostname:
        return "it names no host"
    elif port == 0:
        return f"the port is not between 1 and {PORT_MAX}"
    elif not _is_database(parts.path.removeprefix("/") or "0"):
        return "the database after the host is not a number"
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _OPTIONS[parts.scheme]:
            return f"the option {name!r} is not known"
        if name == "db" and not _is_database(value):
            return "the option 'db' is not a number"
    if parts.fragment:
        return "'#' begins a fragment, which means nothing here; write %23 for one in a password"
    return None


def _is_database(text: str) -> bool:
    return text.isascii() and text.isdigit()
