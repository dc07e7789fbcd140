"""Whatever the API's description allows, and much that it does not: no failure of ours, no answer it does not describe."""

import subprocess
import sys
from pathlib import Path

from services.server import Server
from tests.services.gateway.examples import ANNOUNCE, KEYS
from tests.services.gateway.scene import Process

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
    server: Server, tmp_path: Path
) -> None:
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client:
            await client.post(
                "/tournaments/open-2026/commands",
                json={**ANNOUNCE, "tournament": "open-2026"},
                headers=KEYS("a"),
            )
        ended = subprocess.run(  # noqa: ASYNC221 - nothing else is to be done meanwhile
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{gateway.address}/openapi.json"),
                *("--header", f"Authorization: Bearer {gateway.arbiter}", *OPTIONS),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert ended.returncode == 0, ended.stdout[-8000:]
    assert "Traceback" not in gateway.words
