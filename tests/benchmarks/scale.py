"""How much each benchmark does: in earnest, in a hurry, and just enough to see that it still runs."""

import msgspec


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of all benchmarks; times in seconds."""

    runs: int  # of which the median counts
    engine_sizes: tuple[int, ...]  # players
    engine_hard: tuple[str, ...]  # names of positions where little is left to pair
    replay_rounds: int  # of a tournament of `replay_players`
    replay_players: int
    appends: int  # of each of the 64 writers, in one run
    tournaments: int  # open at once, where it is not about growth
    command_s: float  # of each stretch of commands over HTTP
    command_rate: int  # a second, over all tournaments
    single_rate: int  # a second, in one tournament
    single_players: int  # of that one; boards should be a multiple of 16
    watch_s: float  # of results whose way to the public view is watched
    idle_s: float
    growth: tuple[int, ...]  # tournaments open at once
    growth_players: int
    growth_results: int  # watched, at least; one a tournament if that is more
    growth_probes: int  # rounds whose pairing is watched


FULL = Scale(
    runs=5,
    engine_sizes=(50, 100, 200, 400, 800, 1600, 3200),
    engine_hard=("hard-n14-r13-s1", "hard-n200-r15-s1"),
    replay_rounds=9,
    replay_players=200,
    appends=100,
    tournaments=64,
    command_s=10.0,
    command_rate=1_000,
    single_rate=300,
    single_players=416,
    watch_s=20.0,
    idle_s=60.0,
    growth=(10, 100, 1_000),
    growth_players=100,
    growth_results=200,
    growth_probes=10,
)

QUICK = Scale(
    runs=3,
    engine_sizes=(50, 100, 200, 400),
    engine_hard=("hard-n14-r13-s1", "hard-n200-r15-s1"),
    replay_rounds=5,
    replay_players=100,
    appends=20,
    tournaments=64,
    command_s=3.0,
    command_rate=1_000,
    single_rate=300,
    single_players=416,
    watch_s=5.0,
    idle_s=10.0,
    growth=(10, 100),
    growth_players=20,
    growth_results=100,
    growth_probes=5,
)

TINY = Scale(
    runs=1,
    engine_sizes=(50,),
    engine_hard=(),
    replay_rounds=2,
    replay_players=4,
    appends=2,
    tournaments=4,
    command_s=0.2,
    command_rate=100,
    single_rate=100,
    single_players=8,
    watch_s=0.2,
    idle_s=0.1,
    growth=(2, 3),
    growth_players=4,
    growth_results=4,
    growth_probes=1,
)
