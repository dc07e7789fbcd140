"""The program as a user starts it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIRAGE = str(Path(sys.executable).parent / "tirage")


def tirage(*arguments: str, timeout_s: float = 240, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, away from whatever the caller's environment says of a store."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TIRAGE_")}
    return subprocess.run(
        [TIRAGE, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=timeout_s,
        env={**clean, **environment},
        check=False,
    )
