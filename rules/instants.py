"""Instants as integers: milliseconds since 1970 in UTC. The only place that reads RFC 3339 text.

Text is never compared as text: `…:00.500Z` sorts before `…:00Z`.
"""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class NoSuchInstant(ValueError):
    """A text of the right shape that names no moment, such as the 30th of February."""


def milliseconds(instant: str) -> int:
    """Return an RFC 3339 UTC instant as milliseconds since 1970.

    >>> milliseconds("1970-01-01T00:00:01.250Z")
    1250
    """
    try:
        moment = datetime.fromisoformat(instant)
    except ValueError as error:
        raise NoSuchInstant(f"{instant!r} is no moment in time: {error}") from error
    if moment.utcoffset() != timedelta(0):
        raise NoSuchInstant(f"{instant!r} is not in UTC")
    return (moment - _EPOCH) // _MILLISECOND


def second(instant: str) -> int:
    """Return the whole second an instant lies in: deadlines include the second they name (design section 5)."""
    return milliseconds(instant) // 1000


def instant(since_epoch_ms: int) -> str:
    """Return milliseconds since 1970 as RFC 3339 text with milliseconds.

    >>> instant(1250)
    '1970-01-01T00:00:01.250Z'
    """
    moment = _EPOCH + since_epoch_ms * _MILLISECOND
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def plus_minutes(start: str, minutes: int) -> str:
    """Return the instant `minutes` after `start`."""
    return instant(milliseconds(start) + minutes * 60_000)


def later(first: str, other: str) -> str:
    """Return the later of two instants; the first where they are equal."""
    return other if milliseconds(other) > milliseconds(first) else first
