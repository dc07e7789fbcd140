"""`deploy/README.md`: what it names is there."""

import re

from tests.deploy.installation import DEPLOY, ROOT

README = (DEPLOY / "README.md").read_text()


def test_every_file_that_the_guide_names_exists() -> None:
    named = {DEPLOY / name for name in re.findall(r"^\| `([\w./]+)`", README, re.MULTILINE)}
    named |= {ROOT / name for name in re.findall(r"\bdeploy/[\w./]*\w", README) if "local" not in name}
    named -= {DEPLOY / "local"}

    assert len(named) > 8
    assert {str(path.relative_to(ROOT)) for path in named if not path.exists()} == set()


def test_every_file_here_is_named_in_the_guide() -> None:
    for path in DEPLOY.iterdir():
        hidden = path.name.startswith(".") or path.name in {"README.md", "local"}
        assert hidden or path.name in README or path.name == "Dockerfile.dockerignore", path.name
