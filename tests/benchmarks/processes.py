"""What processes cost: processor time and memory, read from `/proc`, those of their children included."""

import os
from collections.abc import Iterator
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the processor time that a process and its living children have used, in seconds."""
    return sum(_cpu_s(member) for member in _family(pid))


def memory_mb(pid: int) -> float:
    """Return the memory of a process and its children, MB; a page that two share counts half for each (PSS)."""
    return sum(_memory_kb(member) for member in _family(pid)) / 1000


def machine_cpu_s() -> float:
    """Return the processor time that everybody on this machine has used, all cores together, in seconds."""
    user, nice, system, _, _, interrupts, soft, stolen, *_ = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + interrupts + soft + stolen) / TICKS_PER_S


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _family(int(child))


def _cpu_s(pid: int) -> float:
    # After the name, which may hold anything and ends with the last parenthesis: fields 3, 4, 5 …
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def _memory_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise ValueError(f"the system does not tell the memory of process {pid}")
