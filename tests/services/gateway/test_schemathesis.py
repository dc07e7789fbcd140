"""Whatever the API's description allows, and much that it does not: no failure of ours, no answer it does not describe."""

import asyncio
import subprocess
import sys
from pathlib import Path

from services.gateway.examples import TOURNAMENT
from services.server import Server
from tests.services.gateway.scene import Process
from tests.services.pairing.live import until
from tests.services.projector.scene import Stage
from tests.support.worker import running_projector

OPTIONS = [
    "--phases=examples,coverage,fuzzing",
    "--max-examples=8",  # an operation
    "--mode=all",
    "--seed=1",
    "--generation-database=none",
    "--no-color",
    (
        "--checks=not_a_server_error,status_code_conformance,content_type_conformance,"
        "response_headers_conformance,response_schema_conformance,negative_data_rejection,"
        "missing_required_header,unsupported_method"
    ),
]


async def test_no_request_makes_it_fail_or_answer_otherwise_than_described(
    server: Server, stage: Stage, tmp_path: Path
) -> None:
    await stage.begin(TOURNAMENT)  # so that what is described of views is looked at, too
    await stage.go_on(1, TOURNAMENT)
    async with running_projector(server.url, tmp_path):
        await until(lambda: shown(stage), "two rounds are shown")
        with Process(server.url, tmp_path) as gateway:
            await gateway.ready()
            await asyncio.to_thread(try_everything, gateway, tmp_path)


async def shown(stage: Stage) -> bool:
    return await stage.views.get(TOURNAMENT, "boards:2") is not None


def try_everything(gateway: Process, folder: Path) -> None:
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{gateway.address}/openapi.json"),
            *("--header", f"Authorization: Bearer {gateway.arbiter}", *OPTIONS),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=380,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout[-8000:]
    assert "Traceback" not in gateway.words
