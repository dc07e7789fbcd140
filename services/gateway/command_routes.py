"""The routes by which commands come in. `actor` is the token's name; nothing in a request can say otherwise."""

from collections.abc import Sequence
from time import perf_counter

import structlog
from litestar import post
from litestar.handlers import HTTPRouteHandler, get
from litestar.params import FromPath
from litestar.response import Response
from structlog.contextvars import bound_contextvars

from rules.commands import RegisterPlayer
from rules.refusals import RuleViolation
from services.gateway import incoming
from services.gateway.answers import SERVER_ERRORS, AnyRequest, json_answer, problem_answer
from services.gateway.commands import Answer, Commands
from services.gateway.effects import in_words
from services.gateway.metrics import Metrics
from services.gateway.problems import Problem, problem_of
from services.gateway.tokens import Token, Tokens
from services.store.errors import BadName
from services.store.keys import check_tournament

UNKNOWN = "unknown"  # the type of a command that was not understood

log = structlog.get_logger(__name__)


class Desk:
    """Takes commands out of requests, and answers."""

    def __init__(self, commands: Commands, tokens: Tokens, metrics: Metrics) -> None:
        self._commands = commands
        self._tokens = tokens
        self._metrics = metrics

    async def give(self, request: AnyRequest, tournament: str) -> Response[bytes]:
        """Carry out the command in `request`, or rehearse it; one line in the log, whatever becomes of it."""
        started = perf_counter()
        kind, outcome = UNKNOWN, "failed"
        try:
            token = self._authorised(request, tournament)
            dry = _dry_run(request)
            given = await _taken(request, token)
            kind = given.kind
            with bound_contextvars(actor=token.name):
                if dry:
                    outcome = "rehearsed"
                    return json_answer(await self._rehearse(tournament, given))
                answer = await self._carry_out(tournament, given)
            outcome = "duplicate" if answer.duplicate else "done"
            return json_answer(answer, 201)
        except RuleViolation as refusal:  # logged where it was decided
            outcome = "refused"
            return problem_answer(problem_of(refusal))
        except Exception as error:  # noqa: BLE001 - the door: whatever it is becomes a problem document
            outcome = "failed"
            return _failed(error, tournament, kind)
        finally:
            self._metrics.note_command(kind, outcome, perf_counter() - started)

    async def head(self, request: AnyRequest, tournament: str) -> Response[bytes]:
        """Answer the version of the log, for `If-Match`; not public, for it moves before a publication."""
        self._authorised(request, tournament)
        version = (await self._commands.state(tournament)).head.version
        if not version:
            raise Problem("no-such-tournament", "there is no such tournament")
        return json_answer({"version": version}, headers={"ETag": f'"{version}"'})

    def _authorised(self, request: AnyRequest, tournament: str) -> Token:
        token = self._tokens.token(request.headers.get("authorization"))
        try:
            check_tournament(tournament)
        except BadName as error:
            raise problem_of(error) from None
        if not token.covers(tournament):
            raise Problem("not-authorised", "the token does not extend to this tournament")
        return token

    async def _carry_out(self, tournament: str, given: incoming.Request) -> Answer:
        if given.person is not None:
            assert isinstance(given.command, RegisterPlayer)
            return await self._commands.register(
                tournament, given.command, given.person, given.order, given.seen
            )
        return await self._commands.carry_out(tournament, given.command, given.order, given.seen)

    async def _rehearse(self, tournament: str, given: incoming.Request) -> dict[str, object]:
        try:
            command = given.command
            if given.person is not None:
                assert isinstance(command, RegisterPlayer)
                command = await self._commands.committed(tournament, command, given.person)
            answer = await self._commands.rehearse(tournament, command, given.order, given.seen)
        except RuleViolation as refusal:
            log.info("command_rehearsed", tournament=tournament, kind=given.kind, refusal=refusal.kind())
            raise
        before = (await self._commands.state(tournament)).state
        log.info("command_rehearsed", tournament=tournament, kind=given.kind, version=before.version)
        return {
            "would": answer.facts,
            "first": answer.first,
            "last": answer.last,
            "duplicate": answer.duplicate,
            "effect": in_words(answer.facts, before.published_rounds),
        }


def command_routes(desk: Desk) -> Sequence[HTTPRouteHandler]:
    """Return the routes of commands."""

    @post("/tournaments/{tournament:str}/commands", status_code=201)
    async def give(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await desk.give(request, tournament)

    @get("/tournaments/{tournament:str}/head")
    async def head(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await desk.head(request, tournament)

    return give, head


async def _taken(request: AnyRequest, token: Token) -> incoming.Request:
    incoming.check_content_type(request.headers.get("content-type"))
    given = incoming.request(await request.body(), request.headers, token.name)
    if not token.may_command(given.kind):
        raise Problem("not-authorised", f"the token does not extend to the command {given.kind}")
    return given


def _dry_run(request: AnyRequest) -> bool:
    asked = request.query_params.getall("dry_run", ["0"])
    if len(asked) != 1 or asked[0] not in {"0", "1"}:
        raise Problem("bad-request", "dry_run is 0 or 1", path="dry_run")
    return asked == ["1"]


def _failed(error: Exception, tournament: str, kind: str) -> Response[bytes]:
    problem = problem_of(error)
    # A name that is none could be anything, a token too.
    named = None if problem.kind == "no-such-tournament" else tournament
    line = log.bind(tournament=named, kind=kind, problem=problem.kind, status=problem.status)
    if problem.kind == "internal":
        line.error("command_failed", exc_info=error)
    elif problem.status >= SERVER_ERRORS:
        line.error("command_failed", reason=str(error))
    else:
        line.warning("command_failed")
    return problem_answer(problem)
