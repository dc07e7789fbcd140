import asyncio
import io
import json
import logging
import warnings
from collections.abc import Iterator

import pytest
import redis.exceptions
import structlog

from services import logs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_away_from_a_terminal_each_thing_is_one_line_of_json_with_what_was_bound() -> None:
    out = io.StringIO()
    logs.configure(out)

    with structlog.contextvars.bound_contextvars(tournament="open-2026"):
        structlog.get_logger("any").info("pairing_sealed", round=4, note="Žižka\nnew line")

    [line] = lines(out)
    assert line.pop("timestamp")
    assert line == {
        "event": "pairing_sealed",
        "level": "info",
        "note": "Žižka\nnew line",
        "round": 4,
        "tournament": "open-2026",
    }


def test_a_traceback_on_a_terminal_shows_no_local_variables() -> None:
    out = Terminal()
    logs.configure(out)
    planted = "planted" + str(out.isatty())

    try:
        {"p1": planted}["p2"]
    except KeyError as error:
        structlog.get_logger("any").error("request_failed", exc_info=error)

    assert "KeyError" in out.getvalue()
    assert planted not in out.getvalue()


def test_on_a_terminal_a_line_is_for_reading() -> None:
    out = Terminal()
    logs.configure(out)

    structlog.get_logger("any").warning("tournament_postponed", reason="no store")

    assert "tournament_postponed" in out.getvalue()
    assert not out.getvalue().startswith("{")


def test_libraries_are_heard_from_warnings_on_in_the_same_form() -> None:
    out = io.StringIO()
    logs.configure(out)

    logging.getLogger("faststream").info("Received")
    logging.getLogger("faststream").warning("slow %s", "feed")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    heard, warned = lines(out)
    assert (heard["event"], heard["level"], heard["logger"]) == ("slow feed", "warning", "faststream")
    assert "old" in str(warned["event"])


def test_a_lost_connection_is_a_reason_and_a_mistake_a_traceback() -> None:
    out = io.StringIO()
    logs.configure(out)

    for error in (redis.exceptions.ConnectionError("refused"), KeyError("ours")):
        logging.getLogger("faststream").error("Message fetch error", exc_info=error)

    lost, mistake = lines(out)
    assert lost["reason"] == "refused"
    assert "exception" not in lost
    assert "KeyError" in str(mistake["exception"])


def test_what_was_broken_off_is_no_error() -> None:
    out = io.StringIO()
    logs.configure(out)

    logging.getLogger("faststream").error("CancelledError: ", exc_info=asyncio.CancelledError())

    assert lines(out) == []


def test_configured_twice_it_says_everything_once() -> None:
    out = io.StringIO()
    logs.configure(out)
    logs.configure(out)

    logging.getLogger("faststream").warning("once")
    structlog.get_logger("any").info("once_too")
    structlog.get_logger("any").debug("not_at_all")

    assert [line["event"] for line in lines(out)] == ["once", "once_too"]
