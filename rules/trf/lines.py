"""From bytes to lines, and from a line to its fields by column. Columns count characters, from 1, both ends included."""

import re
from typing import NoReturn

import msgspec

from rules.trf.errors import NotOffered, TrfError

ROUND_MAX = 99  # what an event can hold; every round column of a TRF has two digits or fewer in practice
TPN_MAX = 9999  # four columns
SHOWN_MAX = 40  # characters of a faulty field that an error shows

_LINE_END = re.compile(r"\r\n|\r|\n")
_DIGITS = re.compile(r"[0-9]{1,4}\Z")  # ASCII alone: '²' and full-width digits are no numbers here
_TENTHS = re.compile(r"(-?)([0-9]{1,3})(?:\.([0-9]))?\Z")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TAG = re.compile(r"[0-9A-Z]{3}\Z")
_NAMES = {"\t": "a tab", "\x00": "a NUL character"}


class Line(msgspec.Struct, frozen=True):
    """One line of the file, with its number for the errors."""

    number: int
    text: str

    @property
    def tag(self) -> str:
        """Columns 1-3: the kind of record."""
        return self.text[:3]

    def field(self, first: int, last: int) -> str:
        """Return the columns without blanks round them; a short line counts as filled up with blanks."""
        return self.text[first - 1 : last].strip(" ")

    def rest(self, first: int) -> str:
        """Return everything from a column on, without blanks round it."""
        return self.text[first - 1 :].strip()

    def integer(self, first: int, last: int, what: str, most: int, least: int = 1) -> int:
        """Return the number in the columns; raise unless it is there and within its limits."""
        field = self.field(first, last)
        if not _DIGITS.match(field) or not least <= int(field) <= most:
            self.fail(first, last, f"{what}, {least} to {most}")
        return int(field)

    def tenths(self, first: int, last: int, what: str) -> int:
        """Return the points in the columns as tenths."""
        value = to_tenths(self.field(first, last))
        if value is None:
            self.fail(first, last, f"{what}, points with one decimal such as 1.0")
        return value

    def ids(self, first: int) -> list[tuple[int, int]]:
        """Return (column, starting rank) for fields of four columns, five columns apart, from `first` on."""
        found = []
        for column in range(first, len(self.text) + 1, 5):
            if self.field(column, column + 3):
                found.append((column, self.integer(column, column + 3, "a starting rank", TPN_MAX)))
            self.blank(column + 4, column + 4)
        return found

    def blank(self, first: int, last: int) -> None:
        """Raise unless the columns between two fields are empty: what stands there belongs to a shifted field."""
        between = self.text[first - 1 : last]
        if between and between != " " * len(between):
            self.fail(first, last, "a blank between two fields; is the line shifted?")

    def words(self, first: int = 5) -> list[tuple[int, str]]:
        """Return (column, word) for every word from a column on."""
        return [
            (match.start() + 1, match[0])
            for match in re.finditer(r"[^ ]+", self.text)
            if match.start() + 1 >= first
        ]

    def fail(self, first: int, last: int, expected: str) -> NoReturn:
        """Raise `TrfError` with what stands in the columns and what should."""
        raise TrfError(
            self.number, (first, last), f"found {shown(self.text[first - 1 : last])}, expected {expected}"
        )

    def refuse(self, why: str) -> NoReturn:
        """Raise `NotOffered` for the whole line."""
        raise NotOffered(self.number, (1, max(3, len(self.text))), f"record {self.tag}: {why}")


def to_tenths(field: str) -> int | None:
    """Return points such as `1.5` or `3` in tenths, or None for what is no such number.

    >>> to_tenths("1.5"), to_tenths("12"), to_tenths("-0.5"), to_tenths("1,5")
    (15, 120, -5, None)
    """
    match = _TENTHS.match(field)
    if match is None:
        return None
    sign, whole, tenth = match.groups()
    value = int(whole) * 10 + int(tenth or "0")
    return -value if sign else value


def shown(found: str) -> str:
    """Return a field as an error shows it: blanks named, long ones cut."""
    if not found.strip(" "):
        return "nothing"
    return repr(found if len(found) <= SHOWN_MAX else found[:SHOWN_MAX] + "…")


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file and notes about what had to be guessed.

    UTF-8, with or without a byte order mark; else CP1252, which old programs for Windows wrote.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise TrfError(1, (1, 2), "the file is UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        at = error.start
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise _undecodable(data, error.start) from error
    line, column = _position(data, at)
    return text, (f"line {line}, column {column}: the file is not UTF-8; read as CP1252",)


def split(text: str) -> list[Line]:
    """Return the lines that hold something; LF, CR and CRLF end a line. Raise for what no record can hold."""
    lines = []
    for number, content in enumerate(_LINE_END.split(text), start=1):
        control = CONTROL.search(content)
        if control is not None:
            column = control.start() + 1
            name = _NAMES.get(control[0], f"the control character U+{ord(control[0]):04X}")
            raise TrfError(
                number, (column, column), f"found {name}, expected characters; fields are set with blanks"
            )
        if content.strip():
            lines.append(_record(Line(number, content.rstrip())))
    return lines


def _record(line: Line) -> Line:
    if line.tag == "###":
        return line
    if not _TAG.match(line.tag):
        line.fail(1, 3, "a record of three digits or capitals, or ### for a comment")
    if line.text[3:4] not in ("", " "):
        line.fail(4, 4, "a blank after the record's three characters")
    return line


def _position(data: bytes, at: int) -> tuple[int, int]:
    before = _LINE_END.split(data[:at].decode("latin-1"))
    return len(before), len(before[-1]) + 1


def _undecodable(data: bytes, at: int) -> TrfError:
    line, column = _position(data, at)
    return TrfError(
        line, (column, column), f"byte {data[at]:#04x} is neither UTF-8 nor CP1252; save the file as UTF-8"
    )
