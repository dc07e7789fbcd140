"""Small files for the tests, laid out by column."""

from rules.trf import TournamentFile, read


def line(tpn: int, points: str = "0.0", *blocks: str, name: str = "") -> str:
    """Return a 001 record; a block is `opponent colour result` as in `"3 w 1"`, or empty; a result to come is two blanks."""
    static = f"001 {tpn:>4}      {name or f'Player {tpn}':<33} {2400 - tpn % 1000:>4} FRA {tpn:>11} 1990/00/00{points:>5} {tpn:>4}"
    return static + "".join(f"  {block:>8}" for block in blocks)


def trf(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n").encode()


TWO = (line(1, "1.0", "2 w 1"), line(2, "0.0", "1 b 0"))
FOUR = (
    line(1, "1.0", "3 w 1"),
    line(2, "0.5", "4 b ="),
    line(3, "0.0", "1 b 0"),
    line(4, "0.5", "2 w ="),
)


def file(*extra: str, players: tuple[str, ...] = FOUR, rounds: int = 5) -> TournamentFile:
    """Return a sound file of `players`, with extra records before them."""
    return read(trf(f"142 {rounds}", *extra, *players))
