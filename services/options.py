"""The options that every service's program has, in one wording; each stands before its variable TIRAGE_…."""

import argparse


def service_parser(module: str, description: str) -> argparse.ArgumentParser:
    """Return the parser of `python -m MODULE`, with what any service on a store can be told."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=f"{description} Each option stands before its variable TIRAGE_… in the environment.",
    )
    parser.add_argument("--url", dest="store_url", help="the store: redis://, rediss:// or unix://")
    parser.add_argument("--partitions", metavar="N", help="what the store must have")
    parser.add_argument("--store-wait-s", metavar="S", help="how long to wait for a store that is not there")
    parser.add_argument(
        "--end-with", metavar="PID", help="end when this process, which must be the parent, is gone"
    )
    parser.add_argument(
        "--allow-unsafe", action="store_const", const="yes", help="use a server that may lose events"
    )
    parser.add_argument("--ready-fd", type=int, metavar="FD", help="write a line there when ready")
    return parser


def add_doorbell_options(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Add what a service behind the feeds can be told, and return the group of what it does instead of working."""
    parser.add_argument("--sweep-s", metavar="S", help="seconds between two looks at all tournaments")
    parser.add_argument(
        "--claim-idle-ms", metavar="MS", help="when a doorbell left by a dead process is answered"
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument(
        "--parked", action="store_true", help="list the tournaments that are set aside, and end"
    )
    only.add_argument("--release", metavar="ID", help="let a tournament that is set aside go on, and end")
    return only
