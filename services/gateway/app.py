"""The gateway as a process: store, tokens and routes wired together, started and stopped.

`python -m services.gateway --url URL --tokens FILE` serves in the foreground until SIGTERM or SIGINT; SIGHUP reads
the tokens again. Exit codes are those of `services.cli.exits`; an error that a user can do something about is one
line.
"""

import argparse
import asyncio
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack

import structlog

from services import logs
from services.cli.exits import ExitCode, say
from services.failpoints import UnknownFailpoint
from services.gateway.application import application
from services.gateway.command_routes import Desk
from services.gateway.commands import Commands
from services.gateway.listening import CannotListen, free_port, listening
from services.gateway.metrics import Metrics
from services.gateway.operations import Operations
from services.gateway.page_routes import Pages
from services.gateway.tokens import Tokens, TokensUnusable, new_token
from services.gateway.view_routes import Reading
from services.gateway.views import Lately
from services.options import service_parser
from services.process import open_store, say_ready, until_told
from services.projector.views import RedisViews
from services.settings import HOST, PORT, BadSetting, Settings, load
from services.store import RedisStore, StoreError
from services.store.connection import Connection
from services.store.redis_store import PATIENCE_S, TIMEOUT_S

COLLECT_AFTER = 50_000, 20, 100  # allocations, and collections of the younger generations
LOOK_S_MAX = 1.0  # for one answer of the server to whoever asks after our health

log = structlog.get_logger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop, or make a token; return the exit code."""
    options = _parser().parse_args(arguments)
    given = {name: value for name, value in vars(options).items() if name not in _OWN}
    try:
        if options.new_token is not None:
            return _make_token(options)
        settings = load(os.environ, **given)
        logs.configure()
        asyncio.run(until_told(serve(settings, ready_fd=options.ready_fd), settings.end_with))
    except (BadSetting, UnknownFailpoint) as error:
        return _fail(ExitCode.INVALID_REQUEST, error)
    except (TokensUnusable, CannotListen) as error:
        return _fail(ExitCode.FILE_ACCESS, error)
    except StoreError as error:
        return _fail(ExitCode.NO_STORE, error)
    log.info("gateway_stopped")
    return ExitCode.OK


async def serve(settings: Settings, *, ready_fd: int | None = None) -> None:
    """Serve until cancelled; raise why, when that cannot be."""
    async with AsyncExitStack() as stack:
        tokens = Tokens(settings.tokens)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, tokens.reload)
        port = free_port(settings.host, settings.port)
        store = await open_store(settings)
        stack.push_async_callback(store.close)
        app = application(*_parts(stack, settings, store, tokens))
        serving = await stack.enter_async_context(listening(app, settings.host, port))
        address = f"http://{_in_url(settings.host)}:{port}"
        log.info("gateway_ready", address=address, store=store.address, partitions=store.partitions)
        _collect_seldom()
        say_ready(ready_fd, address)
        await serving


def _parts(
    stack: AsyncExitStack, settings: Settings, store: RedisStore, tokens: Tokens
) -> tuple[Desk, Reading, Pages, Operations]:
    metrics = Metrics()
    reader = Connection(settings.store_url, TIMEOUT_S, PATIENCE_S)
    watcher = Connection(settings.store_url, LOOK_S_MAX, patience_s=0)
    stack.push_async_callback(reader.close)
    stack.push_async_callback(watcher.close)
    commands = Commands(store, on_append=metrics.note_append_s)
    views = RedisViews(reader, store.partitions)
    operations = Operations(watcher, store.partitions, store.durability.in_words(), tokens, metrics)
    return Desk(commands, tokens, metrics), Reading(views, metrics), Pages(Lately(views), metrics), operations


def _collect_seldom() -> None:
    # The states of tournaments are many small objects that live long and hold no cycles: a collection that walks
    # them all every few hundred commands is what makes the slowest answers slow.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _make_token(options: argparse.Namespace) -> int:
    """Print a new token, once; only its digest is kept."""
    settings = load(os.environ, store_url="unix:///none", tokens=options.tokens, data_dir=options.data_dir)
    grant = {
        "name": options.new_token,
        "scopes": options.scopes.split(","),
        "tournaments": options.tournaments.split(","),
        **({"expires": options.expires} if options.expires else {}),
    }
    presented = new_token(settings.tokens, grant)
    sys.stdout.write(presented + "\n")
    say(f"added to {settings.tokens}; it is not shown again")
    return ExitCode.OK


def _fail(code: ExitCode, error: Exception) -> int:
    say(str(error))
    return code


_OWN = {"ready_fd", "new_token", "scopes", "tournaments", "expires"}


def _parser() -> argparse.ArgumentParser:
    parser = service_parser("services.gateway", "Take commands and show tournaments over HTTP.")
    parser.add_argument("--tokens", metavar="FILE", help="digests of the bearer tokens, TOML")
    parser.add_argument("--data-dir", metavar="DIR", help="where tokens.toml is without --tokens")
    parser.add_argument("--host", metavar="HOST", help=f"where to listen; {HOST} unless said otherwise")
    parser.add_argument("--port", metavar="PORT", help=f"{PORT} unless said otherwise; 0 takes a free one")
    parser.add_argument("--new-token", metavar="NAME", help="add a token of that name, print it, and end")
    parser.add_argument(
        "--scopes",
        default="command:*",
        help="with --new-token: command:TYPE, command:*, operate; commas between",
    )
    parser.add_argument(
        "--tournaments", default="*", help="with --new-token: patterns of ids; commas between"
    )
    parser.add_argument("--expires", metavar="INSTANT", help="with --new-token: RFC 3339, UTC")
    return parser
