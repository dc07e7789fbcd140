import asyncio

import pytest

from services.doorbell.crew import Crew, end


async def deaf(times: int) -> None:
    """Lose the cancellation a number of times, as the Redis client may."""
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if not times:
                raise
            times -= 1


async def test_tasks_that_lose_a_cancellation_are_told_again() -> None:
    tasks = [asyncio.create_task(deaf(times)) for times in (0, 1, 2)]
    await asyncio.sleep(0)

    await end(tasks)

    assert all(task.cancelled() for task in tasks)


async def test_who_is_cancelled_while_ending_a_crew_ends_it_first() -> None:
    async def lead() -> None:
        async with Crew() as crew:
            crew.start(deaf(2))
            await crew.stay()

    leading = asyncio.create_task(lead())
    await asyncio.sleep(0.01)
    for _ in range(3):
        leading.cancel()
        await asyncio.sleep(0.01)

    await asyncio.wait({leading}, timeout=5)

    assert leading.cancelled()
    assert len(asyncio.all_tasks()) == 1


async def test_a_task_that_fails_ends_the_crew_with_its_error() -> None:
    async def fail() -> None:
        raise KeyError("ours")

    async def lead() -> None:
        async with Crew() as crew:
            crew.start(deaf(0))
            crew.start(fail())
            await crew.stay()

    with pytest.raises(KeyError, match="ours"):
        await lead()
    assert len(asyncio.all_tasks()) == 1


async def test_a_task_that_is_done_is_no_reason_to_leave() -> None:
    async with Crew() as crew:
        crew.start(asyncio.sleep(0))
        staying = asyncio.create_task(crew.stay())
        await asyncio.sleep(0.02)
        assert not staying.done()
        staying.cancel()
