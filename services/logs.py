"""How every process logs: one line a thing done, JSON for machines, readable on a terminal; set up once, here.

Lines go to standard error: standard output belongs to whatever a command answers.
"""

import asyncio
import logging
import sys
from typing import TextIO

import redis.exceptions
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

LEVEL = logging.INFO
LIBRARIES_LEVEL = logging.WARNING


def configure(stream: TextIO | None = None, level: int = LEVEL) -> None:
    """Send our lines, and the warnings of the libraries we use, to `stream` (default: standard error)."""
    out = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="timestamp"),
    ]
    render: list[Processor] = (
        # Not its own tracebacks: those show local variables, and with them tokens and persons.
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if out.isatty()
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(sort_keys=True)]
    )
    structlog.configure(
        processors=[*shared, *render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=out),
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, _name_lost_connections],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        )
    )
    handler.addFilter(_worth_saying)
    logging.basicConfig(handlers=[handler], level=LIBRARIES_LEVEL, force=True)
    faststream = logging.getLogger("faststream")  # made itself a handler when it was imported
    faststream.handlers.clear()
    faststream.propagate = True
    faststream.setLevel(LIBRARIES_LEVEL)
    logging.captureWarnings(capture=True)


def _worth_saying(record: logging.LogRecord) -> bool:
    # FastStream calls a handler that was broken off at the stop an error.
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def _name_lost_connections(_: WrappedLogger, __: str, line: EventDict) -> EventDict:
    # A server that went away is an event, not a mistake: a reason says all that a traceback would.
    raised = line.get("exc_info")
    error = raised[1] if isinstance(raised, tuple) else raised
    if isinstance(error, redis.exceptions.ConnectionError | redis.exceptions.TimeoutError):
        del line["exc_info"]
        line["reason"] = str(error) or type(error).__name__
    return line
