"""What can be wrong with a tournament report file, said with the place where it stands."""


class TrfError(ValueError):
    """A file that cannot be read: where, what was found, what was expected."""

    def __init__(self, line: int, columns: tuple[int, int] | None, message: str) -> None:
        """`line` is 1-based, 0 for the file as a whole; `columns` are 1-based, both ends included."""
        super().__init__(line, columns, message)
        self.line = line
        self.columns = columns
        self.message = message

    def __str__(self) -> str:
        return f"{_place(self.line, self.columns)}{self.message}"


class NotOffered(TrfError):
    """A record that would change the pairing and that we do not honour: refused rather than ignored."""


class NotExpressible(ValueError):
    """Something in a tournament that the dialect asked for has no record for."""


def _place(line: int, columns: tuple[int, int] | None) -> str:
    if line == 0:
        return ""
    if columns is None:
        return f"line {line}: "
    first, last = columns
    if first == last:
        return f"line {line}, column {first}: "
    return f"line {line}, columns {first}-{last}: "
