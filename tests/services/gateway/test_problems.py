"""Problem types: one for every way to be refused, each with a title and a status."""

import pytest

from rules.refusals import RuleViolation
from services.gateway.problems import KINDS
from tests.services.gateway.scene import House, problem


def test_every_refusal_of_the_rules_is_a_type_of_problem() -> None:
    for kind in RuleViolation.__subclasses__():
        about = KINDS[kind.kind()]
        assert about.title
        assert about.article == kind.article
        assert about.status in {404, 409, 412}


@pytest.mark.parametrize("name", sorted(KINDS))
async def test_every_type_of_problem_can_be_looked_up(house: House, name: str) -> None:
    found = await house.client.get(KINDS[name].type)

    assert found.json()["title"] == KINDS[name].title


async def test_the_list_of_problems_names_each_and_no_other_is_there(house: House) -> None:
    listed = await house.client.get("/problems")
    missing = await house.client.get("/problems/no-such-problem")

    assert [kind["type"] for kind in listed.json()] == [kind.type for kind in KINDS.values()]
    assert problem(missing)["status"] == 404
