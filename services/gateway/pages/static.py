"""Style, script and icon of the pages: files, each under a name that changes when it does."""

from importlib.resources import files

from events.codec import sha256_hex

MEDIA_TYPES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

CONTENT = {name: (files("services.gateway.pages") / "assets" / name).read_bytes() for name in MEDIA_TYPES}


def path_of(name: str) -> str:
    """Return where a file is served, with a mark of its content."""
    return f"/static/{name}?v={sha256_hex(CONTENT[name])[:8]}"
