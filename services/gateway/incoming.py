"""What comes in with a command: its body, and in headers what is said about it. Strict: nothing unknown passes.

The body is the command alone, the same tagged JSON as in `rules.commands`, with two differences: `register-player`
carries the person instead of a commitment to him, and `correct-result` may name the revision of the board that
the arbiter saw. The worker's own commands are not taken.

| header | means |
| --- | --- |
| `Idempotency-Key` | the id of the command; needed. With or without quotation marks |
| `If-Match` | the version of the tournament that the arbiter saw, `"17"` |
| `Tirage-Reported-At` | when a human told an arbiter; without it, now |
| `Tirage-Device`, `Tirage-Device-Time`, `Tirage-Venue` | whence the command comes |
"""

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from events.facts import PlayerId, Round
from rules.commands import (
    AnnounceTournament,
    AnyCommand,
    CloseAppealWindow,
    CloseTournament,
    Command,
    CompleteVenueReports,
    ConfirmPresence,
    CorrectResult,
    DrawLots,
    FixNumbers,
    PostResults,
    RecordResult,
    RegisterPlayer,
    RequestBye,
    SetTimetable,
    WithdrawPlayer,
)
from services.gateway.commands import NO_PERSON, Order, Person, Seen
from services.gateway.problems import Problem, problem_of

BODY_BYTES_MAX = 131_072  # twice the largest event
KEY = "idempotency-key"
HEADERS = {  # field of `Order` → header
    "id": KEY,
    "reported_at": "tirage-reported-at",
    "device": "tirage-device",
    "device_time": "tirage-device-time",
    "venue": "tirage-venue",
}


class EnterPlayer(Command, frozen=True, kw_only=True, tag="register-player"):
    """Enter a player. The person goes into the register beside the log, the log holds a commitment alone."""

    player: PlayerId
    person: Person
    rating: Annotated[int, Meta(ge=0, le=4000)] = 0
    title: Annotated[str, Meta(pattern=r"^(GM|IM|WGM|FM|WIM|CM|WFM|WCM)?$(?!\n)")] = ""
    federation: Annotated[str, Meta(pattern=r"^([A-Z]{3})?$(?!\n)")] = ""
    sex: Annotated[str, Meta(pattern=r"^[mw]?$(?!\n)")] = ""
    fide_id: Annotated[str, Meta(pattern=r"^[0-9]{0,11}$(?!\n)")] = ""
    entered_for: Round = 1

    def entry(self) -> RegisterPlayer:
        """Return the command for the log, with no commitment yet."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return RegisterPlayer(**{**fields, "person": NO_PERSON})


class CorrectSeenResult(CorrectResult, frozen=True, kw_only=True, tag="correct-result"):
    """Correct a recorded result; `was`, and `revision` where given, are those that the arbiter saw."""

    revision: Annotated[int, Meta(ge=1, le=10_000)] | None = None

    def correction(self) -> CorrectResult:
        """Return the command for the log."""
        fields = asdict(self)
        del fields["revision"]
        return CorrectResult(**fields)


Incoming = (
    AnnounceTournament
    | SetTimetable
    | DrawLots
    | EnterPlayer
    | ConfirmPresence
    | FixNumbers
    | RequestBye
    | WithdrawPlayer
    | RecordResult
    | CorrectSeenResult
    | PostResults
    | CompleteVenueReports
    | CloseAppealWindow
    | CloseTournament
)

_decoder = msgspec.json.Decoder(Incoming)


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A command as it came in, taken apart."""

    kind: str  # its name outside
    command: AnyCommand
    person: Person | None  # of `register-player`
    order: Order
    seen: Seen


def request(body: bytes, headers: Mapping[str, str], actor: str) -> Request:
    """Return what came in; raise `Problem`."""
    incoming = decoded(body)
    command, person = _for_the_log(incoming)
    revision = incoming.revision if isinstance(incoming, CorrectSeenResult) else None
    return Request(
        kind=kind_of(incoming),
        command=command,
        person=person,
        order=_order(headers, actor),
        seen=Seen(versions=_versions(headers.get("if-match")), revision=revision),
    )


def decoded(body: bytes) -> Incoming:
    """Return the command in `body`; raise `Problem` saying what is wrong with it, and where."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise problem_of(error) from None


def kind_of(command: Command) -> str:
    """Return the name of a command outside."""
    tag = command.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def check_content_type(content_type: str | None) -> None:
    """Raise `Problem` (415) unless the body is said to be JSON."""
    media_type, _, parameters = (content_type or "").partition(";")
    charset = re.search(r"charset=\"?([^\";\s]+)", parameters, re.IGNORECASE)
    if media_type.strip().lower() != "application/json" or (charset and charset[1].lower() != "utf-8"):
        raise Problem("not-json-type", "send the command as application/json in UTF-8")


def _for_the_log(incoming: Incoming) -> tuple[AnyCommand, Person | None]:
    match incoming:
        case EnterPlayer():
            return incoming.entry(), incoming.person
        case CorrectSeenResult():
            return incoming.correction(), None
        case _:
            return incoming, None


def _order(headers: Mapping[str, str], actor: str) -> Order:
    fields = {field: headers[header] for field, header in HEADERS.items() if header in headers}
    fields["id"] = re.sub(r'^"(.*)"$', r"\1", fields.get("id", ""))
    if not fields["id"]:
        raise Problem("bad-request", "the header Idempotency-Key is needed", path=KEY)
    for field, value in fields.items():
        if not value.isascii() or not value.isprintable():
            raise Problem("bad-request", "a header holds printable ASCII alone", path=HEADERS[field])
    try:
        return msgspec.convert({**fields, "actor": actor}, Order)
    except msgspec.ValidationError as error:
        known = problem_of(error)
        field = known.document.path.removeprefix("$.")
        raise Problem("not-understood", known.document.detail, path=HEADERS.get(field, field)) from None


def _versions(if_match: str | None) -> tuple[int, ...] | None:
    """Return the versions that an `If-Match` names; None when it does not matter which."""
    if if_match is None or if_match.strip() == "*":
        return None
    tags = [tag.strip() for tag in if_match.split(",")]
    if not all(re.fullmatch(r'(W/)?"[^"]*"', tag) for tag in tags):
        raise Problem("bad-request", 'If-Match is a list of versions, as "17"', path="if-match")
    # A weak tag never matches (RFC 9110, 13.1.1), nor does one that is no version.
    return tuple(int(tag[1:-1]) for tag in tags if re.fullmatch(r'"[0-9]{1,15}"', tag))
